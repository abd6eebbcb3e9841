"""Which pieces stand where only looks are seen."""

from __future__ import annotations

from engine.as_read import find_guessed_cells, infer_placement
from engine.games import load
from tests.engine.sights import changed

CAMELOT = load("camelot", "wcf")
START = CAMELOT.start().placement


def looks(placement: bytes) -> list[int]:
    return [CAMELOT.look_of[piece] for piece in placement]


def test_what_looks_as_it_did_is_as_it_was() -> None:
    assert infer_placement(CAMELOT, START, looks(START)) == START


def test_the_nearest_piece_that_has_gone_stands_where_one_has_come() -> None:
    moved = changed(CAMELOT, changed(CAMELOT, START, "C6-B5"), "H6-H5")  # a knight and a man
    assert infer_placement(CAMELOT, START, looks(moved)) == moved


def test_what_was_taken_off_is_gone_and_one_more_is_of_the_commonest_kind() -> None:
    fewer = changed(CAMELOT, START, "H11-")
    assert infer_placement(CAMELOT, START, looks(fewer)) == fewer
    more = bytearray(START)
    man = CAMELOT.codes.index("WM")
    more[CAMELOT.board.index["A8"]] = man
    assert infer_placement(CAMELOT, START, looks(bytes(more))) == bytes(more)


def guessed(*changes: str) -> set[str]:
    seen = START
    for change in changes:
        seen = changed(CAMELOT, seen, change)
    return {CAMELOT.board.cells[cell] for cell in find_guessed_cells(CAMELOT, START, looks(seen))}


def test_which_piece_came_is_a_guess_where_several_kinds_have_gone_or_none() -> None:
    assert guessed() == set()
    assert guessed("H6-H5", "G6-G5") == set(), "two men"
    assert guessed("C6-B5", "H6-H5") == {"B5", "H5"}, "a knight and a man"
    assert guessed("C6-B5", "H11-H10") == set(), "of different looks"
    assert guessed("H6-") == set(), "taken off"
    more = bytearray(START)
    more[CAMELOT.board.index["A8"]] = CAMELOT.codes.index("WM")
    assert find_guessed_cells(CAMELOT, START, looks(bytes(more))) == (CAMELOT.board.index["A8"],)
