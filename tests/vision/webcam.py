"""A stand-in for Video4Linux: a camera whose driver answers by a script, and which OpenCV opens in a mode of it."""

from __future__ import annotations

import errno
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision import modes
from vision.ground import Image

Script = Mapping[str, Mapping[tuple[int, int], Sequence[float]]]
"""Format -> size -> frames a second."""

WEBCAM: Script = {
    "YUYV": {(640, 480): (30, 15), (1280, 720): (10, 5), (1920, 1080): (5,), (2592, 1944): (2,)},
    "MJPG": {(640, 480): (30,), (1280, 720): (30,), (1920, 1080): (30, 15), (2592, 1944): (15,)},
    "H264": {(3840, 2160): (30,)},
}
"""As a usual one for 40 euros."""


class Driver:
    """Answers the three calls that list modes, as `fcntl.ioctl` would."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def __call__(self, file: int, request: int, data: bytearray) -> int:
        number, code = struct.unpack_from("<2I", data)
        try:
            if request == modes.ENUM_FMT:
                data[44:48] = list(self.script)[number].encode()
                return 0
            sizes = self.script[struct.pack("<I", code).decode()]
            if request == modes.ENUM_FRAMESIZES:
                struct.pack_into("<3I", data, 8, 1, *list(sizes)[number])
            else:
                rate = list(sizes[struct.unpack_from("<2I", data, 8)])[number]
                struct.pack_into("<3I", data, 16, 1, 10, round(10 * rate))
        except IndexError:
            raise OSError(errno.EINVAL, "no more") from None
        return 0


class Opened:
    """What OpenCV has open: it begins at 640x480 YUYV, and takes only a mode that the script has."""

    asked: list[str] = []  # noqa: RUF012  # what all of them were opened by

    def __init__(self, path: str, script: Script, present: bool) -> None:
        self.asked.append(path)
        self._script, self._present = script, present
        self.settings = {cv2.CAP_PROP_FRAME_WIDTH: 640.0, cv2.CAP_PROP_FRAME_HEIGHT: 480.0, cv2.CAP_PROP_FPS: 30.0}
        self.code = "YUYV"

    def isOpened(self) -> bool:  # noqa: N802
        return self._present

    def get(self, name: int) -> float:
        return self.settings.get(name, -1.0)

    def set(self, name: int, value: float) -> bool:
        if name == cv2.CAP_PROP_FOURCC:
            self.code = struct.pack("<I", int(value)).decode()
            return self.code in self._script
        if name in self.settings:
            self.settings[name] = value
        return name in self.settings

    def read(self) -> tuple[bool, Image]:
        w, h = (round(self.settings[name]) for name in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
        w, h = (w, h) if (w, h) in self._script[self.code] else (640, 480)
        return True, np.full((h, w, 3), 120, np.uint8)

    def release(self) -> None:
        pass


def plug_in(monkeypatch: pytest.MonkeyPatch, script: Script = WEBCAM) -> type[Opened]:
    """From now on every file that is there is such a camera. Tells what was opened."""
    driver = Driver(script)
    listed = modes.list_modes
    Opened.asked = []
    monkeypatch.setattr(modes, "list_modes", lambda path: listed(path, driver))

    def capture(path: str, backend: int) -> Opened:
        assert backend == cv2.CAP_V4L2
        return Opened(path, script, Path(path).exists())

    monkeypatch.setattr("vision.frames.cv2.VideoCapture", capture)
    return Opened
