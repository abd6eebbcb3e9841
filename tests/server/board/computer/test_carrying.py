"""The computer's move while it is carried out: its steps go round, and what was made of it instead is told by cells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from device.lights import DARK, PALETTES, LedFrame, draw_match
from engine import games
from engine.explain.demonstration import StepKind
from engine.explain.entrusted import EntrustedView
from engine.game import Move
from engine.match.events import Illegal, Lifted
from engine.match.judging import Looked, State, apply_input
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.computer.carrying import STEP_S, WHOLE_STEPS, CarryingState
from server.board.computer.opponents import EngineAdvice
from tests.engine.sights import changed, line, move_named, seen
from tests.engine.stand import stand

COLOURS = PALETTES["standard"]


def asked(text: str, *pieces: str) -> tuple[Match, EngineAdvice]:
    """A match in which the computer, White, wants that move."""
    game, position = stand("camelot wcf", "white", *pieces) if pieces else (games.load("camelot", "wcf"), None)
    match = replace(new_match(game, position), phase=Phase.PLAYING)
    move = game.read(match.position, text)
    assert isinstance(move, Move)
    return match, EngineAdvice(0, match.position, move)


def names(match: Match, cells: tuple[int, ...]) -> list[str]:
    return [match.game.board.cells[cell] for cell in cells]


def test_the_piece_each_leg_and_what_it_takes_are_lit_in_turn_and_then_the_whole() -> None:
    match, advice = asked("E7xE9xE11", "WM E7, BM E8, BM E10, BM J13")
    carrying = CarryingState()
    shown = []
    for number in range(4 + WHOLE_STEPS + 1):
        t = 50.0 + number * STEP_S
        carrying.follow_match(advice, match, t, helps=True)
        step = carrying.carried_at(t).step
        shown.append((step.deed, names(match, step.cells), names(match, step.over)) if step else None)
    assert shown[:4] == [
        (StepKind.LIFT, ["E7"], []),
        (StepKind.LEG, ["E7", "E9"], ["E8"]),
        (StepKind.LEG, ["E9", "E11"], ["E10"]),
        (StepKind.TAKE, ["E8", "E10"], []),
    ]
    assert shown[4:] == [None] * WHOLE_STEPS + [shown[0]]
    frame = draw_match(match, advice=carrying.carried_at(50.0))
    cell = match.game.board.index["E7"]
    assert frame.rgb[cell] == COLOURS["start"] and frame.blink == {cell}
    assert frame.text == ("White plays", "E7xE9xE11")
    assert draw_match(match, "tournament", advice=carrying.carried_at(50.0)) == replace(frame, beep=False)


def test_with_its_piece_in_the_air_the_legs_go_on_and_with_another_the_whole_is_shown() -> None:
    match, advice = asked("D6-D5")
    carrying = CarryingState()
    for cell, deeds in (("D6", ["leg"]), ("E6", [])):
        lifted = replace(match, phase=Phase.LIFTED, note=Lifted(0.0, cell, ()))
        carrying.follow_match(advice, lifted, 0.0, helps=True)
        told = carrying.to_json(lifted, 0.0)["steps"]
        assert isinstance(told, list) and [step["deed"] for step in told] == deeds


def under_way(match: Match, *shown: str) -> Match:
    """The match once each placement was shown for a while."""
    state, t = State(match), 0.0
    for changes in ("", *shown):
        for _ in range(6):
            t += 0.2
            sight = seen(match.game, changed(match.game, match.position.placement, changes), t)
            state = apply_input(state, Looked(t, sight, 97)).state
    return state.match


@pytest.mark.parametrize(
    ("text", "shown", "steps", "lit"),
    [
        ("C6-A4xC4", ("C6-C4",), [("take", ["B4"])], {"B4": "wrong*"}),
        (
            "C6-A4xC4",
            ("C6-A4",),
            [("leg", ["A4", "C4"]), ("take", ["B4"])],
            {"A4": "start*", "C4": "target", "B4": "wrong*"},
        ),
        (
            "C6-C4xA4",
            ("C6-C4",),
            [("leg", ["C4", "A4"]), ("take", ["B4"])],
            {"C4": "start*", "A4": "target", "B4": "wrong*"},
        ),
        ("C6-C4xA4", ("C6-C4", "C6- B4-"), [("leg", ["C4", "A4"])], {"C4": "start*", "A4": "target"}),
        ("C6-A4xC4", ("B4-",), [("lift", ["C6"]), ("leg", ["C6", "A4"]), ("leg", ["A4", "C4"])], None),
    ],
)
def test_while_its_capture_is_under_way_what_is_left_of_it_is_shown(
    text: str, shown: tuple[str, ...], steps: list[tuple[str, list[str]]], lit: dict[str, str] | None
) -> None:
    """Another way may go on from where its piece stands, or end there: that is not the one that is wanted."""
    game = games.load("camette", "wcf")
    positions, moves = line(game, "C3-B4")
    match = under_way(Match(game, tuple(positions), tuple(moves), Phase.PLAYING, ready=True), *shown)
    assert match.phase is Phase.PARTIAL
    move = move_named(game, positions[-1], text)
    advice, carrying = EngineAdvice(1, match.position, move), CarryingState()
    carrying.follow_match(advice, match, 0.0, helps=True)
    told = carrying.to_json(match, 0.0)
    assert isinstance(told["steps"], list) and [(step["deed"], step["cells"]) for step in told["steps"]] == steps
    assert (told["wrong"], told["left"]) == ([], [])
    frame = draw_match(match, advice=carrying.carried_at(len(steps) * STEP_S))
    assert frame.text == ("Black plays", text)
    if lit is not None:
        assert name_lit(match, frame) == lit
    carrying.follow_match(advice, match, 0.0, helps=False)
    assert carrying.carried_at(0.0).move is None, "in a tournament nobody is helped"


def name_lit(match: Match, frame: LedFrame) -> dict[str, str]:
    """Cell -> colour name, with a `*` where it blinks."""
    colours = {colour: name for name, colour in COLOURS.items()}
    cells = zip(match.game.board.cells, frame.rgb, strict=True)
    return {cell: colours[rgb] + "*" * (i in frame.blink) for i, (cell, rgb) in enumerate(cells) if rgb != DARK}


def test_a_capture_that_is_not_on_the_way_of_the_move_is_told_by_its_cells() -> None:
    match, advice = asked("D7xD9xB11", "WM D7, BM D8, BM C10, BM D10, BM L12")
    match = under_way(replace(match, ready=True), "D7-D11")
    carrying = CarryingState()
    carrying.follow_match(advice, match, 0.0, helps=True)
    told = carrying.to_json(match, 0.0)
    assert match.phase is Phase.PARTIAL and told["steps"] == []
    assert (told["wrong"], set(told["left"])) == (["D11"], {"D8", "C10", "B11"})  # type: ignore[call-overload]  # lists
    assert draw_match(match, advice=carrying.carried_at(0.0)).text == ("Wrong move made", "D11")


def test_the_answer_to_the_move_is_not_taken_for_it() -> None:
    game, start = stand("camelot wcf", "white", "WM D7, WM G6, BM D9, BM D11, BM L12")
    move = move_named(game, start, "D7-D8")
    advice = EngineAdvice(0, start, move)
    after = game.play(start, move)
    match = under_way(Match(game, (start, after), (move,), Phase.PLAYING, ready=True), "D9-D7")
    carrying = CarryingState()
    carrying.follow_match(advice, match, 0.0, helps=True)
    assert match.phase is Phase.PARTIAL and carrying.carried_at(0.0) == EntrustedView()


def test_another_lawful_move_is_told_by_the_cells_that_differ_until_it_is_taken_back_or_answered() -> None:
    match, advice = asked("D6-D5")
    other = match.game.read(match.position, "E6-E5")
    assert isinstance(other, Move)
    made = replace(match, positions=(match.position, match.game.play(match.position, other)), moves=(other,))
    carrying = CarryingState()
    carrying.follow_match(advice, made, 0.0, helps=True)
    told = carrying.to_json(made, 0.0)
    assert (set(told["wrong"]), set(told["left"])) == ({"E6", "E5"}, {"D6", "D5"})  # type: ignore[call-overload]  # lists
    frame, index = draw_match(made, advice=carrying.carried_at(0.0)), match.game.board.index
    assert [frame.rgb[index[cell]] for cell in ("E6", "E5", "D6", "D5")] == [
        COLOURS[name] for name in ("wrong", "wrong", "start", "target")
    ]
    assert frame.text[0] == "Wrong move made"
    carrying.follow_match(advice, match, 1.0, helps=True)
    assert carrying.carried_at(1.0).astray is None and carrying.carried_at(1.0).step is not None
    carrying.follow_match(advice, made, 2.0, helps=False)
    assert carrying.carried_at(2.0).astray is None, "in a tournament nobody is helped"


def test_no_move_at_all_is_told_by_the_cells_that_the_move_does_not_change_so() -> None:
    match, advice = asked("E7xE9", "WM E7, BM E8, BM J13, WM C4")
    for cells, wrong, left in (
        (("E7", "H9"), ["H9"], ["E8", "E9"]),
        (("E7", "E9", "C4"), ["C4"], ["E8"]),
        (("E7", "E8", "E9"), ["E7", "E8", "E9"], []),  # the right cells, and still no move: the wrong piece is there
    ):
        note = Illegal(0.0, cells, "not-a-move", "That is no move.", ())
        trouble = replace(match, phase=Phase.TROUBLE, note=note)
        carrying = CarryingState()
        carrying.follow_match(advice, trouble, 0.0, helps=True)
        told = carrying.to_json(trouble, 0.0)
        assert (sorted(told["wrong"]), sorted(told["left"])) == (wrong, left)  # type: ignore[call-overload]  # lists
        frame = draw_match(trouble, advice=carrying.carried_at(0.0))
        assert all(frame.rgb[trouble.game.board.index[cell]] == COLOURS["wrong"] for cell in wrong)
