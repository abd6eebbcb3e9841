"""What every player is given and gives: a task to think about, what it says meanwhile, and the move it chooses."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.game import Game, Move, Position
from opponent.vocabulary import Limits

MOVES_LEFT = 30
"""Moves that a clock is divided among: more plays the opening faster, fewer leaves less for the end."""
INCREMENT_SHARE = 0.8
LARGEST_SHARE = 0.25
"""Of what the clock shows, at most this for one move."""
SLACK_S = 0.02
"""Kept from every time for writing and reading the reply."""


@dataclass(frozen=True, slots=True)
class Info:
    """What a search has found so far. `score` is in hundredths of a man for the side to move."""

    depth: int
    score: int
    nodes: int
    seconds: float
    line: tuple[str, ...] = ()

    def format_line(self) -> str:
        """The words of an info line."""
        rate = round(self.nodes / self.seconds) if self.seconds > 0 else 0
        line = f" pv {' '.join(self.line)}" if self.line else ""
        return (
            f"info depth {self.depth} score cp {self.score} nodes {self.nodes} nps {rate} "
            f"time {round(self.seconds * 1000)}{line}"
        )


def ignore_info(info: Info) -> None:
    """For who is not interested in what is found meanwhile."""


@dataclass(frozen=True)
class Task:
    """A position to find a move in. `history` ends with it and has what stood before, for repetitions.

    `stop` is one byte: not 0 as soon as the move is wanted now. `say` may be called with what is found meanwhile.
    """

    game: Game
    history: Sequence[Position]
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    noise: int = 0
    """Hundredths of a man by which the worth of a position is seen wrongly, up or down."""
    stop: bytearray = field(default_factory=lambda: bytearray(1))
    say: Callable[[Info], None] = ignore_info
    among: tuple[Move, ...] = ()
    """Only these are to be chosen from, and their worth is said also where there is one alone; empty: all are."""

    @property
    def position(self) -> Position:
        """The position to move in."""
        return self.history[-1]

    def candidate_moves(self) -> tuple[Move, ...]:
        """What is to be chosen from."""
        return self.among or self.game.moves(self.position)

    def time_limit_s(self) -> float | None:
        """The time for this move, None for no limit."""
        times = []
        if self.limits.movetime_ms is not None:
            times.append(self.limits.movetime_ms / 1000 - SLACK_S)
        if self.limits.clocks_ms:
            clock = self.limits.clocks_ms[self.position.seat] / 1000
            more = self.limits.increments_ms[self.position.seat] / 1000
            times.append(min(clock / MOVES_LEFT + more * INCREMENT_SHARE, clock * LARGEST_SHARE) - SLACK_S)
        return max(min(times), 0.001) if times else None


class Player(Protocol):
    """Finds moves."""

    def choose_move(self, task: Task) -> Move:
        """A lawful move; the position has one. Within the limits of the task, as far as they concern this player."""


class Budget:
    """Counts nodes and looks at the time and at `stop` now and then."""

    def __init__(self, task: Task) -> None:
        self.begun = time.monotonic()
        self.nodes = 0
        self._most_nodes = task.limits.nodes
        seconds = task.time_limit_s()
        self._until = None if seconds is None else self.begun + seconds
        self._stop = task.stop

    @property
    def elapsed_s(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self.begun

    def count_node(self) -> bool:
        """Counts a node; whether that was the last."""
        self.nodes += 1
        return (
            bool(self._stop[0])
            or (self._most_nodes is not None and self.nodes >= self._most_nodes)
            or (self._until is not None and time.monotonic() >= self._until)
        )
