"""The computer beside the game: what plays sides of it, and what helps who learns. In a tournament neither does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import InputError
from engine.game import Move
from engine.match.state import Match
from server.live.beside.opponents import Advised, Opponents, SetComputer, advised, awaited, let_play
from server.live.beside.tutor import SwitchTutor, Tutor, Tutored

Companion = Advised | SetComputer | Tutored | SwitchTutor
"""What comes from engines, and what people wish of them."""


class Companions:
    """Asks engines about the match that stands, and keeps what they answered. `helps`: it is no tournament."""

    def __init__(self, opponents: Opponents | None = None, tutor: Tutor | None = None) -> None:
        self._opponents, self._tutor = opponents, tutor
        self._advice: Advised | None = None

    def take(self, item: Companion, match: Match, helps: bool) -> None:
        """Carry out a wish, keep an answer. InputError for a wish that cannot be granted."""
        match item:
            case Advised():
                self._advice = item if self._plays(item.position.seat) else None
            case SetComputer():
                let_play(self._opponents, match.game, item, helps)
                self._advice = None
            case Tutored():
                if self._tutor is not None:
                    self._tutor.heard(item, match)
            case SwitchTutor():
                if self._tutor is None or not helps:
                    raise InputError("tutor: in a tournament nobody is helped")
                self._tutor.switch(item)

    def ask(self, match: Match, helps: bool) -> None:
        """Ask what is not known of the position; nothing in a tournament. Does not wait."""
        if not helps:
            return
        if self._opponents is not None:
            self._opponents.ask(match)
        if self._tutor is not None:
            self._tutor.ask(match, self._plays)

    def advice(self, match: Match, helps: bool) -> Move | None:
        """The move of the computer, or of the other board, while it is to be carried out."""
        return awaited(self._advice, match, helps)

    def best(self, match: Match, helps: bool) -> Sequence[Move]:
        """The moves that are shown as the best, the best first."""
        return self._tutor.marked(match) if self._tutor is not None and helps else ()

    def told(self, match: Match) -> Mapping[str, object]:
        """What pages say of it; server.live.hints takes it out again where nobody is helped."""
        tutor = self._tutor.told(match) if self._tutor is not None else None
        return {"advice": advised(self._advice, match), "tutor": tutor}

    def close(self) -> None:
        """End the engines."""
        if self._opponents is not None:
            self._opponents.close()
        if self._tutor is not None:
            self._tutor.close()

    def _plays(self, seat: int) -> bool:
        return self._opponents is not None and self._opponents.plays(seat)
