"""A film of a recording: its pictures as a camera streams them under given conditions.

The order is that of nature: people and what is beside the board, light, lens, the camera's motion, exposure, noise of
the sensor, codec.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
import numpy.typing as npt

from tests.render.camera import codec
from tests.render.camera.bystanders import Bystanders
from tests.render.camera.conditions import Conditions
from tests.render.camera.exposure import LIGHTLESS, Exposure
from tests.render.camera.fitting import Fitting, fitting
from tests.render.camera.focus import USUAL_WIDTH, Focus
from tests.render.camera.gone import Gone
from tests.render.camera.motion import Motion
from tests.render.camera.noise import Noise
from tests.render.camera.timing import Shot, schedule
from vision.frames import Frame

BLURRED_PX = 8.0
"""Blur (spread, in a film 640 wide) in which no piece can be told any more: half a cell."""
AWAY_PX = 0.15
"""A camera that was knocked aside by this part of the picture's width does not see the board any more."""


def film(
    shots: Iterable[Shot], conditions: Conditions, seed: int, corners_px: npt.ArrayLike
) -> Iterator[tuple[int, Frame]]:
    """Frames as they come from the camera, each with the number of the recorded picture that lies before it.

    `corners_px` (..., 2) are the corners of the board (of all its levels) in the first picture: movement is put beside
    it or far from it. Where the board then lies in the film says `placed`; when nothing can be seen says `unseeable`.
    A frozen film shows old pictures, but the numbers go on; a film without picture has a gap in its times.
    """
    frames = _frames(shots, conditions, seed, np.asarray(corners_px, float).reshape(-1, 2))
    if conditions.mjpeg_quality:
        frames = codec.mjpeg(frames, conditions.mjpeg_quality)
    if conditions.h264_kbit:
        frames = codec.h264(frames, conditions.h264_kbit, conditions.fps)
    return frames


def placed(conditions: Conditions, recorded_wh: tuple[int, int]) -> Fitting:
    """Size of the film of a recording, and where the recorded picture lies in its frames."""
    return fitting(conditions, recorded_wh)


def unseeable(conditions: Conditions, seed: int, t: float, width_px: int = int(USUAL_WIDTH)) -> str:
    """Why nobody could see the board at time `t` of a film: no-picture, frozen, dark, covered, blur, moved; else empty.

    `width_px` is the film's. Only what is certain: shake, noise and low rates are not in here, however strong.
    """
    gone = Gone(conditions, seed).cause(t)
    if gone:
        return gone
    if conditions.lamp <= LIGHTLESS and Exposure(conditions, seed).lamp_off_s(t) >= 0:
        return "dark"
    if Focus(conditions, seed).blur_px(t) >= BLURRED_PX:
        return "blur"
    shift = Motion(conditions, seed).at(t)
    return "moved" if float(np.hypot(shift[0], shift[1])) >= AWAY_PX * width_px else ""


def _frames(
    shots: Iterable[Shot], conditions: Conditions, seed: int, corners_px: npt.NDArray[np.float64]
) -> Iterator[tuple[int, Frame]]:
    """The film before it is encoded."""
    shots = iter(shots)
    first = next(shots, None)
    if first is None:
        return
    fit = fitting(conditions, (first[1].shape[1], first[1].shape[0]))
    fitted = ((kind, fit.image(image)) for kind, image in chain([first], shots))
    bystanders = Bystanders(conditions, seed, fit.size_wh, fit.corners(corners_px))
    motion, focus, exposure = Motion(conditions, seed), Focus(conditions, seed), Exposure(conditions, seed)
    noise, gone = Noise(conditions, seed), Gone(conditions, seed)
    last: npt.NDArray[np.uint8] | None = None
    for shown in schedule(fitted, conditions, seed):
        t, cause = shown.t, gone.cause(shown.t)
        if cause == "no-picture":
            continue
        if last is None or not (shown.doubled or cause == "frozen"):
            seen = motion.seen(focus.seen(bystanders.seen(shown.image, t), t), t)
            last = noise.over(gone.seen(exposure.seen(seen, t), t), exposure.noise_gain)
        yield shown.number, Frame(t, last)
