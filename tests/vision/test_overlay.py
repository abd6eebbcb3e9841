"""The grid that is drawn over a picture for people: on the cells, and with names where there is room for them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.view import View
from engine.games import load
from tests.calibration.test_view import view_of
from tests.render.scene import look_from
from vision.overlay import LINE_BGR, NAME_BGR, draw_grid

BOARD = load("camelot").board


def shows(picture: npt.NDArray[np.uint8], colour: tuple[int, int, int]) -> bool:
    return bool((picture == np.array(colour, np.uint8)).all(axis=-1).any())


def seen(width: int) -> View:
    """A board slantwise, in a picture of that width."""
    return view_of(look_from(BOARD, 60.0, 20.0, 50.0, size_wh=(width, width * 3 // 4), seed=1), 0.0)


def test_every_cell_is_outlined_where_it_lies_and_the_picture_itself_is_left() -> None:
    view, image = seen(1280), np.zeros((960, 1280, 3), np.uint8)
    drawn = draw_grid(image, BOARD, [view], names=False)
    assert not image.any() and not shows(drawn, NAME_BGR)
    centres = np.array(BOARD.centres_xy)
    for corner in BOARD.outline_xy:
        for x, y in np.round(view.project_points(centres + corner)).astype(int):
            assert drawn[y - 2 : y + 3, x - 2 : x + 3].max() > LINE_BGR[1] // 2, "a line, with smooth edges"
    for x, y in np.round(view.project_points(centres)).astype(int):
        assert not drawn[y, x].any(), "the middle of a cell stays as it was"


def test_cells_have_their_names_where_these_can_be_read() -> None:
    for width, named in ((1280, True), (320, False)):
        blank = np.zeros((width * 3 // 4, width, 3), np.uint8)
        assert shows(draw_grid(blank, BOARD, [seen(width)]), NAME_BGR) is named
