"""What spectators see: the same events and snapshots, later by a delay, without hints and without the camera.

Owned by the main loop, like everything that writes to a feed. Nothing newer than the delay is in the spectators' feed:
no request can find it there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from server.record.journal import LaterResult
from server.spectators.withheld import event_for_spectators, snapshot_for_spectators
from server.web.feed import Feed

Held = tuple[float, Callable[[Mapping[str, object]], object], Mapping[str, object]]
"""When something is told, by what, and what."""

MOST_WAITING = 20_000
"""Events and snapshots held back: some days of play with an hour's delay. Beyond that every second snapshot, and the
oldest events, are left out: nothing is ever told early."""


class Broadcast:
    """Writes to `feed` what happened `delay_s` seconds of stream time ago."""

    def __init__(
        self,
        feed: Feed,
        delay_s: float,
        also: Callable[[Mapping[str, object]], object] | None = None,
        ended: Callable[[LaterResult], object] = lambda _: None,
    ) -> None:
        """When spectators are told, `also` is told each snapshot, and `ended` how games of before have ended."""
        self._feed, self._delay_s, self._also, self._ended = feed, delay_s, also, ended
        self._waiting: deque[Held] = deque()

    def hold_event(self, t: float, event: Mapping[str, object]) -> None:
        """An event of now."""
        self._hold_until_due(t, self._feed.publish_event, event_for_spectators(event))

    def hold_snapshot(self, t: float, snapshot: Mapping[str, object]) -> None:
        """The match as it is now; with it goes how late, in seconds, it is told."""
        self._hold_until_due(
            t,
            self._feed.update_snapshot,
            snapshot_for_spectators(snapshot) | {"leds": {}, "late": self._delay_s},
        )

    def hold_ending(self, t: float, known: LaterResult) -> None:
        """How a game of before has ended, as somebody says now."""
        self._hold_until_due(t, lambda _: self._ended(known), {})

    def publish_due(self, t: float) -> None:
        """It is `t`: tell what is old enough."""
        while self._waiting and self._waiting[0][0] <= t:
            _, say, what = self._waiting.popleft()
            say(what)
            if self._also is not None and say == self._feed.update_snapshot:
                self._also(what)

    def _hold_until_due(
        self, t: float, say: Callable[[Mapping[str, object]], object], what: Mapping[str, object]
    ) -> None:
        self._waiting.append((t + self._delay_s, say, what))
        self.publish_due(t)
        if len(self._waiting) > MOST_WAITING:
            self._thin_out()

    def _thin_out(self) -> None:
        """Half of the snapshots but never the last, and if that is too little the oldest of all, are not told."""
        shown = [number for number, (_, say, _) in enumerate(self._waiting) if say == self._feed.update_snapshot]
        left_out = frozenset(shown[:-1:2])
        kept = [one for number, one in enumerate(self._waiting) if number not in left_out]
        self._waiting = deque(kept[-MOST_WAITING:])
