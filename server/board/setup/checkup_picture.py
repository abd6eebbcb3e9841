"""Is the picture good enough to referee by: exposure, sharpness, evenness of light, and whether the board is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Literal

import cv2
import numpy as np

from calibration.find_lines import distort_points, find_segments
from calibration.lattice import assess_view
from calibration.profile import Profile
from calibration.solve import MARKED_FIT
from vision.ground import Image

FindingState = Literal["ok", "note", "wrong"]
TOO_DARK, BURNT, MOST_BURNT = 45, 250, 0.04
"""Median grey level under which noise hides dark pieces; level and share of burnt-out pixels that hide light ones."""
BLURRED_EDGES = 0.002
"""Blur of edges over the width of the board: in focus 0.0005 to 0.0012, blurred by 3 px in 850 over 0.0022. Less
calls sharp pictures blurred, more keeps silent about a lens out of focus."""
NEAR_EDGE_PX, LEAST_EDGES, CLEAR_STEP = 14, 20, 20.0
"""Straight edges at least so long count, if there are so many, and if they are so many grey levels high."""
UNEVEN_LIGHT, VERY_UNEVEN = 0.5, 0.3
"""Light on the darkest ninth of the board over that on the brightest: a lamp at the side makes 0.5, a spot 0.3."""
FEW_PIXELS = 16.0
"""Pixels a cell at the far end below which pieces are hard to tell. More sends the camera nearer than it need be, less
lets a game begin in which far pieces are asked about."""


@dataclass(frozen=True)
class Finding:
    """One line of a check-up: `advice` is empty only where nothing need be done."""

    check: str
    state: FindingState
    message: str
    advice: str = ""

    def to_json(self) -> dict[str, str]:
        """The fields by name."""
        return asdict(self)


def check_picture(image: Image, profile: Profile | None) -> Iterator[Finding]:
    """Findings about one picture; with a profile only the board counts."""
    h, w = image.shape[:2]
    if profile is not None and profile.size_wh != (w, h):
        was = "x".join(str(side) for side in profile.size_wh)
        yield Finding(
            "picture size",
            "wrong",
            f"{w}x{h}, the profile was made at {was}",
            "set the camera to that size, or calibrate again",
        )
        profile = None
    part = image if profile is None else _board_part(image, profile)
    grey = cv2.cvtColor(part, cv2.COLOR_BGR2GRAY)
    yield _check_exposure(np.asarray(grey, np.uint8))
    yield _check_sharpness(np.asarray(grey, np.uint8))
    if profile is not None:
        yield from _check_board(image, profile)
        yield _check_evenness(image, profile)


def _board_part(image: Image, profile: Profile) -> Image:
    """The box round the board."""
    corners = np.concatenate([np.array(view.corners_px) for view in profile.views])
    h, w = image.shape[:2]
    x0, y0 = np.clip(np.floor(corners.min(axis=0)).astype(int), 0, [w - 2, h - 2])
    x1, y1 = np.clip(np.ceil(corners.max(axis=0)).astype(int), [x0 + 2, y0 + 2], [w, h])
    return image[y0:y1, x0:x1]


class Exposure(Enum):
    """How much light a picture got."""

    RIGHT = "right"
    DARK = "dark"
    BRIGHT = "bright"


def exposure_of(grey: Image) -> Exposure:
    """Whether noise hides dark pieces, or burnt-out pixels light ones."""
    if float(np.median(grey)) < TOO_DARK:
        return Exposure.DARK
    return Exposure.BRIGHT if float((grey > BURNT).mean()) > MOST_BURNT else Exposure.RIGHT


def _check_exposure(grey: Image) -> Finding:
    words = f"median grey {np.median(grey):.0f} of 255, {100 * (grey > BURNT).mean():.1f} % burnt out"
    exposure = exposure_of(grey)
    if exposure is Exposure.DARK:
        return Finding("exposure", "wrong", words, "too dark: turn on a light, or raise the camera's exposure")
    if exposure is Exposure.BRIGHT:
        return Finding("exposure", "wrong", words, "too bright: lower the exposure, or keep the lamp's reflection off")
    return Finding("exposure", "ok", words)


def edge_width_px(grey: Image) -> float | None:
    """How wide the edges are: the steepest slope across straight edges against the step that it climbs; None where too
    few edges are seen."""
    lines = find_segments(grey)
    long = lines.length > NEAR_EDGE_PX * lines.px
    if long.sum() < LEAST_EDGES:
        return None
    size = np.array(grey.shape[::-1])
    ends, along = distort_points(lines.ends[long].reshape(-1, 2)).reshape(-1, 2, 2), lines.unit_directions[long]
    share = np.linspace(0.2, 0.8, 7)[:, None]
    on = (ends[:, 0, None] * (1 - share) + ends[:, 1, None] * share) / lines.px + size / 2
    across = np.arange(-8.0, 8.01, 0.5)[:, None] * np.column_stack([-along[:, 1], along[:, 0]])[:, None]
    px = (on[:, None] + across[:, :, None]).astype(np.float32)
    count = len(px)
    level = cv2.remap(grey.astype(np.float32), px[..., 0].reshape(count, -1), px[..., 1].reshape(count, -1), 1)
    profile = level.reshape(count, -1, 7).mean(axis=2)
    step, slope = np.ptp(profile, axis=1), np.abs(np.diff(profile, axis=1)).max(axis=1) / 0.5
    clear = step > CLEAR_STEP
    # A step blurred by a Gaussian climbs 0.4 of its height in one standard deviation.
    return 0.4 * float(np.median(step[clear] / slope[clear])) if clear.any() else float(max(size))


def is_blurred(width_px: float, grey: Image) -> bool:
    """Whether edges so wide are out of focus in a picture of that size."""
    return bool(width_px > BLURRED_EDGES * max(grey.shape))


def _check_sharpness(grey: Image) -> Finding:
    width = edge_width_px(grey)
    if width is None:
        return Finding("sharpness", "wrong", "no straight edges are seen", "show the whole board, in focus")
    words = f"edges are blurred by {width:.1f} px"
    if is_blurred(width, grey):
        return Finding("sharpness", "wrong", words, "out of focus: clean the lens, focus on the board, hold it still")
    return Finding("sharpness", "ok", words)


def _check_board(image: Image, profile: Profile) -> Iterator[Finding]:
    board = profile.board
    fits = [assess_view(board, view, image, level) for level, view in enumerate(profile.views)]
    worst = min(fits, key=lambda fit: fit.score)
    words = f"fit {worst.score} of 100, borders {worst.error_cells:.3f} cell off"
    if worst.score < MARKED_FIT:
        advice = f"the board is not where the profile says, worst at {worst.worst}: run `referee calibrate` again"
        yield Finding("board", "wrong", words, advice)
    else:
        yield Finding("board", "ok", words)
    far = min(float(view.pitch_px(np.array(board.centres_xy)).min()) for view in profile.views)
    if far < FEW_PIXELS:
        yield Finding("board size", "note", f"{far:.0f} px a cell at the far end", "move the camera nearer or higher")
    else:
        yield Finding("board size", "ok", f"{far:.0f} px a cell at the far end")


def _check_evenness(image: Image, profile: Profile) -> Finding:
    """The upper quartile of cells in each ninth of a level: what light pieces and light cells get."""
    lowest = 1.0
    for level, view in enumerate(profile.views):
        centres = np.array(
            [xy for xy, plane in zip(profile.board.centres_xy, profile.board.levels, strict=True) if plane == level]
        )
        px = view.project_points(centres).astype(np.float32)
        light = cv2.remap(cv2.blur(image, (5, 5)), px[:, :1], px[:, 1:], cv2.INTER_LINEAR).max(axis=(1, 2))
        ninth = np.minimum(2, centres / np.array(profile.board.size_wh) * 3).astype(int) @ [3, 1]
        parts = [float(np.quantile(light[ninth == n], 0.75)) for n in range(9) if (ninth == n).sum() >= 4]
        lowest = min(lowest, min(parts, default=1.0) / max(max(parts, default=1.0), 1.0))
    words = f"the darkest part of the board gets {100 * lowest:.0f} % of the brightest"
    if lowest < VERY_UNEVEN:
        return Finding("light", "wrong", words, "light the board from above or from two sides")
    if lowest < UNEVEN_LIGHT:
        return Finding("light", "note", words, "a second lamp on the other side would help")
    return Finding("light", "ok", words)
