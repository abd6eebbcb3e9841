"""Pieces that a hand has brushed off the middle of their cells, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

from engine.belief.opinion import Opinion
from engine.belief.verdicts import Doubtful, Played, Still, Wrong
from engine.games import load
from tests.engine.sights import changed, explain, line, move_named, seen

CAMELOT = load("camelot", "wcf")
OPENING = "J6-K6 J11-H9"


def test_a_piece_that_may_have_been_pushed_is_asked_about() -> None:
    """F6 is read as empty by little, and what stands on F5 stands at its edge: stepped, or brushed by a hand."""
    positions, moves = line(CAMELOT, OPENING)
    sight = seen(CAMELOT, changed(CAMELOT, positions[-1].placement, "F6-F5"))
    rows = [list(row) for row in sight.scores]
    rows[CAMELOT.board.index["F6"]] = [0.0, -5.2, -17.0]
    offset_cells = [0.0] * len(rows)
    assert isinstance(
        explain(CAMELOT, positions, moves, replace(sight, scores=rows, offset_cells=offset_cells)).verdict, Played
    )
    offset_cells[CAMELOT.board.index["F5"]] = 0.41
    verdict = explain(CAMELOT, positions, moves, replace(sight, scores=rows, offset_cells=offset_cells)).verdict
    assert isinstance(verdict, Doubtful)
    assert {"F6-F5", "no move"} <= set(verdict.options)
    assert isinstance(explain(CAMELOT, positions, moves, replace(sight, offset_cells=offset_cells)).verdict, Played)


def test_a_step_that_is_hardly_seen_may_be_a_push() -> None:
    """J6 stands 0.3 cells off to a corner: its cell seems empty by little, and the next one to hold it by little."""
    positions, moves = line(CAMELOT, "")
    sight = seen(CAMELOT, changed(CAMELOT, positions[-1].placement, "J6-K6"))
    for left, came, asked in ((1.1, 3.2, True), (1.0, 15.7, False)):
        rows = [list(row) for row in sight.scores]
        rows[CAMELOT.board.index["J6"]] = [0.0, -left, -12.0]
        rows[CAMELOT.board.index["K6"]] = [0.0, came, -11.0]
        opinion = explain(CAMELOT, positions, moves, replace(sight, scores=rows))
        assert isinstance(opinion.verdict, Doubtful if asked else Played)


def test_nothing_is_pushed_from_one_board_to_another() -> None:
    """2D3 and 3D4 adjoin in Cam 3-D, but lie on two boards."""
    game = load("cam-3d")
    positions = (game.start(),)
    move = move_named(game, positions[0], "2D3-3D4")
    sight = seen(game, game.play(positions[0], move).placement)
    rows = [list(row) for row in sight.scores]
    rows[game.board.index["2D3"]] = [0.0, -9.3, -19.8]
    offset_cells = [0.0] * len(rows)
    offset_cells[game.board.index["3D4"]] = 0.41
    assert explain(game, positions, (), replace(sight, scores=rows, offset_cells=offset_cells)).verdict == Played(
        (move,)
    )


def pushed_towards_f9(left: float, offset_cells: float = 0.41, then: str = "") -> Opinion:
    """White is on turn. Black's man on F10 seems to stand on F9 too, and to have left F10 by `left`."""
    positions, moves = line(CAMELOT, OPENING)
    board = changed(CAMELOT, positions[-1].placement, then) if then else positions[-1].placement
    sight = seen(CAMELOT, board)
    rows, off = [list(row) for row in sight.scores], [0.0] * len(board)
    rows[CAMELOT.board.index["F10"]] = [0.0, -8.0, -left]
    rows[CAMELOT.board.index["F9"]] = [0.0, -9.4, 6.7]
    off[CAMELOT.board.index["F9"]] = offset_cells
    return explain(CAMELOT, positions, moves, replace(sight, scores=rows, offset_cells=off, rested=True, clear=True))


def test_a_piece_seen_in_two_cells_was_pushed_if_it_may_not_step() -> None:
    """It is not on turn: where it stands now is learned, and what is played next stands out from it."""
    for left in (-3.0, 0.5):
        opinion = pushed_towards_f9(left)
        assert opinion.verdict == Still()
        assert opinion.settled
    assert not isinstance(pushed_towards_f9(3.6).verdict, Wrong), "its cell seems empty: it is waited for, not accused"


def test_a_piece_that_stepped_out_of_turn_was_not_pushed() -> None:
    """Its cell is empty, or it stands in the middle of the other one."""
    assert not isinstance(pushed_towards_f9(left=12.0).verdict, Still)
    assert not isinstance(pushed_towards_f9(left=4.5, offset_cells=0.1).verdict, Still)
