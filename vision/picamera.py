"""The cameras of a Raspberry Pi, through the program that comes with its system: MJPEG on a pipe, no Python binding.

`picamera:` is the first camera, `picamera:1` the second. A program that dies or hangs is a camera that is lost: whoever
reads the frames opens it again.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator

import cv2
import numpy as np

from engine.errors import Worded
from vision.ground import Image

SOURCE = re.compile(r"picamera:(\d?)")
PROGRAMS = ("rpicam-vid", "libcamera-vid")
"""What the program is called, in newer and in older systems."""
SIZE_WH, FRAMES_A_SECOND = (1280, 960), 15
"""The whole sensor of every camera module, as large as boards need."""
SILENT_S = 6.0
"""So long may the program take to start, and to send the next picture: the slowest board with its largest camera needs
two. Raising it says later that the camera is gone."""
BEGINS, ENDS = b"\xff\xd8", b"\xff\xd9"
"""Markers of a JPEG picture; inside of one the second cannot stand."""
LARGEST = 8 * 1024 * 1024
"""Bytes of a picture at most; one of this size has a tenth of them."""
PIPE = 1 << 16
STOP_S = 2.0


class NoPictures(Worded):  # it says what came of it
    """The program cannot be started, has ended or hangs; one line with what to do."""


def find_program() -> str | None:
    """Where the program is, None if this is no Raspberry Pi or it is not installed."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


def read_pictures(source: str) -> Iterator[tuple[float, Image]]:
    """The pictures of a camera, each with the seconds since it was asked for. NoPictures if there are no more."""
    match, found = SOURCE.fullmatch(source), find_program()
    if match is None:
        raise NoPictures(
            "camera {source}: write picamera: for the first camera, picamera:1 for the second", source=source
        )
    if found is None:
        text = "camera {source}: there is no {program} here; on a Raspberry Pi: sudo apt install rpicam-apps"
        raise NoPictures(text, source=source, program=PROGRAMS[0])
    asked = [
        "--timeout",
        "0",
        "--nopreview",
        "--codec",
        "mjpeg",
        "--width",
        str(SIZE_WH[0]),
        "--height",
        str(SIZE_WH[1]),
    ]
    asked += ["--framerate", str(FRAMES_A_SECOND), "--camera", match[1] or "0", "--output", "-"]
    begun = time.monotonic()
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    # No shell, and nothing of what a visitor names but one digit.
    with subprocess.Popen([found, *asked], stdout=pipe, stderr=nothing, bufsize=0) as running:  # noqa: S603
        try:
            for jpeg in _read_jpegs(running, source):
                image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
                if image is not None:
                    yield time.monotonic() - begun, np.asarray(image, np.uint8)
        finally:
            _stop_program(running)


def _read_jpegs(running: subprocess.Popen[bytes], source: str) -> Iterator[bytes]:
    """The pictures that the program writes one after another; of several that wait the newest."""
    pipe, held = running.stdout.fileno(), b""  # type: ignore[union-attr]  # it was started with a pipe
    while True:
        if not select.select([pipe], [], [], SILENT_S)[0]:
            raise NoPictures("camera {source}: gives no more pictures; check the camera's cable", source=source)
        more = os.read(pipe, PIPE)
        if not more:
            text = "camera {source}: {program} ended; is the camera plugged in, and used by nothing else?"
            raise NoPictures(text, source=source, program=PROGRAMS[0])
        held += more
        end = held.rfind(ENDS)
        if end >= 0:
            begin = held.rfind(BEGINS, 0, end)
            picture, held = held[max(begin, 0) : end + len(ENDS)], held[end + len(ENDS) :]
            if begin >= 0:
                yield picture
        elif len(held) > LARGEST:
            held = b""


def _stop_program(running: subprocess.Popen[bytes]) -> None:
    running.terminate()
    try:
        running.wait(STOP_S)
    except subprocess.TimeoutExpired:
        running.kill()
