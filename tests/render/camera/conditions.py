"""The conditions under which a film is taken: all that a camera, its table and its room do, as numbers.

`drawn` takes them from the ranges in ranges.toml. The numbers that a film draws from them, frame by frame, follow from
the seed that is given to tests/render/camera/film.py.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

STRENGTHS = ("ordinary", "hard", "beyond")
"""Everything must work in ordinary conditions; hard ones are about their double; beyond them people must be told."""
RANGES = Path(__file__).with_name("ranges.toml")
ALTERNATIVES = (("noise", "blotches"), ("mjpeg", "h264"))
"""Of each of these a film that suffers from everything has one."""


@dataclass(frozen=True)
class Conditions:
    """Of one film. The defaults are a good webcam by day on a table that nobody touches.

    Pixels are those of the film, times are seconds, brightness and colours are factors, spreads standard deviations.
    """

    # people's timing
    fps: float = 8.0
    quiet_s: float = 1.25
    """How long a picture without hands is held."""
    hands_s: float = 0.25
    """How long hands rest in each of their poses."""
    start_s: float = 0.0
    end_s: float = 0.0
    """How long the first picture with pieces and the last one are held at least."""
    quiet_spread: float = 0.0
    """Spread of the logarithm of `quiet_s` and `hands_s` from picture to picture."""
    hurried: float = 0.0
    """How often a hand comes before the last has gone: the picture between them is then not seen at all."""
    thinking_s: float = 0.0
    thinking_every: int = 0
    """After so many quiet pictures one is held for `thinking_s`; 0: never."""
    hands_move: bool = False
    """Hands come, go over the cells that they change, and leave, instead of resting in their recorded poses."""
    dropped: float = 0.0
    doubled: float = 0.0
    """Shares of frames that are missing, and that show the frame before once more."""

    # sensor
    noise_sd: float = 2.0
    """Grey levels at middle grey, of each pixel on its own."""
    noise_dark: float = 0.0
    """0: alike at every brightness; 1: as a sensor's after gamma, twice as strong at a third of the brightness."""
    blotch_sd: float = 0.0
    blotch_px: float = 2.5
    blotch_hold: float = 0.0
    """Noise in blotches: grey levels, width, and correlation from frame to frame."""
    flicker: float = 0.008
    """Spread of the part by which a whole picture is brighter or darker than the last."""

    # codec
    mjpeg_quality: int = 0
    h264_kbit: int = 0
    """Kilobits a second, at 640x480 and 20 frames a second; more for more pixels, as cameras do it. 0: not encoded."""

    # motion of the camera
    shake_px: float = 0.0
    """Root mean square of the shift from one frame to the next."""
    sway_px: float = 0.0
    sway_s: float = 8.0
    """Largest distance from where the camera stood at first, and the time of one swing."""
    bump_px: float = 0.0
    bump_every_s: float = 20.0

    # light, exposure and colour
    bands: float = 0.0
    bands_rows: float = 0.6
    bands_hz: float = 1.3
    """Rolling-shutter bands of a lamp: amplitude, height in pictures, and how often one passes by."""
    exposure_swing: float = 0.0
    """Most by which exposure follows hands and sleeves."""
    exposure_drift: float = 0.0
    """Between the darkest and the brightest of a slow drift."""
    white_drift: float = 0.0
    """Most by which blue and red drift against green."""
    lamp: float = 1.0
    lamp_every_s: float = 15.0
    """What is left of the light while the lamp is off (1: never is)."""
    clouds: float = 0.0
    """What clouds take of the light."""

    # optics
    gamma: float = 1.0
    vignetting: float = 0.0
    """What the corners of the picture lose."""
    width_px: int = 0
    """Width of the film; 0: as recorded. The shape of the picture stays."""
    room: float = 1.0
    """What the recorded picture takes of the film's width; the rest is more of the table, and the room behind it."""
    focus_px: float = 0.0
    focus_s: float = 0.6
    focus_every_s: float = 12.0
    """Hunting for focus: spread of the blur at its worst in a film 640 wide, its duration, and how often it comes."""

    # what is beside the board and far from it
    far: tuple[str, ...] = ()
    """What moves far from the board: legs, screen, thing."""
    far_px: float = 60.0
    sleeves: int = 0
    shadow: float = 0.0
    """Sleeves that rest beside the board, and what soft shadows there take of the light."""
    shadow_near: float = 0.0
    """0: the shadows keep off the cells; 1: their middle lies on the corner of the board."""

    # gone altogether
    gone: str = ""
    """no-picture, frozen, dark or covered."""
    gone_s: float = 0.0
    gone_every_s: float = 30.0


class View(NamedTuple):
    """Where a camera stands, for a recipe: degrees above the table, field of view, size of the pieces."""

    elevation: float
    hfov: float
    scale: float


@cache
def _ranges() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = tomllib.loads(RANGES.read_text(encoding="utf-8"))
    names = {field.name for field in fields(Conditions)}
    unknown = {key for name, table in found.items() if name != "view" for key in table} - names
    if unknown:
        raise ValueError(f"{RANGES.name}: unknown: {', '.join(sorted(unknown))}")
    return found


DISTURBANCES: tuple[str, ...] = ("clean", *(name for name in _ranges() if name != "view"), "everything")
"""What a film can suffer from, one kind at a time; "everything" draws all of them together."""


def drawn(disturbance: str, strength: str, seed: int) -> Conditions:
    """The conditions of a film that suffers from `disturbance`, drawn from the ranges of `strength`.

    Beyond ordinary and hard, "everything" is all that is hard with a camera that is gone now and then.
    KeyError for what is neither in DISTURBANCES nor in STRENGTHS.
    """
    if disturbance == "clean":
        return Conditions()
    if disturbance != "everything":
        return replace(Conditions(), **_taken(disturbance, strength, seed))
    rng = np.random.default_rng([seed, crc32(b"everything")])
    left_out = {pair[int(rng.integers(2))] for pair in ALTERNATIVES} | {"view", "gone"}
    taken: dict[str, Any] = {}
    for name in _ranges():
        if name not in left_out:
            taken |= _taken(name, "hard" if strength == "beyond" else strength, seed)
    if strength == "beyond":
        taken |= _taken("gone", strength, seed)
    return replace(Conditions(), **taken)


def drawn_view(strength: str, seed: int) -> View:
    """Where the camera stands: for the recipe of a recording, as no film of it can look from lower down."""
    return View(**_taken("view", strength, seed))


def _taken(name: str, strength: str, seed: int) -> dict[str, Any]:
    """A value for each field of a table of ranges."""
    rng = np.random.default_rng([seed, crc32(name.encode())])
    taken: dict[str, Any] = {}
    for key, spec in _ranges()[name].items():
        by_strength = isinstance(spec, list) and len(spec) == len(STRENGTHS)
        taken[key] = _value(spec[STRENGTHS.index(strength)] if by_strength else spec, float(rng.random()))
    return taken


def _value(spec: Any, share: float) -> Any:
    """One of {any = [...]}, so far into the range of two numbers, or what is given."""
    if isinstance(spec, dict):
        return _value(spec["any"][int(share * len(spec["any"]))], share)
    if not isinstance(spec, list):
        return spec
    if isinstance(spec[0], str):
        return tuple(spec)
    low, high = spec
    value = low + share * (high - low)
    return round(value) if isinstance(low, int) and isinstance(high, int) else float(value)
