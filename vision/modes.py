"""What a camera on Linux can give: sizes, formats and rates, asked of its driver; and the one that is used.

A webcam that is only opened gives 640x480 whatever it can do. `DEVICE` alone stands for its best mode, and
`DEVICE@1280x720` for the best one of that size. The calls are those of Video4Linux (include/uapi/linux/videodev2.h).
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2

from vision.settings_holder import SettableCamera

ENUM_FMT, ENUM_FRAMESIZES, ENUM_FRAMEINTERVALS = 0xC0405602, 0xC02C564A, 0xC034564B
FORMAT_ASKED, SIZE_ASKED, INTERVAL_ASKED = (
    struct.Struct("<3I32s2I12x"),
    struct.Struct("<3I6I8x"),
    struct.Struct("<5I6I8x"),
)
CAPTURE, DISCRETE, MOST_ASKED = 1, 1, 256
READ = ("YUYV", "UYVY", "NV12", "NV21", "YU12", "YV12", "BGR3", "RGB3", "MJPG", "JPEG")
"""Formats that OpenCV makes pictures of, those without loss first."""
USUAL_SIZES = ((640, 480), (800, 600), (1280, 720), (1280, 960), (1920, 1080))
"""Offered of a camera that scales to any size between two."""
LEAST_FPS = 10.0
"""A mode is chosen for its pixels among those that give so many frames a second. Lowering it takes sharper pictures
that miss quick moves, raising it takes coarser ones."""
ENOUGH_FPS = 30.0
"""Of modes of one size more than this is no reason to choose one."""
MOST_CHOSEN_PIXELS = 1920 * 1200
"""Larger ones are only used when they are asked for: a small computer does not decode ten of them a second, and a board
that fills such a picture has over 60 pixels a cell."""
MIRRORED_BEFORE = "mirrored:"
"""Before a source: its pictures are mirrored, as phones and webcams show people themselves, and are turned back."""
ASKED = re.compile(r"(?P<device>\d{1,2}|/dev/\S+)@(?P<width>\d{2,5})x(?P<height>\d{2,5})")

Call = Callable[[int, int, bytearray], object]
"""As `fcntl.ioctl`: file, request, and what is asked and answered in."""
Size = tuple[int, int]


@dataclass(frozen=True)
class CameraMode:
    """One that a camera can be set to; `code` is its format's four letters."""

    size_wh: Size
    code: str
    fps: float

    @property
    def name(self) -> str:
        """As it is told to people."""
        return f"{self.size_wh[0]}x{self.size_wh[1]} {self.code}, {self.fps:.3g} frames a second"


def unmirrored_source(source: str) -> str:
    """What a source opens, without the word that its pictures are mirrored."""
    return source.removeprefix(MIRRORED_BEFORE)


def device_of(source: str) -> str:
    """The camera that a source means, without the size that is asked of it."""
    asked = ASKED.fullmatch(unmirrored_source(source))
    return asked["device"] if asked else unmirrored_source(source)


def size_of(source: str) -> Size | None:
    """The size that a source asks of its camera, None for the best."""
    asked = ASKED.fullmatch(unmirrored_source(source))
    return (int(asked["width"]), int(asked["height"])) if asked else None


def is_plugged(source: str) -> bool:
    """Whether a source is a camera at this computer, by its number or its file."""
    return device_of(source).isdecimal() or device_of(source).startswith("/dev/")


def in_size(source: str, size_wh: Size) -> str:
    """The source in the size that its board was found in, if it is plugged in and asks for none."""
    asks = size_of(source) is not None or not is_plugged(source)
    return source if asks else f"{source}@{size_wh[0]}x{size_wh[1]}"


def file_of(source: str) -> str:
    """The device file of a camera that is plugged in."""
    device = device_of(source)
    return f"/dev/video{device}" if device.isdecimal() else device


def list_modes(path: str, call: Call = fcntl.ioctl) -> list[CameraMode]:
    """All that the camera at `path` can give and we can read, as its driver lists them; [] of what is no camera."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return []
    try:
        return [
            CameraMode(size, code.decode("ascii", "replace"), fps)
            for code in _list_formats(file, call)
            if code.decode("ascii", "replace") in READ
            for size in _list_sizes(file, code, call)
            if (fps := max(_list_rates(file, code, size, call), default=0.0))
        ]
    finally:
        os.close(file)


def choose_mode(found: Sequence[CameraMode], size_wh: Size | None = None) -> CameraMode | None:
    """The mode with most pixels that is quick enough, or the best one of a size; None where there is none.

    Of one size the quicker one, up to ENOUGH_FPS; then the one without loss. Where none is quick enough, the quickest.
    """
    fitting = [mode for mode in found if size_wh in (None, mode.size_wh)]
    if size_wh is None:
        small = [mode for mode in fitting if mode.size_wh[0] * mode.size_wh[1] <= MOST_CHOSEN_PIXELS]
        fitting = small or fitting
    return max(fitting, key=_rank_mode, default=None)


def best_modes_by_size(found: Sequence[CameraMode]) -> list[CameraMode]:
    """The best mode of each size, the largest first."""
    each = [
        choose_mode(found, size) for size in sorted({mode.size_wh for mode in found}, key=lambda wh: -wh[0] * wh[1])
    ]
    return [mode for mode in each if mode is not None]


def set_mode(camera: SettableCamera, mode: CameraMode) -> None:
    """Have an open camera give pictures in `mode`; the format first, as it decides which sizes there are."""
    camera.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*mode.code))
    camera.set(cv2.CAP_PROP_FRAME_WIDTH, mode.size_wh[0])
    camera.set(cv2.CAP_PROP_FRAME_HEIGHT, mode.size_wh[1])
    camera.set(cv2.CAP_PROP_FPS, mode.fps)


def _rank_mode(mode: CameraMode) -> tuple[float, int, float, int]:
    pixels = mode.size_wh[0] * mode.size_wh[1]
    return min(mode.fps, LEAST_FPS), pixels, min(mode.fps, ENOUGH_FPS), -READ.index(mode.code)


def _list_formats(file: int, call: Call) -> Iterator[bytes]:
    for answer in _ask_driver(file, ENUM_FMT, FORMAT_ASKED, lambda k: (k, CAPTURE, 0, b"", 0, 0), call):
        yield struct.pack("<I", answer[4])


def _list_sizes(file: int, code: bytes, call: Call) -> Iterator[Size]:
    (number,) = struct.unpack("<I", code)
    for _, _, kind, *size in _ask_driver(file, ENUM_FRAMESIZES, SIZE_ASKED, lambda k: (k, number, *[0] * 7), call):
        if kind == DISCRETE:
            yield size[0], size[1]
            continue
        low, high, step = size[0::3], size[1::3], size[2::3]
        for w, h in USUAL_SIZES:
            within = zip((w, h), low, high, step, strict=True)
            if all(least <= n <= most and (n - least) % max(by, 1) == 0 for n, least, most, by in within):
                yield w, h
        return


def _list_rates(file: int, code: bytes, size: Size, call: Call) -> Iterator[float]:
    """Frames a second; of a range the most, which its shortest interval gives."""
    (number,) = struct.unpack("<I", code)
    asked = (number, *size, *[0] * 7)
    for answer in _ask_driver(file, ENUM_FRAMEINTERVALS, INTERVAL_ASKED, lambda k: (k, *asked), call):
        over, under = answer[5], answer[6]
        if over:
            yield under / over
        if answer[4] != DISCRETE:
            return


def _ask_driver(
    file: int, request: int, form: struct.Struct, asked: Callable[[int], Sequence[int | bytes]], call: Call
) -> Iterator[tuple[int, ...]]:
    """The answers number 0, 1, ... until the driver has no more; none where it does not know the call."""
    for k in range(MOST_ASKED):
        data = bytearray(form.pack(*asked(k)))
        try:
            call(file, request, data)
        except OSError:
            return
        yield form.unpack(data)
