"""A phone's browser as the camera: its pictures arrive one by one over the web and become frames, newest first.

Only the newest picture is kept, and it is decoded in the camera's thread: who sends more costs no more.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

from PIL import ExifTags, Image

from engine.errors import Worded
from server.pictures import decode_picture
from vision.frames import CameraLost, Frame, has_shape

log = logging.getLogger(__name__)

SILENCE_S = 3.0
"""Without a picture for so long the camera is lost; another phone may take over. Less loses it at each pause of a busy
wireless network, more tells players later that nothing is seen."""
SIDES_PX = (160, 4096)
"""Shortest and longest side of a picture; nothing larger is decoded, whatever its few bytes claim."""
LEAST_GAP_S = 0.04
"""Pictures that come faster than 25 a second are left out."""
END = b"\xff\xd9"
"""The last marker of a JPEG: without it a part of the picture is grey, and no sight of the board."""
_EXIF = 0xE1
_ON_ITS_SIDE = frozenset({5, 6, 7, 8})
"""Values of EXIF's orientation that turn the picture by a quarter."""
_FRAME_HEADERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers that begin with the size of the picture (ITU-T T.81, table B.1)."""


class PictureRefused(Worded):  # it is the picture that is refused, an answer like others
    """The picture cannot be taken; `status` is the HTTP status that says so."""

    def __init__(self, status: int, text: str, **values: object) -> None:
        super().__init__(text, **values)
        self.status = status


class Phone:
    """The newest picture of one phone. `put_picture` is for the web's threads, `read_frames` for the camera's."""

    def __init__(self, size_wh: tuple[int, int] | None = None) -> None:
        """`size_wh`: the size that the profile was made for, of whose shape pictures must be; None takes any."""
        self._size_wh = size_wh
        self._bell = threading.Condition()
        self._jpeg: bytes | None = None
        self._sender, self._at = "", -SILENCE_S
        self._closed = False

    def put_picture(self, sender: str, jpeg: bytes) -> bool:
        """Take a picture of the phone that calls itself `sender`; False if it came too soon. Refused says why not.

        One of another shape is refused and becomes a frame all the same, from which nothing is read: so the referee
        knows, and says on its own page, that the phone is held another way.
        """
        size = jpeg_size(jpeg)
        if size is None:
            raise PictureRefused(422, "not a JPEG picture")
        if END not in jpeg:
            raise PictureRefused(422, "the picture is cut off")
        if min(size) < SIDES_PX[0] or max(size) > SIDES_PX[1]:
            text = "{size}: a side has {least} to {most} pixels"
            raise PictureRefused(422, text, size=f"{size[0]}x{size[1]}", least=SIDES_PX[0], most=SIDES_PX[1])
        is_taken = self._keep_picture(sender, jpeg)
        if self._size_wh is not None and not has_shape(size, self._size_wh):
            text = "{size}: the board was set up in {need}; hold the phone as then"
            raise PictureRefused(422, text, size=f"{size[0]}x{size[1]}", need="x".join(map(str, self._size_wh)))
        return is_taken

    def _keep_picture(self, sender: str, jpeg: bytes) -> bool:
        """This is the newest picture now; False if it came too soon. Refused where another phone is the camera."""
        now = time.monotonic()
        with self._bell:
            if sender != self._sender and now - self._at < SILENCE_S:
                raise PictureRefused(409, "another phone is the camera now")
            if sender == self._sender and now - self._at < LEAST_GAP_S:
                return False
            self._jpeg, self._sender, self._at = jpeg, sender, now
            self._bell.notify_all()
        return True

    @property
    def is_sending(self) -> bool:
        """Whether pictures come."""
        return time.monotonic() - self._at < SILENCE_S

    def end_frames(self) -> None:
        """End `read_frames`."""
        with self._bell:
            self._closed = True
            self._bell.notify_all()

    def read_frames(self) -> Iterator[Frame]:
        """Pictures as they come, with the time of their arrival. CameraLost when none comes."""
        begun, bad = time.monotonic(), 0
        while True:
            with self._bell:
                self._bell.wait_for(lambda: self._closed or self._jpeg is not None, SILENCE_S)
                jpeg, at, self._jpeg = self._jpeg, self._at, None
            if jpeg is None or self._closed:
                raise CameraLost("camera phone: no pictures come; open its page there again, and keep the screen on")
            image = decode_picture(jpeg)
            if image is not None and (image.shape[1], image.shape[0]) == jpeg_size(jpeg):
                bad = 0
                yield Frame(max(0.0, at - begun), image)
            else:
                bad += 1
                if bad == 1:  # one line for all that follow: a phone sends several a second
                    log.warning("a picture of the phone cannot be read; it is left out, and so are more of its kind")


def jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a JPEG as it is seen, by its header, without decoding it; None if it is none."""
    if data[:2] != b"\xff\xd8":
        return None
    at, lies = 2, False
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _EXIF and data[at + 4 : at + 10] == b"Exif\0\0":
            lies = _lies_on_side(data[at + 4 : at + 2 + length])
        if marker in _FRAME_HEADERS:
            h, w = int.from_bytes(data[at + 5 : at + 7], "big"), int.from_bytes(data[at + 7 : at + 9], "big")
            return (h, w) if lies else (w, h)
        at += 2 + length
    return None


def _lies_on_side(exif: bytes) -> bool:
    """Whether EXIF data say that the picture lies on its side."""
    found = Image.Exif()
    try:
        found.load(exif)
        return found.get(ExifTags.Base.Orientation) in _ON_ITS_SIDE
    except Exception:  # Pillow says in a dozen ways that these are no EXIF data; then nothing is turned
        return False
