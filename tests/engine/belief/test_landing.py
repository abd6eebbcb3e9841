"""A ply is said of the cell that shows its piece, and asked about where the cell beside it shows it as plainly."""

from __future__ import annotations

from dataclasses import replace

from engine.belief.sight import Sight
from engine.belief.verdicts import Doubtful, Played
from engine.games import load
from tests.engine.sights import explain, seen

CAMELOT = load("camelot", "wcf")
START = CAMELOT.start()
WHITE = CAMELOT.look_of[START.placement[CAMELOT.board.index["E6"]]]


def after_step(at_target: float, beside: float) -> Sight:
    """E6-E5, where E5 looks white by so many nats and D5 beside it by so many; E6 is plainly empty."""
    placement = bytearray(START.placement)
    placement[CAMELOT.board.index["E6"]] = 0
    sight = seen(CAMELOT, bytes(placement), patient=True)
    rows = [list(row) for row in sight.scores]
    for cell, nats in (("E5", at_target), ("D5", beside)):
        rows[CAMELOT.board.index[cell]][0] = -nats
        rows[CAMELOT.board.index[cell]][WHITE] = 0.0
    return replace(sight, scores=rows, rested=True, clear=True)


def test_a_piece_that_its_cell_shows_is_said() -> None:
    opinion = explain(CAMELOT, (START,), (), after_step(8.0, -8.0))
    assert isinstance(opinion.verdict, Played)


def test_a_piece_that_the_next_cell_shows_as_plainly_is_asked_about() -> None:
    """Which of the two it stands on is a guess, though it has surely left its own cell."""
    opinion = explain(CAMELOT, (START,), (), after_step(6.0, 6.5))
    assert isinstance(opinion.verdict, Doubtful)
