"""Plays games with an engine over UCI, with pyffish as the judge: Fairy-Stockfish's rules.

Usage: play_uci.py ENGINE GAMES

Most moves are random, for long games, and some the engine's. In every position the engine's list of legal moves must be
pyffish's, the position that it shows pyffish's too, and the move that it chooses legal. Anything out
of order makes the exit status 1; the last line counts games, positions and passes.
"""

import random
import subprocess
import sys

import pyffish

STARTS = [
    pyffish.start_fen("ataxx"),
    "P5p/7/2*1*2/7/2*1*2/7/p5P w - - 0 1",
    "P5p/2*1*2/1*3*1/7/1*3*1/2*1*2/p5P b - - 0 1",
    # A side that must pass.
    "7/7/7/7/4ppp/4ppp/4ppP w - - 0 30",
]


class Engine:
    """An engine that speaks UCI."""

    def __init__(self, path):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([path], stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.send("uci")
        self.until("uciok")
        self.send("setoption name UCI_Variant value ataxx")
        self.until("info string variant ataxx")

    def send(self, line):
        self.process.stdin.write(line + "\n")

    def until(self, start):
        """The rest of the first line that begins so."""
        for line in self.process.stdout:
            if line.startswith("info string error"):
                sys.exit(line)
            if line.startswith(start):
                return line[len(start) :].strip()
        sys.exit(f"the engine ended before it said {start}")


def play(engine, number, totals):
    start, moves = STARTS[number % len(STARTS)], []
    engine.send("ucinewgame")
    while len(moves) < 200:
        engine.send(f"position fen {start}" + (" moves " + " ".join(moves) if moves else ""))
        engine.send("d")
        fen = engine.until("Fen:")
        engine.send("moves")
        listed = engine.until("moves").split()
        if not listed:
            break
        # Where there is no move pyffish lists a pass with each stone, the engine one of them.
        legal = pyffish.legal_moves("ataxx", start, moves)
        is_pass = legal[0][:2] == legal[0][2:]
        if set(listed) != set(legal) and not (is_pass and len(listed) == 1 and listed[0] in legal):
            sys.exit(f"{fen}: {sorted(set(listed) ^ set(legal))}")
        shown = pyffish.get_fen("ataxx", start, moves)
        if fen.split()[:2] != shown.split()[:2]:
            sys.exit(f"{fen} is {shown}")
        if random.randrange(6) == 0:
            engine.send("go nodes 40")
            move = engine.until("bestmove").split()[0]
            if move not in legal:
                sys.exit(f"{fen}: illegal {move}")
        else:
            move = random.choice(legal)
        moves.append(move)
        totals["positions"] += 1
        totals["passes"] += is_pass
    totals["games"] += 1


def main():
    random.seed(1)
    pyffish.load_variant_config("")
    engine = Engine(sys.argv[1])
    totals = {"games": 0, "positions": 0, "passes": 0}
    for number in range(int(sys.argv[2])):
        play(engine, number, totals)
    engine.send("quit")
    if engine.process.wait(30) != 0:
        sys.exit("the engine failed")
    print(", ".join(f"{count} {name}" for name, count in totals.items()))


main()
