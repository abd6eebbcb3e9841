"""How games end: by castle, capture, lack of moves or material, and by claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import games
from engine.errors import InputError
from engine.game import Outcome, Position, result_text
from engine.match.course import find_claim
from tests.engine.stand import stand

ENDS = [
    ("two in the enemy castle", "camelot wcf", "black", "WM F16 G16, BM E5 A7", ("1-0", "castle")),
    ("one is not enough", "camelot wcf", "black", "WM F16 A4, BM E5 A7", None),
    ("own castle does not win", "camelot wcf", "black", "WM F1 G1, BM E5 A7", None),
    ("black too", "camelot brainking", "white", "WM E5 A4, BM F1 G1", ("0-1", "castle")),
    ("all captured", "camelot brainking", "black", "WM E5", ("1-0", "captured-all")),
    ("all captured with two left", "camelot wcf", "black", "WM E5 A4", ("1-0", "captured-all")),
    ("all captured with one left", "camelot wcf", "black", "WM E5", ("1/2-1/2", "captured-all")),
    ("one each", "camelot wcf", "white", "WM E5, BM E9", ("1/2-1/2", "material")),
    ("one each", "camelot brainking", "white", "WM E5, BM E9", ("1/2-1/2", "material")),
    ("no moves", "camelot brainking", "white", "WM A4, BM A5 A6 B3 C2 B4 C4 B5 C6", ("0-1", "no-moves")),
    ("no moves", "camelot wcf", "white", "WM A4, BM A5 A6 B3 C2 B4 C4 B5 C6", ("0-1", "no-moves")),
    ("no moves against one", "camelot wcf,one_each_draws=off", "white", "WM F16, BM G16", ("1/2-1/2", "no-moves")),
    ("no moves against one", "camelot brainking,one_each_draws=off", "white", "WM F16, BM G16", ("0-1", "no-moves")),
    ("three: the left-hand castle", "tri-camelot", "red", "BM A16, RM D13, GM H13", ("1-0-0", "castle")),
    ("three: red", "tri-camelot", "green", "BM D5, RM K16, GM H13", ("0-1-0", "castle")),
    ("three: green", "tri-camelot", "blue", "BM D5, RM D13, GM F1", ("0-0-1", "castle")),
    ("three: nobody left but one", "tri-camelot", "red", "BM D5", ("1-0-0", "captured-all")),
    ("three: two go on", "tri-camelot", "red", "BM D5, RM D13", None),
    ("three: who cannot move passes", "tri-camelot", "blue", "BM F1, RM D3 E2 F3 G2 H3 F5 C8, GM I8", None),
    ("cam 3-d: one in the castle", "cam-3d", "black", "WM 3C8, BM 3A3", ("1-0", "castle")),
    ("cam 3-d: all captured by one", "cam-3d", "white", "BM 3A3", ("0-1", "captured-all")),
    ("cam 3-d: one each goes on", "cam-3d", "white", "WM 1A3, BM 3A5", None),
    ("cam: one in the castle", "cam", "black", "WM D13 A4, BM E5 A7", ("1-0", "castle")),
    ("chivalry: two in the castle", "chivalry", "black", "WM G16 H16, BM E5 A7", ("1-0", "castle")),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "game", "side", "pieces", "expected"), ENDS, ids=[f"{r[0]} {r[1]}" for r in ENDS])
def test_a_game_ends_as_the_rules_say(
    rule: str, game: str, side: str, pieces: str, expected: tuple[str, str] | None
) -> None:
    found, position = stand(game, side, pieces)
    outcome = found.outcome(position)
    assert (outcome and (outcome.result, outcome.reason)) == expected
    if outcome:
        assert not found.moves(position)
        assert not list(found.paths(position))


def test_who_cannot_move_is_passed_over() -> None:
    game, position = stand("tri-camelot", "green", "BM F1, RM D3 E2 F3 G2 H3 F5 C8, GM I8")
    after = game.play(position, game.moves(position)[0])
    assert game.seats[after.seat] == "red"


def test_without_pieces_is_skipped() -> None:
    game, position = stand("tri-camelot", "blue", "BM D5 F5, GM I8")
    after = game.play(position, game.moves(position)[0])
    assert game.seats[after.seat] == "green"


def test_a_game_in_which_nobody_can_move_is_drawn() -> None:
    game, position = stand("tri-camelot", "blue", "BM F1, RM A16, GM K16")
    full = bytes(piece or game.codes.index("RM") for piece in position.placement)
    assert game.outcome(replace(position, placement=full)) == Outcome("1/3-1/3-1/3", "no-moves")


def test_who_resigns_loses_and_of_three_the_others_play_on() -> None:
    game, position = stand("camelot wcf", "white", "WM E5 A4, BM E9 A9")
    assert game.resign(position, 0) == Outcome("0-1", "resigned")
    three, position = stand("tri-camelot", "blue", "BM D5, RM D13, GM H13")
    left = three.resign(position, 0)
    assert isinstance(left, Position)
    assert three.seats[left.seat] == "red"
    assert left.placement.count(0) == 71
    assert three.resign(left, 1) == Outcome("0-0-1", "resigned")


def _shuffle(rules: str, times: int) -> tuple[Position, ...]:
    """A knight each side steps out and back, `times` times over."""
    game, position = stand(rules, "white", "WN C6 D6, BN C11 D11")
    line = [position]
    for text in ("C6-C5", "C11-C12", "C5-C6", "C12-C11") * times:
        move = next(m for m in game.moves(line[-1]) if game.write(line[-1], m) == text)
        line.append(game.play(line[-1], move))
    return tuple(line)


def test_repetition_is_claimed_at_the_third_time() -> None:
    game = games.load("camelot", "wcf")
    line = _shuffle("camelot wcf", 2)
    assert find_claim(game, line[:-1]) is None
    assert find_claim(game, line) == Outcome("1/2-1/2", "repetition")


def test_quiet_moves_are_claimed() -> None:
    game = games.load("camelot", "wcf,repetition_claim=0")
    line = _shuffle("camelot wcf", 25)
    assert find_claim(game, line[:-1]) is None
    assert find_claim(game, line) == Outcome("1/2-1/2", "quiet-moves")
    assert find_claim(games.load("camelot", "brainking"), line) is None


def test_captures_and_castle_entries_are_progress() -> None:
    game, position = stand("camelot wcf", "white", "WM E5 F15 A4, BM E6 L13")
    jump = next(m for m in game.moves(position) if m.taken)
    assert game.progressed(position, game.play(position, jump))
    game, position = stand("camelot wcf", "white", "WM F15 A4, BM E6 L13")
    for text, progress in (("F15-F16", True), ("A4-A5", False)):
        move = next(m for m in game.moves(position) if game.write(position, m) == text)
        assert game.progressed(position, game.play(position, move)) is progress
    game, position = stand("camelot wcf", "white", "WM F16 A4, BM E6 L13")
    move = next(m for m in game.moves(position) if m.kind == "castle")
    assert not game.progressed(position, game.play(position, move))


def test_results_are_written_for_two_and_for_three_players() -> None:
    assert [result_text(2, winner) for winner in (0, 1, None)] == ["1-0", "0-1", "1/2-1/2"]
    assert result_text(3, None) == "1/3-1/3-1/3"


def test_unknown_names_are_named() -> None:
    for call in (lambda: games.load("chess"), lambda: games.load("cam", "bk"), lambda: games.load("cam").start("x")):
        with pytest.raises(InputError, match="choose from"):
            call()
