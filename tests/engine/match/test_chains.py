"""A chain of jumps while it is under way: what is to be taken off by now, and every cell where it may end."""

from __future__ import annotations

import pytest

from engine.game import Game, Position
from engine.games import load
from engine.match.events import Event, Lifted, Moved, Partial, Restored
from engine.match.judging import Looked, State, apply_input
from engine.match.state import Match, Phase
from tests.engine.sights import changed, line, move_named, seen
from tests.engine.stand import stand

FORK = "WM D7 C4, BM D8 C10 D10 L12"
"""From D7 over D8 to D9; from there over C10 to B11, or over D10 and C10 to B9."""
LOOKS, APART_S = 6, 0.2


def said_of(game: Game, position: Position, *shown: str, before: Match | None = None) -> list[list[Event]]:
    """What is said of each placement that is shown for a while, one after another."""
    match = before or Match(game, (position,), phase=Phase.PLAYING, ready=True)
    state, t, told = State(match), 0.0, list[list[Event]]()
    for changes in shown:
        told.append([])
        for _ in range(LOOKS):
            t += APART_S
            sight = seen(game, changed(game, position.placement, changes), t)
            follows = apply_input(state, Looked(t, sight, 97))
            state = follows.state
            told[-1] += follows.events
    return told


def test_at_a_fork_every_end_is_named_and_only_what_was_jumped_is_to_be_removed() -> None:
    game, start = stand("camelot wcf", "white", FORK)
    _, [landed], [removed] = said_of(game, start, "", "D7-D9", "D7-D9 D8-")
    assert isinstance(landed, Partial) and isinstance(removed, Partial)
    assert landed.todo == ("go on to B9 or B11", "remove D8")
    assert (landed.targets, landed.from_, landed.at) == (("B9", "B11"), "D7", "D9")
    assert landed.notation == removed.notation == "D7xD9"
    assert removed.todo == ("go on to B9 or B11",)


def test_each_landing_says_its_own_way_on() -> None:
    game, start = stand("camelot wcf", "white", FORK)
    _, _, [further], [done] = said_of(game, start, "", "D7-D9", "D7-D11", "D7-B9 D8- D10- C10-")
    assert isinstance(further, Partial) and further.todo == ("go on to B9", "remove D8", "remove D10")
    assert (further.notation, further.at) == ("D7xD9xD11xB9", "D11")
    assert isinstance(done, Moved)


def test_a_piece_that_is_taken_up_again_from_a_landing_keeps_the_hints_of_the_landing() -> None:
    game, start = stand("camelot wcf", "white", FORK)
    _, [landed], lifted, landed_again, off = said_of(game, start, "", "D7-D9", "D7-", "D7-D9", "D7- D8-")
    assert isinstance(landed, Partial)
    assert (lifted, landed_again) == ([], [])
    assert [(one.at, one.targets) for one in off if isinstance(one, Partial)] == [("D9", ("B9", "B11"))]


def test_from_its_own_cell_it_has_the_hints_of_its_own_cell() -> None:
    game, start = stand("camelot wcf", "white", FORK)
    _, [lifted], [landed], [back], [again] = said_of(game, start, "", "D7-", "D7-D9", "", "D7-")
    assert isinstance(lifted, Lifted) and isinstance(again, Lifted)
    assert lifted.targets == again.targets
    assert isinstance(landed, Partial) and isinstance(back, Restored)


def test_who_takes_off_first_is_not_asked_for_what_was_not_jumped() -> None:
    game, start = stand("camelot wcf", "white", FORK)
    _, [off] = said_of(game, start, "", "D8-")
    assert isinstance(off, Partial) and off.todo == ("go on to B9 or B11",)
    assert (off.notation, off.at) == ("D7xD9", None)


def test_a_canter_that_was_said_goes_on_as_a_capture_from_its_landing() -> None:
    game, start = stand("camelot wcf", "white", "WN F5, WM F6 G7 C6, BM I6 I4 L12")
    said = move_named(game, start, "F5-F7")
    after = game.play(start, said)
    match = Match(game, (start, after), (said,), Phase.PLAYING, ready=True)
    _, [lifted], [beside], again, [jumped] = said_of(game, after, "", "F7-", "F7-H7", "F7-", "F7-J5", before=match)
    assert isinstance(lifted, Lifted) and isinstance(beside, Partial) and isinstance(jumped, Partial)
    assert (lifted.cell, lifted.targets, again) == ("F7", ("H3",), [])
    assert (beside.todo, beside.at) == (("go on to H3",), "H7")
    assert (jumped.todo, jumped.at) == (("go on to H3", "remove I6"), "J5")


def test_a_canter_that_was_said_has_its_hints_from_its_landing_when_it_is_taken_up_again() -> None:
    game, start = stand("camelot wcf", "white", "WM D6 D7 E9 G6, BM L13 L12")
    said = move_named(game, start, "D6-D8")
    after = game.play(start, said)
    match = Match(game, (start, after), (said,), Phase.PLAYING, ready=True)
    _, [lifted], [corrected] = said_of(game, after, "", "D8-", "D8-F10", before=match)
    assert isinstance(lifted, Lifted) and (lifted.cell, lifted.targets) == ("D8", ("F10",))
    assert isinstance(corrected, Moved) and corrected.notation == "D6-D8-F10" and corrected.corrected


def test_a_step_that_was_said_goes_on_nowhere() -> None:
    game, start = stand("camelot wcf", "white", "WM D6 D7 E9 G6, BM L13 L12")
    said = move_named(game, start, "D6-D5")
    after = game.play(start, said)
    match = Match(game, (start, after), (said,), Phase.PLAYING, ready=True)
    assert said_of(game, after, "", "D5-", before=match) == [[], []]


LOOP = "BM F10 L13, WM G9 G7 H7 G6 E7 A4"
"""From F10 over G9 to H8; from there round over G7, ..., where it may come to H8 once more."""


def test_a_landing_that_is_passed_again_later_says_what_comes_off_if_it_ends_there() -> None:
    game, start = stand("camelot wcf", "black", LOOP)
    assert "H8" in {game.board.cells[move.target] for move in game.moves(start)}
    _, [landed], lifted = said_of(game, start, "", "F10-H8", "F10-")
    assert isinstance(landed, Partial) and lifted == []
    todo = ("remove G9", "remove G7", "remove G6", "remove H7", "or go on to D6 or D8 or H8")
    assert (landed.at, landed.todo, landed.targets) == ("H8", todo, ("D6", "D8", "H8"))


def test_who_has_gone_round_and_takes_off_is_told_all_that_is_left() -> None:
    game, start = stand("camelot wcf", "black", LOOP)
    _, [off] = said_of(game, start, "", "F10-H8 G9- G6-")
    assert isinstance(off, Partial) and off.targets is None
    assert set(off.todo) == {"remove G7", "remove H7"}


def test_nobody_is_accused_whose_canter_was_said_and_whose_captures_stand_at_the_end() -> None:
    game, start = stand("camelot wcf", "white", "WN F5, WM F6 G7 C6, BM I6 L12")
    said, whole = (move_named(game, start, text) for text in ("F5-F7", "F5-F7-H7xJ5"))
    after = game.play(start, said)
    match = Match(game, (start, after), (said,), Phase.PLAYING, ready=True)
    _, [arrived], [done] = said_of(game, after, "", "F7-J5", "F7-J5 I6-", before=match)
    assert isinstance(arrived, Partial) and (arrived.todo, arrived.targets) == (("remove I6",), None)
    assert isinstance(done, Moved) and done.notation == game.write(start, whole)


@pytest.mark.parametrize(
    ("rests", "written"),
    [
        ((), "F8xH10xJ10xJ12xH10xF12"),
        (("F8-H10", "F8-J12 G9- I11-"), "F8xH10xJ12xJ10xH10xF12"),
        (("F8-J10 G9- I10-",), "F8xH10xJ10xJ12xH10xF12"),
        (("F8-H10", "F8-J12 G9- I11-", ""), "F8xH10xJ10xJ12xH10xF12"),
    ],
)
def test_the_way_on_which_a_piece_was_seen_to_rest_is_written(rests: tuple[str, ...], written: str) -> None:
    """Both ways round take the same five men; put back and played otherwise, what was seen before tells nothing."""
    game = load("camelot", "wcf")
    positions, _ = line(game, "F7-F8 H10-G9")
    taken = " ".join(f"{cell}-" for cell in ("G9", "I10", "I11", "J11", "G11"))
    done = said_of(game, positions[-1], "", *rests, f"F8-F12 {taken}")[-1]
    assert [one.notation for one in done if isinstance(one, Moved)] == [written]


def test_of_several_pieces_that_may_have_taken_what_is_gone_none_is_named_alone() -> None:
    """The captured man is taken off first, as many do: the first that could take it was said to be under way."""
    game, start = stand("camelot wcf", "white", "WM D7 F7, BM E8 E12")
    _, [gone], [moved] = said_of(game, start, "", "E8-", "E8- F7-D9")
    assert isinstance(gone, Partial) and isinstance(moved, Moved)
    assert (gone.notation, gone.todo, gone.targets) == ("xE8", ("capture with D7 or F7",), None)
    assert gone.tells_way, "in a tournament nobody is told"
    assert moved.notation == "F7xD9"
    game, start = stand("camelot wcf", "white", "WM D7, BM E8 E12")
    _, [alone] = said_of(game, start, "", "E8-")
    assert isinstance(alone, Partial) and alone.todo == ("go on to F9",)


def test_a_landing_where_one_way_ends_and_another_goes_on_says_both() -> None:
    game = load("camette", "wcf")
    start = line(game, "C3-B4")[0][-1]
    assert {"C6-A4xC4", "C6-C4xA4"} <= {game.write(start, move) for move in game.paths(start)}
    _, [landed], up, [off] = said_of(game, start, "", "C6-C4", "C6-", "C6-C4 B4-")
    assert isinstance(landed, Partial) and up == []
    assert (landed.todo, landed.targets) == (("remove B4", "or go on to A4"), ("A4", "C4"))
    assert (landed.from_, landed.at, landed.gone, landed.notation) == ("C6", "C4", None, "C6")
    assert landed.tells_way, "in a tournament nobody is told"
    assert isinstance(off, Moved) and off.notation == "C6-A4xC4"
    _, _, [off] = said_of(game, start, "", "C6-C4", "C6- B4-")
    assert isinstance(off, Partial) and (off.todo, off.gone) == (("go on to A4 or C4",), ("B4",))


def test_of_several_ways_to_one_end_only_what_all_of_them_jump_is_surely_to_be_removed() -> None:
    """One of six was shown as the way, and who had done as told would have taken off four pieces too many."""
    game = load("cam-3d")
    position = game.start()
    for text in ("1C2-1A4", "3C7-3E5"):
        position = game.play(position, move_named(game, position, text))
    _, [landed], [removed], [done, _] = said_of(game, position, "", "1A4-3C8", "1A4-3C8 3E5-", "1A4-3C8 3E5- 2D6- 2C7-")
    assert isinstance(landed, Partial) and isinstance(removed, Partial)
    either = "remove 2B6 or 2D6 or 2B7 or 2C7 or 2D7 or 3B7 or 3D7"
    assert landed.todo == ("remove 3E5", either)
    assert removed.todo == (either,)
    assert isinstance(done, Moved) and set(done.captured) == {"3E5", "2D6", "2C7"}


def test_where_the_shortest_of_several_ways_ends_no_piece_is_asked_for_that_only_longer_ones_jump() -> None:
    """Two of three ways to one end jump E7 and G7 as well: "remove E7 or G7" was asked for, which no way fits."""
    game = load("camelot", "wcf")
    position = line(game, "G6-G5 H11-H9 E6-E5")[0][-1]
    taken = [set(move.taken) for move in game.paths(position) if game.write(position, move).startswith("I10-G8x")]
    assert len(taken) > 1
    _, [left], [done] = said_of(game, position, "", "I10-I8 F7- F6-", "I10-I8 F7- F6- H7-")
    assert isinstance(left, Partial) and left.todo == ("remove H7",)
    assert isinstance(done, Moved) and set(done.captured) == {"F7", "F6", "H7"}
