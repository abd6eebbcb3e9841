"""A board at rest is told from one over which something comes by a few pixels."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.filmed import FPS, SIZE_WH, board, clean, grainy, handed
from tests.vision.pictures import true_views
from vision.sight.align import STAYED
from vision.sight.resting_board import RestingBoard

GAME, SCENE = board()


def quiet(sd: float) -> RestingBoard:
    """The board at rest for a second, with noise of that spread."""
    found = RestingBoard(true_views(SCENE), SIZE_WH)
    for number in range(10):
        found.remember_frame(number / FPS, grainy(clean(SCENE), number, sd), STAYED)
        found.has_changed(grainy(clean(SCENE), 50 + number, sd))
    return found


@pytest.mark.parametrize("sd", [0.5, 3.0, 8.0])
@pytest.mark.parametrize("gain", [0.8, 1.0, 1.1])
def test_noise_and_exposure_do_not_stir(sd: float, gain: float) -> None:
    found = quiet(sd)
    lit = np.clip(clean(SCENE) * gain, 0, 255).astype(np.uint8)
    stirred = [found.has_changed(grainy(lit, 100 + number, sd)) for number in range(20)]
    assert sum(stirred) <= 2


@pytest.mark.parametrize("sd", [0.5, 3.0, 8.0])
@pytest.mark.parametrize("cell", ["C4", "H8", "I13"])
def test_a_hand_that_comes_is_seen(sd: float, cell: str) -> None:
    assert quiet(sd).has_changed(grainy(clean(handed(GAME, SCENE, cell)), 200, sd))


def test_a_board_at_rest_is_looked_into_now_and_then() -> None:
    found, into = quiet(3.0), [0.0]
    for number in range(10, 55):
        image = grainy(clean(SCENE), number)
        if not found.can_skip_frame(number / FPS, image):
            found.remember_frame(number / FPS, image, STAYED)
            into.append(number / FPS)
    assert 4 <= len(into) - 1 <= 8, "about twice a second"
    assert not found.can_skip_frame(55 / FPS + 0.1, grainy(clean(handed(GAME, SCENE, "H8")), 55)), "a hand is"
