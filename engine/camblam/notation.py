"""Camblam on paper: `NB2-A7`, `D5xE6`, a run with every cell it takes `RD4xD8xD9`, a shot `AD4*D8`, `=Q`, `+`, `#`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.board import Board
from engine.camblam.rules import CODES, KIND_OF, KINDS
from engine.game import Move, Refusal, build_refusal

CELL_PATTERN = "[A-Z][0-9]{1,2}"
PATTERN = re.compile(
    rf"([{KINDS}])?({CELL_PATTERN})([-X*])({CELL_PATTERN}(?:X{CELL_PATTERN})*)(?:=([{KINDS}]))?[+#]?[!?]*"
)
LONGEST_WRITTEN = 80
"""Longer texts are not moves: a run over eleven cells with every mark has fewer characters."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A move as it was written or made: where from, where to, what it empties in order, what it promotes to.

    `kind` is the piece letter that was written, "" for none. A shot ends where it began.
    """

    origin: int
    target: int
    taken: tuple[int, ...]
    becomes: str = ""
    kind: str = ""


def format_bare_move(board: Board, kind: str, move: Move) -> str:
    """The notation of a move by a piece of that kind, without the mark for check."""
    start = ("" if kind == "P" else kind) + board.cells[move.origin]
    if move.kind == "shot":
        return f"{start}*{board.cells[move.taken[0]]}"
    if not move.taken:
        return f"{start}-{board.cells[move.target]}" + format_promotion(move)
    return "x".join((start, *(board.cells[cell] for cell in move.taken))) + format_promotion(move)


def format_promotion(move: Move) -> str:
    """`=Q` for a move that promotes to a queen, else nothing."""
    return f"={KIND_OF[move.becomes]}" if move.becomes else ""


def parse_attempt(board: Board, text: str) -> Attempt | Refusal:
    """What `text` says, lawful or not: "unreadable" or "off-board" where it says nothing on this board."""
    found = PATTERN.fullmatch(text.strip().upper()) if len(text) <= LONGEST_WRITTEN else None
    if found is None or (found[3] != "X" and "X" in found[4]):
        shown = text if len(text) <= LONGEST_WRITTEN else text[:LONGEST_WRITTEN] + "..."
        example = "NB2-A7, RD4xD8xD9, AD4*D8 or E11-E12=Q"
        text = "{text} is no move: write every landing, as in {example}."
        return build_refusal("unreadable", text, text=repr(shown), example=example)
    names = [found[2], *found[4].split("X")]
    for name in names:
        if name not in board.index:
            return build_refusal("off-board", "The board has no cell {cell}.", cell=name)
    origin, *others = (board.index[name] for name in names)
    target = origin if found[3] == "*" else others[-1]
    return Attempt(origin, target, () if found[3] == "-" else tuple(others), found[5] or "", found[1] or "")


def piece_number(seat: int, kind: str) -> int:
    """The number of a piece by its seat and kind letter."""
    return CODES.index("WB"[seat] + kind)
