"""What the reader believes stands on each cell, and how sure it is."""

from __future__ import annotations

import numpy as np

from engine.game import Game
from vision.reading.level import COVERED, Reading


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
