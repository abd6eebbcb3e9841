"""What the LEDs show in each phase, on the real start position: colour and shape of every cell that is lit."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from device.lights import BLINK_S, DARK, PALETTES, PATIENT, LedFrame, diagonal_cells, draw_match, outermost_cells
from device.text import COLUMNS, COVERED_TEXT, NOT_SEEN
from engine.explain.demonstration import build_demonstration
from engine.game import Outcome, Refusal
from engine.games import load, names
from engine.match.acts import Mode
from engine.match.events import CAUSES, CameraMoved, DueDeed, DueStep, Event, Illegal, Lifted, Partial, SetUp, Unclear
from engine.match.state import Match, Phase

GAME = load("camelot", "wcf")
START = Match(GAME, (GAME.start(),), phase=Phase.PLAYING)
NAMES = {colour: name for name, colour in PALETTES["standard"].items()}
off, on, by = (partial(DueStep, deed) for deed in (DueDeed.REMOVE, DueDeed.GO_ON, DueDeed.CAPTURE_WITH))


def lit(frame: LedFrame) -> dict[str, str]:
    """Cell -> colour name, with a `*` where it blinks."""
    return {
        GAME.board.cells[i]: NAMES[rgb] + "*" * (i in frame.blink) for i, rgb in enumerate(frame.rgb) if rgb != DARK
    }


def after(*notations: str) -> Match:
    match = START
    for notation in notations:
        move = GAME.read(match.position, notation)
        assert not isinstance(move, Refusal), move.message
        positions = (*match.positions, GAME.play(match.position, move))
        match = replace(match, positions=positions, moves=(*match.moves, move))
    return match


def test_white_to_move_and_nothing_else_at_the_start() -> None:
    assert lit(draw_match(START)) == {"F1": "turn", "G1": "turn"}


def test_both_ends_of_the_last_move() -> None:
    assert lit(draw_match(after("E6-E5"))) == {"F16": "turn", "G16": "turn", "E6": "last", "E5": "last"}


@pytest.mark.parametrize(
    ("phase", "note", "wanted"),
    [
        (Phase.SETUP, SetUp(0, ("C6", "J11")), {"C6": "wrong*", "J11": "wrong*"}),
        (Phase.SETUP, SetUp(0, ("E6", "E5"), ("E6-E5",)), {"E6": "asked*", "E5": "asked*"}),
        (Phase.LIFTED, Lifted(0, "E6", ("D5", "E5")), {"E6": "start*", "D5": "target", "E5": "target"}),
        (
            Phase.PARTIAL,
            Partial(
                0,
                "C11-E9-E11-C9",
                (on("C5", "E5"), off("D6")),
                ("C5", "E5"),
                "C11",
                "C7",
            ),
            {"D6": "wrong*", "C5": "target*", "E5": "target*"},
        ),
        (
            Phase.PARTIAL,
            Partial(
                0,
                "E9",
                (off("D8"), on("B9", or_else=True)),
                ("B9", "C7"),
                "E9",
                "C7",
            ),
            {"D8": "wrong*", "B9": "target*", "C7": "target*"},
        ),
        (
            Phase.PARTIAL,
            Partial(0, "xE8", (by("D7", "F7"),)),
            {"D7": "start*", "F7": "start*"},
        ),
        (
            Phase.PARTIAL,
            Partial(0, "C11", (off("D10"), off("D8", "E8"))),
            {"D10": "wrong*"},
        ),
        (
            Phase.TROUBLE,
            Illegal(0, ("E8", "D8"), "must-jump", "...", ("E8xE10", "F7-F5-H7xF9")),
            {"E8": "wrong*", "D8": "wrong*", "E10": "target", "F7": "target", "F9": "target"},
        ),
        (Phase.UNCLEAR, Unclear(0, ("C6-E8", "D7-E8")), {"C6": "asked*", "D7": "asked*", "E8": "asked*"}),
        (Phase.BLIND, CameraMoved(0), dict.fromkeys(outermost_cells(GAME.board), "asked*")),
    ],
)
def test_each_phase_lights_its_cells_in_its_colours(phase: Phase, note: Event, wanted: dict[str, str]) -> None:
    assert lit(draw_match(replace(START, phase=phase, note=note))) == wanted


def test_a_capture_that_may_end_where_it_is_is_not_said_to_have_to_go_on() -> None:
    either = Partial(0, "E9", (off("D8"), on("B9", or_else=True)), ("B9", "C7"), "E9", "C7")
    match = replace(START, phase=Phase.PARTIAL, note=either)
    assert draw_match(match).text == ("White to move", "remove D8, or go on to B9")
    frame = draw_match(match, Mode.TOURNAMENT)
    assert (lit(frame), frame.text[1]) == ({}, "not finished")


def test_what_is_left_of_a_ply_that_was_said_already_is_its_own_sides_to_do() -> None:
    note = Partial(0, "E6-E5", (off("J9"),))
    assert draw_match(replace(after("E6-E5"), phase=Phase.PARTIAL, note=note)).text == ("White to move", "remove J9")
    assert draw_match(replace(START, phase=Phase.PARTIAL, note=note)).text == ("White to move", "remove J9")
    other = replace(after("E6-E5"), phase=Phase.PARTIAL, note=Partial(0, "E11-E10", (off("J9"),)))
    assert draw_match(other).text == ("Black to move", "remove J9")


def test_in_a_tournament_nobody_is_told_where_a_chain_goes_on() -> None:
    under_way = Partial(0, "D7-D9xB11", (on("B11"), off("D10")), ("B11",), "D7", "D9")
    assert draw_match(replace(START, phase=Phase.PARTIAL, note=under_way)).text[0] == "White must go on"
    frame = draw_match(replace(START, phase=Phase.PARTIAL, note=under_way), Mode.TOURNAMENT)
    assert (lit(frame), frame.text[1]) == ({}, "not finished")
    at_its_end = Partial(0, "D7-D9xB11", (off("D10"),))
    assert lit(draw_match(replace(START, phase=Phase.PARTIAL, note=at_its_end), Mode.TOURNAMENT)) == {"D10": "wrong*"}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_board_that_is_not_seen_is_a_blinking_cross_and_a_word(cause: str) -> None:
    wrong = replace(START, phase=Phase.TROUBLE, note=Illegal(0, ("E8",), "must-jump", "...", ("E8xE10",)))
    frame = draw_match(wrong, unseen=cause)
    assert lit(frame) == dict.fromkeys(diagonal_cells(GAME.board), "unseen*")
    assert frame.text == (COVERED_TEXT if cause == PATIENT else ("Cannot see board", NOT_SEEN[cause]))
    assert all(0 < len(line) <= COLUMNS for line in frame.text)
    assert frame.beep == (cause != PATIENT)
    assert not draw_match(wrong, "tournament", unseen=cause).beep


def test_the_cross_is_not_skewed() -> None:
    board = load("camelot").board
    under = {board.centres_xy[board.index[cell]] for cell in diagonal_cells(board)}
    middle = [(min(xs) + max(xs)) / 2 for xs in zip(*board.centres_xy, strict=True)]
    assert {(round(2 * middle[0] - x, 6), y) for x, y in under} == {(round(x, 6), y) for x, y in under}
    assert {(x, round(2 * middle[1] - y, 6)) for x, y in under} == {(x, round(y, 6)) for x, y in under}


@pytest.mark.parametrize("name", names())
def test_the_cross_reaches_all_corners_of_every_level(name: str) -> None:
    board = load(name).board
    under = {board.index[cell] for cell in diagonal_cells(board)}
    for level in set(board.levels):
        here = {i for i, on in enumerate(board.levels) if on == level}
        middle = [sum(board.centres_xy[i][axis] for i in here) / len(here) for axis in (0, 1)]
        sides = {tuple(board.centres_xy[i][axis] > middle[axis] for axis in (0, 1)) for i in under & here}
        assert len(sides) == 4
        assert len(under & here) < len(here) / 2 + 1, "a cross, not a field"


def test_a_recording_that_is_over_is_a_steady_cross_unless_the_game_is() -> None:
    frame = draw_match(START, unseen="recording-ended")
    assert lit(frame) == dict.fromkeys(diagonal_cells(GAME.board), "turn")
    assert frame.text == ("Recording over", "White to move")
    over = replace(after("E6-E5"), phase=Phase.OVER, outcome=Outcome("1-0", "castle"))
    assert draw_match(over, unseen="recording-ended") == draw_match(over)


def test_a_target_that_captures_is_marked_as_forced() -> None:
    match = after("J6-K6", "J11-H9", "F7-F5", "G10-G9", "E7-F8")
    shown = lit(draw_match(replace(match, phase=Phase.LIFTED, note=Lifted(0, "H9", ("L5",)))))
    assert shown["L5"] == "forced"


def test_the_end_lights_the_castles_above_the_last_move() -> None:
    over = replace(after("E6-E5"), phase=Phase.OVER, outcome=Outcome("1-0", "castle"))
    assert lit(draw_match(over)) | {"E6": "last", "E5": "last"} == lit(draw_match(over))
    assert lit(draw_match(over))["F16"] == "won*"
    assert draw_match(over).text == ("1-0", "castle")


def test_the_end_blinks_the_last_move_where_there_are_no_castles() -> None:
    game = load("camblam")
    move = game.moves(game.start())[0]
    positions = (game.start(), game.play(game.start(), move))
    frame = draw_match(Match(game, positions, (move,), Phase.OVER, outcome=Outcome("1-0", "checkmate")))
    won = PALETTES["standard"]["won"]
    assert {i for i, rgb in enumerate(frame.rgb) if rgb == won} == {move.origin, move.target} == frame.blink


def test_a_tournament_gets_no_help() -> None:
    lifted = replace(START, phase=Phase.LIFTED, note=Lifted(0, "E6", ("D5", "E5")))
    wrong = replace(START, phase=Phase.TROUBLE, note=Illegal(0, ("E8",), "must-jump", "...", ("E8xE10",)))
    assert lit(draw_match(lifted, "tournament")) == {"E6": "start*"}
    assert lit(draw_match(wrong, "tournament")) == {"E8": "wrong*"}
    assert (draw_match(wrong).beep, draw_match(lifted).beep, draw_match(wrong, "tournament").beep) == (
        True,
        False,
        False,
    )


def test_text_is_not_cut_and_says_who_must_capture() -> None:
    note = Illegal(0, ("E8", "D8", "F8", "G8", "H8"), "must-jump", "...", ("E8xE10", "F7-F5-H7xF9", "C6-C7"))
    frame = draw_match(replace(START, phase=Phase.TROUBLE, note=note))
    assert frame.text == ("ILLEGAL E8 D8 F8 G8 H8", "must jump: E8 F7")
    shown = [frame.at_time(t / 10).text[0] for t in range(60)]
    assert max(map(len, shown)) == COLUMNS
    assert shown[0] == "ILLEGAL E8 D8 F8" and shown.count("LEGAL E8 D8 F8 G8 H8"[-COLUMNS:]) > 5
    assert draw_match(replace(START, phase=Phase.TROUBLE, note=note), "tournament").text[1] == "must jump"
    assert draw_match(after("E6-E5")).text == ("Black to move", "E6-E5")


def test_a_piece_that_may_not_move_shows_those_that_must_capture() -> None:
    match = after("J6-K6", "J11-H9", "F7-F5", "G10-G9", "E7-F8")
    lifted = draw_match(replace(match, phase=Phase.LIFTED, note=Lifted(0, "E10", ())))
    forced = {cell for cell, colour in lit(lifted).items() if colour == "forced"}
    assert forced == {GAME.board.cells[move.origin] for move in match.game.moves(match.position) if move.taken}
    assert lit(lifted)["E10"] == "start*"
    assert lifted.text == ("E10 cannot move", f"{' '.join(text_order(match, forced))} must capture")


def text_order(match: Match, cells: set[str]) -> list[str]:
    return list(
        dict.fromkeys(c for m in match.game.moves(match.position) if (c := GAME.board.cells[m.origin]) in cells)
    )


def test_a_blink_is_half_on_and_half_off() -> None:
    frame = LedFrame(((255, 0, 0),), frozenset({0}))
    assert frame.at_time(0.1 * BLINK_S).rgb == ((255, 0, 0),)
    assert frame.at_time(0.6 * BLINK_S).rgb == (DARK,)


def test_why_something_was_refused_is_lit_step_by_step() -> None:
    """Black must jump: what was tried, the leap over a man, and the man that comes off; nothing else meanwhile."""
    match = after("J6-K6", "J11-H9", "F7-F5", "G10-G9", "E7-F8")
    refused = GAME.read(match.position, "E10-E9")
    assert isinstance(refused, Refusal)
    match = replace(match, phase=Phase.TROUBLE, note=Illegal(1.0, ("E10", "E9"), refused.code, "", refused.instead))
    steps = build_demonstration(
        GAME, match.position, [GAME.board.index["E10"], GAME.board.index["E9"]], refused.instead
    )
    shown = [lit(draw_match(match, step=step)) for step in steps]
    assert shown[0] == {"E10": "wrong*", "E9": "wrong*"}
    leg = next(step for step in steps if step.notation and step.over)
    start, end = (GAME.board.cells[cell] for cell in leg.cells)
    assert lit(draw_match(match, step=leg)) == {start: "start", GAME.board.cells[leg.over[0]]: "last", end: "target*"}
    assert set(shown[-1].values()) == {"wrong*"}
    assert lit(draw_match(match, "tournament", step=steps[1])) == {"E10": "wrong*", "E9": "wrong*"}
    assert set(lit(draw_match(match, unseen="dark", step=steps[1])).values()) == {"unseen*"}
