"""The looks, piece sets, tables and lights that recordings are made with. Colours are sRGB, blue first, 0 to 255."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.render.scene import Bgr, Light


@dataclass(frozen=True)
class BoardLook:
    """Colours of a board's face; `cells` has two entries or more for a chequered one (hexagons take three)."""

    panel: Bgr
    rim: Bgr
    cells: tuple[Bgr, ...]
    line: Bgr
    line_width: float
    """In cells."""
    letters: Bgr
    castle: Bgr
    grain: float
    gloss: float


@dataclass(frozen=True)
class PieceLook:
    """Material of one side's pieces."""

    bgr: Bgr
    gloss: float
    grain: float


@dataclass(frozen=True)
class Table:
    """What the board lies on; `kind` is wood or cloth."""

    kind: str
    bgr: Bgr
    contrast: float
    gloss: float


LOOKS = {
    "lines": BoardLook(
        (52, 98, 158), (30, 44, 84), ((190, 214, 226),), (24, 28, 38), 0.06, (216, 230, 238), (52, 52, 205), 0.05, 0.25
    ),
    "dark": BoardLook(
        (30, 36, 58),
        (18, 20, 24),
        ((40, 74, 128),),
        (176, 208, 226),
        0.055,
        (214, 226, 232),
        (84, 176, 212),
        0.08,
        0.35,
    ),
    "green": BoardLook(
        (214, 226, 228),
        (44, 56, 88),
        ((86, 150, 92), (224, 234, 236)),
        (60, 72, 70),
        0.025,
        (36, 40, 42),
        (56, 56, 208),
        0.04,
        0.3,
    ),
    "blue": BoardLook(
        (206, 220, 230),
        (30, 32, 38),
        ((168, 132, 86), (226, 232, 236)),
        (90, 80, 70),
        0.025,
        (40, 42, 44),
        (58, 58, 206),
        0.04,
        0.3,
    ),
    "walnut": BoardLook(
        (60, 92, 132),
        (36, 52, 78),
        ((54, 88, 134), (150, 194, 222)),
        (44, 60, 84),
        0.02,
        (190, 214, 228),
        (60, 70, 190),
        0.09,
        0.45,
    ),
    "paper": BoardLook(
        (238, 240, 240),
        (200, 204, 206),
        ((238, 240, 240),),
        (40, 40, 40),
        0.035,
        (40, 40, 40),
        (60, 60, 200),
        0.01,
        0.03,
    ),
}
SETS = {
    "ivory_brown": (PieceLook((206, 222, 230), 0.55, 0.02), PieceLook((30, 42, 66), 0.7, 0.08)),
    "maple_black": (PieceLook((122, 176, 216), 0.5, 0.12), PieceLook((36, 36, 38), 0.75, 0.02)),
    "white_black": (PieceLook((228, 230, 230), 0.6, 0.01), PieceLook((30, 30, 32), 0.8, 0.01)),
    "white_red": (PieceLook((228, 230, 230), 0.6, 0.01), PieceLook((34, 38, 190), 0.7, 0.01)),
    "yellow_blue": (PieceLook((70, 196, 232), 0.5, 0.02), PieceLook((148, 70, 36), 0.6, 0.02)),
}
COLOURED = {
    "blue": PieceLook((176, 92, 40), 0.6, 0.02),
    "red": PieceLook((40, 42, 186), 0.6, 0.02),
    "green": PieceLook((70, 140, 52), 0.6, 0.02),
}
TABLES = {
    "wood": Table("wood", (96, 140, 182), 0.1, 0.35),
    "darkwood": Table("wood", (44, 66, 98), 0.14, 0.5),
    "cloth": Table("cloth", (96, 66, 40), 0.12, 0.0),
    "cloth2": Table("cloth", (150, 154, 158), 0.14, 0.02),
    "green_felt": Table("cloth", (74, 104, 58), 0.1, 0.0),
}
SKINS: tuple[Bgr, ...] = ((142, 166, 220), (120, 148, 204), (86, 120, 178), (58, 84, 132), (40, 58, 92))
SLEEVES: tuple[Bgr, ...] = ((150, 160, 166), (130, 74, 40), (76, 60, 150), (78, 132, 40), (60, 56, 54), (206, 210, 214))
CUPS: tuple[Bgr, ...] = ((70, 92, 226), (232, 234, 236), (190, 132, 70), (90, 150, 90), (50, 50, 52))


def piece_look(name: str, look: str) -> PieceLook:
    """Material of the pieces that a camera should see as `look` ("light", "dark", "blue", ...) in the set `name`."""
    if look in COLOURED:
        return COLOURED[look]
    light, dark = SETS[name]
    return {"light": light, "dark": dark}[look]


def _towards(azimuth_deg: float, elevation_deg: float) -> tuple[float, float, float]:
    a, e = np.radians(azimuth_deg), np.radians(elevation_deg)
    return (float(np.cos(e) * np.cos(a)), float(np.cos(e) * np.sin(a)), float(np.sin(e)))


def light_named(name: str, seed: int = 0) -> Light:
    """A window by day (day), a dull day (day2), ceiling lamps (office), a lamp at night (evening)."""
    rng = np.random.default_rng([seed, 77])
    azimuth = float(rng.uniform(0, 360))
    slope = tuple(float(v) for v in 0.018 * np.array([np.cos(np.radians(azimuth)), np.sin(np.radians(azimuth))]))
    if name == "day":
        return Light(_towards(azimuth, 42), (0.64, 0.62, 0.60), (0.44, 0.42, 0.40), 0.55, slope)
    if name == "day2":
        return Light(_towards(azimuth, 35), (0.52, 0.49, 0.46), (0.50, 0.47, 0.44), 0.8, slope)
    if name == "office":
        return Light(_towards(azimuth, 74), (0.50, 0.54, 0.52), (0.46, 0.49, 0.47), 0.7, (slope[0] / 3, slope[1] / 3))
    return Light(_towards(azimuth, 55), (0.42, 0.62, 0.80), (0.14, 0.19, 0.25), 0.25, (slope[0] * 1.6, slope[1] * 1.6))


LIGHTS = ("day", "day2", "office", "evening")
