"""The computer beside the game: what plays sides of it, and what helps who learns. In a tournament neither does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.errors import InputError
from engine.explain.entrusted import Carried
from engine.game import Move
from engine.match.acts import Act, Undo
from engine.match.state import Match
from server.board.computer.carrying import Carrying
from server.board.computer.kept import ComputerSet
from server.board.computer.opponents import Advised, Opponents, SetComputer, advised, let_play
from server.board.computer.tutor import SwitchTutor, Tutor, Tutored

Companion = Advised | SetComputer | Tutored | SwitchTutor
"""What comes from engines, and what people wish of them."""

OF_PLAYERS = {"page", "player", "button"}
"""Whose taking back ends where a person is to move; an arbiter, or another board, says how many moves."""


class Companions:
    """Asks engines about the match that stands, and keeps what they answered. `helps`: it is no tournament."""

    def __init__(self, opponents: Opponents | None = None, tutor: Tutor | None = None) -> None:
        self._opponents, self._tutor = opponents, tutor
        self._advice: Advised | None = None
        self._carrying = Carrying()
        self.note: Callable[[ComputerSet], object] = lambda kept: None
        """Writes into the record what people wished."""

    def take(self, item: Companion, match: Match, t: float, *, helps: bool) -> None:
        """Carry out a wish, keep an answer. InputError for a wish that cannot be granted."""
        match item:
            case Advised():
                self._advice = item if self._plays(item.position.seat) else None
            case SetComputer():
                let_play(self._opponents, match.game, item, helps=helps)
                self._advice = None
            case Tutored():
                if self._tutor is not None:
                    self._tutor.heard(item, match)
            case SwitchTutor():
                if self._tutor is None or not helps:
                    raise InputError("tutor: in a tournament nobody is helped")
                self._tutor.switch(item)
        if isinstance(item, SetComputer | SwitchTutor):
            self.note(self._kept(t, item.by))

    def resume(self, kept: ComputerSet | None, match: Match) -> None:
        """Go on as the record says; what was asked for at this start goes first."""
        if kept is None:
            return
        for side, level in kept.levels.items():
            seat = match.game.seats.index(side)
            if self._opponents is not None and not self._opponents.plays(seat):
                self._opponents.seat(seat, level)
        if self._tutor is not None:
            self._tutor.switch(SwitchTutor(kept.best or None, kept.teach or None, by="page"))

    def _kept(self, t: float, by: str) -> ComputerSet:
        levels = self._opponents.levels() if self._opponents is not None else {}
        best, teach = (self._tutor.best, self._tutor.teach) if self._tutor is not None else (False, False)
        return ComputerSet(t, levels, best=best, teach=teach, by=by)

    def meant(self, asked: Act, match: Match, *, helps: bool) -> Act:
        """What a player's wish means against the computer: taking back goes on to where a person is to move."""
        if not isinstance(asked, Undo) or asked.plies != 1 or asked.by not in OF_PLAYERS or not helps:
            return asked
        if (advised(self._advice, match) or {}).get("played"):
            return asked  # the computer's move was made wrongly: that one alone
        for plies in range(1, len(match.moves) + 1):
            if not self._computes(match.positions[-1 - plies].seat):
                return replace(asked, plies=plies)
        return asked

    def ask(self, match: Match, t: float, *, helps: bool) -> None:
        """Ask what is not known of the position at `t`; nothing in a tournament. Does not wait."""
        if not helps:
            return
        if self._opponents is not None:
            self._opponents.ask(match, t)
        if self._tutor is not None:
            self._tutor.ask(match, self._plays)

    def carried(self, match: Match, t: float, *, helps: bool) -> Carried:
        """What is to be shown at `t` of the move of the computer, or of the other board, until it was carried out."""
        self._carrying.hear(self._advice, match, t, helps=helps)
        return self._carrying.shown(t)

    def step(self, t: float) -> int:
        """Which step of it is shown at `t`."""
        return self._carrying.number(t)

    def best(self, match: Match, *, helps: bool) -> Sequence[Move]:
        """The moves that are shown as the best, the best first."""
        return self._tutor.marked(match) if self._tutor is not None and helps else ()

    def told(self, match: Match, t: float) -> Mapping[str, object]:
        """What pages say of it at `t`; server.board.live.hints takes it out again where nobody is helped."""
        tutor = self._tutor.told(match) if self._tutor is not None else None
        advice = advised(self._advice, match)
        return {"advice": advice and advice | self._carrying.to_json(match, t), "tutor": tutor}

    def close(self) -> None:
        """End the engines."""
        if self._opponents is not None:
            self._opponents.close()
        if self._tutor is not None:
            self._tutor.close()

    def _computes(self, seat: int) -> bool:
        return self._opponents is not None and self._opponents.computes(seat)

    def _plays(self, seat: int) -> bool:
        return self._opponents is not None and self._opponents.plays(seat)
