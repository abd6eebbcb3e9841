"""The board as it stands: the position that the camera shows, where it is not the last one, and where that is in doubt.

A person may let the game go on from it. What is in doubt is confirmed or changed by that person before: a reading that
is hardly better than another one never comes into the record by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.as_read import find_guessed_cells, infer_placement
from engine.game import Game, Position

SURE = 0.99
"""A cell whose look has a smaller chance against the others is in doubt. Raising it asks about cells that were read
right, lowering it takes cells that were not. Of a picture after eight plies that nobody had seen seven empty cells were
read as pieces, with 0.57 to 0.84; of those that were read right three had less than this."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A position as it was read, the cells where it is not the last one, and those of which it is not sure."""

    position: Position
    differs: tuple[str, ...]
    doubtful: tuple[str, ...]


def read_standing(game: Game, known: Position, beliefs: Mapping[str, Any]) -> Standing:
    """What the camera shows after `known`. What it does not show is taken to stand as it did, and is in doubt.

    So is the kind of a piece that has come where only its look is seen.
    """
    looks = [game.look_of[piece] for piece in known.placement]
    doubtful = set[int]()
    for at, cell in enumerate(game.board.cells):
        belief = beliefs.get(cell)
        if belief is None or belief["hidden"]:
            doubtful.add(at)
            continue
        looks[at] = game.looks.index(belief["look"])
        if belief["confidence"] < SURE:
            doubtful.add(at)
    placement = infer_placement(game, known.placement, looks)
    doubtful |= {*find_guessed_cells(game, known.placement, looks)}
    cells = game.board.cells
    differs = tuple(cell for at, cell in enumerate(cells) if placement[at] != known.placement[at])
    return Standing(replace(known, placement=placement), differs, tuple(cells[at] for at in sorted(doubtful)))
