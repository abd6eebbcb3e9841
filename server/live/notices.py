"""What the service tells besides the game: the camera's comings and goings, and wishes that cannot be granted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.match.events import Event


@dataclass(frozen=True, slots=True)
class CameraLost(Event):
    """The camera is gone and is being looked for."""

    name: ClassVar[str] = "camera-lost"
    message: str


@dataclass(frozen=True, slots=True)
class RecordingOver(Event):
    """A recording has been shown to its end."""

    name: ClassVar[str] = "recording-ended"


@dataclass(frozen=True, slots=True)
class Refused(Event):
    """Something asked for cannot be done; nothing was changed."""

    name: ClassVar[str] = "refused"
    message: str


@dataclass(frozen=True, slots=True)
class ModeSwitched(Event):
    """From now on the players are helped, or not."""

    name: ClassVar[str] = "mode"
    mode: str


@dataclass(frozen=True, slots=True)
class RecordWaits(Event):
    """Another program holds the record; the game goes on when it lets go."""

    name: ClassVar[str] = "record-waits"
    message: str
