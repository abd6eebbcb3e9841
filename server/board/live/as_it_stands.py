"""The board as it stands: the position that the camera shows, where it is not the last one, and where that is in doubt.

A person may let the game go on from it. What is in doubt is confirmed or changed by that person before: a reading that
is hardly better than another one never comes into the record by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.as_read import find_guessed_cells, infer_placement, infer_position
from engine.game import Game, Position
from engine.match.events import Unclear
from engine.match.state import Match
from engine.text.positions import from_json

SURE = 0.99
"""A cell that is read otherwise than before is in doubt where its look has a smaller chance against the others: the
arbiter's page has the same number. Raising it asks about cells that were read right, lowering it takes cells that were
not. Of a picture after eight plies that nobody had seen seven empty cells were read as pieces, with 0.57 to 0.84; of
those that were read right three had less than this."""
AS_BEFORE_SURE = 0.9
"""The same for a cell that is read as before: that it has changed, and into what is not seen, is ten times less likely
before anything is seen. Raising it asks about a dozen cells of which nothing has come or gone. Guessed."""


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """A position as it was read, the cells where it is not the last one, and those of which it is not sure."""

    position: Position
    differs: tuple[str, ...]
    doubtful: tuple[str, ...]


def read_board_now(match: Match, beliefs: Mapping[str, Any] | None) -> ReadBoard | None:
    """What the camera shows now. Before it has read the board after a restart, what a question that still stands says
    was read: all of that is in doubt. None where nothing is known."""
    if beliefs is not None:
        return read_standing_board(match.game, match.position, beliefs)
    if isinstance(match.note, Unclear) and match.note.as_it_stands:
        _, position = from_json(match.note.as_it_stands, match.game)
        return ReadBoard(position, match.note.differs, match.note.differs)
    return None


def read_standing_board(game: Game, known: Position, beliefs: Mapping[str, Any]) -> ReadBoard:
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
        before, looks[at] = looks[at], game.looks.index(belief["look"])
        if belief["confidence"] < (SURE if looks[at] != before else AS_BEFORE_SURE):
            doubtful.add(at)
    placement = infer_placement(game, known.placement, looks)
    doubtful |= {*find_guessed_cells(game, known.placement, looks)}
    cells = game.board.cells
    differs = tuple(cell for at, cell in enumerate(cells) if placement[at] != known.placement[at])
    return ReadBoard(infer_position(game, known, placement), differs, tuple(cells[at] for at in sorted(doubtful)))
