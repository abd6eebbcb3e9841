"""What the service tells besides the game: the camera's comings and goings, and wishes that cannot be granted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.match.acts import Mode
from engine.match.events import Event
from server.record.journal import TAKEN_UP

RULING = "ruling"
"""The event's name, and the command's."""
PAIRED = "paired"


@dataclass(frozen=True, slots=True)
class CameraLostNotice(Event):
    """The camera is gone and is being looked for."""

    name: ClassVar[str] = "camera-lost"
    message: str


@dataclass(frozen=True, slots=True)
class PictureLeftOut(Event):
    """Pictures of a recording cannot be read; the others go on."""

    name: ClassVar[str] = "left-out"
    message: str


@dataclass(frozen=True, slots=True)
class RecordingOver(Event):
    """A recording has been shown to its end."""

    name: ClassVar[str] = "recording-ended"


@dataclass(frozen=True, slots=True)
class RefusedNotice(Event):
    """Something asked for cannot be done; nothing was changed."""

    name: ClassVar[str] = "refused"
    message: str
    wish: str | None = None
    """Its name, where who asked gave it one."""
    since: str | None = None
    """What has happened since it was decided, where it came too late: one of engine.match.decided.SINCE."""
    move: str | None = None


@dataclass(frozen=True, slots=True)
class DrawOffered(Event):
    """A player offers a draw: it is one when the others agree, or the arbiter."""

    name: ClassVar[str] = "draw-offered"
    decides: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class DrawDeclined(Event):
    """Who offered a draw has withdrawn it, or somebody else has declined it."""

    name: ClassVar[str] = "draw-declined"
    decides: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class ClaimRefused(Event):
    """A draw was claimed where there is none to claim: an arbiter may have to act on that. `why` was answered."""

    name: ClassVar[str] = "claim-refused"
    decides: ClassVar[bool] = True
    side: str
    why: str


@dataclass(frozen=True, slots=True)
class ModeSwitched(Event):
    """From now on the players are helped, or not."""

    name: ClassVar[str] = "mode"
    decides: ClassVar[bool] = True
    mode: Mode


def mode_of(events: Sequence[Mapping[str, object]], asked: Mode) -> Mode:
    """How a game goes on where `asked` is wished for: one that was made a tournament stays one."""
    said: Mapping[str, object] = next((e for e in reversed(events) if e.get("event") == ModeSwitched.name), {})
    return Mode.TOURNAMENT if said.get("mode") == Mode.TOURNAMENT else asked


@dataclass(frozen=True, slots=True)
class TakenUp(Event):
    """The board goes on with another game of the record, which was put away; it stands in both, for the next start."""

    name: ClassVar[str] = TAKEN_UP
    game: str


@dataclass(frozen=True, slots=True)
class RecordWaits(Event):
    """The record takes nothing just now: another program holds it, or its disk is full, read-only or gone."""

    name: ClassVar[str] = "record-waits"
    message: str


@dataclass(frozen=True, slots=True)
class Noted:
    """Something from elsewhere that is to stand in the record, on its way to it."""

    def to_event(self, t: float) -> Event:
        """As it is written."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Decision(Noted):
    """What an arbiter of the hall has decided, on its way to the record."""

    id: str
    game: str
    kind: str
    ruling: str
    who: str

    def to_event(self, t: float) -> Event:
        """The event of it."""
        return Ruled(t, self.id, self.game, self.kind, self.ruling, self.who, by="arbiter")


@dataclass(frozen=True, slots=True)
class Pairing(Noted):
    """This game and one at another board were found to be the same, on its way to the record."""

    board: str
    game: str

    def to_event(self, t: float) -> Event:
        """The event of it."""
        return Paired(t, self.board, self.game)


@dataclass(frozen=True, slots=True)
class Paired(Event):
    """The game is one with `game` of the record of another `board`: some of its sides are played there."""

    name: ClassVar[str] = PAIRED
    board: str
    game: str


@dataclass(frozen=True, slots=True)
class Ruled(Event):
    """An arbiter of the hall (`who`) has decided a matter of this board; `kind` says what it was about."""

    name: ClassVar[str] = RULING
    decides: ClassVar[bool] = True
    id: str
    game: str
    """In the record of which game it stands; the board may be at the next one by now."""
    kind: str
    ruling: str
    who: str
