"""Drawing the grid over a picture, so that a person sees at a glance whether it fits."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.view import View
from engine.board import Board
from vision.ground import Image

LINE_BGR = (80, 220, 60)
NAME_BGR = (40, 40, 230)


def draw_grid(image: Image, board: Board, views: Sequence[View], *, names: bool = True) -> Image:
    """A copy of `image` with every cell's outline and, for cells that are large enough, its name."""
    out = image.copy()
    thick = max(1, image.shape[1] // 900)
    outline = np.array(board.outline_xy)
    for cell, (name, level) in enumerate(zip(board.cells, board.levels, strict=True)):
        centre = np.array(board.centres_xy[cell])
        corners = views[level].project_points(centre + outline)
        outlines = [np.round(corners * 8).astype(np.int32)]
        cv2.polylines(out, outlines, isClosed=True, color=LINE_BGR, thickness=thick, lineType=cv2.LINE_AA, shift=3)
        pitch = float(views[level].pitch_px(centre[None])[0])
        if names and pitch > 24:
            x, y = views[level].project_points(centre[None])[0]
            size = pitch / 110
            cv2.putText(
                out, name, (int(x - pitch * 0.25), int(y + pitch * 0.1)), cv2.FONT_HERSHEY_SIMPLEX, size, NAME_BGR, 1
            )
    return out
