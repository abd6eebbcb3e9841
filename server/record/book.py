"""The games of one board as they follow each other in a record: each event goes into the game that it is about."""

from __future__ import annotations

from collections.abc import Callable

from engine.match.events import AnotherGame, Event, Left, Result, Settled
from engine.match.state import Match
from server.record.journal import Journal


class Book:
    """Writes for the main loop, which owns it. Mutable."""

    def __init__(self, journal: Journal, today: Callable[[], str] = str) -> None:
        """`today` is the date and time to write above a game; empty for recordings."""
        self.journal = journal
        """The record of the game that is played."""
        self._before: Journal | None = None
        self._today = today

    def write(self, event: Event, match: Match) -> None:
        """Write an event; `match` is as it stands after it. It is on the disk when this returns."""
        match event:
            case AnotherGame():
                following = self.journal.following(match.game.name)
                following.begin(match, self._today())
                self._before, self.journal = self.journal, following
            case Settled():
                self._settle(event)
            case _:
                self.journal.write([event])

    def _settle(self, event: Settled) -> None:
        """How the game before ended, in its own record; one that is not finished stays put away."""
        if self._before is not None and event.result != "*":
            left = [] if event.side is None else [Left(event.t, event.side, event.why, by=event.by)]
            self._before.write([*left, Result(event.t, event.result, event.why, by=event.by)])
        self._before = None
