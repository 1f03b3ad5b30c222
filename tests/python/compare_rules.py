"""Recomputes positions of Ataxx games with python-ataxx.

Standard input has one position a line, with four fields between tabs: the FEN, the legal moves in
order between blanks, the result ("*" while the game goes on), and the move that leads to the next
line ("-" at the end of a game). Mismatches are printed, and make the exit status 1.
"""

import sys

import ataxx

SHOWN = 20


def mismatches(lines):
    """Yields a text for each field that python-ataxx sees differently."""
    reached = None
    for number, line in enumerate(lines, 1):
        fen, moves, result, played = line.rstrip("\n").split("\t")
        board = ataxx.Board(fen)
        if reached not in (None, fen):
            yield f"line {number}: position {fen}, python-ataxx has {reached}"
        expected = " ".join(sorted(map(str, board.legal_moves())))
        if moves != expected:
            yield f"line {number}: moves of {fen}: {moves}, python-ataxx has {expected}"
        if result != board.result():
            yield f"line {number}: result of {fen}: {result}, python-ataxx has {board.result()}"
        reached = None
        if played != "-":
            board.makemove(ataxx.Move.from_san(played))
            reached = board.get_fen()


def main():
    lines = sys.stdin.readlines()
    found = list(mismatches(lines))
    for text in found[:SHOWN]:
        print(text)
    if found:
        sys.exit(f"{len(found)} mismatches in {len(lines)} positions")
    print(f"{len(lines)} positions agree")


if __name__ == "__main__":
    main()
