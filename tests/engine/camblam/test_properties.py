"""What holds in every Camblam position: against the slow reference, under mirrors, and after every move."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.camblam.rules import CODES
from engine.game import Position
from tests.engine.camblam.reference import Text, capturable, lawful
from tests.engine.camblam.setting import BOARD, camblam, placed, results, squares
from tests.examples import examples

READINGS = {
    "": Text(),
    "knight_first_leg=1": Text(knight_first_leg="1"),
    "knight_first_leg=any": Text(knight_first_leg="any"),
    "prince_zero_stages=off,archer_range=2": Text(zero_stages=False, range=2),
    "run_capture_whole=on": Text(whole_run=True),
    "rook_step_captures=off,bishop_step_captures=off,catapult_step_captures=off": Text(steps_capture=False),
}
OTHERS = tuple(code for code in CODES if code and code[1] != "K")


@st.composite
def sparse(draw: st.DrawFn) -> Position:
    """Both kings and up to sixteen other pieces anywhere, crowded about one king so that checks and pins abound."""
    home = draw(st.integers(0, 9)), draw(st.integers(1, 9))
    near = st.builds(lambda f, r: f"{chr(65 + min(11, home[0] + f))}{min(12, home[1] + r)}", *[st.integers(0, 5)] * 2)
    cells = draw(st.lists(st.one_of(near, st.sampled_from(BOARD.cells)), min_size=2, max_size=18, unique=True))
    codes = ["WK", "BK", *draw(st.lists(st.sampled_from(OTHERS), min_size=len(cells), max_size=len(cells)))]
    return placed(draw(st.sampled_from(("white", "black"))), dict(zip(cells, codes, strict=False)))


@st.composite
def played(draw: st.DrawFn) -> Position:
    """A position some random moves after the start."""
    game, position = camblam(), camblam().start()
    for choice in draw(st.lists(st.integers(0, 10**6), max_size=30)):
        moves = game.moves(position)
        if not moves:
            break
        position = game.play(position, moves[choice % len(moves)])
    return position


QUIET = settings(max_examples=examples(25), deadline=None, derandomize=True)


@pytest.mark.exhaustive
@settings(QUIET, max_examples=examples(50))
@given(sparse(), st.sampled_from(sorted(READINGS)))
def test_agrees_with_the_slow_reference(position: Position, setting: str) -> None:
    assert results(camblam(setting), position) == lawful(squares(position), "WB"[position.seat], READINGS[setting])


@given(st.one_of(sparse(), played()))
@QUIET
def test_no_move_leaves_a_capturable_king_or_loses_a_piece(position: Position) -> None:
    before = bytes(position.placement)
    moves = camblam().moves(position)
    assert len(set(moves)) == len(moves) == len(camblam().results(position))
    for move in moves[:12]:
        after = camblam().play(position, move)
        assert position.placement == before
        assert after.seat == 1 - position.seat
        own = [code for code in CODES if code[:1] == "WB"[position.seat]]
        count = sum(after.placement.count(CODES.index(code)) for code in own)
        assert count == sum(before.count(CODES.index(code)) for code in own)
        assert before.count(0) + len(move.taken) == after.placement.count(0)
        assert not capturable(squares(after), "WB"[position.seat], Text())


@given(st.one_of(sparse(), played()))
@QUIET
def test_what_is_written_is_read(position: Position) -> None:
    for move in camblam().moves(position)[::7]:
        assert camblam().read(position, camblam().write(position, move)) == move


@given(st.one_of(sparse(), played()), st.booleans(), st.booleans())
@QUIET
def test_a_mirrored_position_has_the_mirrored_moves(position: Position, files: bool, sides: bool) -> None:
    """Left and right are alike, and so are the sides once the board is turned over."""

    def image(cell: str) -> str:
        file, rank = ord(cell[0]) - 65, int(cell[1:])
        return f"{chr(65 + (11 - file if files else file))}{13 - rank if sides else rank}"

    swap = str.maketrans("WB", "BW") if sides else {}
    cells = {
        image(name): CODES[piece][0].translate(swap) + CODES[piece][1]
        for name, piece in zip(BOARD.cells, position.placement, strict=True)
        if piece
    }
    there = placed(("white", "black")[position.seat ^ sides], cells)
    expected = {
        (image(origin), image(to), tuple(sorted(map(image, taken))))
        for origin, to, taken in results(camblam(), position)
    }
    assert results(camblam(), there) == expected
    assert (camblam().outcome(there) is None) == (camblam().outcome(position) is None)
