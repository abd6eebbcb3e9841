"""A trace played again without pictures: the same inputs through today's judging."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from engine.errors import InputError
from engine.match.judging import Asked, Consequence, Input, Looked, State, apply_input
from engine.sentences import TEMPLATE_FIELDS
from server.record.traces.lines import Coder, TraceLine
from server.record.traces.trace import Trace

SAID_AGAIN = TEMPLATE_FIELDS | {"due"}
"""Fields of events that say as values what others of the same event say in words: older recordings have none of them,
and two events are the same without."""

Wanted = Callable[[State, Asked], bool]
"""Whether something that a person asked for is still asked for, as the game stands now."""


def drop_said_again(event: object) -> object:
    """An event, as JSON, without the fields that say something once more."""
    return {key: value for key, value in event.items() if key not in SAID_AGAIN} if isinstance(event, dict) else event


def is_same_line(then: str, now: str) -> bool:
    """Whether two lines of JSON say the same."""
    if then == now:
        return True
    try:
        return drop_said_again(json.loads(then)) == drop_said_again(json.loads(now))
    except (ValueError, RecursionError):
        return False


@dataclass(frozen=True)
class RefoldedLine:
    """One line of a trace: what was said then, what follows now, and the seconds of the processor that it took."""

    line: TraceLine
    given: Input
    outcome: Consequence
    seconds: float

    @property
    def recorded_events(self) -> list[object]:
        """The events of then, as JSON."""
        said = self.line.get("said", [])
        return list(said) if isinstance(said, list) else [said]

    @property
    def current_events(self) -> list[object]:
        """The events of now, as JSON."""
        return [json.loads(json.dumps(event.to_json())) for event in self.outcome.events]

    @property
    def is_same(self) -> bool:
        """Whether what is said now is what was said then."""
        now, then = (list(map(drop_said_again, events)) for events in (self.current_events, self.recorded_events))
        return now == then

    @property
    def is_look(self) -> bool:
        """Whether it was a look that was judged."""
        return isinstance(self.given, Looked)


def refold_lines(trace: Trace, wanted: Wanted = lambda state, asked: True) -> Iterator[RefoldedLine]:
    """Each line of a trace judged anew. What a person asked for and cannot be done now is left out."""
    state = State(trace.initial_match)
    coder = Coder(state.match.game, float(trace.header["unchanged"]))
    for number, line in enumerate(trace.lines, start=1):
        try:
            given = coder.decode_input(line)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
            raise InputError(f"input {number} of the trace: lacks something or has it wrong: {error}") from None
        begun = time.thread_time()
        outcome = Consequence(state)
        if not isinstance(given, Asked) or wanted(state, given):
            with suppress(InputError):
                outcome = apply_input(state, given)
        state = outcome.state
        yield RefoldedLine(line, given, outcome, time.thread_time() - begun)
