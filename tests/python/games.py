"""PGN files that python-ataxx reads and writes.

Usage: games.py read FILE
       games.py write FILE GAMES

Each game that is read, with nothing left out, or written becomes a line on standard output, with
five fields between tabs: the players (black, white), the result, the FEN of the last position, the
moves between blanks, and the moves' comments between bars. Anything out of order makes the exit
status 1.
"""

import random
import sys

import ataxx
import ataxx.pgn

BOARDS = [
    ataxx.FEN_STARTPOS,
    ataxx.FEN_4CORNERS,
    ataxx.FEN_4SIDES,
    "x5o/7/7/7/7/7/o4xx o 0 1",
    "7/7/7/7/4ooo/4ooo/4oox x 0 30",
]


def line(game):
    """Replays a game and says what it was."""
    board = ataxx.Board(game.headers.get("FEN", "startpos"))
    moves, comments = [], []
    for node in game.main_line():
        if not board.is_legal(node.move):
            sys.exit(f"{node.move} is illegal in {board.get_fen()}")
        board.makemove(node.move)
        moves.append(str(node.move))
        comments.append(node.comment or "")
    result = game.headers["Result"]
    if result != board.result():
        sys.exit(f"{result} in the file, {board.result()} on the board: {board.get_fen()}")
    players = f"{game.headers['Black']}, {game.headers['White']}"
    return "\t".join([players, result, board.get_fen(), " ".join(moves), "|".join(comments)])


def read(path):
    with open(path) as file:
        begun = sum(text.startswith("[Event ") for text in file)
    # Games that it cannot read are left out without a word.
    games = list(ataxx.pgn.GameIterator(path))
    if len(games) != begun:
        sys.exit(f"{len(games)} games of {begun}")
    for game in games:
        print(line(game))


def random_game(number):
    board = ataxx.Board(BOARDS[number % len(BOARDS)])
    for _ in range(random.randrange(150)):
        if board.gameover():
            break
        board.makemove(random.choice(board.legal_moves()))
    game = ataxx.pgn.Game()
    game.from_board(board)
    game.set_black(f"player {number}")
    game.set_white("somebody")
    return game


def embellish(game):
    """Adds comments and variations."""
    board = ataxx.Board(game.headers.get("FEN", "startpos"))
    parent = game.root
    for node in game.main_line():
        chance = random.random()
        if chance < 0.1:
            node.comment = random.choice(["why not", "+0.35/9 12ms, fine", "-M2/5", "0000"])
        elif chance < 0.2:
            for move in board.legal_moves()[:2]:
                parent.add_variation(move, comment="or else")
        board.makemove(node.move)
        parent = node


def write(path, count):
    random.seed(20)
    with open(path, "w") as file:
        for number in range(count):
            game = random_game(number)
            embellish(game)
            print(line(game))
            print(game, end="\n\n", file=file)


if __name__ == "__main__":
    if sys.argv[1] == "read":
        read(sys.argv[2])
    else:
        write(sys.argv[2], int(sys.argv[3]))
