"""Draws the pictures of docs/printing.md and docs/camera.md: python -m tests.bench.guide_pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from calibration.find_board import find_by_itself
from calibration.printing.boards import board_drawings, travel_drawings
from calibration.printing.files import render_pdf
from calibration.printing.loose import led_drawings, piece_drawings
from calibration.printing.paper import Sheet, fitting_cell_mm, pack_drawings, tile_drawings
from calibration.view import Image
from engine import games
from engine.game import looks_at_start
from tests.render.cheap import render
from tests.render.printed import pages
from tests.render.script import Recipe, stage_of
from vision.overlay import draw_grid

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
DOTS_PER_MM, GAP = 1.6, 12


def page(sheet: Sheet) -> Image:
    """One page, with the shade of paper on a table."""
    return pages(render_pdf([sheet], "page"), DOTS_PER_MM)[0]


def beside(pictures: list[Image]) -> Image:
    """Pictures in a row on grey."""
    height = max(picture.shape[0] for picture in pictures)
    row = [
        cv2.copyMakeBorder(p, GAP, height - p.shape[0] + GAP, GAP, 0, cv2.BORDER_CONSTANT, value=(150, 150, 150))
        for p in pictures
    ]
    return np.asarray(np.hstack(row), np.uint8)


def found(elevation: float, look: str) -> Image:
    """A start position seen from that height, with the grid that was found."""
    game = games.load("camelot")
    recipe = Recipe(
        plies=1, look=look, markers=False, size_wh=(800, 600), elevation=elevation, azimuth=-70, with_empty=False
    )
    stage, _ = stage_of(recipe)
    image = render(stage.frames[0].scene).image
    looks = looks_at_start(game)
    return draw_grid(image, game.board, [one.view for one in find_by_itself(game.board, image, looks)], names=False)


def main() -> None:
    """Write all of them."""
    camelot, tri = games.load("camelot"), games.load("tri-camelot")
    side = fitting_cell_mm(board_drawings(camelot, 1.0)[0].size, "a4")
    sheets = [
        tile_drawings(travel_drawings(camelot, side), "a4")[0],
        tile_drawings(led_drawings(tri, 17.0), "a4")[0],
        pack_drawings(piece_drawings(games.load("camblam"), side), "a4")[0],
    ]
    large = tile_drawings(board_drawings(camelot, 28.0), "a4")
    cv2.imwrite(str(FOLDER / "printed.png"), beside([page(sheet) for sheet in sheets]))
    cv2.imwrite(str(FOLDER / "printed-tiles.png"), beside([page(sheet) for sheet in large]))
    pictures = [found(35, "green"), found(60, "lines")]
    cv2.imwrite(str(FOLDER / "camera-heights.jpg"), beside(pictures), [cv2.IMWRITE_JPEG_QUALITY, 82])


if __name__ == "__main__":
    main()
