"""Real pictures: nothing is said to have been played that was not, and no figure gets worse (tests/data/real)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess
import numpy as np
import pytest

from calibration.solve import MARKED_FIT
from tests.examples import choose_rows
from tests.real import film, naive, stones
from tests.real.bench import STORED
from tests.real.clip import Clip
from tests.real.figures import Figures, compared, refereed

CEILINGS = ("illegal", "not_ready", "false_ready")


def held_to(figures: Figures, expected: dict[str, int]) -> None:
    assert figures.wrong == 0
    assert figures.plies == expected["plies"]
    assert figures.right >= expected["right"]
    for name in CEILINGS:
        assert getattr(figures, name) <= expected[name], name


@pytest.mark.parametrize(
    "make", choose_rows([film.as_it_is, film.full_speed, film.with_pauses], 2), ids=lambda make: make.__name__
)
def test_a_real_film_is_refereed_as_well_as_expected(
    make: Callable[[film.Film], Clip], scholars_mate: film.Film, expected: dict[str, dict[str, dict[str, int]]]
) -> None:
    clip = make(scholars_mate)
    held_to(compared(clip, refereed(clip)), expected["film"][make.__name__])


def test_the_film_is_calibrated_by_rough_corners(scholars_mate: film.Film) -> None:
    """Corners a tenth of a square off are drawn to where the board's lines are."""
    clip = film.full_speed(scholars_mate)
    (fit,), (view,) = clip.profile.fits, clip.profile.views
    assert fit >= MARKED_FIT
    off = np.linalg.norm(np.array(view.corners_px) - np.array(scholars_mate.corners), axis=1)
    assert off.max() < 0.1 * float(view.pitch_px(np.array([[4.0, 4.0]]))[0])


@pytest.mark.parametrize("name", stones.SEQUENCES)
def test_photographs_of_stones_are_refereed_as_well_as_expected(name: str, expected: dict[str, Any]) -> None:
    clip = stones.clip(STORED / name)
    held_to(compared(clip, refereed(clip)), expected["go"][name])


def test_the_plain_reader_reads_the_film(scholars_mate: film.Film, expected: dict[str, Any]) -> None:
    shown = [None if number is None else scholars_mate.images[number] for number in scholars_mate.quiet]
    read = list(naive.answers(scholars_mate.corners, shown, scholars_mate.moves, chess.Board()))
    assert len(read) == expected["plain_reader"]["film"]["plies"]
    assert sum(read) >= expected["plain_reader"]["film"]["right"]
