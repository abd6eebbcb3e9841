"""Three ways in which a written move fails, and what people write that is read all the same."""

from __future__ import annotations

import pytest

from engine import games
from engine.text.notation import AmbiguousMoveError, IllegalMoveError, UnreadableMoveError, format_move, parse_move
from tests.engine.stand import stand

SAME = ["E6-C8", "e6-c8", " E6-C8 ", "E6^C8", "e6^c8!", "E6-C8??", "E6-C8!?"]


@pytest.mark.parametrize("text", SAME)
def test_ways_to_write_a_move(text: str) -> None:
    game = games.load("camelot")
    move = parse_move(game, game.start(), text)
    assert format_move(game, game.start(), move) == "E6-C8"


def test_a_jump_may_be_written_with_a_dash() -> None:
    game, position = stand("camelot", "white", "WM E5 A4, BM E6 L13")
    assert format_move(game, position, parse_move(game, position, "E5-E7")) == "E5xE7"


@pytest.mark.parametrize(
    "text", ["", "E6", "E6C8", "E6-", "-E6", "E6--C8", "0-0", "E6-C8 D7", "♞E6-C8", "E6-C888", "x" * 999]
)
def test_what_is_no_move_is_called_unreadable_in_a_short_line(text: str) -> None:
    game = games.load("camelot")
    with pytest.raises(UnreadableMoveError) as error:
        parse_move(game, game.start(), text)
    assert error.value.refusal.code == "unreadable"
    assert len(str(error.value)) < 250


def test_off_the_board_is_unreadable_illegal_is_not() -> None:
    game = games.load("camelot")
    with pytest.raises(UnreadableMoveError, match="A1"):
        parse_move(game, game.start(), "A1-A2")
    with pytest.raises(IllegalMoveError, match="occupied"):
        parse_move(game, game.start(), "E6-E7")


def test_ambiguous_names_the_ways() -> None:
    game, position = stand("camelot", "white", "WM E5 A4, BM E6 F7 F5 G6 H7 L13")
    with pytest.raises(AmbiguousMoveError) as error:
        parse_move(game, position, "E5-I7")
    assert set(error.value.refusal.instead) >= {"E5xE7xG7xI7", "E5xG5xG7xI7"}


@pytest.mark.parametrize("text", ["1B2-3B2", "1b2^3b2"])
def test_cells_of_several_levels_are_read_and_written(text: str) -> None:
    game = games.load("cam-3d")
    assert format_move(game, game.start(), parse_move(game, game.start(), text)) == "1B2-3B2"


def test_canonical_paths_are_short_then_alphabetical() -> None:
    game, position = stand("camelot", "white", "WM E5 E6 F5 F7 G6 E3, BM L13 L12")
    found = {format_move(game, position, m) for m in game.moves(position) if m.target == game.board.index["G7"]}
    assert "E5-E7-G7" in found
    assert "E5-G5-G7" not in found
