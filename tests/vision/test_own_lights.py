"""The glow of LEDs is taken out of a picture, and a piece that stands on a lit square is left in it."""

from __future__ import annotations

import cv2
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
        self.lamp, self.noise, self.spills = 1.0, NOISE, 0
        """The room's light, and over how many pixels the glow spreads over edges of cells and pieces."""

    def unlit(self) -> Image:
        picture = np.empty((280, 280, 3))
        picture[:] = np.array((90, 120, 150)) * self.lamp
        for cell in range(SIDE * SIDE):
            box = cell_at(cell)
            picture[box] *= 1.0 if sum(LATTICE[cell]) % 2 else 0.8
            if cell in self.pieces:
                picture[box][8:-8, 8:-8] = np.array((60, 50, 55)) * self.lamp
        return np.clip(picture + self.dice.normal(0, self.noise, picture.shape), 0, 255).astype(np.uint8)

    def lit(self, gain: float, colours: dict[int, tuple[int, int, int]]) -> tuple[Image, Image]:
        """The picture without and with the glow of the LEDs."""
        plain = self.unlit()
        light = np.zeros(plain.shape)
        for cell, colour in colours.items():
            glow = np.zeros((PX, PX, 1)) + 1.0
            if cell in self.pieces:
                glow[8:-8, 8:-8] = 0.0
            light[cell_at(cell)] = gain * glow * np.array(colour[::-1])
        if self.spills:
            light = cv2.GaussianBlur(light, (0, 0), self.spills)
        return plain, np.clip(plain + light, 0, 255).astype(np.uint8)

    def seen(self, gain: float, *states: dict[int, tuple[int, int, int]]) -> tuple[Image, Image, Image]:
        """Without, with, and cleaned, the LEDs showing the last of these states."""
        plain, picture = self.lit(gain, states[-1])
        told = [[state.get(cell, DARK) for cell in range(SIDE * SIDE)] for state in states]
        return plain, picture, self.own.clean_image(picture, told, BARE)


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
        assert table.own.mean_gain == pytest.approx(gain, rel=0.35)
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
    assert table.own.mean_gain == pytest.approx(1.0, rel=0.1)


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
    assert table.own.clean_image(picture, [], BARE) is picture
    assert table.own.bearable == 1.0


def blocks(one: Image, other: Image) -> float:
    """The greatest difference of two pictures over blocks of a quarter of a cell, as sight compares them."""
    size = (one.shape[1] * 4 // PX, one.shape[0] * 4 // PX)
    small = [cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(float) for image in (one, other)]
    return float(np.abs(small[0] - small[1]).max())


def test_a_slow_camera_sees_a_board_at_rest_while_the_cells_under_its_pieces_blink() -> None:
    """Every picture has another phase of the blink. The glow spreads over the rims of pieces and to cells beside."""
    table, lamps = Table(), dict.fromkeys((13, 14, 15, 20), (255, 0, 0))
    table.spills = 6
    for _ in range(8):
        table.seen(0.35, {})
    for shown in (lamps, {}) * 3:  # the squares are open: how strongly they glow is measured
        table.seen(0.35, lamps, {}, shown)
    table.pieces |= lamps.keys()
    for shown in (lamps, {}) * 2:
        table.seen(0.35, lamps, {}, shown)
    for shown in (lamps, {}) * 4:
        plain, picture, clean = table.seen(0.35, lamps, {}, shown)
        assert blocks(plain, clean) < 6.0
        assert (blocks(plain, picture) > 30.0) == bool(shown)


@pytest.mark.parametrize("full", [False, True])
def test_what_a_picture_shows_of_a_blink_is_told_in_a_noisy_one(full: bool) -> None:
    """On a bright board the light fills a channel, and a lit picture differs from the next by noise alone."""
    table, lamps = Table(), dict.fromkeys((14, 15, 20, 21), (255, 0, 0))
    table.noise, table.lamp = 5.0, 1.4 if full else 1.0
    for _ in range(8):
        table.seen(0.3, {})
    for shown in (lamps, lamps, {}, {}) * 6:
        plain, picture, clean = table.seen(0.3, lamps, {}, shown)
        if not shown:
            assert np.array_equal(clean, picture)
        assert blocks(plain, clean) < 8.0


def test_a_light_of_two_squares_is_told_though_half_of_the_board_was_lit_just_before() -> None:
    """The cross that says that nothing is seen has gone, and what was wrong blinks again: its two squares are few of
    all that may differ. A man was told to be back where he had been taken away."""
    table, lamps, cross = Table(), dict.fromkeys((14, 15), RED), dict.fromkeys(range(6, 36), (130, 0, 255))
    table.pieces.add(15)
    for _ in range(8):
        table.seen(0.35, {})
    for shown in (lamps, {}) * 4:
        table.seen(0.35, lamps, {}, shown)
    for shown in ({}, lamps, lamps, {}, lamps):
        plain, _, clean = table.seen(0.35, cross, {}, lamps, shown)
        assert max(off(plain, clean, cell) for cell in lamps) < CLOSE


@pytest.mark.parametrize("lamp", [0.5, 1.3])
def test_a_square_that_is_lit_while_the_lamp_in_the_room_changes_stays_as_bare_as_others(lamp: float) -> None:
    table, lamps = Table(), {14: (70, 60, 255), 21: (70, 60, 255)}
    for _ in range(8):
        table.seen(0.3, {})
    for _ in range(4):
        table.seen(0.3, {}, lamps)
    table.lamp = lamp
    for _ in range(6):
        plain, picture, clean = table.seen(0.3, lamps)
    assert max(off(plain, clean, cell) for cell in lamps) < CLOSE < off(plain, picture, 14)


def test_lights_are_where_the_board_lies_after_a_bump() -> None:
    table, lamps, away = Table(), {14: (70, 60, 255), 21: GREEN}, np.array([[1.0, 0.0, 9.0], [0.0, 1.0, -7.0]])
    for _ in range(8):
        table.seen(0.3, {})
    for _ in range(4):
        table.seen(0.3, {}, lamps)
    table.own.follow_board(away)
    told = [[lamps.get(cell, DARK) for cell in range(SIDE * SIDE)]]
    for _ in range(4):
        plain, moved = (cv2.warpAffine(one, away, (280, 280)) for one in table.lit(0.3, lamps))
        clean = table.own.clean_image(np.asarray(moved, np.uint8), told, BARE)
    assert blocks(np.asarray(plain, np.uint8), clean) < 6.0 < blocks(np.asarray(moved, np.uint8), clean)
