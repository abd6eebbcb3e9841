"""All that is said today of what was seen in a trace."""

from __future__ import annotations

from engine.match.events import Event
from server.record.traces.refold import refold_lines
from server.record.traces.trace import Trace


def refold_events(trace: Trace) -> list[Event]:
    return [event for one in refold_lines(trace) for event in one.outcome.events]
