"""Which plies would explain a board that stands further than its record."""

from __future__ import annotations

from engine.belief.further import MOST_CELLS, find_missed_plies
from engine.games import load
from tests.engine.sights import line, seen

GAME = load("camelot", "wcf")


def wrong_cells(placement: bytes) -> list[int]:
    return [c for c, (was, now) in enumerate(zip(GAME.start().placement, placement, strict=True)) if was != now]


def test_one_ply_and_two_plies_are_found_first_where_they_were_played() -> None:
    positions, moves = line(GAME, "J6-K6 J11-H9")
    for plies in (1, 2):
        after = positions[plies]
        scores = seen(GAME, after.placement).scores
        best = find_missed_plies(GAME, GAME.start(), scores, wrong_cells(after.placement))[0]
        assert best[0] == moves[:plies]
        assert best[1].placement == after.placement


def test_a_board_that_is_right_and_one_that_is_too_wrong_ask_nothing() -> None:
    scores = seen(GAME, GAME.start().placement).scores
    assert find_missed_plies(GAME, GAME.start(), scores, []) == []
    assert find_missed_plies(GAME, GAME.start(), scores, range(MOST_CELLS + 1)) == []


def test_a_piece_that_is_only_gone_is_no_ply() -> None:
    position = GAME.start()
    gone = GAME.board.index["J6"]
    placement = bytearray(position.placement)
    placement[gone] = 0
    found = find_missed_plies(GAME, position, seen(GAME, bytes(placement)).scores, [gone])
    assert all(move.path[0] == gone for line_, _ in found for move in line_[:1])
