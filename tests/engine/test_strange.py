"""What is strange on the board, or odd since before the move: a hand, a shadow, a knocked piece, floor never seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.verdicts import Covered, Doubtful, Played, Still, Wrong
from engine.witness import Clarity, explain
from tests.engine.sights import cells, changed, line, move_named, seen
from tests.engine.stand import stand
from tests.engine.test_witness import CAMELOT, OPENING


def test_hands_say_nothing() -> None:
    positions, moves = line(CAMELOT, OPENING)
    hidden = cells(CAMELOT, "E8 E9 F8 F9 G8")
    board = changed(CAMELOT, positions[-1].placement, "F7-F5")
    opinion = explain(CAMELOT, positions, moves, seen(CAMELOT, board, strange=hidden))
    assert opinion.verdict == Covered(tuple(sorted(hidden)))
    assert opinion.clarity is Clarity.FITS


@pytest.mark.parametrize(
    ("gone", "also_strange", "lifted"),
    [("F7-", "", "F7"), ("F7- G7-", "", ""), ("F7-", "F7", ""), ("F7-", "E6", ""), ("G10-", "", "")],
)
def test_one_own_piece_can_be_lifted_beside_a_hand(gone: str, also_strange: str, lifted: str) -> None:
    positions, moves = line(CAMELOT, OPENING)
    hidden = cells(CAMELOT, f"B8 B9 C8 C9 {also_strange}")
    board = changed(CAMELOT, positions[-1].placement, gone)
    opinion = explain(CAMELOT, positions, moves, seen(CAMELOT, board, strange=hidden))
    assert opinion.verdict == Covered(tuple(sorted(hidden)), CAMELOT.board.index[lifted] if lifted else -1)


def test_what_stays_lying_on_free_cells_is_looked_past() -> None:
    positions, moves = line(CAMELOT, OPENING)
    hidden = cells(CAMELOT, "A8 A9 B8 B9 A10")
    move = move_named(CAMELOT, positions[-1], "F7-F5")
    after = CAMELOT.play(positions[-1], move).placement
    assert explain(CAMELOT, positions, moves, seen(CAMELOT, after, strange=hidden, patient=True)).verdict == Played(
        (move,)
    )


def test_a_move_is_not_believed_through_something_strange() -> None:
    positions, moves = line(CAMELOT, OPENING)
    after = CAMELOT.play(positions[-1], move_named(CAMELOT, positions[-1], "F7-F5")).placement
    opinion = explain(CAMELOT, positions, moves, seen(CAMELOT, after, strange=cells(CAMELOT, "F5")))
    assert not isinstance(opinion.verdict, Played | Still) or opinion.clarity is Clarity.FITS


def test_a_piece_in_an_odd_pose_is_believed_where_no_hand_can_be() -> None:
    """Nothing reaches over the board: F5 must show it plainly all the same."""
    positions, moves = line(CAMELOT, OPENING)
    after = changed(CAMELOT, positions[-1].placement, "F6-F5")
    for faint, verdict in ((14.0, Played), (3.0, Covered)):
        sight = seen(CAMELOT, after, strange=cells(CAMELOT, "F5"), faint={cells(CAMELOT, "F5")[0]: faint})
        assert isinstance(explain(CAMELOT, positions, moves, sight).verdict, Covered)
        assert isinstance(explain(CAMELOT, positions, moves, replace(sight, alone=True)).verdict, verdict)


def test_a_few_shadows_are_no_hand_where_none_can_be() -> None:
    """Nothing reaches over the board: shadows that went from empty cells with captured men do not hold the move up."""
    positions, moves = line(CAMELOT, OPENING)
    after = CAMELOT.play(positions[-1], move_named(CAMELOT, positions[-1], "F7-F5")).placement
    for odd, alone, verdict in (
        ("A8 B8 C8", True, Played),
        ("A8 B8 C8", False, Covered),
        ("A8 B8 C8 D8 E8 F8", True, Covered),
    ):
        sight = replace(seen(CAMELOT, after, strange=cells(CAMELOT, odd)), alone=alone)
        assert isinstance(explain(CAMELOT, positions, moves, sight).verdict, verdict)


@pytest.mark.parametrize(("alone", "verdict"), [(True, Played), (False, Doubtful)])
def test_a_capturing_piece_that_is_hardly_seen_is_not_in_the_air_where_no_hand_can_be(
    alone: bool, verdict: type
) -> None:
    """Behind another piece a knight was seen on the square of its capture no better than nothing was."""
    game, start = stand("camelot wcf", "white", "WM D6, BM D7 L13 L12")
    sight = seen(game, changed(game, start.placement, "D7- D6-D8"), faint={game.board.index["D8"]: -0.1})
    assert isinstance(explain(game, (start,), (), replace(sight, alone=alone)).verdict, verdict)


@pytest.mark.parametrize("margin", [3.0, 6.0])
def test_a_piece_that_may_have_gone_from_floor_never_seen_says_the_move(margin: float) -> None:
    positions, moves = line(CAMELOT, OPENING)
    move = move_named(CAMELOT, positions[-1], "F7-F5")
    after = CAMELOT.play(positions[-1], move).placement
    left = CAMELOT.board.index["F7"]
    sight = seen(CAMELOT, after, strange=[left])
    rows = [list(row) for row in sight.scores]
    rows[left] = [-margin, 0.0, -14.0]
    opinion = explain(CAMELOT, positions, moves, replace(sight, scores=rows))
    assert opinion.verdict == Played((move,))


def test_a_piece_that_was_strange_before_the_move_says_nothing_against_it() -> None:
    """A knocked piece lay so since before; the next ply was asked about until the light changed."""
    positions, moves = line(CAMELOT, OPENING)
    fallen = CAMELOT.board.index["E6"]
    before = seen(CAMELOT, positions[-1].placement, strange=[fallen], faint={fallen: 5.0})
    lies = explain(CAMELOT, positions, moves, before)
    assert (lies.verdict, lies.odd) == (Still(), {fallen})
    assert explain(CAMELOT, positions, moves, replace(before, odd=lies.odd)).odd == {fallen}
    move = move_named(CAMELOT, positions[-1], "F7-F5")
    after = seen(CAMELOT, CAMELOT.play(positions[-1], move).placement, strange=[fallen], faint={fallen: 5.0})
    assert isinstance(explain(CAMELOT, positions, moves, after).verdict, Doubtful)
    assert explain(CAMELOT, positions, moves, replace(after, odd=lies.odd)).verdict == Played((move,))


def test_a_piece_that_was_odd_and_is_surely_gone_now_is_missed() -> None:
    positions, moves = line(CAMELOT, OPENING)
    odd = CAMELOT.board.index["E6"]
    after = changed(CAMELOT, positions[-1].placement, "F7-F5")
    for margin, verdict in ((3.0, Played), (9.0, Wrong)):
        sight = replace(seen(CAMELOT, after, faint={odd: -margin}), odd=frozenset({odd}))
        assert isinstance(explain(CAMELOT, positions, moves, sight).verdict, verdict)


def test_an_own_piece_taken_from_floor_never_seen_is_no_plain_move() -> None:
    """D6 takes the own man on E6 unlawfully; what is left of D6 is read as the man still there."""
    game, start = stand("camelot wcf", "white", "WM D6 E6, BM L13 L12")
    sight = seen(game, changed(game, start.placement, "D6- E6-F6"), strange=cells(game, "D6"))
    rows = [list(row) for row in sight.scores]
    rows[game.board.index["D6"]] = [-4.0, 0.0, -14.0]
    opinion = explain(game, (start,), (), replace(sight, scores=rows))
    assert isinstance(opinion.verdict, Doubtful)
    clean = explain(game, (start,), (), seen(game, changed(game, start.placement, "E6-F6")))
    assert clean.verdict == Played((move_named(game, start, "E6-F6"),))


def test_a_piece_that_looks_odd_where_it_was_put_is_not_in_the_air() -> None:
    """F7 left its cell, and F4 shows a piece, half of which nothing explains."""
    positions, moves = line(CAMELOT, OPENING)
    sight = seen(CAMELOT, changed(CAMELOT, positions[-1].placement, "F7-F4"))
    odd = [0.5 if name == "F4" else 0.0 for name in CAMELOT.board.cells]
    verdict = explain(CAMELOT, positions, moves, replace(sight, strange=odd)).verdict
    assert isinstance(verdict, Wrong)
    assert set(verdict.cells) == set(cells(CAMELOT, "F4 F7"))
