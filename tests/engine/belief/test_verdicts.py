"""From scores to verdicts, with scores made up: each kind of verdict, and properties over random play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.belief.candidates import change_between, list_candidates
from engine.belief.decision import update_belief
from engine.belief.hypotheses import PLY_S
from engine.belief.lines_of_play import FollowedLines, LineOfPlay
from engine.belief.memory import Memory
from engine.belief.opinion import Opinion
from engine.belief.sight import InMotion, Sight
from engine.belief.verdicts import Doubtful, Earlier, Played, Raised, Still, Unfinished, Wrong
from engine.game import Game, Move, Position
from engine.games import load
from tests.engine.sights import cells, changed, explain, line, move_named, seen
from tests.engine.stand import stand
from tests.examples import examples
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
@settings(max_examples=examples(7), deadline=None)
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
    if any((m.origin, m.target) == (move.origin, move.target) and {*m.taken} > {*move.taken} for m in lawful):
        return  # a longer capture may be under way, of which something is still to be taken off
    if len(same) == 1:
        assert opinion.verdict == Played((move,))
        assert opinion.probability > 0.99
    else:
        assert isinstance(opinion.verdict, Doubtful)
        assert {game.write(now, m) for m in same[:2]} <= set(opinion.verdict.options)


@each_game
@settings(max_examples=examples(7), deadline=None)
@given(data=st.data())
def test_a_ply_taken_back_for_one_of_another_piece_is_found(game: Game, data: st.DataObject) -> None:
    """One visit of a hand does both; where the same board is reached otherwise too, that may be said or asked."""
    played = data.draw(lines(game))
    positions, moves = played
    assume(moves)
    others = [move for move in game.moves(positions[-2]) if move.origin != moves[-1].origin]
    assume(others and moves[-1].origin != moves[-1].target)
    move = data.draw(st.sampled_from(others))
    after = game.play(positions[-2], move).placement
    change = change_between(game, positions[-1].placement, after)
    ways = {one.verdict for one in list_candidates(game, positions, moves) if one.change == change}
    opinion = judged(game, played, seen(game, after, noise=0.5))
    moved_once = len(change) == 2  # as when the side plays twice: F7-F8 and F6-F7 leave what F6-F8 does
    if ways == {Played((move,), replaces=1)} and not moved_once:
        assert opinion.verdict == Played((move,), replaces=1)
    assert not isinstance(opinion.verdict, Wrong)


@each_game
@settings(max_examples=examples(6), deadline=None)
@given(data=st.data())
def test_what_stands_still_stands(game: Game, data: st.DataObject) -> None:
    played = data.draw(lines(game))
    opinion = judged(game, played, seen(game, played[0][-1].placement, noise=1.0))
    assert opinion.verdict == Still()
    assert opinion.probability > 0.99


@pytest.mark.exhaustive
@each_game
@settings(max_examples=examples(7), deadline=None)
@given(data=st.data(), seed=st.integers(0, 10_000))
def test_unlawful_placements_are_never_moves(game: Game, data: st.DataObject, seed: int) -> None:
    played = data.draw(lines(game))
    now = played[0][-1]
    wrong = wrong_move(game, now, np.random.default_rng(seed))
    assume(wrong is not None)
    assert wrong is not None
    change = change_between(game, now.placement, wrong.done(now))
    assume(all(one.change != change for one in list_candidates(game, *played)))  # or it is lawful after a takeback
    opinion = judged(game, played, seen(game, wrong.done(now), noise=0.5))
    assert not isinstance(opinion.verdict, Played | Still)


@each_game
@settings(max_examples=examples(7), deadline=None)
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


@pytest.mark.exhaustive
@each_game
@pytest.mark.parametrize("plies", [2, 3])
@settings(max_examples=examples(6), deadline=None)
@given(data=st.data())
def test_plies_between_two_looks(game: Game, plies: int, data: st.DataObject) -> None:
    """What is taken for played is what was played, or fewer plies that leave the same board; else it is asked."""
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
        if len(opinion.verdict.moves) == plies:
            assert list(opinion.verdict.moves) == moves


def test_a_cell_that_is_filled_again_by_the_answer() -> None:
    game, position = stand("camelot wcf", "white", "WN E5 A4, BM E6 E7 C9 L13")
    first = move_named(game, position, "E5-F4")
    second = move_named(game, game.play(position, first), "E7-E5")
    after = after_all(game, position, (first, second))
    assert explain(game, (position,), (), seen(game, after.placement)).verdict == Played((first, second))


def test_a_cell_that_is_filled_again_by_the_next_ply() -> None:
    """D5 looks as before: another piece came there, or none had left. It does not show, so it is asked."""
    positions, moves = line(CAMELOT, "D7-D5 D10-C9 F7-F8 C9-B8 G7-G8 B8-A7 D5-F7 A7-A6 C6-D5")
    opinion = explain(CAMELOT, positions[:7], moves[:6], seen(CAMELOT, positions[-1].placement))
    assert isinstance(opinion.verdict, Doubtful)
    assert "D5-F7 A7-A6 C6-D5" in opinion.verdict.options


@pytest.mark.parametrize(
    ("notations", "found"),
    [
        ("F7-F5 G10-G9", "F7-F5 G10-G9"),
        ("F7-F5 G10-G9 C6-B6", ""),
    ],
)
def test_two_quick_plies_are_known_and_three_are_asked_about(notations: str, found: str) -> None:
    """Two plies are known from their end; of three it does not show which of White's came first, so it is asked."""
    positions, moves = line(CAMELOT, f"{OPENING} {notations}")
    opinion = explain(CAMELOT, positions[:3], moves[:2], seen(CAMELOT, positions[-1].placement))
    if found:
        assert opinion.verdict == Played(moves[2:])
        assert opinion.probability > 0.99
    else:
        assert isinstance(opinion.verdict, Doubtful)
        assert any(len(option.split()) == 3 for option in opinion.verdict.options)


def test_of_two_plies_one_is_said_though_too_many_lines_may_have_gone_on() -> None:
    """A chain takes three pieces: much has changed, and many lines were not followed."""
    game = GAMES["cam-3d"]
    positions, moves = line(game, "2C3-3B4 3B6-3A6 1D3-1C4 3C7-1C7-3A5x3C3x1A3x1C1")
    sight = replace(seen(game, positions[-1].placement, clear=5.0), moving_s=3.0, clear=True, stirred=True)
    opinion = judged(game, (positions[:-2], moves[:-2]), sight)
    assert opinion.verdict == Played(moves[-2:-1])
    assert opinion.best[0][1].verdict == Played(moves[-2:])
    after = judged(game, (positions[:-1], moves[:-1]), sight)
    assert after.verdict == Played(moves[-1:])


def test_capture_and_recapture_on_the_same_cell() -> None:
    game, position = stand("camelot wcf", "white", "WN E5 A4, BM E6 D8 C9 L13")
    first = move_named(game, position, "E5xE7")
    second = move_named(game, game.play(position, first), "D8xF6")
    after = after_all(game, position, (first, second))
    assert explain(game, (position,), (), seen(game, after.placement)).verdict == Played((first, second))


def test_a_piece_that_is_gone_from_its_cell_is_lifted() -> None:
    positions, moves = line(CAMELOT, OPENING)
    board = changed(CAMELOT, positions[-1].placement, "F7-")
    assert explain(CAMELOT, positions, moves, seen(CAMELOT, board)).verdict == Raised(CAMELOT.board.index["F7"])


def test_the_other_side_may_not_lift() -> None:
    """It takes its time: the piece may have been taken off before it is captured, or have fallen over."""
    positions, moves = line(CAMELOT, OPENING)
    sight = seen(CAMELOT, changed(CAMELOT, positions[-1].placement, "G10-"))
    assert isinstance(explain(CAMELOT, positions, moves, sight).verdict, Doubtful)
    late = replace(sight, rested=True, patient=True, clear=True)
    assert isinstance(explain(CAMELOT, positions, moves, late).verdict, Wrong)


@pytest.mark.parametrize("plies", [1, 2, 3, 4])
def test_an_earlier_position_is_a_takeback(plies: int) -> None:
    positions, moves = line(CAMELOT, f"{OPENING} F7-F5 G10-G9 C6-B6")
    sight = seen(CAMELOT, positions[-1 - plies].placement)
    assert explain(CAMELOT, positions, moves, sight).verdict == Earlier(plies)


CHAIN = "H9-F9xF7xH5xJ7xL5"
BEFORE_CHAIN = "J6-K6 J11-H9 F7-F5 G10-G9 E7-F8"


def test_captured_pieces_left_standing_make_the_move_unfinished() -> None:
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


@pytest.mark.parametrize("at_rest", [False, True])
def test_a_capture_that_has_stood_for_long_takes_no_more_than_is_off(*, at_rest: bool) -> None:
    """Longer ones end on the same cell, and four men of theirs stand: it was asked about for ever."""
    game = load("cam-3d")
    positions, moves = line(game, "2B2-1A3 2B6-3C5 1C3-2B4 3C7-3A5x1C3x1C1")
    sight = replace(seen(game, positions[-1].placement, patient=at_rest), rested=True, clear=True)
    verdict = explain(game, positions[:-1], moves[:-1], sight).verdict
    assert verdict == Played(moves[-1:]) if at_rest else isinstance(verdict, Doubtful)


def test_a_chain_of_captures_before_its_last_jump_is_under_way() -> None:
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


def test_a_ply_is_said_while_the_capture_that_answers_it_is_under_way() -> None:
    positions, moves = line(CAMELOT, f"{BEFORE_CHAIN} {CHAIN}")
    move = moves[-1]
    board = bytearray(positions[-1].placement)
    for cell in move.taken[1:]:
        board[cell] = positions[-2].placement[cell]
    sight = replace(seen(CAMELOT, bytes(board)), stirred=True)
    assert isinstance(explain(CAMELOT, positions[:-2], moves[:-2], sight).verdict, Doubtful), "nobody saw it stand"
    memory = Memory(lines=FollowedLines(after=(LineOfPlay(), LineOfPlay(moves[-2:-1]))))
    opinion, _ = update_belief(CAMELOT, positions[:-2], moves[:-2], sight, memory, InMotion())
    assert opinion.verdict == Played(moves[-2:-1])
    assert not opinion.settled, "the board shows more than this ply: it is not learned"


def test_a_ply_and_its_answer_are_said_while_what_it_captured_stands_there_still() -> None:
    positions, moves = line(CAMELOT, f"{BEFORE_CHAIN} {CHAIN} C6-B6")
    chain, board = moves[-2], bytearray(positions[-1].placement)
    for cell in chain.taken:
        board[cell] = positions[-3].placement[cell]
    sight = seen(CAMELOT, bytes(board))
    opinion = explain(CAMELOT, positions[:-2], moves[:-2], sight)
    assert opinion.verdict == Played(moves[-2:])
    assert not opinion.settled
    left = explain(CAMELOT, positions, moves, sight).verdict
    assert isinstance(left, Unfinished)
    assert (left.move, set(left.remove), left.replaces) == (chain, set(chain.taken), 2)


def test_four_plies_that_nobody_saw_are_asked_about() -> None:
    positions, _ = line(CAMELOT, "C6-C5 C11-C12 J6-J5 J11-J12")
    opinion = explain(CAMELOT, positions[:1], (), replace(seen(CAMELOT, positions[-1].placement), rested=True))
    assert isinstance(opinion.verdict, Doubtful)
    assert "C6-C5 C11-C12 J6-J5 J11-J12" in opinion.verdict.options


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
    faint = dict.fromkeys(cells(CAMELOT, "D6 I6"), -14.0) | {CAMELOT.board.index["H6"]: -0.5}
    sight = replace(seen(CAMELOT, positions[-1].placement, faint=faint), rested=True, clear=True)
    verdict = explain(CAMELOT, positions, moves, sight).verdict
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


def test_a_capture_under_way_is_no_capture_that_was_answered() -> None:
    """The man and what it takes have left, and nothing has come: nobody plays two plies in the blink of an eye."""
    game, position = stand("camelot wcf", "white", "WM E5, WN D8, BM E6 D6 J10, BN L9")
    board = bytearray(position.placement)
    for name in ("E5", "E6"):
        board[game.board.index[name]] = 0
    quick = replace(seen(game, bytes(board)), moving_s=1.5 * PLY_S)
    for clear in (True, False):
        verdict = explain(game, (position,), (), replace(quick, clear=clear)).verdict
        assert not isinstance(verdict, Played)


def test_two_plies_take_the_time_of_two() -> None:
    game, position = stand("camelot wcf", "white", "WM E5 D4, BM J10, BN L9")
    first = game.play(position, move_named(game, position, "E5-E6"))
    board = game.play(first, move_named(game, first, "J10-J11")).placement
    for plies, moving_s in ((2, 2.0 * PLY_S), (0, 1.9 * PLY_S)):
        verdict = explain(game, (position,), (), replace(seen(game, board), moving_s=moving_s)).verdict
        assert (len(verdict.moves) if isinstance(verdict, Played) else 0) == plies
