"""Which cells are in doubt where the board is taken as the camera reads it."""

from __future__ import annotations

import pytest

from engine import games
from server.board.live.as_it_stands import AS_BEFORE_SURE, SURE, read_standing_board

GAME = games.load("camelot", "wcf")
START = GAME.start()


def beliefs() -> dict[str, dict[str, object]]:
    """The start position, surely seen."""
    looks = {cell: GAME.looks[GAME.look_of[p]] for cell, p in zip(GAME.board.cells, START.placement, strict=True)}
    return {cell: {"look": look, "confidence": 1.0, "hidden": False} for cell, look in looks.items()}


@pytest.mark.parametrize(
    ("cell", "said", "doubtful"),
    [
        ("E6", {}, False),
        ("E6", {"look": "empty"}, False),
        ("E6", {"look": "empty", "confidence": SURE - 0.01}, True),
        ("E6", {"confidence": SURE - 0.01}, False),
        ("E6", {"confidence": AS_BEFORE_SURE - 0.01}, True),
        ("E6", {"hidden": True}, True),
        ("G8", {"look": "dark"}, True),  # surely seen, and of a kind that nobody can tell
    ],
)
def test_what_is_hardly_seen_or_not_at_all_or_only_guessed_is_in_doubt(
    cell: str, said: dict[str, object], doubtful: bool
) -> None:
    read = beliefs()
    read[cell] |= said
    found = read_standing_board(GAME, START, read)
    assert found.doubtful == ((cell,) if doubtful else ())
    assert found.differs == ((cell,) if "look" in said else ())


def test_a_cell_of_which_nothing_is_known_is_in_doubt() -> None:
    read = beliefs()
    del read["A8"]
    assert read_standing_board(GAME, START, read).doubtful == ("A8",)
