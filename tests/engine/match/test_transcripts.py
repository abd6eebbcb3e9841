"""The transcripts say, byte for byte, what the referee answers today, and show every phase and event."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.match.events import Event
from engine.match.state import Phase
from tests.bench.transcripts import FOLDER, told

FILES = sorted(FOLDER.glob("*.txt"))
NOT_HERE = {"light-changed", "cannot-see", "seen-again"}
"""Said by those who look, not by the referee."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_answers_are_those_of_today(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert told(text) == text, "read the difference, then: make transcripts"


def test_every_phase_and_event_is_shown() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in FILES)
    assert set(re.findall(r"^    -- ([a-z-]+):", text, re.MULTILINE)) == {phase.value for phase in Phase}
    of_a_match = {kind.name for kind in Event.__subclasses__() if kind.__module__ == Event.__module__}
    assert of_a_match - NOT_HERE <= set(re.findall(r"^    ([a-z-]+)", text, re.MULTILINE))
