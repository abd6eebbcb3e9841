"""Which way round a board lies, told by pieces whose colours are not plain: letters on them, sides of like colour."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.find_side import best_side, board_turns, turn_view
from calibration.lattice import edges_for
from calibration.view import Lens, View, rectangle_corners
from engine import games
from engine.game import looks_at_start
from vision.ground import Image

CELL_PX, RIM_PX = 48, 60
FLOORS = {"grey": ((240, 240, 240), (190, 198, 200)), "wood": ((150, 215, 190), (75, 110, 160))}
"""Two colours of a chequered board, blue green red."""


def drawn_from_above(name: str, floor: str, light: int, dark: int, letter_scale: float) -> tuple[Image, View]:
    """A start of flat counters with letters in the other side's colour, and its view; White is at the bottom."""
    game = games.load(name)
    board, looks = game.board, looks_at_start(game)
    width, height = (round(side * CELL_PX) + 2 * RIM_PX for side in board.size_wh)
    image = np.full((height, width, 3), 120, np.uint8)
    low = [(RIM_PX + x * CELL_PX, height - RIM_PX - y * CELL_PX) for x, y in rectangle_corners(board.size_wh)]
    rng = np.random.default_rng(3)
    for (x, y), look in zip(board.centres_xy, looks, strict=True):
        middle = np.array([RIM_PX + x * CELL_PX, height - RIM_PX - y * CELL_PX])
        corner = (middle - CELL_PX / 2).round().astype(int)
        far = (middle + CELL_PX / 2).round().astype(int)
        cv2.rectangle(image, corner.tolist(), far.tolist(), FLOORS[floor][int(x) + int(y) & 1], cv2.FILLED)
        if look == "empty":
            continue
        own, other = (light, dark) if look == "light" else (dark, light)
        at = (middle + rng.uniform(-3, 3, 2)).round().astype(int)
        cv2.circle(image, at.tolist(), round(0.36 * CELL_PX), (own,) * 3, cv2.FILLED, cv2.LINE_AA)
        if letter_scale:
            (w, h), _ = cv2.getTextSize("B", cv2.FONT_HERSHEY_DUPLEX, letter_scale, 3)
            cv2.putText(
                image,
                "B",
                (at + (-w // 2, h // 2)).tolist(),
                cv2.FONT_HERSHEY_DUPLEX,
                letter_scale,
                (other,) * 3,
                3,
                cv2.LINE_AA,
            )
    blurred = cv2.GaussianBlur(image, (0, 0), 1.0).astype(float) + rng.normal(0, 2, image.shape)
    noisy = blurred.clip(0, 255).astype(np.uint8)
    return noisy, View(Lens((width, height), 4.0 * width), board.size_wh, tuple(low))


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize(
    ("light", "dark", "letter_scale"), [(225, 40, 0.7), (235, 205, 0.0)], ids=["letters", "white against beige"]
)
@pytest.mark.parametrize("name", ["camblam", "camelot", "cam"])
def test_the_side_is_told_whatever_is_printed_on_the_pieces(
    name: str, floor: str, light: int, dark: int, letter_scale: float
) -> None:
    game = games.load(name)
    image, view = drawn_from_above(name, floor, light, dark, letter_scale)
    energy, looks = edges_for(game.board, view, image), looks_at_start(game)
    for turn in board_turns(game.board):
        found, sure = best_side(game.board, turn_view(view, turn), image, energy, looks)
        assert sure
        assert np.allclose(found.corners_px, view.corners_px, atol=1e-6)


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("name", ["camblam", "camelot", "cam"])
def test_of_letters_that_cover_the_pieces_the_side_is_asked(name: str, floor: str) -> None:
    game = games.load(name)
    image, view = drawn_from_above(name, floor, 225, 40, 0.9)
    found, sure = best_side(game.board, view, image, edges_for(game.board, view, image), looks_at_start(game))
    assert not sure or np.allclose(found.corners_px, view.corners_px, atol=1e-6)
