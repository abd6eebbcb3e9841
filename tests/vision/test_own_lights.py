"""The glow of LEDs is taken out of a picture, and a piece that stands on a lit square is left in it."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.view import Lens, View
from engine.board import Board
from vision.ground import Image
from vision.own_lights import OwnLights

SIDE, PX = 6, 40
LATTICE = tuple((x, y, 0) for y in range(SIDE) for x in range(SIDE))
BOARD = Board(
    tuple(f"{'ABCDEF'[x]}{y + 1}" for x, y, _ in LATTICE), LATTICE, tuple((x + 0.5, y + 0.5) for x, y, _ in LATTICE), ()
)
VIEW = View(Lens((280, 280), 280.0), (SIDE, SIDE), ((20, 260), (260, 260), (260, 20), (20, 20)))
DARK, GREEN, RED = (0, 0, 0), (0, 200, 40), (255, 0, 0)
BARE = np.ones(SIDE * SIDE, bool)
NOISE = 2.0
CLOSE = 7.0
"""Mean difference from the unlit picture; the faintest glow alone is 8, noise 0."""


def cell_at(cell: int) -> tuple[slice, slice]:
    x, y, _ = LATTICE[cell]
    return slice(260 - PX * (y + 1), 260 - PX * y), slice(20 + PX * x, 20 + PX * (x + 1))


class Table:
    """A board of wood under a camera with noise, and pieces as dark discs."""

    def __init__(self) -> None:
        self.dice, self.pieces = np.random.default_rng(3), set[int]()
        self.own = OwnLights(BOARD, [VIEW])

    def unlit(self) -> Image:
        picture = np.empty((280, 280, 3))
        picture[:] = (90, 120, 150)
        for cell in range(SIDE * SIDE):
            box = cell_at(cell)
            picture[box] *= 1.0 if sum(LATTICE[cell]) % 2 else 0.8
            if cell in self.pieces:
                picture[box][8:-8, 8:-8] = (60, 50, 55)
        return np.clip(picture + self.dice.normal(0, NOISE, picture.shape), 0, 255).astype(np.uint8)

    def lit(self, gain: float, colours: dict[int, tuple[int, int, int]]) -> tuple[Image, Image]:
        """The picture without and with the glow of the LEDs."""
        plain = self.unlit()
        picture = plain.astype(float)
        for cell, colour in colours.items():
            glow = np.zeros((PX, PX, 1)) + 1.0
            if cell in self.pieces:
                glow[8:-8, 8:-8] = 0.0
            picture[cell_at(cell)] += gain * glow * np.array(colour[::-1])
        return plain, np.clip(picture, 0, 255).astype(np.uint8)

    def seen(self, gain: float, *states: dict[int, tuple[int, int, int]]) -> tuple[Image, Image, Image]:
        """Without, with, and cleaned, the LEDs showing the last of these states."""
        plain, picture = self.lit(gain, states[-1])
        told = [[state.get(cell, DARK) for cell in range(SIDE * SIDE)] for state in states]
        return plain, picture, self.own.cleaned(picture, told, BARE)


def off(one: Image, other: Image, cell: int) -> float:
    box = cell_at(cell)
    return float(np.abs(one[box].astype(float) - other[box]).mean())


@pytest.mark.parametrize("gain", [0.1, 0.35, 0.7, 1.0])
@pytest.mark.parametrize("colour", [GREEN, RED])
def test_a_glow_is_removed_as_it_comes_up_and_stays_so(gain: float, colour: tuple[int, int, int]) -> None:
    table, lamps = Table(), {14: colour, 15: colour, 20: colour}
    for _ in range(8):
        table.seen(gain, {})
    for states in [({}, lamps)] * 3 + [(lamps,)] * 5 + [(lamps, {})] * 3:
        plain, _, clean = table.seen(gain, *states)
        assert max(off(plain, clean, cell) for cell in lamps) < CLOSE
    if gain < 0.4:  # more fills the picture
        assert table.own.gain == pytest.approx(gain, rel=0.35)
    assert (table.own.bearable < 1) == (gain > 0.36)


def test_a_light_that_is_dimmed_is_not_taken_for_a_weaker_one() -> None:
    """Of a picture in which the light may be dimmed by this or that much, each would tell of another glow."""
    table, cells = Table(), (14, 15, 20)
    full, dim, dimmer = (dict.fromkeys(cells, (level, 0, 0)) for level in (255, 80, 60))
    for _ in range(8):
        table.seen(1.0, {})
    for _ in range(3):
        table.seen(1.0, {}, full)
    for states in [({}, full, dim)] * 4 + [({}, dim)] * 4 + [({}, dimmer, dim)] * 4 + [(dim,)] * 2:
        plain, _, clean = table.seen(1.0, *states)
        assert max(off(plain, clean, cell) for cell in cells) < CLOSE
    assert table.own.gain == pytest.approx(1.0, rel=0.1)


def test_a_piece_that_comes_onto_a_lit_square_is_seen() -> None:
    table, lamps = Table(), {14: GREEN}
    for _ in range(8):
        table.seen(0.35, {})
    for _ in range(4):
        table.seen(0.35, {}, lamps)
    table.pieces.add(14)
    for _ in range(6):
        plain, _, clean = table.seen(0.35, lamps)
        box = cell_at(14)
        assert np.abs(clean[box][10:-10, 10:-10].astype(float) - plain[box][10:-10, 10:-10]).mean() < CLOSE
        assert off(plain, clean, 14) < CLOSE


def test_a_square_that_a_piece_leaves_is_as_bare_as_others() -> None:
    table, lamps = Table(), {14: (255, 150, 0)}
    table.pieces.add(14)
    for _ in range(8):
        table.seen(0.35, {})
    for _ in range(4):
        table.seen(0.35, {}, {21: GREEN})
    table.pieces.clear()
    for _ in range(6):
        plain, _, clean = table.seen(0.35, {}, lamps)
    assert off(plain, clean, 14) < CLOSE


def test_without_lights_the_picture_is_the_cameras_own() -> None:
    table = Table()
    picture = table.unlit()
    assert table.own.cleaned(picture, [], BARE) is picture
    assert table.own.bearable == 1.0
