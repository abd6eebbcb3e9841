"""The computer beside the game: what plays sides of it, and what helps who learns. In a tournament neither does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.errors import InputError
from engine.explain.entrusted import EntrustedView
from engine.game import Move
from engine.match.acts import Act, Undo
from engine.match.course import withdraw_said
from engine.match.state import Match
from server.board.computer.carrying import CarryingState
from server.board.computer.kept import ComputerSet
from server.board.computer.opponents import EngineAdvice, Opponents, SetComputer, describe_advice, seat_computer
from server.board.computer.tutor import SwitchTutor, Tutor, TutorAnswer

Companion = EngineAdvice | SetComputer | TutorAnswer | SwitchTutor
"""What comes from engines, and what people wish of them."""

OF_PLAYERS = {"page", "player", "button"}
"""Whose taking back ends where a person is to move; an arbiter, or another board, says how many moves."""


class Companions:
    """Asks engines about the match that stands, and keeps what they answered. `helps`: it is no tournament."""

    def __init__(self, opponents: Opponents | None = None, tutor: Tutor | None = None) -> None:
        self._opponents, self._tutor = opponents, tutor
        self._advice: EngineAdvice | None = None
        self._carrying = CarryingState()
        self.note: Callable[[ComputerSet], object] = lambda kept: None
        """Writes into the record what people wished."""

    def handle_item(self, item: Companion, match: Match, t: float, *, helps: bool) -> None:
        """Carry out a wish, keep an answer. InputError for a wish that cannot be granted."""
        match item:
            case EngineAdvice():
                self._advice = item if self._is_away_seat(item.position.seat) else None
            case SetComputer():
                seat_computer(self._opponents, match.game, item, helps=helps)
                self._advice = None
            case TutorAnswer():
                if self._tutor is not None:
                    self._tutor.store_answer(item, match)
            case SwitchTutor():
                if self._tutor is None or not helps:
                    raise InputError("tutor: in a tournament nobody is helped")
                self._tutor.switch_help(item)
        if isinstance(item, SetComputer | SwitchTutor):
            self.note(self._computer_settings(t, item.by))

    def resume_settings(self, kept: ComputerSet | None, match: Match) -> None:
        """Go on as the record says; what was asked for at this start goes first."""
        if kept is None:
            return
        for side, level in kept.levels.items():
            seat = match.game.seats.index(side)
            if self._opponents is not None and not self._opponents.is_away_seat(seat):
                self._opponents.set_seat_level(seat, level)
        if self._tutor is not None:
            self._tutor.switch_help(SwitchTutor(kept.best or None, kept.teach or None, by="page"))

    def _computer_settings(self, t: float, by: str) -> ComputerSet:
        levels = self._opponents.engine_levels() if self._opponents is not None else {}
        best, teach = (self._tutor.best, self._tutor.teach) if self._tutor is not None else (False, False)
        return ComputerSet(t, levels, best=best, teach=teach, by=by)

    def interpret_act(self, asked: Act, match: Match, *, helps: bool) -> Act:
        """What a player's wish means against the computer: taking back goes on to where a person is to move."""
        if not isinstance(asked, Undo) or asked.plies != 1 or asked.by not in OF_PLAYERS or not helps:
            return asked
        return replace(asked, plies=self._count_taken_back(match, describe_advice(self._advice, match)))

    def _count_taken_back(self, match: Match, advice: Mapping[str, object] | None) -> int:
        """How many plies a player takes back who asks for one: 1 also where it is the result that is taken back, or the
        computer's move that was made wrongly."""
        if withdraw_said(match) is not None or (advice or {}).get("played"):
            return 1
        back = range(1, len(match.moves) + 1)
        return next((plies for plies in back if not self._is_engine_seat(match.positions[-1 - plies].seat)), 1)

    def ask_engines(self, match: Match, t: float, *, helps: bool) -> None:
        """Ask what is not known of the position at `t`; nothing in a tournament. Does not wait."""
        if not helps:
            return
        if self._opponents is not None:
            self._opponents.ask_move(match, t)
        if self._tutor is not None:
            self._tutor.ask_position(match, self._is_away_seat)

    def update_carried_move(self, match: Match, t: float, *, helps: bool) -> EntrustedView:
        """What is to be shown at `t` of the move of the computer, or of the other board, until it was carried out."""
        self._carrying.follow_match(self._advice, match, t, helps=helps)
        return self._carrying.carried_at(t)

    def step_number(self, t: float) -> int:
        """Which step of it is shown at `t`."""
        return self._carrying.step_number(t)

    def best_moves(self, match: Match, *, helps: bool) -> Sequence[Move]:
        """The moves that are shown as the best, the best first."""
        return self._tutor.best_moves(match) if self._tutor is not None and helps else ()

    def describe_state(self, match: Match, t: float) -> Mapping[str, object]:
        """What pages say of it at `t`; server.board.live.hints takes it out again where nobody is helped."""
        tutor = self._tutor.describe_state(match) if self._tutor is not None else None
        advice = describe_advice(self._advice, match)
        carried = advice and advice | self._carrying.to_json(match, t)
        levels = self._opponents.describe_levels() if self._opponents is not None else {}
        back = self._count_taken_back(match, advice)
        return {"advice": carried, "tutor": tutor, "takes_back": back, "computer": levels}

    def close(self) -> None:
        """End the engines."""
        if self._opponents is not None:
            self._opponents.stop_engines()
        if self._tutor is not None:
            self._tutor.stop_engine()

    def _is_engine_seat(self, seat: int) -> bool:
        return self._opponents is not None and self._opponents.is_engine_seat(seat)

    def _is_away_seat(self, seat: int) -> bool:
        return self._opponents is not None and self._opponents.is_away_seat(seat)
