"""Plays games with an engine through python-ataxx, which is the referee.

Usage: play_games.py ENGINE GAMES

The engine plays black, white or both, random legal moves the other side, from random openings on
boards with and without gaps. Every way of python-ataxx to say `go` is used. Anything out of order
makes the exit status 1; the last line counts games, moves, passes and games won against random
moves.
"""

import random
import sys

import ataxx
import ataxx.uai

BOARDS = ["x5o/7/7/7/7/7/o5x x 0 1", "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"]
LIMITS = [
    {"depth": 3},
    {"nodes": 300},
    {"movetime": 15},
    {"times": (200, 200, 10, 10)},
]
# Long enough for any machine; python-ataxx would wait for ever.
PATIENCE = 30


def random_move(board):
    moves = board.legal_moves()
    return random.choice(moves) if moves else ataxx.Move.null()


def play(engine, number, totals):
    """Plays a game to its end."""
    sides = [[ataxx.BLACK], [ataxx.WHITE], [ataxx.BLACK, ataxx.WHITE]][number % 3]
    board = ataxx.Board(BOARDS[number // 3 % 2])
    for _ in range(random.randrange(6)):
        board.makemove(random_move(board))
    start, moves = board.get_fen(), []
    engine.uainewgame()
    while not board.gameover():
        if board.turn in sides:
            # The engine is told the position in both ways.
            if number % 2 == 0:
                engine.position(start, " ".join(moves))
            else:
                engine.position(board.get_fen())
            best, _ = engine.go(maxwait=PATIENCE, **LIMITS[(number + len(moves)) % len(LIMITS)])
            if best is None:
                sys.exit(f"no move within {PATIENCE} s in {board.get_fen()}")
            move = ataxx.Move.from_san(best)
            if not board.is_legal(move):
                sys.exit(f"illegal move {best} in {board.get_fen()}")
            totals["moves"] += 1
            totals["passes"] += move == ataxx.Move.null()
        else:
            move = random_move(board)
        board.makemove(move)
        moves.append(str(move))
    totals["games"] += 1
    if len(sides) == 1:
        totals["won"] += board.result() == ("1-0" if sides == [ataxx.BLACK] else "0-1")


def main():
    path, games = sys.argv[1], int(sys.argv[2])
    random.seed(20)
    engine = ataxx.uai.Engine(path)
    engine.uai()
    if engine.name is None or not engine.name.startswith("Physarum"):
        sys.exit(f"the engine calls itself {engine.name}")
    engine.setoption("Hash", 4)
    engine.isready(PATIENCE)
    totals = {"games": 0, "moves": 0, "passes": 0, "won": 0}
    for number in range(games):
        play(engine, number, totals)
    engine.quit()
    print(" ".join(f"{value} {name}" for name, value in totals.items()))


if __name__ == "__main__":
    main()
