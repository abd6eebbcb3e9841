"""On every map that comes along no unlit cell ever looks lit, and each lit one is told."""

from __future__ import annotations

from itertools import islice

import pytest

from device.lights import LedFrame
from engine.games import load
from tests.bench.count_lookalikes import GAMES as BOARDS
from tests.bench.count_lookalikes import Count, count, lifts, maps
from tests.bench.light_states import GAMES, STATES, shown

CASES = [(game, name) for game in BOARDS for name in maps(game)]
LIFTS = 150
MOST_TURNS = {"camelot-corners.toml": 4, "camelot-frame.toml": 8}
"""Of lifts: three seconds until all was shown, and six on a frame, seen in 1,274 and 492 lifts."""


@pytest.mark.parametrize(("game", "name"), CASES)
def test_no_unlit_cell_looks_lit_when_a_piece_is_lifted(game: str, name: str) -> None:
    got = count(maps(game)[name], islice(lifts(game, LIFTS, 1), LIFTS))
    assert (got.lifts, got.lookalikes, got.untold) == (LIFTS, 0, 0)
    assert got.most_turns <= MOST_TURNS.get(name, 1)


@pytest.mark.parametrize("name", MOST_TURNS)
@pytest.mark.parametrize("state", STATES)
def test_nor_in_any_other_state(state: str, name: str) -> None:
    leds = maps("camelot")[name]
    got = count(leds, iter([shown(load("camelot", GAMES["camelot"]), state).frame]))
    assert (got.lookalikes, got.untold) == (0, 0)


def test_the_count_finds_what_is_lit_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.bench.count_lookalikes.split_into_turns", lambda frame, leds: frame)
    leds = maps("camelot")["camelot-corners.toml"]
    got: Count = count(leds, islice(lifts("camelot", LIFTS, 1), LIFTS))
    assert got.lookalikes > LIFTS / 2


def test_one_led_a_cell_is_shown_at_once() -> None:
    game, leds = load("camelot"), maps("camelot")["camelot.toml"]
    frame = shown(game, "lifted").frame
    assert count(leds, iter([frame])).most_turns == 1
    assert not LedFrame(frame.rgb).turns
