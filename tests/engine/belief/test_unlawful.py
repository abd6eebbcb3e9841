"""What is said of a board that no lawful play explains, when a ply came before it that nobody saw at rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from engine import games
from engine.belief.decision import update_belief
from engine.belief.hypotheses import PLY_S
from engine.belief.memory import Memory
from engine.belief.opinion import Opinion
from engine.belief.sight import InMotion
from engine.belief.verdicts import Doubtful, Played, Verdict, Wrong
from engine.game import Game, Move, Position
from tests.engine.sights import changed, explain, line, move_named, seen
from tests.engine.stand import stand

CAMELOT = games.load("camelot", "wcf")
UNDER_WAY = "G6-I8 F10-H12-J10 E6-F5 E11-D12 C6-E6 C11-B11 G7-F8 H10-H9 I6-G8 H9xJ7xJ5"
QUIET = "H6-H8 H11-F9 G7-I9 J11-H9xJ9 G6-H6 I11-I9-K9 C6-B5 C11-E9 B5-A4"
LONG_JUMP = "WN E5 A4, BM E6 E8 E10 L13, BN L4"


def at_rest(
    how: Callable[..., Opinion], game: Game, positions: Sequence[Position], moves: Sequence[Move], board: bytes
) -> Verdict:
    """What is said of a board at rest without a hand."""
    return how(game, positions, moves, replace(seen(game, board), rested=True, clear=True)).verdict


def test_the_attempt_is_judged_after_a_ply_that_was_not_seen() -> None:
    """White stepped beside Black's man; Black, who must jump then, made a plain move."""
    game, position = stand("camelot wcf", "white", "WM E5 A4, BM E7 J10, BN L9")
    move = move_named(game, position, "E5-E6")
    board = changed(game, game.play(position, move).placement, "J10-J11")
    sight = replace(seen(game, board), moving_s=2.5 * PLY_S)
    verdict = explain(game, (position,), (), sight).verdict
    assert isinstance(verdict, Wrong)
    assert verdict.refusal.code == "must-jump"
    assert verdict.refusal.message.startswith("After E5-E6: ")
    assert verdict.refusal.instead == ("E7xE5",)
    assert {game.board.cells[cell] for cell in verdict.cells} == {"J10", "J11"}
    assert {game.board.cells[cell] for cell in verdict.before} == {"E5", "E6"}


def test_a_piece_put_on_the_one_that_has_just_come() -> None:
    """White's man cantered to E7 quickly, and Black's was put in its place."""
    game, position = stand("camelot wcf", "white", "WM E5 E6, BM E8 J10, BN L9")
    move = move_named(game, position, "E5-E7")
    board = changed(game, game.play(position, move).placement, "E8-E7")
    verdict = explain(game, (position,), (), replace(seen(game, board), moving_s=2.5 * PLY_S)).verdict
    assert isinstance(verdict, Wrong)
    assert verdict.refusal.code == "occupied"
    assert {game.board.cells[cell] for cell in verdict.cells} == {"E8", "E7"}


def test_nobody_moves_out_and_back_so_that_the_other_side_may_move_twice() -> None:
    """White has moved and moves again; hands were near for long enough that Black might have played two plies."""
    positions, moves = line(CAMELOT, "F7-F5")
    board = changed(CAMELOT, positions[-1].placement, "C6-B6")
    opinion = explain(CAMELOT, positions, moves, replace(seen(CAMELOT, board), moving_s=4 * PLY_S))
    assert isinstance(opinion.verdict, Wrong)
    assert opinion.verdict.refusal.code == "not-yours"


def test_two_moves_of_one_side_are_out_of_turn() -> None:
    positions, _ = line(CAMELOT, "F7-F5")
    board = changed(CAMELOT, positions[-1].placement, "C6-B6")
    verdict = explain(CAMELOT, positions[:1], (), seen(CAMELOT, board)).verdict
    assert isinstance(verdict, Wrong)
    assert verdict.refusal.code == "not-yours"


def test_a_long_jump_before_it_does_not_delay_the_call() -> None:
    game, position = stand("camelot wcf", "white", LONG_JUMP)
    move = move_named(game, position, "E5xE7xE9xE11")
    board = changed(game, game.play(position, move).placement, "L13-J13")
    sight = replace(seen(game, board), rested=True, clear=True)
    verdict = explain(game, (position,), (), sight).verdict
    assert isinstance(verdict, Wrong)
    assert {game.board.cells[cell] for cell in verdict.cells} == {"L13", "J13"}
    assert verdict.refusal.code == "not-a-move"


def test_a_piece_that_looks_like_one_of_the_other_side_has_fallen_over() -> None:
    """Nobody swaps a single piece: a black man that lies on its side was once read as a white one from nowhere."""
    positions, moves = line(CAMELOT, "J6-K6 J11-H9")
    sight = replace(seen(CAMELOT, positions[-1].placement), rested=True, clear=True)
    rows = [list(row) for row in sight.scores]
    rows[CAMELOT.board.index["G11"]] = [-9.0, 3.9, -12.0]
    for patient in (False, True):
        fallen = replace(sight, scores=rows, patient=patient)
        assert isinstance(explain(CAMELOT, positions, moves, fallen).verdict, Doubtful)


def test_a_piece_whose_side_is_doubtful_is_the_one_that_left() -> None:
    """Black's man from G10 stands on G8, where in bad light white is the better look by a little."""
    positions, moves = line(CAMELOT, "J6-K6")
    sight = seen(CAMELOT, changed(CAMELOT, positions[-1].placement, "G10-G8"))
    rows = [list(row) for row in sight.scores]
    rows[CAMELOT.board.index["G8"]] = [-16.0, 0.0, -1.5]
    verdict = explain(CAMELOT, positions, moves, replace(sight, scores=rows, rested=True, clear=True)).verdict
    assert isinstance(verdict, Wrong)
    assert "G10 to G8" in verdict.refusal.message


def test_a_piece_from_nowhere_is_no_accusation_at_once() -> None:
    """A man stands where none was and none is missing: pushed, most likely, or its old cell cannot be seen well."""
    positions, moves = line(CAMELOT, "J6-K6 J11-H9")
    sight = seen(CAMELOT, positions[-1].placement, faint={CAMELOT.board.index["C10"]: -14.0})
    assert isinstance(explain(CAMELOT, positions, moves, sight).verdict, Doubtful)
    late = replace(sight, rested=True, patient=True, clear=True)
    patient = explain(CAMELOT, positions, moves, late).verdict
    assert isinstance(patient, Doubtful | Wrong)


def test_what_is_unlawful_is_surer_after_a_second() -> None:
    game, position = stand("camelot wcf", "white", "WM E5 A4, BM E8 J10")
    sight = replace(seen(game, changed(game, position.placement, "E5-E7")), clear=True)
    early = explain(game, (position,), (), sight)
    late = explain(game, (position,), (), replace(sight, rested=True))
    assert isinstance(late.verdict, Wrong)
    assert early.probability < late.probability


def test_an_own_piece_that_is_taken_is_not_three_plies() -> None:
    """J9 leaps over its own I10, which is taken off; or it steps to I8, White takes it in a round, and I10 steps."""
    positions, moves = line(CAMELOT, QUIET)
    board = bytearray(changed(CAMELOT, positions[-1].placement, "J9-H11"))
    board[CAMELOT.board.index["I10"]] = 0
    for seed in range(3):
        sight = seen(CAMELOT, bytes(board), noise=0.5, seed=seed)
        assert not isinstance(explain(CAMELOT, positions, moves, sight).verdict, Played)


def test_an_own_piece_that_is_taken_is_one_attempt() -> None:
    """F7-F5 with F6 taken off: that F6 stepped to F5 and F7 vanished is no better explanation."""
    positions, moves = line(CAMELOT, "J6-K6 J11-H9")
    verdict = at_rest(explain, CAMELOT, positions, moves, changed(CAMELOT, positions[-1].placement, "F6- F7-F5"))
    assert isinstance(verdict, Wrong)
    assert not verdict.refusal.message.startswith("After")
    assert {CAMELOT.board.cells[cell] for cell in verdict.cells} == {"F5", "F6", "F7"}


def test_a_ply_that_was_not_seen_is_no_reason_to_accuse_at_once() -> None:
    """More plies than can have been played in the time: it is asked, not called unlawful."""
    positions, _ = line(CAMELOT, "F7-F5 G10-G9 C6-B6")
    sight = replace(seen(CAMELOT, positions[-1].placement), moving_s=2.5 * PLY_S)
    assert isinstance(explain(CAMELOT, positions[:1], (), sight).verdict, Doubtful)


def test_a_head_that_leans_over_the_next_cell_is_no_unlawful_move() -> None:
    """It looks like a piece from nowhere; the ply beside it stands."""
    game, start = stand("camelot wcf", "white", "WM D6, BM D7 L13 L12")
    head = {game.board.index["E9"]: -5.0}
    played = seen(game, changed(game, start.placement, "D7- D6-D8"), faint=head)
    assert explain(game, (start,), (), played).verdict == Played((move_named(game, start, "D6xD8"),))


def test_what_a_capture_took_is_not_what_seems_to_stand_elsewhere() -> None:
    """Two heads that lean over the cells behind them as a lamp goes on: the man beside the board is none of them."""
    game, start = stand("camelot wcf", "white", "WM D6, BM D7 L13 L12")
    look = seen(game, changed(game, start.placement, "D7- D6-D8"))
    rows = [list(row) for row in look.scores]
    for name in ("E9", "J8"):
        rows[game.board.index[name]][2] = rows[game.board.index[name]][0] + 8.0
    sight = replace(look, scores=tuple(map(tuple, rows)), rested=True, patient=True, clear=True)
    verdict = explain(game, (start,), (), sight).verdict
    assert isinstance(verdict, Doubtful)
    assert verdict.options[0] == "D6xD8"


@pytest.mark.exhaustive
def test_two_lawful_plies_are_never_called_unlawful_however_fast_they_came() -> None:
    """No line of two is looked for when nothing has moved for long enough: people are asked, not accused."""
    positions, moves = line(CAMELOT, QUIET)
    now = positions[-1]
    for first in CAMELOT.moves(now)[::7]:
        after = CAMELOT.play(now, first)
        for reply in CAMELOT.moves(after)[::9]:
            board = CAMELOT.play(after, reply).placement
            sight = replace(seen(CAMELOT, board), moving_s=0.5 * PLY_S, rested=True, clear=True)
            verdict = explain(CAMELOT, positions, moves, sight).verdict
            assert not isinstance(verdict, Wrong), (CAMELOT.write(now, first), CAMELOT.write(after, reply))


def look_on(game: Game, position: Position, boards: Sequence[bytes]) -> list[Verdict]:
    """What is said of boards that stand one after another, each seen at rest for two seconds."""
    memory, said = Memory(), []
    for number, board in enumerate(boards):
        for look in range(4):
            sight = seen(game, board, 2.0 * number + 0.5 * look)
            sight = replace(sight, rested=True, clear=True, moving_s=3 * PLY_S)
            opinion, memory = update_belief(game, (position,), (), sight, memory, InMotion())
        said.append(opinion.verdict)
    return said


@pytest.mark.parametrize("after", ["H10-I9", "E12-H9"], ids=["a ply on it", "something else unlawful"])
def test_a_refusal_stands_as_long_as_its_piece_does(after: str) -> None:
    """What was done on the board since was a question, with answers that nobody had played."""
    position = CAMELOT.start()
    refused = changed(CAMELOT, position.placement, "C6-J14")
    first, then = look_on(CAMELOT, position, [refused, changed(CAMELOT, refused, after)])
    assert isinstance(first, Wrong)
    assert first.refusal.code == "not-a-move"
    assert then == first
    first, gone = look_on(CAMELOT, position, [refused, changed(CAMELOT, position.placement, after)])
    assert gone != first, "it was put back"


def test_plies_through_no_placement_that_stood_explain_nothing() -> None:
    """Three plies lead there too: I11-J12, G6-G5 and H11-I11. But H11 went to J12 while I11 stood."""
    game, position = stand("camelot wcf", "black", "WM G6, BM H11 I11, BN C12")
    refused = changed(game, position.placement, "H11-J12")
    first, then = look_on(game, position, [refused, changed(game, refused, "G6-G5")])
    assert isinstance(first, Wrong)
    assert then == first


def test_pieces_of_both_sides_that_are_gone_are_plies_that_went_by_unseen() -> None:
    """Black's man took White's in a place that nobody saw, was taken there itself, and White has just moved on."""
    game, position = stand("camelot wcf", "white", "WM E5 A4 C4 J4, BM E8 J10 L12, BN L9")
    move = move_named(game, position, "A4-A5")
    board = changed(game, game.play(position, move).placement, "E5- E8-")
    patient = replace(seen(game, board), rested=True, clear=True, patient=True, moving_s=4 * PLY_S)
    assert isinstance(explain(game, (position,), (), patient).verdict, Doubtful)
