"""The match while it is watched: what was said to it, and why nothing is said just now."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.explain.reasons import Reason
from engine.match.events import Event
from engine.match.judging import Blind, Consequence, Input, NotSetUp, State, Unseen, apply_input
from engine.match.state import RESTING, Match, Phase, number_changes
from vision.reading.appearance import Ints


class Story:
    """All that is judged goes through `take_input`; `trace` is told of each input and what followed from it.
    Mutable."""

    def __init__(self, match: Match, trace: Callable[[Input, Consequence], object] | None) -> None:
        self._state = State(match)
        self._trace = trace
        self.held: tuple[Reason, ...] = ()
        """What the last look still waited for."""

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self._state.match

    def replace_match(self, match: Match) -> None:
        """Another game goes on: what was seen says nothing about it."""
        self._state = State(number_changes(self.match, match))

    @property
    def waiting_reasons(self) -> tuple[Reason, ...]:
        """Why nothing is said just now, first what holds it back; () if nothing is waited for."""
        return () if self.match.phase in (*RESTING, Phase.OVER) else self.held

    @property
    def expected_looks(self) -> Ints:
        """(cells,) the look of what stands in each cell by the record."""
        return np.array([self.match.game.look_of[piece] for piece in self.match.position.placement])

    def take_input(self, given: Input) -> Consequence:
        """Go on from an input."""
        outcome = apply_input(self._state, given)
        self._state = outcome.state
        if isinstance(given, Blind):
            self.held = outcome.waits
        if self._trace is not None:
            self._trace(given, outcome)
        return outcome

    def take_inputs(self, given: Sequence[Input]) -> tuple[Event, ...]:
        """What follows from several inputs."""
        return tuple(event for one in given for event in self.take_input(one).events)

    def note_unjudged(self, given: Unseen | NotSetUp) -> tuple[Event, ...]:
        """Nothing can be judged in this look."""
        outcome = self.take_input(given)
        self.held = outcome.waits
        return outcome.events
