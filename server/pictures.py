"""Pictures from outside: how large they may be, and what a bad one comes to. What opens them in the service is here.

OpenCV reads the size in a picture's header, of whatever kind it is, before anything is decoded, and refuses what is
larger than the limit that server/__init__.py sets for the whole program.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import cv2
import numpy as np

from engine.errors import InputError
from vision import MOST_PIXELS
from vision import frames as sources
from vision.frames import DEFAULT_FPS, CameraLost, Frame, is_live
from vision.ground import Image
from vision.sight.stillness import average_still


def decode_picture(data: bytes) -> Image | None:
    """The picture in a file's bytes, upright as its EXIF says; None if it is none, or too large."""
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


def read_frames(source: str, fps: float = DEFAULT_FPS, *, realtime: bool = False) -> Iterator[Frame]:
    """The frames of `source` as vision.frames gives them; InputError for one that is too large or has no time.

    Of a live camera that is a CameraLost: it is opened again.
    """
    with _convert_errors(source):
        for frame in sources.read_frames(source, fps, realtime=realtime):
            if not math.isfinite(frame.t):
                raise InputError(
                    "camera {source}: a time in its recording.json is not a number of seconds", source=source
                )
            yield frame


def frame_number(source: str, number: int, fps: float = DEFAULT_FPS) -> Frame:
    """Frame `number` (from 0) of a source; InputError as above, and if it has fewer."""
    with _convert_errors(source):
        return sources.frame_number(source, number, fps)


def still_picture(source: str, number: int, fps: float = DEFAULT_FPS) -> Image:
    """Frame `number` (from 0) of a source, where nothing moves the mean of those around it; InputError as above.

    Noise hides the lines of a board in a single frame where its cells are small or the light is poor.
    """
    with _convert_errors(source):
        frame, others = sources.frames_around(source, number, fps)
        return average_still(frame.image, others)


@contextmanager
def _convert_errors(source: str) -> Iterator[None]:
    """In a line what OpenCV and Python raise of files that were not made by a camera."""
    try:
        yield
    except cv2.error as error:
        raised = CameraLost if is_live(source) else InputError
        if "MAX_IMAGE" not in str(error):
            raise raised("camera {source}: a picture is damaged: leave it out", source=source) from None
        text = "camera {source}: a picture is too large, over {most} megapixels: scale it down, or leave it out"
        raise raised(text, source=source, most=MOST_PIXELS // 1_000_000) from None
    except (RecursionError, OverflowError):
        raise InputError("camera {source}: its recording.json has no usable times", source=source) from None
