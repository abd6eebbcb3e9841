"""What is odd on the board: a hand, a shadow, a knocked piece. It weighs less; what was odd before weighs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.belief.decision import update_belief
from engine.belief.memory import Memory
from engine.belief.sight import InMotion
from engine.belief.verdicts import Covered, Doubtful, Earlier, Played, Still
from engine.game import Position
from tests.engine.belief.test_verdicts import CAMELOT, OPENING
from tests.engine.sights import cells, changed, explain, line, move_named, seen

HAND = "B8 B9 C8 C9"


@pytest.mark.parametrize(
    ("gone", "also_odd", "lifted"),
    [("F7-", "", "F7"), ("F7- G7-", "", ""), ("F7-", "E6", ""), ("G10-", "", "")],
)
def test_one_own_piece_can_be_lifted_beside_a_hand(gone: str, also_odd: str, lifted: str) -> None:
    positions, moves = line(CAMELOT, OPENING)
    board = changed(CAMELOT, positions[-1].placement, gone)
    sight = replace(seen(CAMELOT, board, unexplained=cells(CAMELOT, also_odd)), hidden=tuple(cells(CAMELOT, HAND)))
    verdict = explain(CAMELOT, positions, moves, sight).verdict
    assert verdict == Covered(tuple(cells(CAMELOT, HAND)), CAMELOT.board.index[lifted] if lifted else -1)


def test_nobody_is_accused_beside_cells_that_nothing_explains() -> None:
    positions, moves = line(CAMELOT, OPENING)
    board = changed(CAMELOT, positions[-1].placement, "F7- G7-")
    opinion = explain(CAMELOT, positions, moves, seen(CAMELOT, board, unexplained=cells(CAMELOT, HAND)))
    assert isinstance(opinion.verdict, Covered)


def test_a_move_is_not_believed_through_something_odd() -> None:
    positions, moves = line(CAMELOT, OPENING)
    after = CAMELOT.play(positions[-1], move_named(CAMELOT, positions[-1], "F7-F5")).placement
    opinion = explain(CAMELOT, positions, moves, seen(CAMELOT, after, unexplained=cells(CAMELOT, "F5 F7")))
    assert not isinstance(opinion.verdict, Played | Still)


@pytest.mark.parametrize("odd", ["A8 A9 B8 B9 A10", "A8 B8 C8"])
def test_what_lies_elsewhere_holds_up_no_move(odd: str) -> None:
    positions, moves = line(CAMELOT, OPENING)
    move = move_named(CAMELOT, positions[-1], "F7-F5")
    after = CAMELOT.play(positions[-1], move).placement
    assert explain(CAMELOT, positions, moves, seen(CAMELOT, after, unexplained=cells(CAMELOT, odd))).verdict == Played(
        (move,)
    )


def test_what_was_odd_when_the_board_was_understood_says_nothing_later() -> None:
    """A piece at the edge of its cell seemed a little gone, and so it does after the next move."""
    positions, moves = line(CAMELOT, OPENING)
    knocked = CAMELOT.board.index["E6"]
    before = replace(seen(CAMELOT, positions[-1].placement, faint={knocked: -1.5}), rested=True, clear=True)
    opinion, memory = update_belief(CAMELOT, positions, moves, before, Memory(), InMotion())
    assert opinion.verdict == Still()
    assert opinion.settled
    assert [cell for cell, _ in memory.standing] == [knocked]
    move = move_named(CAMELOT, positions[-1], "F7-F5")
    after = CAMELOT.play(positions[-1], move).placement
    surely_gone = replace(seen(CAMELOT, after, faint={knocked: -14.0}), clear=True)
    told, _ = update_belief(CAMELOT, positions, moves, surely_gone, memory, InMotion())
    assert told.verdict == Played((move,)), "it looked so before"


def test_a_piece_that_seemed_a_little_gone_while_it_was_lifted_is_seen_to_go() -> None:
    """In noise a look comes between, at which it is all but there."""
    positions, moves = line(CAMELOT, OPENING)
    move = move_named(CAMELOT, positions[-1], "F7-F5")
    rising = replace(seen(CAMELOT, positions[-1].placement, faint={move.origin: -1.5}), clear=True)
    opinion, memory = update_belief(CAMELOT, positions, moves, rising, Memory(), InMotion())
    assert (opinion.verdict, memory.unrested) == (Still(), {move.origin})
    after = CAMELOT.play(positions[-1], move).placement
    told, _ = update_belief(CAMELOT, positions, moves, seen(CAMELOT, after), memory, InMotion())
    assert told.verdict == Played((move,))


@pytest.mark.parametrize("as_odd", [-2.0, None])
def test_a_piece_that_comes_where_the_floor_looked_like_one_is_seen(as_odd: float | None) -> None:
    """Where printed lines cross, the floor that a piece has left looks a little like that piece until it is learned."""
    positions, moves = line(CAMELOT, OPENING)
    left = moves[-1].origin
    before = replace(seen(CAMELOT, positions[-1].placement, faint={left: -2.0}), rested=True, clear=True)
    memory = Memory()
    for _ in range(3):  # what is odd stays known as odd
        opinion, memory = update_belief(CAMELOT, positions, moves, before, memory, InMotion())
        assert opinion.verdict == Still()
        assert [cell for cell, _ in memory.standing] == [left]
    faint = {left: as_odd} if as_odd else {}
    again = replace(seen(CAMELOT, positions[-2].placement, faint=faint), rested=True, clear=True)
    if as_odd:  # the piece is gone from where it stood, and its old cell looks as it did: nobody knows where it is
        again = replace(seen(CAMELOT, changed_back(positions), faint=faint), rested=True, clear=True)
    told, _ = update_belief(CAMELOT, positions, moves, again, memory, InMotion())
    assert (told.verdict == Earlier(1)) is (as_odd is None)


def changed_back(positions: Sequence[Position]) -> bytes:
    """The last position without the piece that was moved."""
    pairs = zip(positions[-1].placement, positions[-2].placement, strict=True)
    return bytes(now if now == before or before else 0 for now, before in pairs)


def test_a_piece_that_is_surely_gone_is_not_understood_as_standing() -> None:
    positions, moves = line(CAMELOT, OPENING)
    gone = seen(CAMELOT, changed(CAMELOT, positions[-1].placement, "E6-"))
    opinion, memory = update_belief(CAMELOT, positions, moves, replace(gone, clear=True), Memory(), InMotion())
    assert isinstance(opinion.verdict, Doubtful) or not opinion.settled
    assert memory.standing == ()


def looked(*boards: tuple[str, str]) -> object:
    """The verdict after looks at the board after OPENING, each (changes, cells that are hidden)."""
    positions, moves = line(CAMELOT, OPENING)
    memory, verdict = Memory(), None
    for number, (change, hidden) in enumerate(boards):
        board = changed(CAMELOT, positions[-1].placement, change)
        sight = replace(seen(CAMELOT, board, number * 0.5), hidden=tuple(cells(CAMELOT, hidden)), clear=not hidden)
        opinion, memory = update_belief(CAMELOT, positions, moves, sight, memory, InMotion())
        verdict = opinion.verdict
    return verdict


ASTRAY = "I11-I12 E10-E9"
ASTRAY_CELLS = "I11 I12 E10 E9"


@pytest.mark.parametrize("looks", [1, 2, 5])
def test_what_a_cell_showed_still_counts_while_a_hand_lies_over_it(looks: int) -> None:
    """Two men had been moved for which no turn was; a sleeve over them makes another ply no surer than it was."""
    ply = f"{ASTRAY} F7-F5"
    assert not isinstance(looked((ASTRAY, ""), (ply, "")), Played)
    assert not isinstance(looked((ASTRAY, ""), *[(ply, ASTRAY_CELLS)] * looks), Played)


@pytest.mark.parametrize("gone", ["F10", "I11", "D11"])
def test_one_cell_that_was_plainly_otherwise_holds_up_plies_while_a_hand_lies_over_it(gone: str) -> None:
    """A piece was gone; a hand may have put it back since, which is seen once it has left."""
    ply = f"{gone}- F7-F5"
    assert not isinstance(looked((f"{gone}-", ""), *[(ply, gone)] * 5), Played)


def test_what_is_seen_again_counts_as_it_is_then() -> None:
    """The men were put back under the sleeve."""
    assert isinstance(looked((ASTRAY, ""), ("F7-F5", ASTRAY_CELLS), ("F7-F5", "")), Played)


def test_a_hand_over_cells_that_were_as_known_holds_up_no_ply() -> None:
    assert isinstance(looked(("", ""), ("F7-F5", ASTRAY_CELLS)), Played)


def test_a_ply_that_was_seen_is_not_forgotten_under_a_sleeve() -> None:
    verdict = looked(("F7-F5", ""), ("F7-F5", "F7 F5"))
    assert not isinstance(verdict, Still)


def test_beside_a_hand_nobody_is_asked_and_what_lies_elsewhere_keeps_nobody_from_it() -> None:
    """A man that stands between two cells; and something that lies over four others, near it or far from it."""
    positions, _ = line(CAMELOT, "E6-E5")
    unsure = seen(CAMELOT, positions[-1].placement, faint=dict.fromkeys(cells(CAMELOT, "E5 E6"), 0.2), patient=True)
    for lies, verdict in (("E5 E6 D5 D6", Covered), ("H10 I10 H11 I11", Doubtful)):
        shares = [0.0] * len(positions[0].placement)
        for cell in cells(CAMELOT, lies):
            shares[cell] = 0.8
        sight = replace(unsure, unexplained=shares, clear=True, rested=True)
        assert isinstance(explain(CAMELOT, positions[:1], (), sight).verdict, verdict), lies


def test_odd_cells_keep_nobody_from_being_asked_in_which_order_plies_came() -> None:
    """Three plies that nobody saw, two of which may have changed places, and pieces that look odd where they came."""
    positions, _ = line(CAMELOT, "C6-C5 D11-D12 J6-J5")
    shares = [0.0] * len(positions[0].placement)
    for cell in cells(CAMELOT, "C5 D12 J5"):
        shares[cell] = 0.8
    sight = replace(
        seen(CAMELOT, positions[-1].placement, patient=True), unexplained=shares, clear=True, rested=True, afresh=True
    )
    verdict = explain(CAMELOT, positions[:1], (), sight).verdict
    assert isinstance(verdict, Doubtful)
    assert {"C6-C5 D11-D12 J6-J5", "J6-J5 D11-D12 C6-C5"} <= set(verdict.options)
    beside_hand = replace(sight, patient=False)
    assert isinstance(explain(CAMELOT, positions[:1], (), beside_hand).verdict, Covered)
