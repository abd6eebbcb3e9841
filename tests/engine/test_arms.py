"""While an arm seems to reach over the board nothing is believed that the hand at its end may still hold."""

from __future__ import annotations

from dataclasses import replace

from engine.sight import Sight
from engine.verdicts import Covered, Doubtful, Played, Raised, Still, Unfinished
from engine.witness import explain
from tests.engine.sights import cells, changed, line, move_named, seen
from tests.engine.stand import stand
from tests.engine.test_witness import CAMELOT, OPENING

POSITIONS, MOVES = line(CAMELOT, OPENING)
NOW = POSITIONS[-1]
OVER_ALL = (True,) * len(CAMELOT.board.cells)


def verdict_of(changes: str, **more: bool) -> object:
    """The verdict on the position after `changes`, with an arm over the board."""
    sight = replace(seen(CAMELOT, changed(CAMELOT, NOW.placement, changes)), reached=OVER_ALL, **more)
    return explain(CAMELOT, POSITIONS, MOVES, sight).verdict


def test_a_move_under_an_arm_is_waited_for_and_then_asked_about() -> None:
    assert isinstance(verdict_of("F7-F5"), Covered)
    assert isinstance(verdict_of("F7-F5", rested=True), Covered)
    late = verdict_of("F7-F5", rested=True, patient=True)
    assert isinstance(late, Doubtful)
    assert late.options[0] == "F7-F5"


def test_a_move_away_from_the_arm_is_a_move() -> None:
    """What reaches over the rim of the board and touches neither end of a move does not hold its piece: a cup."""
    for near, verdict in (("A5", Played), ("F5", Covered), ("F7", Covered)):
        reached = tuple(name == near for name in CAMELOT.board.cells)
        sight = replace(seen(CAMELOT, changed(CAMELOT, NOW.placement, "F7-F5")), reached=reached)
        assert isinstance(explain(CAMELOT, POSITIONS, MOVES, sight).verdict, verdict), near


def test_a_move_counts_beside_a_shadow_that_looks_like_pieces() -> None:
    """A cup's hard shadow on light paper hid no piece, but two cells of it looked like dark ones."""
    shadow = cells(CAMELOT, "A5 A6")
    board = bytearray(changed(CAMELOT, NOW.placement, "F7-F5"))
    for cell in shadow:
        board[cell] = NOW.placement[CAMELOT.board.index["D11"]]
    sight = seen(CAMELOT, bytes(board))
    beside = replace(sight, reached=tuple(cell in shadow for cell in range(len(board))))
    verdict = explain(CAMELOT, POSITIONS, MOVES, beside).verdict
    assert isinstance(verdict, Played)
    assert not isinstance(explain(CAMELOT, POSITIONS, MOVES, sight).verdict, Played)
    # But a piece that is gone from under it is not left out.
    taken = replace(beside, reached=tuple(name in ("A5", "C11") for name in CAMELOT.board.cells))
    gone = list(taken.scores)
    gone[CAMELOT.board.index["C11"]] = gone[CAMELOT.board.index["F1"]]
    assert isinstance(explain(CAMELOT, POSITIONS, MOVES, replace(taken, scores=gone)).verdict, Covered)


def test_what_is_unlawful_under_an_arm_is_not_called_so() -> None:
    assert isinstance(verdict_of("F7-F4", rested=True), Covered)
    assert isinstance(verdict_of("F7-F4", rested=True, patient=True), Doubtful)


def test_a_takeback_under_an_arm_is_not_believed() -> None:
    sight = replace(seen(CAMELOT, POSITIONS[-2].placement), reached=OVER_ALL, rested=True, patient=True)
    assert isinstance(explain(CAMELOT, POSITIONS, MOVES, sight).verdict, Doubtful)


def test_nothing_changed_under_an_arm_is_believed_after_a_second() -> None:
    assert isinstance(verdict_of(""), Covered)
    assert isinstance(verdict_of("", rested=True), Still)


def test_a_piece_lifted_by_an_arm_is_lifted() -> None:
    assert verdict_of("F7-") == Raised(*cells(CAMELOT, "F7"))


def test_a_capture_that_is_left_under_an_arm_is_said_after_a_while() -> None:
    game, start = stand("camelot wcf", "white", "WM D6 A9, BM D7 L12")
    move = move_named(game, start, "D6xD8")
    sight: Sight = replace(seen(game, changed(game, start.placement, "D6-D8")), reached=OVER_ALL, rested=True)
    assert isinstance(explain(game, (start,), (), sight).verdict, Covered)
    late = explain(game, (start,), (), replace(sight, patient=True)).verdict
    assert isinstance(late, Unfinished)
    assert late.move == move
    done = replace(seen(game, game.play(start, move).placement), rested=True)
    assert explain(game, (start,), (), done).verdict == Played((move,))


def test_a_board_that_looks_like_nothing_at_all_stops_nobody() -> None:
    """Under a dark sleeve in the evening all cells together once cost more than a float can be the exponent of."""
    empty = bytes(len(NOW.placement))
    verdict = explain(CAMELOT, POSITIONS, MOVES, seen(CAMELOT, empty, clear=90.0)).verdict
    assert not isinstance(verdict, Played | Still)
