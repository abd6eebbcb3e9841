"""What a camera makes of the light that reaches it: blur, noise, clipping. Both renderers end here."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from tests.render.scene import Scene

Image = npt.NDArray[np.uint8]

NOISE_FIELDS = 4
"""Fields of noise that are drawn once and then shifted anew for each picture."""


def streak(length: float, angle_deg: float) -> npt.NDArray[np.float32]:
    """A kernel that smears along a direction."""
    side = 2 * int(np.ceil(length / 2)) + 1
    kernel = np.zeros((side, side), np.float32)
    step = length / 2 * np.array([np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))])
    ends = (np.round(side // 2 + sign * step).astype(int).tolist() for sign in (-1, 1))
    cv2.line(kernel, *ends, 1.0, 1, cv2.LINE_AA)
    return kernel / kernel.sum()


@lru_cache(maxsize=4)
def _noise_fields(size_wh: tuple[int, int]) -> list[npt.NDArray[np.float32]]:
    rng = np.random.default_rng(1)
    return [rng.normal(0, 1, (size_wh[1], size_wh[0], 3)).astype(np.float32) for _ in range(NOISE_FIELDS)]


def sensor(canvas: npt.NDArray[np.float32], scene: Scene) -> Image:
    """A little blur (more when shaken), noise that grows with the light, clipping."""
    rng = np.random.default_rng([scene.setting.seed, scene.seed])
    if scene.shake_px > 0:
        canvas = cv2.filter2D(canvas, -1, streak(scene.shake_px, float(rng.uniform(0, 180))))
    canvas = cv2.GaussianBlur(canvas, (3, 3), 0.55)
    if scene.noise:
        field = _noise_fields(scene.camera.size_wh)[int(rng.integers(NOISE_FIELDS))]
        shifted = np.roll(field, tuple(int(v) for v in rng.integers(0, 400, 2)), axis=(0, 1))
        shifted *= np.float32(scene.noise)
        canvas += shifted
    return np.clip(canvas, 0, 255).astype(np.uint8)
