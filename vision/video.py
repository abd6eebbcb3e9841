"""A film: its pictures, each at the time that the film itself gives it.

Phones and screen recorders write films of a variable rate: they leave pictures out in the dark and under load. Number
over average rate then is seconds off, so each picture has the time stamp it was stored with. OpenCV seeks by that same
average, so where it lands is read from the stamp too.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import cv2
import numpy as np

from calibration.door import read_beginning
from engine.errors import InputError
from vision.ground import Image

RATES = (0.1, 1000.0)
"""Frames a second that a film may claim; others are taken for none said."""
FIRST_BYTES = 4096
"""Bytes of a file by which texts are told from films, which have others than letters in their first hundred. Raising it
changes nothing, lowering it may take the head of a film for a text."""
STEPS_BACK_S = (1.0, 8.0, 64.0)
"""To be shown at a time a film is entered so long before it, the first that is not too late, else from its beginning. A
larger first one costs decoding, a smaller one a second try where key pictures lie far apart."""


class Film:
    """A video file that is open, at one of its pictures after the other. Mutable; a context manager that closes it."""

    def __init__(self, source: str, fps: float) -> None:
        """Open `source`; `fps` is for films that say neither stamps nor a rate. InputError if it is no film."""
        self.t = 0.0
        """Seconds of the stream at which the picture read last is shown; the first is at 0."""
        self._source = source
        try:
            beginning = read_beginning(Path(source), FIRST_BYTES)
        except InputError:  # a pipe without a writer would never answer
            raise InputError("camera {source}: is a device or pipe, not a file", source=source) from None
        if _is_text(beginning):
            raise self._unreadable_error()
        self._capture = cv2.VideoCapture(source)
        if not self._capture.isOpened():
            raise self._unreadable_error()
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        self._rate = rate if RATES[0] < rate < RATES[1] else fps
        self._first_s = self._stamp_s = 0.0
        self._read = 0

    def __enter__(self) -> Film:
        """The film itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the file."""
        self._capture.release()

    @property
    def duration_s(self) -> float:
        """When its last picture is shown, as its header says; 0 where it says nothing of use."""
        return max(0.0, (self._capture.get(cv2.CAP_PROP_FRAME_COUNT) - 1) / self._rate)

    def next_picture(self) -> Image | None:
        """The next picture, None after the last; `t` is its time. InputError if there is not one in it."""
        return self._decode_picture() if self._grab_next() else None

    def picture_at(self, t: float) -> Image:
        """The picture that is shown at `t`, the last one after the end; `t` of the film is then its time."""
        if not self._grab_next():
            raise self._unreadable_error()
        if t >= STEPS_BACK_S[0]:
            self._seek_before(t)
        image, shown_t = self._decode_picture(), self.t
        while self._grab_next() and self.t <= t:
            image, shown_t = self._decode_picture(), self.t
        self.t = shown_t
        return image

    def _seek_before(self, t: float) -> None:
        """Go to some picture before `t`, near it where the film allows that."""
        wanted = min(t, self.duration_s)
        for back_s in STEPS_BACK_S:
            self._capture.set(cv2.CAP_PROP_POS_FRAMES, max(0, round((wanted - back_s) * self._rate)))
            ok, stamp_s = self._capture.grab(), self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1e3
            if ok and self._first_s < stamp_s <= t + self._first_s:
                self._stamp_s, self.t = stamp_s, stamp_s - self._first_s
                return
        self._capture.release()
        self._capture, self._read = cv2.VideoCapture(self._source), 0
        self._grab_next()

    def _grab_next(self) -> bool:
        """Go to the next picture; whether there is one."""
        if not self._capture.grab():
            if not self._read:
                raise self._unreadable_error()
            return False
        stamp_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1e3
        if not self._read:
            self._first_s, self.t = stamp_s, 0.0
        else:
            # Raw streams have no stamps, and joined ones begin again: there the rate has to do.
            passed_s = stamp_s - self._stamp_s
            self.t += passed_s if passed_s > 0 else 1 / self._rate
        self._stamp_s = stamp_s
        self._read += 1
        return True

    def _decode_picture(self) -> Image:
        """The picture that the film stands at. InputError if it cannot be decoded."""
        ok, image = self._capture.retrieve()
        if not ok:
            text = "camera {source}: the film is damaged from {seconds} s on"
            raise InputError(text, source=self._source, seconds=round(self.t, 1))
        return np.asarray(image, np.uint8)

    def _unreadable_error(self) -> InputError:
        return InputError("camera {source}: neither a picture nor a video that can be read", source=self._source)


def _is_text(beginning: bytes) -> bool:
    """Whether a file begins as a text: FFmpeg draws it as a film of hours, or reads what a list in it names."""
    text = beginning.decode("utf-8", "ignore")
    cut_off = len(beginning) - len(text.encode())  # a letter may go on behind what was read
    return bool(text) and cut_off < 4 and not any(one < " " and one not in "\t\n\r\f\x1b" for one in text)
