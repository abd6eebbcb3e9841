"""What a press of a button on the board asks for, and how a game is ended with buttons alone.

While a game is paused or put away, after it is over, while the board is not as expected, and after the pieces were put
up again, `hint` goes from one choice to the next and `confirm` takes the one that the display shows: two buttons, so
that nobody resigns by accident. So there is a way on at the board whatever the camera makes of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.explain.wording import words_of
from engine.match.acts import (
    AS_DRAWN,
    AS_UNFINISHED,
    Act,
    AgreeDraw,
    Choose,
    Correct,
    CountLost,
    NewGame,
    Pause,
    Press,
    Resign,
    Resume,
    Settle,
    StandsSo,
    Undo,
)
from engine.match.arbiter import lost_seconds
from engine.match.events import Unclear
from engine.match.settling import list_settlements
from engine.match.state import Match, Phase


@dataclass(frozen=True, slots=True)
class DisplayChoice:
    """What the display offers, in words that fit it, and what it asks for."""

    said: str
    act: Act


def list_choices(match: Match) -> tuple[DisplayChoice, ...]:
    """What can be chosen now, in the order in which it is offered; () where buttons do what they always do."""
    seats = words_of(match.game).seats
    if match.phase is Phase.PAUSED:
        resigning = (DisplayChoice(f"{seats[side]} resigns", Resign(side, by="button")) for side in match.game.seats)
        counting = (DisplayChoice("lost time counts", CountLost(by="button")),) if lost_seconds(match) else ()
        draw, another = DisplayChoice("draw", AgreeDraw(by="button")), DisplayChoice("new game", NewGame(by="button"))
        return (*counting, draw, *resigning, another)
    if match.phase in (Phase.OVER, Phase.ADJOURNED):
        return (DisplayChoice("new game", NewGame(by="button")),)
    if match.phase is Phase.SETUP:
        return (DisplayChoice("camera is wrong", StandsSo(by="button")),)
    if match.before is not None and not match.moves and match.phase is Phase.PLAYING:
        said = {AS_DRAWN: "draw", AS_UNFINISHED: "not finished"}
        return tuple(
            DisplayChoice(said.get(how) or f"{seats[how]} resigned", Settle(how, by="button"))
            for how in list_settlements(match.before)
        )
    return ()


def find_shown_choice(match: Match) -> DisplayChoice | None:
    """The choice that the display shows; None while none is asked for."""
    some = list_choices(match)
    return some[(match.offered - 1) % len(some)] if match.offered and some else None


@dataclass(frozen=True, slots=True)
class StandingSeen:
    """What a press is decided on: the game as somebody sees it who looks at a display, and what confirm would do."""

    course: int
    plies: int
    rests: bool
    offer: Act | None
    """What confirm takes, as the display says; None where it takes nothing, or the display says something else."""


def find_standing(match: Match, *, hidden: bool = False) -> StandingSeen:
    """How the match stands for who looks at its display; `hidden`: the display has something else to say than what
    confirm would take."""
    offer = _confirm(match)
    shown = offer if not hidden or isinstance(offer, Press) else None  # what the clock's button does is never said
    return StandingSeen(match.course, len(match.moves), match.is_resting, shown)


def is_decided(button: str, match: Match, seen: StandingSeen | None) -> bool:
    """Whether somebody who saw that on the display when he pressed the button meant what it would do now.

    None where it is not known what the display showed, or where it showed that the referee does not go on. To see the
    next choice, or which pieces may move, and to pause, are always meant: nothing is decided by them. A clock is
    pressed without a look at the display; but whose move was seen meanwhile has pressed for that one.
    """
    asked, now = find_button_act(button, match), find_standing(match)
    if asked is None or isinstance(asked, Choose | Pause) or (seen is None and isinstance(asked, Press)):
        return True
    if seen is None or (seen.course, seen.plies, seen.rests) != (now.course, now.plies, now.rests):
        return False
    return button != "confirm" or seen.offer == asked


def find_button_act(button: str, match: Match) -> Act | None:
    """The act, or None for what asks nothing of the match: undo takes back, pause rests or goes on, confirm answers the
    question, takes the choice that is shown, or presses the clock."""
    if button == "undo":
        return Undo(by="button")
    if button == "hint" and list_choices(match):
        return Choose(by="button")
    if button == "confirm":
        return _confirm(match)
    if button == "pause":
        return Resume(by="button") if match.is_resting else Pause(by="button")
    return None


def _confirm(match: Match) -> Act | None:
    """What confirming means: the choice that is shown, the first answer to the question, or the clock."""
    if (choice := find_shown_choice(match)) is not None:
        return choice.act
    if isinstance(match.note, Unclear) and match.note.resigned:
        return Resign(match.note.resigned, by="button")
    if match.open_options:
        return Correct(len(match.moves) + 1, match.open_options[0], by="button")
    if isinstance(match.note, Unclear) and match.note.corrections:
        return Correct(len(match.moves), match.note.corrections[0], by="button")
    return Press(by="button") if match.clocks else None
