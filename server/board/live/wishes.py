"""What somebody wishes, with what it was decided on: so that it is granted once, and never on what has changed."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

from calibration.profile import Profile
from device.lights import LedFrame
from device.protocol import Pressed
from device.text import describe_press
from engine.errors import InputError
from engine.explain.wording import words_of
from engine.game import Position, has_pieces
from engine.match.acts import Act, AgreeDraw, ClaimDraw, Mode, Press, Resign, Settle, StandsSo, Undo
from engine.match.buttons import find_button_act, find_standing, is_decided
from engine.match.decided import SINCE, DecidedOn, find_change_since
from engine.match.events import Moved, PositionSet, Result, Takeback
from engine.match.state import Match, Phase
from engine.outside import parse_number
from server.board.computer.companions import Companion
from server.board.live.hints import ShowWhy, SwitchMode
from server.board.live.notices import DrawDeclined, DrawOffered, RefusedNotice
from server.record.details import Details, SetDetails
from server.record.journal import Journal


@dataclass(frozen=True, slots=True)
class DeclineDraw:
    """The draw that is offered is declined, or its offer withdrawn; `by` is one of engine.match.acts.WHO."""

    by: str
    account: str | None = None


@dataclass(frozen=True, slots=True)
class TakeUp:
    """The board goes on with `game` of the record, which was put away; `by` is one of engine.match.acts.WHO."""

    game: str
    by: str
    account: str | None = None


@dataclass(frozen=True)
class Stop:
    """End the loop. `at_once`: the program is to end, and what the record does not take is not waited for."""

    at_once: bool = False


@dataclass(frozen=True)
class Replaced:
    """The board was found anew by a person: from now on `profile` says where it is."""

    profile: Profile


PLAYERS_WORDS = (AgreeDraw, ClaimDraw, DeclineDraw, Resign, Settle, Undo)
"""What a player with an account of his own says for his own side alone."""
Wished = Act | DeclineDraw | TakeUp | SetDetails | SwitchMode | Companion | ShowWhy


@dataclass(frozen=True, slots=True)
class Wish:
    """Something asked for; `name` is what whoever asked calls it. Without `seen` it is granted whatever has changed."""

    asked: Wished
    seen: DecidedOn | None = None
    name: str | None = None
    player: str | None = None
    """The player's account that asks for one of PLAYERS_WORDS; None for the arbiter, and without accounts."""

    def too_late(self, match: Match, game: str, t: float) -> RefusedNotice | None:
        """Why it is refused, if something has happened since. `game` is the one on the board."""
        late = self.seen and find_change_since(
            match, game, self.seen, self.asked if isinstance(self.asked, Act) else None
        )
        if not late:
            return None
        return RefusedNotice(t, SINCE[late.what].format(move=late.move), self.name, late.what, late.move)


@dataclass(frozen=True, slots=True)
class DrawOffer:
    """The accounts that have offered a draw in one position of a game: whatever happens on the board ends the offer."""

    game: str = ""
    ply: int = 0
    position: Position | None = None
    accounts: tuple[str, ...] = ()

    def in_position(self, match: Match, game: str) -> DrawOffer:
        """What of it still stands in that match: all, or nothing."""
        stands = (self.game, self.ply, self.position) == (game, len(match.moves), match.position)
        if stands and match.phase is not Phase.OVER:
            return self
        return DrawOffer(game, len(match.moves), match.position)

    def with_account(self, account: str) -> DrawOffer:
        """With that account too. InputError where it has offered already."""
        if account in self.accounts:
            raise InputError("{account} has offered a draw already.", account=account)
        return replace(self, accounts=(*self.accounts, account))

    def is_agreed(self, match: Match) -> bool:
        """Whether as many have offered as there are sides in the game."""
        sides = [side for side in match.game.seats if has_pieces(match.game, match.position, side)]
        return len(self.accounts) >= len(sides)


ENDS_OFFERS = frozenset(kind.name for kind in (Moved, Takeback, PositionSet, Result, DrawDeclined))
"""After these events no earlier offer of a draw stands."""


def find_offer(journal: Journal, match: Match) -> DrawOffer:
    """The offer of a draw that stood when the service ended: who offered is not forgotten by a restart."""
    accounts: tuple[str, ...] = ()
    for event in journal.record.read_events(journal.name):
        if event.get("event") in ENDS_OFFERS:
            accounts = ()
        elif event.get("event") == DrawOffered.name:
            accounts = (*accounts, str(event.get("account")))
    return replace(DrawOffer().in_position(match, journal.name), accounts=accounts)


TOLD_S = 4.0
"""So long the display says that a press was not counted, or can do nothing: two lines are read twice. Raising it hides
the game longer, lowering it is missed by who looks at the board."""


class Presses:
    """Buttons of a display, by what they ask for; and the last press that was not counted, or could do nothing, which
    the display tells for TOLD_S. Mutable; times are stream times."""

    def __init__(self) -> None:
        self._until = -math.inf
        self._uncounted = ""
        self._is_refused = False

    def find_act(self, pressed: Pressed, match: Match, mode: Mode, t: float) -> tuple[Act | None, InputError | None]:
        """What the button asks of the match, or why that is not done: it is the arbiter's, or whoever pressed it cannot
        have seen that on the display, which then says so."""
        self._until = -math.inf
        asked = find_button_act(pressed.button, match)
        if isinstance(asked, StandsSo) and mode == Mode.TOURNAMENT:
            return None, InputError("In a tournament only the arbiter may say that the board is right.")
        if not is_decided(pressed.button, match, pressed.seen):
            if isinstance(asked, Press):  # the move was seen before its press was heard: nothing is to be done again
                return None, None
            self._until, self._uncounted, self._is_refused = t + TOLD_S, pressed.button, False
            return None, InputError("A button was pressed before the display showed what it would do: press it again.")
        if asked is None and pressed.button == "confirm":
            self.note_outcome("confirm", t, changed=False)
        return asked, None

    def note_outcome(self, button: str, t: float, *, changed: bool) -> None:
        """What the button asked for was done, unless nothing has `changed`: then the display says that it cannot be."""
        if not changed:
            self._until, self._uncounted, self._is_refused = t + TOLD_S, button, True

    def is_telling(self, t: float) -> bool:
        """Whether the display tells at `t` of a press."""
        return t < self._until

    def tell_uncounted(self, frame: LedFrame, match: Match, t: float) -> LedFrame:
        """The frame with the text that says which button to press again, and for what, or which one can do nothing
        above how the game stands, while that is told."""
        if not self.is_telling(t):
            return frame
        if self._is_refused:
            text = f"Cannot {self._uncounted}", frame.text[0]
            return replace(frame, text=text, standing=find_standing(match, hidden=True))
        text = PRESS_AGAIN[self._uncounted], describe_press(match, self._uncounted)
        return replace(frame, text=text, standing=find_standing(match))


PRESS_AGAIN = {"confirm": "Confirm again?", "undo": "Undo again?", "pause": "Pause again?"}
"""What the display says of a press that was not counted, above what the button would do."""


def check_player(wish: Wish, match: Match, details: Details, *, tournament: bool) -> None:
    """InputError where the player who asks would speak for another side: in a tournament also where nobody has said
    which side is his."""
    if wish.player is None or isinstance(wish.asked, DeclineDraw):
        return
    if isinstance(wish.asked, Undo):
        if tournament:
            raise InputError("In a tournament the arbiter takes moves and results back.")
        return
    if tournament and isinstance(wish.asked, Settle):
        raise InputError("In a tournament the arbiter says how the previous game ended.")
    own = [side for side, name in details.players if _is_same_name(name, wish.player)]
    if not own and tournament:
        raise InputError(
            "{account} is not a player's name: ask the arbiter to do this, or to enter the names first.",
            account=wish.player,
        )
    if own and not set(own) & set(_list_sides(wish.asked, match)):
        side = words_of(match.game).seats[own[0]]
        raise InputError("{account} plays {side}, and cannot speak for another side.", account=wish.player, side=side)


def _list_sides(asked: Wished, match: Match) -> Collection[str]:
    """The sides of which one has to say it."""
    match asked:
        case Resign(side=side):
            return (side,)
        case ClaimDraw():
            return (match.side_to_move,)
        case Settle(how=how) if how in match.game.seats:
            return (how,)
    return match.game.seats


def _is_same_name(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def state_of(run: str, match: Match) -> str:
    """The number of a state as pages have it: that of another run of the service says nothing here."""
    return f"{run}-{match.number}"


def number_in(state: str, run: str) -> int:
    """The number in what `state_of` wrote; 0 for one of another run."""
    of, _, number = state.rpartition("-")
    return (parse_number(number) or 0) if of == run else 0
