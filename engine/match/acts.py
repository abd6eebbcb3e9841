"""What a person may ask of the referee, by page, button or command. `by` says who: one of WHO."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

WHO = ("page", "player", "arbiter", "button", "clock", "far")
"""`far` is another board, where some sides of the same game are played."""


class Mode(StrEnum):
    """Whether players are helped while they play; the values are those of JSON and of the command line."""

    TRAINING = "training"
    TOURNAMENT = "tournament"


@dataclass(frozen=True, slots=True)
class Act:
    """A wish, and whose it is."""

    by: str = field(default="page", kw_only=True)
    account: str | None = field(default=None, kw_only=True, compare=False)
    """Who asked, where there are accounts."""


@dataclass(frozen=True, slots=True)
class Undo(Act):
    """Take back the last `plies` moves."""

    plies: int = 1


@dataclass(frozen=True, slots=True)
class Correct(Act):
    """Ply `ply` (counted from 1) was `notation`; one past the last ply says what stands unexplained on the board.

    Later plies stay as long as they are lawful in the new course of the game.
    """

    ply: int
    notation: str


@dataclass(frozen=True, slots=True)
class BringBack(Act):
    """The last correction, which dropped later plies, is undone: they and the ply that it changed are as before."""


@dataclass(frozen=True, slots=True)
class AsPlayed(Act):
    """The next move is `notation` although it is not lawful: the arbiter lets it stand."""

    notation: str


@dataclass(frozen=True, slots=True)
class SetPosition(Act):
    """The game goes on from this position (the JSON of engine.text.positions); the moves so far stay written.

    `stands`: that is how the pieces stand on the board now, as somebody has looked.
    """

    position: Mapping[str, object]
    stands: bool = False


@dataclass(frozen=True, slots=True)
class AgreeDraw(Act):
    """The players have agreed on a draw."""


@dataclass(frozen=True, slots=True)
class ClaimDraw(Act):
    """The player to move claims a draw by repetition or by quiet moves; refused where there is none to claim."""


@dataclass(frozen=True, slots=True)
class Resign(Act):
    """The side named gives up."""

    side: str


@dataclass(frozen=True, slots=True)
class Forfeit(Act):
    """The side named has lost, `why` is one of FORFEITS; EVERYBODY: each side has, `why` is one of FORFEITS_OF_ALL."""

    side: str
    why: str


@dataclass(frozen=True, slots=True)
class AddTime(Act):
    """The side named has so many seconds more on its clock, fewer if below zero; where its flag has ended the game, or
    its part in it, the game goes on."""

    side: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Pause(Act):
    """Judge nothing until `Resume`."""


@dataclass(frozen=True, slots=True)
class Adjourn(Act):
    """The game is put away; after `Resume` the position must first stand on the board again."""


@dataclass(frozen=True, slots=True)
class Resume(Act):
    """Go on after a pause or an adjournment; time that was lost is left out."""


@dataclass(frozen=True, slots=True)
class Lose(Act):
    """The computer has found that `seconds` went by that a game clock which ran has not counted: it asks about them.

    `kind` is one of LOSSES; `before` and `now` are what the date and time were said to be.
    """

    kind: str
    seconds: float
    before: str
    now: str


LOSSES = ("slept", "set", "unknown", "stopped", "set-up")
"""The computer slept; its date was set, then seconds may be below zero; one of the two, where nobody can tell; the
service was not running or was held up, by the computer's date; or it ran, and a page had the board set up meanwhile."""


@dataclass(frozen=True, slots=True)
class CountLost(Act):
    """The time that was lost is the turn's in which it was lost; the game goes on."""


@dataclass(frozen=True, slots=True)
class StandsSo(Act):
    """The position stands on the board as the record says, whatever the camera makes of it."""


def vouches_for_board(asked: Act) -> bool:
    """Whether a person says how the pieces stand on the board at this moment, whatever the camera makes of them."""
    return isinstance(asked, StandsSo) or (isinstance(asked, SetPosition) and asked.stands)


@dataclass(frozen=True, slots=True)
class PutBack(Act):
    """The last position is put up again: what stands otherwise is no move, and is named until it stands."""


@dataclass(frozen=True, slots=True)
class Press(Act):
    """The side on turn has pressed its clock; its move will be seen in a moment.

    A clock outside says which `side` pressed; a side that is not on turn is refused. Where the clocks wait for the
    first move, whoever presses starts them.
    """

    side: str | None = None


@dataclass(frozen=True, slots=True)
class Settle(Act):
    """How the game ended that was under way when the pieces were put up again; `how` is one of
    engine.match.settling.list_settlements."""

    how: str


AS_DRAWN, AS_UNFINISHED, EVERYBODY, WINS = "draw", "unfinished", "all", "wins"


@dataclass(frozen=True, slots=True)
class Choose(Act):
    """The next of the choices is shown on the display (engine.match.buttons)."""


@dataclass(frozen=True, slots=True)
class NewGame(Act):
    """Begin again from the start position of `setup`, or of the default set-up."""

    setup: str | None = None
