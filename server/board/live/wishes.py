"""What somebody wishes, with what it was decided on: so that it is granted once, and never on what has changed."""

from __future__ import annotations

from dataclasses import dataclass

from engine.match.acts import Act
from engine.match.decided import SINCE, DecidedOn, find_change_since
from engine.match.state import Match
from server.board.computer.companions import Companion
from server.board.live.hints import ShowWhy, SwitchMode
from server.board.live.notices import RefusedNotice
from server.record.details import SetDetails

Wished = Act | SetDetails | SwitchMode | Companion | ShowWhy


@dataclass(frozen=True, slots=True)
class Wish:
    """Something asked for; `name` is what whoever asked calls it. Without `seen` it is granted whatever has changed."""

    asked: Wished
    seen: DecidedOn | None = None
    name: str | None = None

    def too_late(self, match: Match, game: str, t: float) -> RefusedNotice | None:
        """Why it is refused, if something has happened since. `game` is the one on the board."""
        late = self.seen and find_change_since(
            match, game, self.seen, self.asked if isinstance(self.asked, Act) else None
        )
        if not late:
            return None
        return RefusedNotice(t, SINCE[late.what].format(move=late.move), self.name, late.what, late.move)


def state_of(run: str, match: Match) -> str:
    """The number of a state as pages have it: that of another run of the service says nothing here."""
    return f"{run}-{match.number}"


def number_in(state: str, run: str) -> int:
    """The number in what `state_of` wrote; 0 for one of another run."""
    of, _, number = state.rpartition("-")
    return int(number) if of == run and number.isdecimal() else 0
