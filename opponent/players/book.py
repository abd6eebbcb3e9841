"""Openings that were played before: what to answer in positions near the start, by chance and by weight.

A file a game, `openings/GAME.txt`: on each line a weight and the moves from the start placement; `#` begins a remark.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from engine.game import Game, Move, Position
from opponent.players.thinking import Task

OPENINGS = Path(__file__).parent / "openings"
FROM_LEVEL = 5
"""The lowest level that uses it; those below see inexactly, which is change enough, and know no openings."""


def read_lines(name: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """The weight and the moves of each line of a game's file; nothing for a game that has none."""
    path = OPENINGS / f"{name}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    words = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return tuple((int(weight), tuple(moves)) for weight, *moves in words)


class OpeningBook:
    """The openings of one game under one rule set."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @cached_property
    def known_replies(self) -> Mapping[Position, Mapping[Move, int]]:
        """What was played in each position, and how often; a line ends where this rule set forbids it."""
        found: dict[Position, Counter[Move]] = defaultdict(Counter)
        for weight, moves in read_lines(self._game.name):
            position = self._game.start()
            for text in moves:
                move = self._game.read(position, text)
                if not isinstance(move, Move):
                    break
                found[position][move] += weight
                position = self._game.play(position, move)
        return found

    def find_reply(self, task: Task) -> Move | None:
        """A move of the book, the same for the same seed; None where it has none, or something is asked."""
        asked = bool(task.among) or task.limits.infinite
        known = {} if asked else self.known_replies.get(task.position, {})
        if not known:
            return None
        chance = random.Random(zlib.crc32(task.position.placement, task.seed))
        return chance.choices(list(known), list(known.values()))[0]
