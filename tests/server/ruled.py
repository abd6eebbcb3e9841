"""A game that people decide things in, as its record has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine import games
from engine.explain.wording import words_of
from engine.match.acts import Act, AsPlayed
from engine.match.arbiter import apply_act
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.referee import new_match
from engine.match.state import Phase
from server.record.decisions import list_decisions
from server.record.journal import build_begin_event
from server.saying import GameDecision, describe_decision

SET = {"game": "camelot", "to_move": "black", "cells": {"F6": "WM", "G6": "WN", "F11": "BM", "G11": "BN"}}
"""A position that an arbiter sets, but for its rules."""
Event = Mapping[str, object]


@dataclass
class Played:
    """A game that is played by what people ask for. Mutable."""

    name: str = "camelot"
    clock: str = ""
    events: list[Event] = field(default_factory=list)
    t: float = 0.0

    def __post_init__(self) -> None:
        match = new_match(games.load(self.name))
        match = with_clock(match, parse_control(self.clock)) if self.clock else match
        self.match = replace(match, phase=Phase.PLAYING, ready=True)
        self.events.append(build_begin_event(self.match) | {"begun": "2026-11-28T10:00:00+00:00"})

    def ask(self, *asked: Act | str) -> Played:
        """Each act, and each move by its notation as the board showed it, ten seconds apart."""
        for one in asked:
            self.t += 10.0
            act = AsPlayed(one) if isinstance(one, str) else one
            self.match, told = apply_act(replace(self.match, phase=self._phase(act)), act, self.t)
            said = [event.to_json() for event in told]
            self.events += [{k: v for k, v in e.items() if k != "by"} for e in said] if isinstance(one, str) else said
        return self

    def _phase(self, act: Act) -> Phase:
        return Phase.PLAYING if self.match.phase is Phase.SETUP else self.match.phase

    def note(self, event: str, **values: object) -> Played:
        """What is no event of the game but stands in its record."""
        self.events.append({"t": self.t, "event": event, **values})
        return self

    @property
    def found(self) -> list[GameDecision]:
        return list_decisions(self.events)

    @property
    def lines(self) -> list[str]:
        words = words_of(self.match.game)
        return [describe_decision(one, words) for one in self.found]


def by_arbiter(act: Act) -> Act:
    return replace(act, by="arbiter", account="judge")
