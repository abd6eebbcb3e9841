"""An engine as others write them: from docs/engines.md and the rules of Camette, without a line of this program.

It jumps if it can, else takes a step, else canters once, by chance, or as TINY_SEED says. With an argument it
misbehaves that way, from its first move on or after as many good ones as a second argument says.
"""

from __future__ import annotations

import os
import random
import re
import sys
import time
from collections.abc import Iterator

RANKS = {1: "C", 2: "BCD", 3: "ABCDE", 4: "ABCDE", 5: "ABCDE", 6: "BCD", 7: "C"}
CELLS = {f"{file}{rank}" for rank, files in RANKS.items() for file in files}
START = {
    **dict.fromkeys(["C2"], "WN"),
    **dict.fromkeys(["B3", "C3", "D3"], "WM"),
    **dict.fromkeys(["C6"], "BN"),
    **dict.fromkeys(["B5", "C5", "D5"], "BM"),
}
CASTLES = {"W": "C1", "B": "C7"}
WAYS = [(df, dr) for df in (-1, 0, 1) for dr in (-1, 0, 1) if df or dr]


def beside(cell: str, way: tuple[int, int], times: int = 1) -> str:
    """The cell so many steps on, "" off the board."""
    there = f"{chr(ord(cell[0]) + way[0] * times)}{int(cell[1]) + way[1] * times}"
    return there if there in CELLS else ""


def after(board: dict[str, str], move: str) -> dict[str, str]:
    """The board after a move as it is written."""
    cells, marks = re.split("[-x]", move), re.findall("[-x]", move)
    board = dict(board)
    piece = board.pop(cells[0])
    for a, b, mark in zip(cells, cells[1:], marks, strict=False):
        if mark == "x":
            del board[f"{chr((ord(a[0]) + ord(b[0])) // 2)}{(int(a[1]) + int(b[1])) // 2}"]
    board[cells[-1]] = piece
    return board


def jumps(board: dict[str, str], cell: str, side: str) -> Iterator[str]:
    """Every jump of the piece on `cell`, played to its end."""
    other = "B" if side == "W" else "W"
    for way in WAYS if cell != CASTLES[other] else ():
        over, land = beside(cell, way), beside(cell, way, 2)
        if over and land and board.get(over, "-")[0] == other and land not in board:
            onward = list(jumps(after(board, f"{cell}x{land}"), land, side))
            yield from (f"{cell}x{more}" for more in onward or [land])


def choose(board: dict[str, str], side: str) -> str:
    """A lawful move; "" if this engine knows none."""
    own = [cell for cell, piece in board.items() if piece[0] == side]
    home = [cell for cell in own if cell == CASTLES[side]]
    quiet = [
        f"{cell}-{land}"
        for cell in own
        for way in WAYS
        if (land := beside(cell, way)) and land not in board and land != CASTLES[side]
    ]
    canters = [
        f"{cell}-{land}"
        for cell in own
        if board[cell][1] == "M"
        for way in WAYS
        if (land := beside(cell, way, 2))
        and board.get(beside(cell, way), "-")[0] == side
        and land not in board
        and land != CASTLES[side]
    ]
    taking = [move for cell in own for move in jumps(board, cell, side)]
    for moves in (taking, quiet, canters):
        leaving = [move for move in moves if move[:2] in home]
        if leaving:
            return random.choice(leaving)
    return random.choice(taking or quiet or canters or [""])


def say(line: str) -> None:
    print(line, flush=True)


def misbehave(how: str) -> None:
    if how == "end":
        sys.exit(3)
    if how == "hang":
        time.sleep(3600)
    while how == "flood":
        say("info string " + "x" * 60)
    while how == "flood-line":
        sys.stdout.write("x" * 10_000)
    if how == "noise":
        sys.stdout.buffer.write(b"bestmove \xff\xfe\x00\n")
        sys.stdout.flush()
    if how in {"lie", "nothing"}:
        say({"lie": "bestmove C2-C7", "nothing": "bestmove"}[how])


def main() -> None:
    how = sys.argv[1] if len(sys.argv) > 1 else ""
    good = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    board, side = START, "W"
    for line in sys.stdin:
        words = line.split()
        if words[0] == "ugi":
            if how == "end-at-once":
                sys.exit(1)
            say("id name Tiny")
            say("ugiok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "setoption" and words[2] == "game" and words[4] != "camette":
            say("info string error: only Camette")
        elif words[0] == "position":
            board, side = START, "W"
            for move in words[words.index("moves") + 1 :] if "moves" in words else ():
                board, side = after(board, move), "B" if side == "W" else "W"
        elif words[0] == "go" and how and good <= 0:
            misbehave(how)
        elif words[0] == "go":
            good -= 1
            say(f"bestmove {choose(board, side)}")
        elif words[0] == "quit":
            return


if __name__ == "__main__":
    random.seed(os.environ.get("TINY_SEED"))
    main()
