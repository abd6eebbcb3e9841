"""From scores to verdicts, with scores made up: each kind of verdict, and properties over random play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.candidates import change_between
from engine.game import Game, Move, Position
from engine.games import load
from engine.sight import Sight
from engine.verdicts import Covered, Doubtful, Earlier, Played, Raised, Still, Unfinished, Wrong
from engine.witness import Clarity, Opinion, explain
from tests.engine.sights import cells, changed, line, move_named, seen
from tests.engine.stand import stand
from tests.render.play import wrong_move

GAMES = {
    name: load(name, "wcf" if name == "camelot" else None) for name in ("camelot", "tri-camelot", "cam-3d", "camblam")
}
CAMELOT = GAMES["camelot"]
OPENING = "J6-K6 J11-H9"
each_game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
Line = tuple[tuple[Position, ...], tuple[Move, ...]]


@st.composite
def lines(draw: st.DrawFn, game: Game, longest: int = 24) -> Line:
    """A game under way that is not over."""
    positions: list[Position] = [game.start()]
    moves: list[Move] = []
    for choice in draw(st.lists(st.integers(0, 10_000), max_size=longest)):
        lawful = game.moves(positions[-1])
        after = game.play(positions[-1], lawful[choice % len(lawful)])
        if not game.results(after):
            break
        moves.append(lawful[choice % len(lawful)])
        positions.append(after)
    return tuple(positions), tuple(moves)


def judged(game: Game, played: Line, sight: Sight) -> Opinion:
    return explain(game, *played, sight)


def after_all(game: Game, position: Position, moves: Sequence[Move]) -> Position:
    for move in moves:
        position = game.play(position, move)
    return position


@each_game
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_lawful_move_is_found(game: Game, data: st.DataObject) -> None:
    played = data.draw(lines(game))
    now = played[0][-1]
    lawful = game.moves(now)
    move = data.draw(st.sampled_from(lawful))
    after = game.play(now, move)
    change = change_between(game, now.placement, after.placement)
    same = [m for m in lawful if change_between(game, now.placement, game.play(now, m).placement) == change]
    opinion = judged(game, played, seen(game, after.placement, noise=0.5))
    if len(same) == 1:
        assert opinion.verdict == Played((move,))
        assert opinion.clarity >= Clarity.SURE
        assert opinion.confidence > 0.99
    else:
        assert isinstance(opinion.verdict, Doubtful)
        assert {game.write(now, m) for m in same[:2]} <= set(opinion.verdict.options)


@each_game
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_what_stands_still_stands(game: Game, data: st.DataObject) -> None:
    played = data.draw(lines(game))
    opinion = judged(game, played, seen(game, played[0][-1].placement, noise=1.0))
    assert opinion.verdict == Still()
    assert opinion.clarity >= Clarity.SURE


@each_game
@settings(max_examples=20, deadline=None)
@given(data=st.data(), seed=st.integers(0, 10_000))
def test_unlawful_placements_are_never_moves(game: Game, data: st.DataObject, seed: int) -> None:
    played = data.draw(lines(game))
    now = played[0][-1]
    wrong = wrong_move(game, now, np.random.default_rng(seed))
    assume(wrong is not None)
    assert wrong is not None
    opinion = judged(game, played, seen(game, wrong.done(now), noise=0.5))
    assert not isinstance(opinion.verdict, Played | Still)


@each_game
@settings(max_examples=20, deadline=None)
@given(data=st.data(), seed=st.integers(0, 10_000))
def test_scrambled_boards_are_never_moves(game: Game, data: st.DataObject, seed: int) -> None:
    """Four pieces somewhere else: no three plies do that to one side's pieces."""
    played = data.draw(lines(game, 8))
    now = played[0][-1]
    chance = np.random.default_rng(seed)
    board = bytearray(now.placement)
    own = [c for c, piece in enumerate(board) if piece and game.seat_of[piece] == now.seat]
    free = [c for c, piece in enumerate(board) if not piece]
    assume(len(own) >= 4)
    for origin, target in zip(chance.permutation(own)[:4], chance.permutation(free)[:4], strict=True):
        board[origin], board[target] = 0, board[origin]
    assert not isinstance(judged(game, played, seen(game, bytes(board))).verdict, Played | Still)


@each_game
@pytest.mark.parametrize("plies", [2, 3])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_plies_between_two_looks(game: Game, plies: int, data: st.DataObject) -> None:
    """What is taken for played gives the board that is seen, in no more plies than there were; else it is asked."""
    played = data.draw(lines(game, 16))
    now = played[0][-1]
    position, moves = now, []
    for _ in range(plies):
        lawful = game.moves(position)
        assume(lawful)
        moves.append(data.draw(st.sampled_from(lawful)))
        position = game.play(position, moves[-1])
    opinion = judged(game, played, seen(game, position.placement))
    if isinstance(opinion.verdict, Played):
        assert not opinion.verdict.replaces
        assert len(opinion.verdict.moves) <= plies
        got = after_all(game, now, opinion.verdict.moves).placement
        assert not change_between(game, position.placement, got)
        if len(opinion.verdict.moves) == plies:
            assert list(opinion.verdict.moves) == moves


@pytest.mark.parametrize(
    ("notations", "found"),
    [
        ("F7-F5 G10-G9", "F7-F5 G10-G9"),
        ("F7-F5 G10-G9 C6-B6", ""),
    ],
)
def test_fast_players(notations: str, found: str) -> None:
    """Two plies are known from their end; of three it does not show which of White's came first, so it is asked."""
    positions, moves = line(CAMELOT, f"{OPENING} {notations}")
    opinion = explain(CAMELOT, positions[:3], moves[:2], seen(CAMELOT, positions[-1].placement))
    if found:
        assert opinion.verdict == Played(moves[2:])
        assert opinion.clarity >= Clarity.SURE
    else:
        assert isinstance(opinion.verdict, Doubtful)
        assert any(len(option.split()) == 3 for option in opinion.verdict.options)


def test_capture_and_recapture_on_the_same_cell() -> None:
    game, position = stand("camelot wcf", "white", "WN E5 A4, BM E6 D8 C9 L13")
    first = move_named(game, position, "E5xE7")
    second = move_named(game, game.play(position, first), "D8xF6")
    after = after_all(game, position, (first, second))
    assert explain(game, (position,), (), seen(game, after.placement)).verdict == Played((first, second))


def test_lifted() -> None:
    positions, moves = line(CAMELOT, OPENING)
    board = changed(CAMELOT, positions[-1].placement, "F7-")
    assert explain(CAMELOT, positions, moves, seen(CAMELOT, board)).verdict == Raised(CAMELOT.board.index["F7"])


def test_the_other_side_may_not_lift() -> None:
    """It takes its time: the piece may have been taken off before it is captured, or have fallen over."""
    positions, moves = line(CAMELOT, OPENING)
    board = changed(CAMELOT, positions[-1].placement, "G10-")
    assert isinstance(explain(CAMELOT, positions, moves, seen(CAMELOT, board)).verdict, Doubtful)
    assert isinstance(explain(CAMELOT, positions, moves, seen(CAMELOT, board, patient=True)).verdict, Wrong)


@pytest.mark.parametrize("plies", [1, 2, 3, 4])
def test_takeback(plies: int) -> None:
    positions, moves = line(CAMELOT, f"{OPENING} F7-F5 G10-G9 C6-B6")
    sight = seen(CAMELOT, positions[-1 - plies].placement)
    assert explain(CAMELOT, positions, moves, sight).verdict == Earlier(plies)


CHAIN = "H9-F9xF7xH5xJ7xL5"
BEFORE_CHAIN = "J6-K6 J11-H9 F7-F5 G10-G9 E7-F8"


def test_captured_pieces_left() -> None:
    positions, moves = line(CAMELOT, f"{BEFORE_CHAIN} {CHAIN}")
    move = moves[-1]
    board = bytearray(positions[-1].placement)
    left = move.taken[1:3]
    for cell in left:
        board[cell] = positions[-2].placement[cell]
    verdict = explain(CAMELOT, positions[:-1], moves[:-1], seen(CAMELOT, bytes(board))).verdict
    assert isinstance(verdict, Unfinished)
    assert (verdict.move.origin, verdict.move.target) == (move.origin, move.target)
    assert set(verdict.remove) == set(left)
    assert verdict.go_on == -1


def test_chain_under_way() -> None:
    positions, moves = line(CAMELOT, f"{BEFORE_CHAIN} {CHAIN}")
    move = moves[-1]
    landing = move.path[-2]
    board = bytearray(positions[-2].placement)
    board[landing], board[move.origin] = board[move.origin], 0
    for cell in move.taken[:-1]:
        board[cell] = 0
    verdict = explain(CAMELOT, positions[:-1], moves[:-1], seen(CAMELOT, bytes(board))).verdict
    assert isinstance(verdict, Unfinished)
    assert verdict.go_on == move.target
    assert verdict.remove == (move.taken[-1],)


def test_a_capture_under_way_after_a_ply_is_waited_for() -> None:
    """A quick reply, not yet finished: not a verdict, and called unlawful only when it stays so."""
    positions, moves = line(CAMELOT, f"{BEFORE_CHAIN} {CHAIN}")
    move = moves[-1]
    board = bytearray(positions[-1].placement)
    for cell in move.taken[1:]:
        board[cell] = positions[-2].placement[cell]
    early = explain(CAMELOT, positions[:-2], moves[:-2], seen(CAMELOT, bytes(board)))
    late = explain(CAMELOT, positions[:-2], moves[:-2], seen(CAMELOT, bytes(board), patient=True))
    assert isinstance(early.verdict, Doubtful)
    assert isinstance(late.verdict, Wrong)


def test_a_faintly_seen_capture_before_a_ply_does_not_hide_the_ply() -> None:
    """A captured man's cell is half hidden by the piece that took it, and the other side has already moved on."""
    positions, moves = line(CAMELOT, f"{BEFORE_CHAIN} {CHAIN} C6-B6")
    hidden = {moves[-2].taken[-1]: -1.5}
    opinion = explain(CAMELOT, positions[:-2], moves[:-2], seen(CAMELOT, positions[-1].placement, faint=hidden))
    assert opinion.verdict == Played(moves[-2:])


def test_a_canter_that_went_on() -> None:
    game, start = stand("camelot wcf", "white", "WM D6 D7 E9 G6, BM L13 L12")
    short, long = (move_named(game, start, text) for text in ("D6-D8", "D6-D8-F10"))
    positions = (start, game.play(start, short))
    sight = seen(game, game.play(start, long).placement)
    assert explain(game, positions, (short,), sight).verdict == Played((long,), replaces=1)


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
    """Behind another piece a knight was seen on the square of its capture no better than nothing was (13619)."""
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
    """A knocked piece lay so since before; the next ply was asked about until the light changed (13691)."""
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


def test_between_two_cells_it_is_asked() -> None:
    """A piece on the line between E5 and F5 scores alike in both."""
    positions, moves = line(CAMELOT, OPENING)
    sight = seen(CAMELOT, changed(CAMELOT, positions[-1].placement, "F6-F5"))
    rows = [list(row) for row in sight.scores]
    for cell in cells(CAMELOT, "F5 E5"):
        rows[cell] = [-0.5, 0.0, -14.0]
    opinion = explain(CAMELOT, positions, moves, replace(sight, scores=rows))
    assert isinstance(opinion.verdict, Doubtful)
    assert {"F6-F5", "F6-E5"} <= set(opinion.verdict.options)


def test_a_faint_piece_of_the_other_side_is_not_missed() -> None:
    positions, moves = line(CAMELOT, OPENING)
    faint = dict.fromkeys(cells(CAMELOT, "D10 I10"), -1.4)
    opinion = explain(CAMELOT, positions, moves, seen(CAMELOT, positions[-1].placement, faint=faint))
    assert opinion.verdict == Still()


def test_nothing_fits_but_nothing_is_certain() -> None:
    positions, moves = line(CAMELOT, OPENING)
    sight = seen(CAMELOT, positions[-1].placement, faint=dict.fromkeys(cells(CAMELOT, "D6 I6"), -6.0))
    rows = [list(row) for row in sight.scores]
    rows[CAMELOT.board.index["H6"]] = [0.0, -3.0, -0.5]
    opinion = explain(CAMELOT, positions, moves, replace(sight, scores=rows))
    assert isinstance(opinion.verdict, Doubtful)


def test_a_cell_that_hardly_differs_says_nothing() -> None:
    """D6 and I6 are empty, which is unlawful, whether H6 still has its man or not."""
    positions, moves = line(CAMELOT, OPENING)
    faint = dict.fromkeys(cells(CAMELOT, "D6 I6"), -6.0) | {CAMELOT.board.index["H6"]: -0.5}
    verdict = explain(CAMELOT, positions, moves, seen(CAMELOT, positions[-1].placement, faint=faint)).verdict
    assert isinstance(verdict, Wrong)
    assert verdict.cells == tuple(cells(CAMELOT, "D6 I6"))


def test_the_reason_is_the_rule() -> None:
    positions, moves = line(CAMELOT, BEFORE_CHAIN)
    board = changed(CAMELOT, positions[-1].placement, "C11-C10")
    verdict = explain(CAMELOT, positions, moves, seen(CAMELOT, board)).verdict
    assert isinstance(verdict, Wrong)
    assert verdict.refusal.code in ("occupied", "must-jump", "not-a-move")
    assert [CAMELOT.board.cells[c] for c in verdict.cells] == sorted(
        ["C10", "C11"], key=CAMELOT.board.index.__getitem__
    )
