"""Where the cells of a board are in the camera's picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from calibration.view import View
from engine.board import Board


def outlines(board: Board, views: Sequence[View]) -> Mapping[str, list[tuple[float, float]]]:
    """Every cell's corners in pixels; `views` has one view a level."""
    out = {}
    for cell, (name, level) in enumerate(zip(board.cells, board.levels, strict=True)):
        corners = np.array(board.centres_xy[cell]) + np.array(board.outline_xy)
        out[name] = [(round(float(x), 1), round(float(y), 1)) for x, y in views[level].project(corners)]
    return out
