"""A referee at work, moment by moment, as the figures about its silence need it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from engine.match.events import Event, Moved, Ready
from engine.match.state import Match, Phase
from tests.bench.report import Report
from tests.bench.timeline import Moment, deaf_s, first_clear, silent
from vision.watch.watcher import Watcher

CANNOT_SEE, SEEN_AGAIN = "cannot-see", "seen-again"
"""Names of the events that say that nothing can be seen, and that it can again."""
WORDS = {Phase.PARTIAL, Phase.TROUBLE, Phase.UNCLEAR}
"""Phases in which something stands said. Set-up and blind are so too once it was said."""
TICK_S = 0.5
"""Without frames the service goes round about so often."""


class HasMatch(Protocol):
    """A referee, or what is left of one in a trace."""

    @property
    def match(self) -> Match:
        """The match as it stands."""


class Watched:
    """Moments so far, everything that was said, and since when each ply has stood clear."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []
        self.told: list[Event] = []
        self.since: dict[int, float] = {}
        self._blind_told = False

    def frame(
        self, watcher: HasMatch, events: Iterable[Event], t: float, played: int, clear: bool, seeable: bool
    ) -> None:
        """What the watcher said of a frame, and what that frame shows."""
        events = tuple(events)
        self.told += events
        for event in events:
            self._blind_told = event.name == CANNOT_SEE or (self._blind_told and event.name != SEEN_AGAIN)
        known = len(watcher.match.moves)
        said = tuple(event.ply for event in events if isinstance(event, Moved))
        word = self._blind_told or _a_word_stands(watcher.match)
        moment = Moment(t, played, clear, known, said, word, seeable, self._blind_told)
        self.moments.append(moment)
        if clear and played not in self.since:
            self.since |= {ply: since for ply, since in first_clear([moment]).items() if ply not in self.since}

    def gap(self, watcher: Watcher, until: float) -> None:
        """No frame came for a while: time goes by all the same."""
        while self.moments and until - self.moments[-1].t > TICK_S:
            t = self.moments[-1].t + TICK_S
            self.frame(watcher, watcher.advance_time(t), t, self.moments[-1].played, False, False)

    def note(self, report: Report) -> None:
        """Write what was silent into a report, and whether `ready` was said before the first ply."""
        moments = self.moments
        report.film_s = round(moments[-1].t - moments[0].t, 2)
        report.silent = len(silent(moments))
        report.deaf_s, report.unseen_s = deaf_s(moments)
        first = next((moment.t for moment in moments if moment.played), moments[-1].t)
        report.unready = int(not any(isinstance(event, Ready) and event.t <= first for event in self.told))


def _a_word_stands(match: Match) -> bool:
    """Whether people have been told something that is not settled yet."""
    said = match.phase in {Phase.SETUP, Phase.BLIND} and match.note is not None
    return said or match.phase in WORDS
