"""The computer's move while it is carried out: its steps go round, and what was made of it instead is told by cells."""

from __future__ import annotations

from dataclasses import replace

from device.lights import PALETTES, draw_match
from engine import games
from engine.explain.demonstration import StepKind
from engine.game import Move
from engine.match.events import Illegal, Lifted
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.computer.carrying import STEP_S, WHOLE_STEPS, CarryingState
from server.board.computer.opponents import EngineAdvice
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
