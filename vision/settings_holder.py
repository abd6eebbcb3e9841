"""A webcam's own automatics held still: focus, white balance and exposure stay as they are for the game.

They are let settle first and put back when the camera is closed. What a camera does not have, or does not let be set,
stays its own business: the referee copes with both. Network cameras and films have no such settings here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import cv2

from vision.ground import Image

SETTLE_S = 2.0
"""So long are the automatics given after opening: webcams need one to two seconds. Lowering it holds a picture that is
still too dark; raising it lets the first sleeve over the board swing it."""
TOO_DARK_GREY, TOO_BRIGHT_GREY = 25.0, 235.0
"""Mean grey beyond which a held exposure does not fit the light: a board by one candle has 25, and of one over 235
little is left that is not white. Estimated, not fitted. Limits nearer to each other let a large sleeve set
the exposure anew; farther apart they keep a picture in which nothing is told apart, which is then called dark."""
TOO_DARK_S = 3.0
"""For so long before it is held anew: a hand over the lens is gone by then. Raising it stays in the dark for longer
after a lamp; lowering it takes a hand for one."""
STEP_PX = 16
"""Of the picture every sixteenth pixel each way tells its grey."""


class SettableCamera(Protocol):
    """What of OpenCV's camera is needed."""

    def get(self, propId: int, /) -> float:  # noqa: N803  # as OpenCV has it
        """The value of a setting, -1 or 0 for one that the camera has not."""

    def set(self, propId: int, value: float, /) -> bool:  # noqa: N803
        """Whether the camera took it."""


@dataclass(frozen=True)
class Setting:
    """One that a camera sets by itself: the switch, what switches it off, and the value that is kept."""

    switch: int
    automatic: frozenset[float]
    by_hand: float
    value: int


EXPOSURE = Setting(cv2.CAP_PROP_AUTO_EXPOSURE, frozenset({0.0, 3.0}), 1.0, cv2.CAP_PROP_EXPOSURE)
"""Linux counts: 0 all by itself, 1 by hand, 2 shutter by hand, 3 aperture by hand, which webcams call automatic."""
FOCUS = Setting(cv2.CAP_PROP_AUTOFOCUS, frozenset({1.0}), 0.0, cv2.CAP_PROP_FOCUS)
WHITE_BALANCE = Setting(cv2.CAP_PROP_AUTO_WB, frozenset({1.0}), 0.0, cv2.CAP_PROP_WB_TEMPERATURE)


class SettingsHolder:
    """Holds the settings of one open camera. `check_frame` at each frame, `restore_settings` before it is closed."""

    def __init__(self, camera: SettableCamera) -> None:
        self._camera = camera
        self._before: dict[Setting, tuple[float, float]] = {}
        """Switch and value as they were, of those that are held."""
        self._settles_at: float | None = SETTLE_S
        self._unfit_since: float | None = None

    def check_frame(self, t: float, image: Image) -> None:
        """A frame came at `t` seconds of the stream."""
        if self._settles_at is not None and t >= self._settles_at:
            self._settles_at = None
            for setting in (FOCUS, WHITE_BALANCE, EXPOSURE):
                self._hold_setting(setting)
        fits = TOO_DARK_GREY <= float(image[::STEP_PX, ::STEP_PX].mean()) <= TOO_BRIGHT_GREY
        if fits or EXPOSURE not in self._before:
            self._unfit_since = None
        elif self._unfit_since is None:
            self._unfit_since = t
        elif t - self._unfit_since >= TOO_DARK_S:
            self._restore_setting(EXPOSURE)
            self._settles_at, self._unfit_since = t + SETTLE_S, None

    def restore_settings(self) -> None:
        """Put back all that was held, as it was."""
        for setting in list(self._before):
            self._restore_setting(setting)

    def _hold_setting(self, setting: Setting) -> None:
        switch, value = self._camera.get(setting.switch), self._camera.get(setting.value)
        if setting in self._before or switch not in setting.automatic or value <= 0:
            return
        if self._camera.set(setting.switch, setting.by_hand):
            self._before[setting] = switch, value
            self._camera.set(setting.value, value)

    def _restore_setting(self, setting: Setting) -> None:
        switch, value = self._before.pop(setting)
        self._camera.set(setting.value, value)
        self._camera.set(setting.switch, switch)
