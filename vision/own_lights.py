"""The board's own LEDs taken out of a camera's picture: what is lit is known, so a lit square need not look changed.

What the LEDs showed in the last half second is known, not which of it a picture shows: that is what most of the squares
that blink say. Where they are dark the picture is taken as it is, and tells how everything looks unlit. Where they are
lit every pixel is explained in the simplest way that fits: as it looked before in the same light; as it was, lit or
not, by a part or all of the light; else as bare floor that is lit; else it is left as it is, for pieces and hands hide
the glow of what they stand on. How bright each cell glows in the picture is measured whenever its light comes up under
an open square, and what another cell has taught serves for one that has not been seen alone. docs/hardware.md has the
measurements that decided it.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from calibration.view import View
from engine.board import Board
from vision.glow import (
    LEAST_LEVELS,
    TOLD_LEVELS,
    Flags,
    Float32s,
    count_changed_by,
    explain_as_floor,
    measure_gain,
)
from vision.ground import Image
from vision.lit_cells import Light, LitCell, Motion, locate_cell
from vision.room_light import RoomLight, levels_of, points_of

Colour = tuple[int, int, int]
"""Red, green, blue of an LED as it is sent, 0 to 255."""
Bytes = npt.NDArray[np.uint8]

LAST_ROW = (0.0, 0.0, 1.0)
FOLLOWED_PX = 1.0
"""What the board has moved by less is within a cell's reach; more is followed."""
OUTVOTES, ENOUGH = 3.0, 0.05
"""What a picture shows is known when so many times as many pixels of the cells that blink speak for it as for anything
else, and that share of them at all: pieces and hands leave little of a cell to tell."""
SOME, GAIN_APART = 3, 1.4
"""Once so many cells are measured, one that glows by that factor more or less was not an open square: LEDs under
one diffuser differ by a fifth. Raising it believes what hands do beside the lights, lowering it leaves uneven boards
lit."""
MOST_GLOW_LEVELS = 90.0
"""So bright a full LED may make the picture: measured, 0.35 levels for a level leave all plies of the bundled game, 1.0
on its pale board none, because most of the picture is full. Raising it makes lights that are seen in the sun."""
DAZZLED = 0.3
"""Share of the light while it is only known that it fills the picture: enough for players, and it can be measured."""
STEADY = 1.15
"""By such a factor the light that is borne must change to be changed: each change is a picture more to be explained."""
FLOORS, SELDOM = 7, 4
"""So many looks of a bare cell are remembered, of each fourth picture; the middle one is believed, as a hand or its
shadow may lie over some for a second."""


class OwnLights:
    """One camera over one board. Mutable, owned by who looks at its frames."""

    def __init__(self, board: Board, views: Sequence[View]) -> None:
        self._board, self._views = board, views
        self._moved: Motion = np.eye(2, 3)
        self._cells: list[LitCell] = []
        self._points = np.zeros((0, 2, 0), np.intp)
        self._room = RoomLight(board)
        self._unlit: Image | None = None
        """The newest picture, but of each lit cell how it looked when it was not."""
        self._last: Image | None = None
        """The newest picture as it came."""
        self._showed: Bytes = np.zeros((1, len(board.cells), 3), np.uint8)
        """The states that it may show."""
        self._gain: Float32s | None = None
        self._pictures = 0
        self.bearable = 1.0
        """Share of their light, up to 1, with which the LEDs leave enough of the picture to be taken out of it."""

    @property
    def mean_gain(self) -> float:
        """Levels of the picture for one level of an LED, the mean of the channels; 0 while unknown."""
        return 0.0 if self._gain is None else float(self._gain.mean())

    def seen_from(self, views: Sequence[View]) -> OwnLights:
        """The same board and lights for a camera that was moved: how strongly they glow is known."""
        other = OwnLights(self._board, views)
        other._gain, other.bearable = self._gain, self.bearable
        return other

    def follow_board(self, moved: Motion) -> None:
        """The board lies `moved` (2, 3) from where it was calibrated, in pixels: so do its lights."""
        if self._unlit is None or not self._cells:
            return
        height, width = self._unlit.shape[:2]
        rim = np.array([[0, 0, 1], [width, 0, 1], [0, height, 1], [width, height, 1]], float)
        if np.abs(rim @ (moved - self._moved).T).max() < FOLLOWED_PX:
            return
        since = np.vstack([moved, LAST_ROW]) @ np.linalg.inv(np.vstack([self._moved, LAST_ROW]))
        self._unlit = np.asarray(
            cv2.warpAffine(self._unlit, since[:2], (width, height), borderMode=cv2.BORDER_REPLICATE)
        )
        self._moved, self._last = np.asarray(moved, float), None
        before = self._cells
        self._locate_cells(self._unlit.shape)
        for one, now in zip(before, self._cells, strict=True):
            now.floors, now.gain, now.bound = one.floors, one.gain, one.bound

    def clean_image(self, image: Image, lit: Sequence[Sequence[Colour]], bare: Flags) -> Image:
        """The picture (H, W, 3) BGR as it would be without the LEDs.

        `lit` are the colours of all cells in each state that the LEDs may have had while it was taken, oldest first;
        `bare` (cells,) tells on which no piece is believed to stand.
        """
        if not self._cells:
            self._locate_cells(image.shape)
        states = np.array(lit, np.uint8).reshape(len(lit), len(self._cells), 3)[..., ::-1]
        before, self._last = self._last, image
        lights = self._find_lights(image, before, states) if states.any() and self._unlit is not None else {}
        if not lights:
            self._showed = np.zeros_like(self._showed[:1])
        touched = np.zeros(len(self._cells), bool)
        touched[list(lights)] = True
        if self._unlit is None or self._unlit.shape != image.shape or not lights:
            self._unlit = image.copy()
            self._room.see_unlit(levels_of(image, self._points))
            self._remember_bare(image, bare & ~touched)
            return image
        self._relight_cells(self._unlit, self._room.measure_change(levels_of(image, self._points), ~touched), touched)
        out, lasting, unlit = image.copy(), image.copy(), self._unlit
        # Where the glow is strongest it is taken away first: boxes overlap by a rim.
        for cell, light in sorted(lights.items(), key=lambda item: not len(item[1].own)):
            one = self._cells[cell]
            if not light:
                one.looks.see_unlit(image[one.box].astype(np.float32))
                continue
            clean, stays = self._clean_cell(cell, out[one.box], unlit[one.box], light)
            for picture, shown in ((out, clean), (lasting, stays)):
                np.copyto(picture[one.box], shown, where=one.inside[..., None])
        self._remember_bare(image, bare & ~touched)
        self._unlit = lasting
        return out

    def _locate_cells(self, shape: tuple[int, ...]) -> None:
        """Find all cells in the picture."""
        self._cells = [
            locate_cell(self._board, cell, self._views, self._moved, shape) for cell in range(len(self._board.cells))
        ]
        self._points = np.array([points_of(one.box, one.inside) for one in self._cells])

    def _relight_cells(self, unlit: Image, factors: Float32s | None, lit: Flags) -> None:
        """The room has become brighter by these factors (cells, 3): so has the unlit look of cells that are lit."""
        if factors is None:
            return
        for cell in np.flatnonzero(lit):
            one, factor = self._cells[cell], factors[cell]
            box = unlit[one.box]
            box[one.inside] = np.rint((box[one.inside] * factor).clip(0, 255)).astype(np.uint8)
            one.floors = [floor * factor for floor in one.floors]
            one.looks.apply_room_light(factor)

    def _remember_bare(self, image: Image, cells: Flags) -> None:
        """How these cells look bare and unlit."""
        self._pictures += 1
        if self._pictures % SELDOM != 1:
            return
        for cell in np.flatnonzero(cells):
            one = self._cells[cell]
            one.floors.append(np.median(image[one.box][one.inside], axis=0).astype(np.float32))
            del one.floors[:-FLOORS]

    def _find_lights(self, image: Image, before: Image | None, states: Bytes) -> dict[int, Light]:
        """The light of each cell that may have had any, of its own or from beside, while the picture was taken."""
        shown = self._showed = self._possible_states(image, before, states)
        comes = (states != states[0]).any(axis=(0, 2))
        found = {}
        for cell in np.flatnonzero(self._reached_cells(np.asarray(states.any(axis=(0, 2))))):
            near = self._cells[cell].near
            own, beside = _lit_colours(shown[:, [cell]]), _lit_colours(shown[:, near])
            here = shown[:, [cell, *near]]
            name = here[0].tobytes() if (here == here[0]).all() else b""
            found[int(cell)] = Light(own, beside, name, comes=bool(comes[cell] or comes[near].any()))
        return found

    def _reached_cells(self, lit: Flags) -> Flags:
        """Cells that are lit, and those beside them."""
        reached = lit.copy()
        for cell in np.flatnonzero(lit):
            reached[self._cells[cell].near] = True
        return reached

    def _possible_states(self, image: Image, before: Image | None, states: Bytes) -> Bytes:
        """Those of the states that the picture may show: all cells that differ in them are asked together how they have
        changed since the last picture; where hardly any has, it shows what that one did. What speaks for a state is
        held against the cells that it would have changed: one lights a single cell, another half of the board."""
        changing = np.flatnonzero((states != states[0]).any(axis=(0, 2)))
        if before is None or before.shape != image.shape or not (self.mean_gain and len(changing)):
            return states
        whole, part, asked = np.zeros((3, len(states)))
        for cell in changing:
            votes = self._count_votes(int(cell), image, before, states[:, cell])
            if votes is not None:
                whole, part = whole + votes[:, 0], part + votes[:, 1]
                may_change = (self._showed[:, None, cell] != states[:, cell]).any(axis=(0, 2))
                asked += self._cells[cell].inside.sum() * may_change
        if not asked.any():
            return states
        enough = whole > ENOUGH * asked
        if enough.any():
            return np.asarray(states[whole * OUTVOTES > whole[enough].max()], np.uint8)
        was = self._showed[:, changing]
        same = np.array([(was == state).all(axis=(1, 2)).any() for state in states[:, changing]])
        told = bool(same.any()) and not (part > ENOUGH * asked).any()
        return states[same] if told else states

    def _count_votes(self, cell: int, image: Image, before: Image, states: Bytes) -> npt.NDArray[np.float64] | None:
        """Of each of these states (n, 3): how many pixels of a cell have changed into it, and a part of the way; None
        where all of them look nearly alike."""
        one = self._cells[cell]
        gain = one.gain if one.gain is not None else self._gain
        lights = np.unique(states, axis=0).astype(np.float32) * (0 if gain is None else gain)
        if np.ptp(lights, axis=0).max() <= TOLD_LEVELS:
            return None
        now, last = image[one.box].astype(np.float32), before[one.box].astype(np.float32)
        was = np.unique(self._showed[:, cell], axis=0).astype(np.float32)
        votes = np.zeros((len(states), 2))
        for colour in np.unique(states, axis=0):
            changes = [gain * (colour - old) for old in was if (colour != old).any()]
            counts = [count_changed_by(now, last, change) for change in changes]
            votes[(states == colour).all(axis=1)] = np.max(counts, axis=0) if counts else 0
        return votes

    def _clean_cell(self, cell: int, picture: Image, unlit: Image, light: Light) -> tuple[Image, Image]:
        """The box of a cell without glow, and how it looks unlit as far as is known; `unlit` is how it did before."""
        one, now, before = self._cells[cell], picture.astype(np.float32), unlit.astype(np.float32)
        own = bool(len(light.own))
        if light.comes and own:
            self._learn_gain(one, now - before, now, light.own)
        gain = one.gain if one.gain is not None else self._gain
        if gain is None:
            return picture, unlit if own else picture
        if not own and light.name not in one.looks:  # it may be beyond the light's reach
            one.looks.learn_lit(light.name, now, before, np.zeros_like(one.inside))
            return picture, picture
        known, glow = one.explain_pixels(now, before, light, gain)
        clean, stays = one.remove_glow(now, before, known, glow)
        if own and not known[one.inside].all():
            floor = self._floor_colour(cell)
            base = np.median(before[one.inside], axis=0) if floor is None else floor
            looks, bare = explain_as_floor(now, base, [gain * colour for colour in light.own])
            clean, stays = (np.where((~known & looks)[..., None], bare, other) for other in (clean, stays))
        if len(light.own) == 1 and not light.comes:
            one.follow_gain(now, before, light.own[0], known & (glow.max(axis=2) > 0))
        return np.rint(clean.clip(0, 255)).astype(np.uint8), np.rint(stays.clip(0, 255)).astype(np.uint8)

    def _floor_colour(self, cell: int) -> Float32s | None:
        """How the cell looks bare and unlit: as it was seen, else as the nearest one of its shade."""
        if (own := self._cells[cell].floor_colour) is not None:
            return own
        board = self._board
        like = [
            other
            for other, one in enumerate(self._cells)
            if one.floors and (board.tones[other], board.levels[other]) == (board.tones[cell], board.levels[cell])
        ]
        if not like:
            return None
        here = np.array(board.centres_xy[cell])
        return self._cells[
            min(like, key=lambda other: float(np.abs(board.centres_xy[other] - here).sum()))
        ].floor_colour

    def _learn_gain(self, one: LitCell, change: Float32s, now: Float32s, colours: Float32s) -> None:
        """How strongly the cell glows, where its LED has just come up under an open square in one of these colours."""
        likely = self._list_likely_gains(one, change[one.inside], now[one.inside], colours)
        if len(likely) != 1:  # a strong light that is dimmed looks like a weak one that is not
            return
        gain, bound = likely[0]
        others = self._known_gains()
        if len(others) >= SOME:
            usual = float(np.median(np.array(others)))
            if not usual / GAIN_APART < float(gain.mean()) < usual * GAIN_APART:
                return
        # A frame may have seen a part of the light only.
        if one.gain is None or (one.bound and not bound) or gain.mean() > one.gain.mean():
            one.gain, one.bound = gain, bound
        self._gain = np.median(np.array(self._known_gains() or self._known_gains(bounds=True)), axis=0).astype(
            np.float32
        )
        self._update_bearable()

    def _list_likely_gains(
        self, one: LitCell, change: Float32s, now: Float32s, colours: Float32s
    ) -> list[tuple[Float32s, bool]]:
        """What `measure_gain` says of pixels (n, 3) for each colour, where it is not far below what is known."""
        if np.median(change, axis=0).max() < LEAST_LEVELS:
            return []
        least = max([float(bound.mean()) for bound in (one.gain, self._gain) if bound is not None], default=0.0)
        found = [measure_gain(change, now, colour) for colour in colours]
        return [glow for glow in found if glow is not None and glow[0].mean() > least / GAIN_APART]

    def _update_bearable(self) -> None:
        """How much light is borne by what is known now; steady while that hardly changes."""
        bearable = DAZZLED if not self._known_gains() else min(1.0, MOST_GLOW_LEVELS / max(255 * self.mean_gain, 1e-09))
        if not 1 / STEADY < bearable / self.bearable < STEADY:
            self.bearable = bearable

    def _known_gains(self, *, bounds: bool = False) -> list[Float32s]:
        """Those that were measured, or those of which only a bound is known."""
        return [one.gain for one in self._cells if one.gain is not None and one.bound == bounds]


def _lit_colours(states: Bytes) -> Float32s:
    """(n, 3) the colours in which some cell of these (states, cells, 3) is lit, each once."""
    levels = states.tobytes()  # of a few bytes a set is ten times faster than numpy.unique
    colours = {levels[at : at + 3] for at in range(0, len(levels), 3)} - {bytes(3)}
    return np.array([list(colour) for colour in sorted(colours)], np.float32).reshape(-1, 3)
