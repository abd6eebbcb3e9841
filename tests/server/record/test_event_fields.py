"""What the fields of events from elsewhere must be: a fault names the event and the field."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import InputError
from engine.match.clock import LONGEST_S
from server.record.event_fields import LONGEST_GAME, LONGEST_TEXT, check_events

MOVE: dict[str, Any] = {
    "event": "move",
    "t": 1.5,
    "ply": 1,
    "side": "white",
    "notation": "E6-E7",
    "from": "E6",
    "to": "E7",
    "captured": [],
    "confidence": 0.99,
}
BEGIN: dict[str, Any] = {"event": "begin", "game": "camelot", "rules": "wcf"}


def test_what_the_service_writes_and_events_that_only_tell_pass() -> None:
    check_events([BEGIN, MOVE, {"event": "spoken", "anything": object()}, {"event": "ready", "t": 0}], "file")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"ply": True}, f"ply: a whole number from 1 to {LONGEST_GAME} is expected, not True"),
        ({"ply": 0}, "ply: a whole number from 1"),
        ({"t": LONGEST_S * 2}, "t: a number of seconds is expected"),
        ({"notation": "E6\nE7"}, "notation: a short text in one line is expected"),
        ({"side": "x" * (LONGEST_TEXT + 1)}, "side: a short text in one line is expected, not 'xxx.*…"),
        ({"captured": "E6"}, "captured: a list of cells is expected, not 'E6'"),
        ({"clocks": {"white": "much"}}, "clocks: what each side had left, in seconds is expected"),
        ({"spent": None}, "spent: a number is expected, not None"),
    ],
)
def test_a_field_that_is_not_what_it_must_be_is_named(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError, match=f"^file: event 2: {fault}"):
        check_events([BEGIN, MOVE | change], "file")


@pytest.mark.parametrize("field", sorted(set(MOVE) - {"event"}))
def test_a_field_that_is_missing_is_named(field: str) -> None:
    with pytest.raises(InputError, match=f"^file: event 1: {field} is missing$"):
        check_events([{key: value for key, value in MOVE.items() if key != field}], "file")


@pytest.mark.parametrize("result", ["2-0", "won", "", 1])
def test_a_result_is_one(result: object) -> None:
    with pytest.raises(InputError, match="event 1: result: "):
        check_events([{"event": "result", "result": result, "reason": "castle"}], "file")
