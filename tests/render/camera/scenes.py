"""Small pictures for tests of the camera: a board on a table, a piece that a hand takes from one cell to another."""

from __future__ import annotations

import numpy as np

from tests.render.camera.timing import Image, Shot

SIZE_WH = (160, 120)
CORNERS = ((40.0, 30.0), (119.0, 30.0), (119.0, 89.0), (40.0, 89.0))
CELL_PX = 10
FROM, TO = (slice(36, 42), slice(56, 62)), (slice(66, 72), slice(96, 102))
"""Where the piece stands before and after."""


def board(piece: tuple[slice, slice] | None = FROM) -> Image:
    """A chequered board on a grey table, and a dark piece on it."""
    image = np.full((SIZE_WH[1], SIZE_WH[0], 3), 130, np.uint8)
    rows, columns = np.mgrid[30:90, 40:120] // 10
    image[30:90, 40:120] = np.where(((rows + columns) % 2)[..., None] > 0, 190, 90)
    if piece:
        image[piece] = 20
    return image


def hand(image: Image) -> Image:
    """With a hand that reaches in from the right, between the two cells of the piece."""
    image = image.copy()
    image[48:60, 80:] = (140, 160, 220)
    return image


def a_ply() -> list[Shot]:
    """Before, the hand on its way (the piece is in it), after; then the same way back."""
    there = [("quiet", board()), ("moving", hand(board(None))), ("quiet", board(TO))]
    return [*there, ("moving", hand(board(None))), ("quiet", board())]
