"""What is listed as a lawful look of the board, and how often."""

from __future__ import annotations

import pytest

from engine.belief.candidates import MOST_EARLIER, change_between, list_candidates, list_partly_removed, list_replies
from engine.belief.verdicts import Earlier, Played, Raised, Still, Unfinished
from engine.game import Game, Position
from engine.games import load
from tests.engine.sights import changed, explain, line, move_named, seen
from tests.engine.stand import stand

GAMES = {name: load(name) for name in ("camelot", "tri-camelot", "cam-3d", "camblam")}
CAMELOT = load("camelot", "wcf")


def start_of(game: Game) -> tuple[Position, ...]:
    return (game.start(),)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_every_lawful_move_and_every_own_piece_from_the_start(game: Game) -> None:
    listed = [c.verdict for c in list_candidates(game, start_of(game), ())]
    assert listed[0] == Still()
    assert {v.moves for v in listed if isinstance(v, Played)} == {(m,) for m in game.moves(game.start())}
    own = {c for c, piece in enumerate(game.start().placement) if game.seat_of[piece] == 0}
    assert {v.cell for v in listed if isinstance(v, Raised)} == own


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_changes_say_what_the_board_looks_like(game: Game) -> None:
    now = game.start()
    for candidate in list_candidates(game, (now,), ()):
        if isinstance(candidate.verdict, Played):
            after = game.play(now, candidate.verdict.moves[0])
            assert candidate.change == change_between(game, now.placement, after.placement)
        assert list(candidate.change) == sorted(candidate.change)
        for cell, look in candidate.change:
            assert look != game.look_of[now.placement[cell]]


def test_each_look_of_the_board_once() -> None:
    positions, moves = line(CAMELOT, "J6-K6 J11-H9 F7-F5 G10-G9 E7-F8")
    listed = list_candidates(CAMELOT, positions, moves)
    changes = [c.change for c in listed]
    assert len(changes) == len(set(changes))


def test_earlier_positions_up_to_a_limit() -> None:
    positions, moves = line(CAMELOT, "J6-K6 J11-H9 F7-F5 G10-G9 E7-F8 H9-F9xF7xH5xJ7xL5 C6-B6 C11-B11")
    plies = [c.verdict.plies for c in list_candidates(CAMELOT, positions, moves) if isinstance(c.verdict, Earlier)]
    assert plies == list(range(1, MOST_EARLIER + 1))


def test_every_stage_of_a_capture_under_way_is_a_candidate() -> None:
    game, position = stand("camelot wcf", "white", "WN E5, BM E6 E8 L13")
    board = game.board
    wanted = {
        # both captured pieces still there, one of them, the piece in the air, the piece half-way
        "E5:0 E9:1",
        "E5:0 E6:0 E9:1",
        "E5:0 E8:0 E9:1",
        "E5:0 E6:0 E8:0",
        "E6:0 E8:0",
        "E5:0 E7:1",
        "E5:0 E6:0 E7:1",
    }
    found = {
        " ".join(f"{board.cells[cell]}:{look}" for cell, look in c.change)
        for c in list_candidates(game, (position,), ())
        if isinstance(c.verdict, Unfinished)
    }
    assert wanted <= found


def test_a_canter_that_was_said_goes_on_to_a_landing_where_it_may_not_end() -> None:
    """A knight that has cantered beside a man that it can capture must capture it."""
    game, start = stand("camelot wcf", "white", "WN F5, WM F6 G7 C6, BM I6 L12")
    said, whole = (move_named(game, start, text) for text in ("F5-F7", "F5-F7-H7xJ5"))
    after = game.play(start, said)
    change = tuple(sorted(((said.target, 0), (game.board.index["H7"], game.look_of[start.placement[said.origin]]))))
    found = {c.change: c.verdict for c in list_candidates(game, (start, after), (said,))}[change]
    assert found == Unfinished(whole, whole.taken, whole.target, replaces=1, landing=game.board.index["H7"])


def test_what_the_last_ply_captured_may_stand_there_still() -> None:
    """A hand hid it when the ply was said; nobody has put a piece there."""
    game, start = stand("camelot wcf", "white", "WM E5, BM E6 E8 L12")
    jump = move_named(game, start, "E5xE7xE9")
    after = game.play(start, jump)
    e8 = game.board.index["E8"]
    listed = {c.change: c.verdict for c in list_candidates(game, (start, after), (jump,))}
    assert listed[((e8, game.look_of[start.placement[e8]]),)] == Unfinished(jump, (e8,), replaces=1)


def test_a_chain_that_went_on_replaces_the_ply() -> None:
    game, start = stand("camelot wcf", "white", "WM D6 D7 E9 G6, BM L13 L12")
    short, long = (move_named(game, start, text) for text in ("D6-D8", "D6-D8-F10"))
    listed = [c.verdict for c in list_candidates(game, (start, game.play(start, short)), (short,))]
    assert Played((long,), replaces=1) in listed
    step = move_named(game, start, "D6-D5")
    listed = [c.verdict for c in list_candidates(game, (start, game.play(start, step)), (step,))]
    replacing = [v for v in listed if isinstance(v, Played) and v.replaces]
    assert replacing and all(v.moves[0].origin != step.origin for v in replacing), "after a takeback: another piece"


def test_moves_that_look_alike_are_both_listed() -> None:
    """Which piece a promoted pawn becomes does not show from above."""
    game = GAMES["camblam"]
    shown: dict[object, int] = {}
    for candidate in list_candidates(game, start_of(game), ()):
        if isinstance(candidate.verdict, Played):
            shown[candidate.change] = shown.get(candidate.change, 0) + 1
    assert sum(shown.values()) == len(game.moves(game.start()))


def test_replies_count_from_the_same_start() -> None:
    start = CAMELOT.start()
    first = move_named(CAMELOT, start, "F7-F5")
    after = CAMELOT.play(start, first)
    listed = list(list_replies(CAMELOT, after, Played((first,)), start.placement, set(range(len(start.placement)))))
    assert len(listed) == len(CAMELOT.moves(after))
    for candidate in listed:
        assert isinstance(candidate.verdict, Played)
        final = CAMELOT.play(after, candidate.verdict.moves[1])
        assert candidate.change == change_between(CAMELOT, start.placement, final.placement)


def test_replies_are_those_that_change_one_of_the_cells() -> None:
    start = CAMELOT.start()
    first = move_named(CAMELOT, start, "F7-F5")
    after = CAMELOT.play(start, first)
    cell = CAMELOT.board.index["G9"]
    listed = list(list_replies(CAMELOT, after, Played((first,)), start.placement, {cell}))
    wanted = [move for move in CAMELOT.moves(after) if cell in (move.origin, move.target, *move.taken)]
    assert [one.verdict.moves[1] for one in listed if isinstance(one.verdict, Played)] == wanted


def test_a_stop_is_known_on_every_path_of_a_rich_position() -> None:
    """Black has 1,090 paths, and 3C7 alone 668: a pause on 1C3 is on none of the first 400."""
    game = GAMES["cam-3d"]
    positions, moves = line(game, "2D2-2D4 3D7-1B5 1C2-3E4 1B5-2A6 1C3-3E3-1C5")
    origin, stop = game.board.index["3C7"], game.board.index["1C3"]
    black = game.look_of[positions[-1].placement[origin]]
    paused = tuple(sorted(((origin, 0), (stop, black))))
    listed = [c.verdict for c in list_candidates(game, positions, moves) if c.change == paused]
    assert len(listed) == 1
    assert isinstance(listed[0], Unfinished)
    assert stop in listed[0].move.path
    assert listed[0].go_on >= 0


def test_each_stop_is_listed_once() -> None:
    game = GAMES["cam-3d"]
    positions, moves = line(game, "2D2-2D4 3D7-1B5 1C2-3E4 1B5-2A6 1C3-3E3-1C5")
    changes = [c.change for c in list_candidates(game, positions, moves)]
    assert len(changes) == len(set(changes))


def test_a_man_picked_up_that_the_last_chain_could_also_have_taken_makes_no_longer_chain() -> None:
    """Black's knight could have gone round by 1D6; now white takes that man up to move it."""
    game = load("cam-3d")
    told = "1C2-1E4 3B6-2C5 1B2-1D4x3B6x1D6 2B6-3A5 1D2-1C2 3D6-2E6 1C2-3A4x3A6x1C8x3E6x1E6"
    positions, moves = line(game, f"{told} 3C7-1E5x1E3x3C1x1A3x3C3x1E3")
    board = changed(game, positions[-1].placement, "1D6-")
    verdict = explain(game, positions, moves, seen(game, board)).verdict
    assert not isinstance(verdict, Played)


LONG_CAPTURES = "WM L5 C6 L6 I7, WM D6 E6 G6 H6 I6 K7 B8 K8, BN F9 F10 H10 I10 J10 D11 E11 F11 H11 H12, BM J9 E10 C11"
"""A black man takes up to eight white ones: too many captures for all the ways to take some off."""


@pytest.mark.parametrize("off", ["K8 K7", "B8 G6 K8", "I6 E6 C6 B8", "K7 C6 E6 I6 G6"])
def test_long_captures_are_taken_off_in_any_order(off: str) -> None:
    """Who took the captured pieces off one by one was accused of a capture that takes others."""
    game, position = stand("camelot wcf", "black", LONG_CAPTURES)
    move = move_named(game, position, "J9xL7xJ7xH5xF7xD5xB7xB9")
    gone = {game.board.index[cell] for cell in off.split()}
    placed = dict(change_between(game, position.placement, game.play(position, move).placement))
    left = {cell for cell in move.taken if cell not in gone}
    change = tuple((cell, look) for cell, look in placed.items() if cell not in left)
    assert change in {one.change for one in list_partly_removed(game, position, gone)}
    assert change not in {one.change for one in list_candidates(game, (position,), ())}
