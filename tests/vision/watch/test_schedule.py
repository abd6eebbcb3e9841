"""A frame is read as soon as something new can be read, and after that less and less often."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.sight.align import STAYED, Place
from vision.sight.seeing import READ_S, SeenBoard
from vision.watch.schedule import AGAIN_S, LOOK_AT_S, Schedule, rest_of

CELLS, FPS = 6, 20.0


def seen(t: float, still_s: float = 5.0, touched: tuple[int, ...] = (), unreadable: tuple[int, ...] = ()) -> SeenBoard:
    """A frame in which the cells `touched` have been still for so long, and the others for ever."""
    flags = np.zeros((3, CELLS), bool)
    flags[0] = True
    flags[0, list(unreadable)] = False
    flags[1, list(touched)] = True
    still = np.full(CELLS, 100.0)
    still[list(touched)] = still_s
    return SeenBoard(t, flags[0], still, flags[1], flags[2], flags[2], False, Place(STAYED, 1.0, 0.0, 1.0, 0.0))


def looks(schedule: Schedule, seconds: float, touched: tuple[int, ...] = (1,)) -> list[float]:
    """How long the cells had been still at each look."""
    times = [step / FPS for step in range(1, round(seconds * FPS) + 1)]
    return [t for t in times if schedule.is_due(seen(t, t, touched), begun=True)]


def test_nothing_is_read_while_nothing_is_touched() -> None:
    schedule = Schedule()
    assert not any(schedule.is_due(seen(step / FPS), begun=True) for step in range(100))


def test_what_was_touched_is_read_as_soon_as_it_is_still() -> None:
    assert looks(Schedule(), 1.0)[0] == pytest.approx(READ_S, abs=1 / FPS)


def test_a_board_at_rest_is_looked_at_ever_more_rarely() -> None:
    found = looks(Schedule(), LOOK_AT_S[-1] + 5 * AGAIN_S)
    assert len(found) == len(LOOK_AT_S) + 5
    assert np.allclose(found[: len(LOOK_AT_S)], LOOK_AT_S, atol=1 / FPS)
    assert np.allclose(np.diff(found[len(LOOK_AT_S) - 1 :]), AGAIN_S, atol=1 / FPS)


def test_another_cell_that_waits_is_read_at_once() -> None:
    schedule = Schedule()
    looks(schedule, 3.0)
    assert not schedule.is_due(seen(3.05, 3.05, (1,)), begun=True)
    both = seen(3.1, 0.15, (1, 2))
    assert schedule.is_due(both, begun=True)


def test_what_cannot_be_read_is_not_waited_for() -> None:
    """A hand over one cell does not keep another from being read."""
    schedule = Schedule()
    assert schedule.is_due(seen(1.0, 0.2, (1, 2), unreadable=(2,)), begun=True)
    assert not Schedule().is_due(seen(1.0, 0.2, (2,), unreadable=(2,)), begun=True)


def test_before_the_game_all_of_the_board_must_be_still() -> None:
    schedule = Schedule()
    assert not schedule.is_due(seen(1.0, 5.0, (), unreadable=(3,)), begun=False)
    assert schedule.is_due(seen(1.0), begun=False)


def test_before_the_game_a_cell_that_flickers_among_many_is_not_waited_for() -> None:
    """In the pictures of a coarse codec one cell or another always stirs: a game was not begun for nine seconds."""
    many = 144
    readable = np.ones(many, bool)
    readable[[3, 70]] = False
    none = np.zeros(many, bool)
    place = Place(STAYED, 1.0, 0.0, 1.0, 0.0)
    flickers = SeenBoard(1.0, readable, np.where(readable, 0.5, 0.0), none, none, none, False, place)
    assert Schedule().is_due(flickers, begun=False)
    readable[:10] = False
    assert not Schedule().is_due(flickers, begun=False)


def test_asked_to_read_again_it_does() -> None:
    schedule = Schedule()
    looks(schedule, 3.0)
    assert not schedule.is_due(seen(3.05, 3.05, (1,)), begun=True)
    schedule.retry_soon()
    assert schedule.is_due(seen(3.1, 3.1, (1,)), begun=True)


@settings(max_examples=50, deadline=None)
@given(st.sets(st.integers(0, CELLS - 1), min_size=1), st.integers(2, 40))
def test_every_rest_is_read_at_least_once(touched: set[int], frames: int) -> None:
    schedule = Schedule()
    due = [schedule.is_due(seen(step / FPS, step / FPS, tuple(touched)), begun=True) for step in range(1, frames + 1)]
    assert any(due)


def test_how_long_the_last_of_some_cells_has_rested() -> None:
    one = replace(seen(9.0, 0.5, (1,)), still_s=np.array([4.0, 0.5, 3.0, 9.0, 9.0, 9.0]))
    assert rest_of(one, np.array([True, True, True, False, False, False])) == 0.5
    assert rest_of(one, np.zeros(CELLS, bool)) == 9.0
