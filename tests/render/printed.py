"""A printed board with printed pieces on it, as a camera sees it: pages of the PDF, laid on a table, lit and noised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2

from calibration.printing.boards import board_drawings
from calibration.printing.loose import piece_drawings
from calibration.printing.paper import Sheet, pack_drawings, tile_drawings
from engine.game import Game
from tests.render.scene import Camera, Floats

Picture = npt.NDArray[np.uint8]

DOTS_PER_MM = 6.0
CARELESS_CELLS = 0.05
"""Standard deviation of where a flat piece is put down beside the middle of its cell."""
TABLE_BGR = (52.0, 78.0, 104.0)


def pages(data: bytes | Path, dots_per_mm: float = DOTS_PER_MM) -> list[Picture]:
    """The pages of a PDF (its bytes or its file) as BGR pictures."""
    document = pypdfium2.PdfDocument(data)
    scale = dots_per_mm * 25.4 / 72
    found = [np.asarray(page.render(scale=scale).to_numpy()[..., :3], np.uint8).copy() for page in document]
    document.close()
    return found


def on_table(page: Picture, to_page: Callable[[Floats], Floats], camera: Camera) -> cv2.typing.MatLike:
    """A page lying flat as `camera` sees it; `to_page` takes points of the table to pixels of the page."""
    w, h = camera.size_wh
    columns, rows = np.meshgrid(np.arange(w), np.arange(h))
    flat = camera.on_plane(np.column_stack([columns.ravel(), rows.ravel()]).astype(float))
    there = to_page(np.nan_to_num(flat, nan=-1e4)).astype(np.float32).reshape(h, w, 2)
    # Blurred by what one pixel of the camera sees of the page, so that no letter sparkles.
    step = float(np.median(np.abs(np.diff(there[..., 0], axis=1))))
    soft = cv2.GaussianBlur(page, (0, 0), max(0.4, 0.45 * step))
    return cv2.remap(soft, there[..., 0], there[..., 1], cv2.INTER_LINEAR, borderValue=TABLE_BGR)


@dataclass(frozen=True)
class PrintedSet:
    """The files of `referee print board` and `pieces` for one game, whose board fits on one sheet."""

    game: Game
    board_file: Path
    pieces_file: Path
    paper: str
    cell_mm: float

    @cached_property
    def sheet(self) -> Sheet:
        """The sheet with the board."""
        (sheet,) = tile_drawings(board_drawings(self.game, self.cell_mm), self.paper)
        return sheet

    @cached_property
    def page(self) -> Picture:
        """That sheet as it came out of the printer."""
        return pages(self.board_file)[0]

    @cached_property
    def discs(self) -> dict[str, Picture]:
        """A piece of each code, cut out of its sheet."""
        out = {}
        laid = pack_drawings(piece_drawings(self.game, self.cell_mm), self.paper)
        for page, sheet in zip(pages(self.pieces_file), laid, strict=True):
            for placed in sheet.placed:
                x, y, w, h = (round(side * DOTS_PER_MM) for side in placed.window)
                top = page.shape[0] - y - h
                out[placed.drawing.name] = page[top : top + h, x : x + w]
        return out

    def to_page(self, cells_xy: Floats) -> Floats:
        """Board coordinates in cells (N, 2) -> pixels of the page."""
        (placed,) = self.sheet.placed
        mm = np.asarray(cells_xy, float) * self.cell_mm + np.array(placed.drawing.grid) + np.array(placed.at)
        return np.column_stack([mm[:, 0], self.sheet.size[1] - mm[:, 1]]) * DOTS_PER_MM

    def laid(self, placement: Sequence[int], seed: int) -> Picture:
        """The page with a disc on every cell that `placement` fills; `seed` moves and turns the discs a little."""
        page = self.page.copy()
        board = self.game.board
        for cell, piece in enumerate(placement):
            if piece:
                rng = np.random.default_rng([seed, cell, piece])
                middle = np.array(board.centres_xy[cell]) + rng.normal(0, CARELESS_CELLS, 2)
                _lay(page, self.discs[self.game.codes[piece]], self.to_page(middle[None])[0], rng.uniform(-25, 25))
        return page

    def lit(self, page: Picture, camera: Camera, hand_at: int | None = None) -> Floats:
        """The page on a table as `camera` sees it in slanting light; a hand lies over the cell `hand_at`."""
        seen = on_table(page, self.to_page, camera)
        if hand_at is not None:
            self._hand(seen, camera, hand_at)
        return np.asarray(seen * np.linspace(0.6, 1.0, camera.size_wh[0])[None, :, None] * np.array([0.85, 0.95, 1.0]))

    def _hand(self, seen: cv2.typing.MatLike, camera: Camera, cell: int) -> None:
        x, y = self.game.board.centres_xy[cell]
        outline = np.array([[x - 0.5, y + 0.3], [x + 0.4, y + 0.3], [x + 1.5, y - 3], [x + 2, -9], [x - 2, -9]])
        px = camera.project(np.column_stack([outline, np.full(len(outline), 0.5)]))
        cv2.fillPoly(seen, [np.round(px).astype(np.int32)], (120, 150, 205), cv2.LINE_AA)


def _lay(page: Picture, disc: Picture, middle: Floats, turn_deg: float) -> None:
    side = disc.shape[0]
    matrix = cv2.getRotationMatrix2D((side / 2, side / 2), turn_deg, 1.0)
    turned = cv2.warpAffine(disc, matrix, (disc.shape[1], side), borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros(disc.shape[:2], np.uint8)
    cv2.circle(mask, (side // 2, side // 2), side // 2 - 1, 255, -1)
    x, y = (int(v) for v in np.round(middle - side / 2))
    spot = page[y : y + side, x : x + disc.shape[1]]
    spot[mask > 0] = turned[mask > 0]


def noised(light: Floats, rng: np.random.Generator) -> Picture:
    """What the sensor makes of the light."""
    return np.asarray((light + rng.normal(0, 3, light.shape).astype(np.float32)).clip(0, 255), np.uint8)
