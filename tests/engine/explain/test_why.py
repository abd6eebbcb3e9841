"""What stands on the board after a wrong move, and why it is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.explain.why import why_placement
from engine.game import Game, Position, Refusal
from tests.engine.positions_drawn import FAMILY, load, played
from tests.engine.stand import stand

FAR = ", WM A4 A5, BM L13 L12"

PLACEMENTS = [
    ("nothing moved", "E5", "", "not-a-move"),
    ("a step of two", "E5>E7", "WM E5", "not-a-move"),
    ("onto a friend's cell no piece can be", "E5>E6 E6>E5", "WM E5, WN E6", "not-a-move"),
    ("an enemy replaced", "E5>E6", "WM E5, BM E6 E7", "occupied"),
    ("the other side's piece", "L13>K13", "WM E5", "not-yours"),
    ("two pieces", "E5>E6 A4>B4", "WM E5", "not-a-move"),
    ("a piece taken away", "E5>", "WM E5", "not-a-move"),
    ("a piece from nowhere", ">E6:WM", "WM E5", "no-piece"),
    ("an enemy taken away", "L13>", "WM E5", "not-a-move"),
    ("a jump ignored", "A4>B4", "WM E5, BM E6", "must-jump"),
    ("a chain not finished", "E5>E7 E6>", "WM E5, BM E6 E8", "must-continue"),
    ("a man that charges", "E5>E9 E8>", "WM E5 E6, BM E8", "men-cannot-charge"),
    ("a canter after a jump", "E5>E9 E6>", "WN E5, BM E6, WM E8", "order-canter-then-jump"),
    ("into the own castle", "E2>F1", "WM E2", "own-castle"),
    ("out of the enemy castle", "F16>F15", "WM F16", "in-castle"),
    ("staying in the own castle", "A4>B4", "WM F1", "must-leave-castle"),
    ("walking out of it", "F1>G2", "WM F1, BM F2", "must-jump-out"),
    ("a knight that passes a jump", "E5>E7", "WN E5, WM E6, BM E8", "must-capture-after-canter"),
    ("one piece too many taken", "E5>E7 E6> L13>", "WM E5, BM E6", "not-a-move"),
    ("the taken piece left", "E5>E7", "WM E5, BM E6", "not-a-move"),
    ("another piece put there", "E5>E6:WN", "WM E5", "not-a-move"),
]  # fmt: skip


def changed(game: Game, position: Position, changes: str) -> bytes:
    """`changes` is "E5>E7 E6>": from one cell to another, or off the board; ">E6:WM" puts one there."""
    cells = bytearray(position.placement)
    for change in changes.split():
        origin, arrow, target = change.partition(">")
        if not arrow:
            continue
        cell, _, code = target.partition(":")
        piece = position.placement[game.board.index[origin]] if origin else 0
        if origin:
            cells[game.board.index[origin]] = 0
        if cell:
            cells[game.board.index[cell]] = game.codes.index(code) if code else piece
    return bytes(cells)


@pytest.mark.parametrize(("what", "changes", "pieces", "code"), PLACEMENTS, ids=[row[0] for row in PLACEMENTS])
def test_an_unlawful_placement_is_refused_by_the_rule_it_breaks(
    what: str, changes: str, pieces: str, code: str
) -> None:
    game, position = stand("camelot wcf", "white", pieces + FAR)
    refusal = why_placement(game, position, changed(game, position, changes))
    assert refusal.code == code, refusal
    lawful = {game.write(position, move) for move in game.paths(position)}
    assert set(refusal.instead) <= lawful


def test_must_jump_names_the_jumps() -> None:
    game, position = stand("camelot wcf", "white", "WM E8, BM E9" + FAR)
    refusal = game.read(position, "A4-B4")
    assert isinstance(refusal, Refusal) and refusal.code == "must-jump"
    assert refusal.instead == ("E8xE10",)
    assert "E8" in refusal.message


@pytest.mark.parametrize("name", FAMILY)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_any_wrong_placement_has_an_answer(name: str, data: st.DataObject) -> None:
    """One piece set down anywhere, up to three pieces taken off: always a refusal, or it was lawful."""
    game = load(name)
    position = data.draw(played(game, longest=12))
    cells = st.integers(0, len(position.placement) - 1)
    occupied = st.sampled_from([cell for cell, piece in enumerate(position.placement) if piece])
    placement = bytearray(position.placement)
    origin, target = data.draw(occupied), data.draw(cells)
    placement[target], placement[origin] = position.placement[origin], 0
    for cell in data.draw(st.lists(occupied, max_size=3)):
        placement[cell] = 0
    lawful = {game.play(position, move).placement for move in game.moves(position)}
    if bytes(placement) not in lawful:
        refusal = why_placement(game, position, bytes(placement))
        assert refusal.code
        assert refusal.message.endswith(".")
