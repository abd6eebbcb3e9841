"""What the referee says: one frozen value for each kind of event, and its JSON.

The record of a game is the list of these, in order. `t` is seconds of stream time and comes from the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import ClassVar

from engine.explain.reasons import Reason
from engine.sentences import template_of


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at `t`; `name` is its word in the JSON.

    `by` says who asked for it, None for what the board showed by itself; `account` by which account, where there are
    any; `because` what decided it, where something was judged; `clocks` what each side had left when it was decided, in
    seconds, where a clock runs. The same said for another reason is the same event.
    """

    name: ClassVar[str] = ""
    decides: ClassVar[bool] = False
    """Whether people, or the clock, decide something by it: then it says what the clocks had left."""
    t: float
    by: str | None = field(default=None, kw_only=True)
    account: str | None = field(default=None, kw_only=True, compare=False)
    because: Reason | None = field(default=None, kw_only=True, compare=False)
    clocks: Mapping[str, float] | None = field(default=None, kw_only=True, compare=False)

    def to_json(self) -> dict[str, object]:
        """{"t", "event", ...fields, "reason"}: no None, no untrue flag, `from_` as "from", a message with its text."""
        out: dict[str, object] = {"t": round(self.t, 3), "event": self.name}
        for item in fields(self)[1:]:
            value = getattr(self, item.name)
            if value is None or value is False or isinstance(value, Reason):
                continue
            out[item.name.rstrip("_")] = list(value) if isinstance(value, tuple) else value
        out |= template_of(getattr(self, "message", None))
        return out if self.because is None else out | {"reason": self.because.to_json()}


@dataclass(frozen=True, slots=True)
class Ready(Event):
    """The board was found and the pieces agree with the expected position."""

    name: ClassVar[str] = "ready"
    fit: int


@dataclass(frozen=True, slots=True)
class SetUp(Event):
    """The pieces do not agree with the expected position: every wrong cell.

    `options` are the moves of which each, if it was played after the record ends, would explain the board: a question.
    """

    name: ClassVar[str] = "set-up"
    wrong: tuple[str, ...]
    options: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Without `options` where there are none."""
        out = Event.to_json(self)
        return out if self.options else {key: value for key, value in out.items() if key != "options"}


@dataclass(frozen=True, slots=True)
class Vouched(Event):
    """A person says that the position stands on the board as the record says: it is begun with what is seen there."""

    name: ClassVar[str] = "stands-so"


@dataclass(frozen=True, slots=True)
class Lifted(Event):
    """A piece of the side to move was taken from its cell; `targets` are the cells it may end on."""

    name: ClassVar[str] = "lifted"
    cell: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moved(Event):
    """A move was completed. Final, unless a later one says `corrected` for the same ply.

    It is lawful, unless the arbiter let it stand: then it says `as_played`. Where it says `or`, those moves lead to the
    same position, and people are asked which of all of them was played.
    """

    name: ClassVar[str] = "move"
    ply: int
    side: str
    notation: str
    from_: str
    to: str
    captured: tuple[str, ...]
    confidence: float
    corrected: bool = False
    as_played: str | None = None
    """The reason code of what is not lawful about it."""
    clock: float | None = None
    """Seconds its side has left after it."""
    or_: tuple[str, ...] | None = None
    """The other moves that may have been played, the likeliest first."""


class DueDeed(StrEnum):
    """What may remain to be done of a move: the name is for programs, what it begins with in English stands beside."""

    REMOVE = "remove"
    GO_ON = "go-on"
    CAPTURE_WITH = "capture-with"


DUE_IN_ENGLISH = {DueDeed.REMOVE: "remove", DueDeed.GO_ON: "go on to", DueDeed.CAPTURE_WITH: "capture with"}


class DueStep(str):
    """One thing that remains of a move, in English, and beside it what that was made of: a `deed` with one of the
    `cells`, and whether it may be done in the place of what stands before it (`or_else`)."""

    deed: DueDeed
    cells: tuple[str, ...]
    or_else: bool

    def __new__(cls, deed: DueDeed, *cells: str, or_else: bool = False) -> DueStep:
        """In English: "remove D6", "or go on to B9 or B11"."""
        said = super().__new__(cls, f"{'or ' if or_else else ''}{DUE_IN_ENGLISH[deed]} {' or '.join(cells)}")
        said.deed, said.cells, said.or_else = deed, cells, or_else
        return said

    def __getnewargs_ex__(self) -> tuple[tuple[str, ...], dict[str, bool]]:
        """What a copy is made of."""
        return (self.deed, *self.cells), {"or_else": self.or_else}

    def to_json(self) -> dict[str, object]:
        """{"deed", "cells"}, and "or_else" where that is so."""
        told: dict[str, object] = {"deed": self.deed.value, "cells": list(self.cells)}
        return told | {"or_else": True} if self.or_else else told


@dataclass(frozen=True, slots=True)
class Partial(Event):
    """A lawful move that is not finished: `todo` says what remains (in JSON in English, and as values in `due`).

    A capture that may go on has `targets`, the cells that its piece may end on, and as `notation`, where it may go on
    in several ways, what they all begin with. A piece that rests on the way is `at` that cell and came from `from_`;
    where it may end there too, `at` is among the `targets`, and `todo` says what comes off for that. Captured pieces
    that are off are `gone`. Where only such are, and several may have taken them, `notation` has those (xE8).
    """

    name: ClassVar[str] = "partial"
    notation: str
    todo: tuple[DueStep, ...]
    targets: tuple[str, ...] | None = None
    from_: str | None = None
    at: str | None = None
    gone: tuple[str, ...] | None = None

    @property
    def tells_way(self) -> bool:
        """Whether what remains says where the piece may go: nobody is told that who is not helped."""
        return any(step.deed is not DueDeed.REMOVE for step in self.todo)

    @property
    def may_end_here(self) -> bool:
        """Whether it may end where its piece rests, and go on as well."""
        return any(step.or_else for step in self.todo)

    def to_json(self) -> dict[str, object]:
        """With what remains as values beside it."""
        return Event.to_json(self) | {"due": [step.to_json() for step in self.todo]}


@dataclass(frozen=True, slots=True)
class Illegal(Event):
    """The board shows something that no lawful move explains."""

    name: ClassVar[str] = "illegal"
    cells: tuple[str, ...]
    code: str
    message: str
    instead: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restored(Event):
    """The last lawful position stands again."""

    name: ClassVar[str] = "restored"


@dataclass(frozen=True, slots=True)
class Unclear(Event):
    """Two or more explanations fit about equally well, or none: the players or the arbiter are asked.

    `as_it_stands` is the position that is read (the JSON of engine.text.positions), `differs` the cells where it is not
    the last lawful one: what people may choose whatever the options are.
    """

    name: ClassVar[str] = "unclear"
    options: tuple[str, ...]
    as_it_stands: Mapping[str, object] = field(default_factory=dict, compare=False)
    differs: tuple[str, ...] = field(default=(), compare=False)
    resigned: str | None = None
    """The side whose pieces were all taken off the board by hand: it is asked whether it has resigned."""
    corrections: tuple[str, ...] = ()
    """Moves of which each, if it was the last ply instead of the one that the record has, would explain the board."""

    @property
    def offered_answers(self) -> tuple[str, ...]:
        """All that is offered to choose from."""
        return self.options + self.corrections

    def to_json(self) -> dict[str, object]:
        """Without `corrections` where there are none."""
        out = Event.to_json(self)
        return out if self.corrections else {key: value for key, value in out.items() if key != "corrections"}


@dataclass(frozen=True, slots=True)
class Takeback(Event):
    """An earlier position stands again: `plies` moves were taken back; 0 where it was what people, or a clock that they
    have overruled, said of the end."""

    name: ClassVar[str] = "takeback"
    decides: ClassVar[bool] = True
    plies: int


@dataclass(frozen=True, slots=True)
class AnotherGame(Event):
    """The pieces were put up again, or people began anew: what follows is another game's, with ply 1 again.

    `after` is the result of the game before, "adjourned" if it is not over, "unplayed" if it has no ply.
    """

    name: ClassVar[str] = "new-game"
    after: str


@dataclass(frozen=True, slots=True)
class Settled(Event):
    """People have said how the game before ended, which was put away when the pieces were put up again.

    `result` is "*" where it is not finished; `side` has resigned.
    """

    name: ClassVar[str] = "settled"
    result: str
    why: str
    side: str | None = None


@dataclass(frozen=True, slots=True)
class CameraMoved(Event):
    """The board no longer lies where the calibration says."""

    name: ClassVar[str] = "camera-moved"


@dataclass(frozen=True, slots=True)
class CameraFound(Event):
    """The board was found again."""

    name: ClassVar[str] = "camera-found"
    fit: int


@dataclass(frozen=True, slots=True)
class LightChanged(Event):
    """The light changed as a whole; the looks are being learned anew."""

    name: ClassVar[str] = "light-changed"


CAUSES: Mapping[str, str] = {
    "no-picture": "The camera gives no picture: check its cable, or restart it.",
    "frozen": "The camera shows the same picture again and again: unplug it and plug it in again.",
    "dark": "It is too dark to see the board: put a light on.",
    "noise": "The picture is too noisy to tell the pieces: put more light on the board.",
    "shake": "The picture shakes: put the camera on firm ground.",
    "blur": "The picture is not sharp: wait for the camera to focus, or clean its lens.",
    "covered": "Something covers the board or the camera, or the light on it is moving. If nothing does, play on.",
    "turned": "The picture is turned, mirrored or of another shape than when the board was set up: turn the camera or "
    "the phone back as it was then, or find the board anew on the set-up page.",
    "moved": "The board is not where it was: put the camera back, or find the board anew on the set-up page.",
    "small": "The farthest cells are too small in the picture: put the camera higher or nearer.",
    "slow": "The camera sends too few pictures to follow a game: give it a better network, or set it to more pictures "
    "a second.",
    "behind": "This machine is too slow for the camera: choose a smaller picture or fewer frames a second.",
}
"""Why a board is not seen, and what to do."""
SAID_AS: Mapping[str, str] = {"turned": "moved", "slow": "no-picture"}
"""Causes that programs which follow a game know by an older, wider name."""


@dataclass(frozen=True, slots=True)
class CannotSee(Event):
    """The board, or cells that matter, cannot be seen; nothing is judged there. `cause` is one of CAUSES; `message` is
    why and what to do, where more is known than the cause alone says."""

    name: ClassVar[str] = "cannot-see"
    cause: str
    message: str | None = None

    def to_json(self) -> dict[str, object]:
        """With what to do. A cause of SAID_AS has its older name, and its own as `exactly`."""
        message = self.message or CAUSES[self.cause]
        if self.cause not in SAID_AS:
            return {**Event.to_json(self), "message": message}
        return {**Event.to_json(self), "cause": SAID_AS[self.cause], "exactly": self.cause, "message": message}


@dataclass(frozen=True, slots=True)
class SeenAgain(Event):
    """The board is seen again."""

    name: ClassVar[str] = "seen-again"


@dataclass(frozen=True, slots=True)
class Result(Event):
    """The game is over."""

    name: ClassVar[str] = "result"
    decides: ClassVar[bool] = True
    result: str
    reason: str


@dataclass(frozen=True, slots=True)
class Conflict(Event):
    """After a correction this later ply is not lawful any more: it and those after it were dropped."""

    name: ClassVar[str] = "conflict"
    decides: ClassVar[bool] = True
    ply: int
    notation: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class BroughtBack(Event):
    """A correction was undone: its ply and those after it, which were told again just before, are as they were.

    `plies` of them it had dropped.
    """

    name: ClassVar[str] = "brought-back"
    decides: ClassVar[bool] = True
    ply: int
    plies: int


@dataclass(frozen=True, slots=True)
class Left(Event):
    """A side is out of the game: it resigned, or forfeited for `why`. A result follows unless others play on."""

    name: ClassVar[str] = "left"
    decides: ClassVar[bool] = True
    side: str
    why: str


@dataclass(frozen=True, slots=True)
class PositionSet(Event):
    """The game goes on from another position (the JSON of engine.text.positions)."""

    name: ClassVar[str] = "position"
    decides: ClassVar[bool] = True
    position: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ClockPressed(Event):
    """A side has pressed its clock before its move was accepted."""

    name: ClassVar[str] = "clock-pressed"
    side: str


@dataclass(frozen=True, slots=True)
class ClocksStarted(Event):
    """Somebody has started the clocks, which would have waited for the first move."""

    name: ClassVar[str] = "clocks-started"


@dataclass(frozen=True, slots=True)
class PressWithdrawn(Event):
    """A side pressed its clock and the board stood as before: its time has gone on all the while."""

    name: ClassVar[str] = "press-withdrawn"
    side: str


@dataclass(frozen=True, slots=True)
class Paused(Event):
    """Nothing is judged until the game is resumed."""

    name: ClassVar[str] = "paused"
    decides: ClassVar[bool] = True
    spent: float | None = None
    """Seconds that the present turn has taken, where there are clocks."""


@dataclass(frozen=True, slots=True)
class Adjourned(Event):
    """The game was put away; it will be set up again."""

    name: ClassVar[str] = "adjourned"
    decides: ClassVar[bool] = True
    spent: float | None = None


@dataclass(frozen=True, slots=True)
class TimeLost(Event):
    """`seconds` of this turn went by that the game clock has not counted: it stands still until people say whether they
    count. `kind` is one of engine.match.acts.LOSSES.

    `before` and `now` are the computer's date and time when the game clock was last right, and when it was no more.
    """

    name: ClassVar[str] = "time-lost"
    decides: ClassVar[bool] = True
    kind: str
    seconds: float
    before: str
    now: str
    spent: float | None = None


@dataclass(frozen=True, slots=True)
class TimeCounted(Event):
    """The seconds that were lost are `side`'s, whose turn it is."""

    name: ClassVar[str] = "time-counted"
    decides: ClassVar[bool] = True
    side: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TimeAdded(Event):
    """`side` has so many seconds more on its clock, fewer if below zero: `left` is what it shows then, `spent` what the
    present turn has taken, whosever it is."""

    name: ClassVar[str] = "time-added"
    decides: ClassVar[bool] = True
    side: str
    seconds: float
    left: float
    spent: float


@dataclass(frozen=True, slots=True)
class Resumed(Event):
    """The game goes on."""

    name: ClassVar[str] = "resumed"
    decides: ClassVar[bool] = True
