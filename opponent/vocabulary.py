"""What both sides of UGI say: positions and limits, in a line each. docs/engines.md is the contract."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import InputError
from engine.game import Game, Position
from engine.text import positions

LONGEST_LINE = 65_536
"""Characters of a line; a game of 2,000 moves fits. Longer lines are refused, or memory could be filled by one."""
LARGEST_NUMBER = 2**53
LOWEST, HIGHEST = 1, 10
"""Levels of our own engine."""
AMONG = "searchmoves"
"""Stands before the moves that are to be chosen from, at the end of `go`."""
AT_LEAST_ONE = {"nodes", "depth"}
"""Limits of which 0 means 1: the quickest move there is, never one without a limit."""
NUMBERS = ("nodes", "movetime", "depth", "p1time", "p2time", "p3time", "p1inc", "p2inc", "p3inc")


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an engine may think: what is None, or empty, does not limit. Times are in milliseconds, by seat."""

    nodes: int | None = None
    movetime_ms: int | None = None
    depth: int | None = None
    clocks_ms: tuple[int, ...] = ()
    increments_ms: tuple[int, ...] = ()
    infinite: bool = False
    """Until `stop` is said."""

    def format_limits(self) -> str:
        """The words after `go`."""
        words = [
            f"{name} {number}"
            for name, number in (("nodes", self.nodes), ("movetime", self.movetime_ms), ("depth", self.depth))
            if number is not None
        ]
        words += [f"p{seat}time {clock}" for seat, clock in enumerate(self.clocks_ms, start=1)]
        words += [f"p{seat}inc {more}" for seat, more in enumerate(self.increments_ms, start=1)]
        return " ".join([*words, "infinite"] if self.infinite else words)


def read_limits(words: Sequence[str], seats: int) -> Limits:
    """The limits after `go`. InputError names the word that is unknown or has no number."""
    numbers: dict[str, int] = {}
    left = [word for word in words if word != "infinite"]
    if len(left) % 2:
        raise InputError(f"go: {left[-1]!r} stands without a number")
    for name, number in zip(left[::2], left[1::2], strict=True):
        if name not in NUMBERS:
            raise InputError(f"go: {name!r} is not known, use {', '.join(NUMBERS)} or infinite")
        numbers[name] = max(_parse_number(name, number), name in AT_LEAST_ONE)
    clocks = tuple(numbers[f"p{seat + 1}time"] for seat in range(seats) if f"p{seat + 1}time" in numbers)
    if len(clocks) not in {0, seats}:
        raise InputError(f"go: give the clocks of all {seats} players, or none")
    increments = tuple(numbers.get(f"p{seat + 1}inc", 0) for seat in range(seats))
    return Limits(
        numbers.get("nodes"),
        numbers.get("movetime"),
        numbers.get("depth"),
        clocks,
        increments if clocks else (),
        infinite="infinite" in words,
    )


def _parse_number(name: str, text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_NUMBER))
    if not is_number or int(text) > LARGEST_NUMBER:
        raise InputError(f"go: {name} {text[:20]!r}: give a whole number from 0 to {LARGEST_NUMBER}")
    return int(text)


def read_info(line: str) -> tuple[int, tuple[str, ...]] | None:
    """Score (hundredths of a man, for who is to move) and best line of an info line; None if it has no score."""
    words = line.split()
    if "score" not in words or words[words.index("score") + 1 : words.index("score") + 2] != ["cp"]:
        return None
    said = words[words.index("score") + 2 : words.index("score") + 3]
    if not said or not re.fullmatch(r"-?[0-9]{1,9}", said[0]):
        return None
    return int(said[0]), tuple(words[words.index("pv") + 1 :]) if "pv" in words else ()


def write_position(game: Game, position: Position) -> str:
    """A position as three or four words without a space within: pieces, side to move, the game's own counts."""
    pieces = ",".join(
        f"{game.board.cells[cell]}:{game.codes[piece]}" for cell, piece in enumerate(position.placement) if piece
    )
    counts = " " + ",".join(map(str, position.memory)) if game.memory_key else ""
    return f"{pieces or '-'} {game.seats[position.seat]}{counts}"


def read_position(game: Game, words: Sequence[str]) -> Position:
    """The position that the words after `fen` write. InputError says what cannot be read."""
    if not 2 <= len(words) <= 3:
        raise InputError("position: give pieces, the side to move, and counts where the game has them")
    pairs = [] if words[0] == "-" else [pair.partition(":") for pair in words[0].split(",")]
    cells = {cell: code for cell, _, code in pairs}
    if len(cells) != len(pairs):
        raise InputError("position: a cell is named twice")
    said: dict[str, object] = {"game": game.name, "rules": game.rules, "to_move": words[1], "cells": cells}
    if len(words) > 2:
        counts = words[2].split(",")
        if not game.memory_key or len(counts) != len(game.seats):
            raise InputError(f"position: counts {words[2][:40]!r} do not fit {game.name}")
        said[game.memory_key] = {
            side: _parse_number("count", text) for side, text in zip(game.seats, counts, strict=True)
        }
    return positions.from_json(said, game)[1]
