"""Small live pictures of the cameras that this computer lists, so that a person sees which one looks at the board."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import cv2

from engine.errors import InputError
from server.board.setup.devices import VideoDevice, video_devices
from server.board.setup.opening import open_source
from vision.frames import DEFAULT_FPS, CameraLost
from vision.modes import in_size

THUMBNAIL_WIDTH_PX, QUALITY = 240, 70
"""About 8 KB each."""
SMALL_WH = (640, 480)
"""What every webcam gives at once, and several of them beside each other on one bus."""
EACH_S = 2.0
"""A camera is opened so frequently at most: opening takes a webcam half a second, and its lamp flickers."""


class Thumbnails:
    """Of listed cameras only, by number: nothing typed opens anything. Used by the threads of the web server."""

    def __init__(self, listed: Callable[[], Sequence[VideoDevice]] = video_devices) -> None:
        self._listed = listed
        self._lock = threading.Lock()
        self._kept: dict[int, tuple[float, bytes]] = {}

    def list_devices(self) -> Sequence[VideoDevice]:
        """The cameras, lowest number first."""
        return self._listed()

    def take_thumbnail(self, number: int) -> bytes:
        """A JPEG of what the camera sees about now; empty where it gives none, or another one is being asked."""
        device = next((device for device in self._listed() if device.number == number), None)
        if device is None or not device.allowed or not self._lock.acquire(blocking=False):
            return self._kept.get(number, (0.0, b""))[1]
        try:
            taken, data = self._kept.get(number, (-EACH_S, b""))
            if time.monotonic() - taken >= EACH_S:
                data = _capture_thumbnail(in_size(str(device.path), SMALL_WH))
                self._kept[number] = (time.monotonic(), data)
            return data
        finally:
            self._lock.release()


def _capture_thumbnail(path: str) -> bytes:
    try:
        image = next(open_source(path, DEFAULT_FPS)).image
    except (CameraLost, InputError, StopIteration):
        return b""
    height = max(1, round(image.shape[0] * THUMBNAIL_WIDTH_PX / image.shape[1]))
    smaller = cv2.resize(image, (THUMBNAIL_WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    ok, data = cv2.imencode(".jpg", smaller, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return data.tobytes() if ok else b""
