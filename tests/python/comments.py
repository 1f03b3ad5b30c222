"""The moves of a PGN file and their comments, as python-ataxx reads them, one to a line.

Usage: comments.py FILE
"""

import sys

import ataxx
import ataxx.pgn

for game in ataxx.pgn.GameIterator(sys.argv[1]):
    board = ataxx.Board(game.headers.get("FEN", "startpos"))
    for node in game.main_line():
        assert board.is_legal(node.move), (node.move, board.get_fen())
        board.makemove(node.move)
        print(node.move, node.comment or "", sep="\t")
