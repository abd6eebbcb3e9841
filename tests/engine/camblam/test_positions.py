"""Twenty positions with the results that every reading of the text allows, and those that only another reading does.

`results` are lawful under the default readings and under each other one; `extra` are lawful under another reading and
not under the defaults. What the defaults allow beyond `results` must therefore be refused by some other reading.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engine.camblam.reference import Text, lawful
from tests.engine.camblam.setting import Shown, camblam, placed, results, squares

LINES = (Path(__file__).parents[2] / "data/positions/camblam.jsonl").read_text(encoding="utf-8").splitlines()
OTHER_READINGS = (
    "knight_first_leg=1",
    "knight_first_leg=any",
    "prince_zero_stages=off",
    "catapult_step_captures=off",
    "rook_step_captures=off",
    "bishop_step_captures=off",
    "run_capture_whole=on",
)
SETTLED = (Text(knight_corner_empty=True), Text(steps_run=True))
"""Two further readings that the rules settle: the knight's corner on an enemy, a step that captures on like a run."""


def by_name(rows: list[tuple[str, str, list[str]]]) -> set[Shown]:
    return {(origin, to, tuple(sorted(taken))) for origin, to, taken in rows}


@pytest.mark.parametrize("row", [pytest.param(json.loads(line), id=json.loads(line)["id"]) for line in LINES])
def test_defaults_allow_all_that_is_settled_and_nothing_that_only_another_reading_allows(row: dict) -> None:
    position = placed(row["position"]["to_move"], row["position"]["cells"])
    ours, required, extra = results(camblam(), position), by_name(row["results"]), by_name(row["extra"])
    assert required <= ours
    assert not extra & ours
    elsewhere = [results(camblam(setting), position) for setting in OTHER_READINGS]
    contested = (ours - required) & set.intersection(*elsewhere)
    if contested:
        elsewhere = [lawful(squares(position), row["position"]["to_move"][0].upper(), text) for text in SETTLED]
    assert not contested & set.intersection(*elsewhere)
    assert all(required <= allowed for allowed in elsewhere)
