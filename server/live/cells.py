"""What pages are told of each cell: where it is in the picture, and what the reader believes stands on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from calibration.view import View
from engine.board import Board
from engine.game import Game
from vision.reading.reading import COVERED, Reading


def outlines(board: Board, views: Sequence[View]) -> Mapping[str, list[tuple[float, float]]]:
    """Every cell's corners in pixels; `views` has one view a level."""
    out = {}
    for cell, (name, level) in enumerate(zip(board.cells, board.levels, strict=True)):
        corners = np.array(board.centres_xy[cell]) + np.array(board.outline_xy)
        out[name] = [(round(float(x), 1), round(float(y), 1)) for x, y in views[level].project(corners)]
    return out


def beliefs(game: Game, reading: Reading) -> dict[str, dict[str, object]]:
    """Each cell's look, the chance of it against the other looks, and whether something hides the cell."""
    chances = np.exp(reading.scores - reading.scores.max(axis=1, keepdims=True))
    sure = chances[np.arange(len(chances)), reading.looks] / chances.sum(axis=1)
    return {
        cell: {
            "look": game.looks[int(reading.looks[c])],
            "confidence": round(float(sure[c]), 3),
            "hidden": bool(reading.unexplained[c] > COVERED),
        }
        for c, cell in enumerate(game.board.cells)
    }
