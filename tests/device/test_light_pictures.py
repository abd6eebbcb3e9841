"""The pictures in docs/lights.md: one for each state and board, all shown, and as the program draws them today."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.games import load
from tests.bench.light_states import FOLDER, GAMES, STATES, picture, shown

PAGE = Path(__file__).parents[2] / "docs" / "lights.md"
SMOOTHING = 1.0
"""Mean difference in grey levels that another release of the drawing library may make at edges."""


def test_the_page_shows_every_picture() -> None:
    wanted = {f"pictures/lights/{game}-{state}.png" for game in GAMES for state in STATES}
    text = PAGE.read_text(encoding="utf-8")
    assert {name for name in wanted if name not in text} == set()
    assert {path.name for path in FOLDER.iterdir()} == {Path(name).name for name in wanted}


@pytest.mark.parametrize("game", GAMES)
def test_the_pictures_are_those_of_today(game: str) -> None:
    for state in STATES:
        now = shown(load(game, GAMES[game]), state)
        drawn = picture(now.match, now.frame)
        kept = cv2.imread(str(FOLDER / f"{game}-{state}.png"))
        assert kept is not None and kept.shape == drawn.shape
        off = np.abs(kept.astype(int) - drawn).mean()
        assert off < SMOOTHING, f"{game}-{state}: draw them again with python -m tests.bench.light_states"
