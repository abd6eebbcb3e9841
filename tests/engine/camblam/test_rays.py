"""Lines of cells on boards of different shape."""

from __future__ import annotations

import pytest

from engine.camblam.rays import RAYS_ORTHOGONAL, find_line_between, list_neighbours, trace_line, trace_lines
from engine.games import load

SQUARE = load("camblam").board
CAMELOT = load("camelot").board


@pytest.mark.parametrize(
    ("start", "step", "met"),
    [
        ("J3", (1, 0, 0), "K3 L3"),
        ("A10", (0, 1, 0), "A11 A12"),
        ("C3", (-1, -1, 0), "B2 A1"),
        ("L12", (1, 1, 0), ""),
    ],
)
def test_a_line_ends_with_the_board(start: str, step: tuple[int, int, int], met: str) -> None:
    assert [SQUARE.cells[cell] for cell in trace_line(SQUARE, SQUARE.index[start], step)] == met.split()


def test_a_line_ends_where_an_outline_does() -> None:
    assert [CAMELOT.cells[cell] for cell in trace_line(CAMELOT, CAMELOT.index["C14"], (0, 1, 0))] == ["C15"]


def test_lines_of_a_corner() -> None:
    corner = SQUARE.index["A1"]
    assert [len(way) for way in trace_lines(SQUARE, RAYS_ORTHOGONAL)[corner]] == [11, 11]
    assert [SQUARE.cells[cell] for cell in list_neighbours(SQUARE, RAYS_ORTHOGONAL)[corner]] == ["A2", "B1"]


@pytest.mark.parametrize(("start", "end", "way"), [("A1", "A3", "A2 A3"), ("D4", "B2", "C3 B2"), ("A1", "B3", "")])
def test_the_way_from_one_cell_to_another_is_walked_cell_by_cell(start: str, end: str, way: str) -> None:
    found = find_line_between(SQUARE, SQUARE.index[start], SQUARE.index[end])
    assert [SQUARE.cells[cell] for cell in found] == way.split()
