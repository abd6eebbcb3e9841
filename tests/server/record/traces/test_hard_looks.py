"""Games of whose looks little was sure, each of which a wrong ply was said of that nobody had played."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.match.events import Illegal, Moved
from server.record.traces.trace import load_trace
from tests.server.record.traces.refolded import refold_events

TRACES = Path(__file__).parents[3] / "data" / "traces"


@pytest.mark.parametrize(
    ("name", "played", "least"),
    [
        pytest.param(
            "sunlit_patch",
            ["E6-C8", "E11-E9", "D7-D5-B7-D9xF9", "C11-E11-C9xC7xC5", "D6xB4", "G10xE8xE6xG8"],
            5,
            id="a patch of sunlight crosses the board: a ply that shows in no cell that is seen",
        ),
        pytest.param(
            "blotches",
            ["D5-D3", "C16-B17", "J13-H11", "F5-H7", "D17-C16", "I16-G18"],
            6,
            id="noise in blotches: a piece that seemed a little gone while it was lifted does not stand for ever",
        ),
    ],
)
def test_no_ply_is_said_that_was_not_played(name: str, played: list[str], least: int) -> None:
    events = refold_events(load_trace(TRACES / f"{name}.jsonl.gz"))
    said = [event.notation for event in events if isinstance(event, Moved)]
    assert said == played[: len(said)]
    assert len(said) >= least


def test_what_was_unlawful_in_blotches_is_said() -> None:
    events = refold_events(load_trace(TRACES / "blotches.jsonl.gz"))
    assert [event.code for event in events if isinstance(event, Illegal)] == ["not-a-move"]
