"""One game between engines: asked in turn, checked, and ended by the rules, by claims or by a fault."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.game import Game, Move, Position, result_text
from opponent.engines.client import Reply, Trouble
from opponent.vocabulary import Limits

LONGEST = 600
"""Plies after which a game is a draw: some rule sets know no claims."""


class Mover(Protocol):
    """Who can be asked for a move, as an engine is."""

    def find_move(
        self, start: Position, moves: Sequence[str], position: Position, limits: Limits, /
    ) -> Reply | Trouble:
        """The move in `position`, which `moves` lead to from `start`."""


@dataclass(frozen=True)
class Bout:
    """What was played. `shares` is what each seat gets of a point; `fault` the seat whose engine failed, and how."""

    stands: tuple[Position, ...]
    moves: tuple[Move, ...]
    result: str
    reason: str
    shares: tuple[float, ...]
    fault: tuple[int, Trouble] | None = None


class _Play:
    """A game under way."""

    def __init__(self, game: Game, opening: Sequence[Move]) -> None:
        self.game = game
        self.stands = [game.start()]
        self.moves: list[Move] = []
        self.texts: list[str] = []
        self._met = Counter({game.start(): 1})
        self._quiet = 0
        self._repetitions, self._quiet_moves = (
            int(str(game.switches[name].value)) if name in game.switches else 0
            for name in ("repetition_claim", "quiet_claim")
        )
        for move in opening:
            self.add_move(move)

    def add_move(self, move: Move) -> None:
        """Plays a lawful move."""
        before = self.stands[-1]
        after = self.game.play(before, move)
        self.texts.append(self.game.write(before, move))
        self.moves.append(move)
        self.stands.append(after)
        self._met[after] += 1
        self._quiet = 0 if self.game.progressed(before, after) else self._quiet + 1

    def find_ending(self) -> tuple[str, str] | None:
        """(result, reason) of a game that is over, draws claimed as soon as they can be."""
        outcome = self.game.outcome(self.stands[-1])
        if outcome is not None:
            return outcome.result, outcome.reason
        seats = len(self.game.seats)
        drawn = result_text(seats, None)
        if self._repetitions and self._met[self.stands[-1]] >= self._repetitions:
            return drawn, "repetition"
        if self._quiet_moves and self._quiet >= self._quiet_moves * seats:
            return drawn, "quiet"
        return (drawn, "length") if len(self.moves) >= LONGEST else None

    def build_bout(self, result: str, reason: str, fault: tuple[int, Trouble] | None = None) -> Bout:
        """The game as it ended."""
        seats = len(self.game.seats)
        if fault is not None:
            shares = tuple(0.0 if seat == fault[0] else 1 / (seats - 1) for seat in range(seats))
        elif "/" in result:
            shares = (1 / seats,) * seats
        else:
            shares = tuple(float(share) for share in result.split("-"))
        return Bout(tuple(self.stands), tuple(self.moves), result, reason, shares, fault)


def play_bout(game: Game, engines: Sequence[Mover | Trouble], opening: Sequence[Move], limits: Limits) -> Bout:
    """A game of one engine a seat, begun by `opening`. With clocks in `limits`, who oversteps them loses."""
    course = _Play(game, opening)
    clocks = list(limits.clocks_ms)
    while (end := course.find_ending()) is None:
        position = course.stands[-1]
        seat, engine = position.seat, engines[position.seat]
        begun = time.monotonic()
        now = replace(limits, clocks_ms=tuple(clocks))
        reply = (
            engine if isinstance(engine, Trouble) else engine.find_move(course.stands[0], course.texts, position, now)
        )
        if clocks and not isinstance(reply, Trouble):
            clocks[seat] -= round((time.monotonic() - begun) * 1000)
            if clocks[seat] < 0:
                reply = Trouble("time", "overstepped its time")
            else:
                clocks[seat] += limits.increments_ms[seat]
        if isinstance(reply, Trouble):
            result = result_text(2, 1 - seat) if len(game.seats) == 2 else "*"
            return course.build_bout(result, reply.kind, (seat, reply))
        course.add_move(reply.move)
    return course.build_bout(*end)
