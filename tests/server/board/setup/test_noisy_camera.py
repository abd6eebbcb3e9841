"""A board of small cells is found in the pictures of a noisy camera, none of which shows it alone."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.errors import InputError
from engine.games import load
from server.board.setup.find import Finder, SetupPicture
from server.board.setup.preview import Preview
from tests.patience import wait_until
from tests.server.board.setup.streams import RATE, mjpeg
from vision.frames import MOST_AROUND
from vision.ground import Image

BOARD = Path(__file__).parents[3] / "data" / "small_cells.jpg"
NOISE = 14.0
"""Grey levels: of single pictures with so much none shows the board."""


def noisy(number: int) -> Image:
    """The board as the camera sees it at one moment."""
    image = cv2.imread(str(BOARD))
    assert image is not None
    grain = np.random.default_rng(number).normal(0, NOISE, image.shape)
    return np.clip(image + grain, 0, 255).astype(np.uint8)


def test_a_board_that_no_picture_shows_alone_is_found_in_several() -> None:
    game = load("camelot", "wcf")
    show = partial(SetupPicture, game, game.start())
    with mjpeg("127.0.0.1", noisy) as (source, _):
        preview = Preview(source, RATE)
        try:
            with pytest.raises(InputError, match="no board is seen"):
                Finder(lambda: show(preview.current_image)).find_board(None)
            wait_until(lambda: len(preview._earlier) == MOST_AROUND)
            finder = Finder(lambda: show(preview.current_image), lambda: show(preview.average_image()))
            assert finder.find_board(None).to_json()["good"]
        finally:
            preview.release_camera()
