"""Cameras and films opened in a process of their own, with a deadline: a driver that hangs or crashes ends only that.

`open_source` starts the process and gives its frames; the module run by itself is the process. It
reads what to open as a line of JSON (Asked), as everybody on the machine may read a command line, with the camera's
password in it. It writes pictures as they are, one after another, each after a head of a letter and three numbers
(HEAD).
"""

from __future__ import annotations

import json
import os
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from calibration.profile import Profile
from engine.errors import InputError
from engine.outside import own_module
from server.board.setup.gate import Gate
from server.board.setup.within import AllowedAddresses, parse_addresses
from server.pictures import read_frames
from vision import MOST_PIXELS
from vision.frames import CameraLost, Frame, is_live, unmirror_frames
from vision.modes import unmirrored_source

FIRST_S = 15.0
"""How long a source may take for its first picture: a stream over the network needs six seconds at most, Python three
on a slow board."""
NEXT_S = 8.0
"""The same for each that follows; a camera in the network is given up by itself after six
(vision.network_camera.STREAM_S)."""
HEAD = struct.Struct("<cdII")
"""Letter, seconds of the stream, height and width; for an error the length of its text and values (JSON)
stands in the place of the height."""
PICTURE, CAMERA_LOST, NO_SOURCE = b"P", b"L", b"U"
LONGEST_MESSAGE = 20_000
HANDED_EVERY_S = 0.1
"""A camera's pictures are handed on ten times a second at most: more is copied for nothing before there is a game."""


Opener = Callable[[], Iterator[Frame]]
"""Opens a source anew each time, and gives its frames."""


class OpenRequest(NamedTuple):
    """What the process is asked to open: the source, frames a second of a folder, the seconds between two pictures of a
    camera at least, and the addresses it may connect to, None for all."""

    source: str
    fps: float
    every_s: float
    reach: Sequence[str] | None


def open_source(
    source: str,
    fps: float,
    first_s: float = FIRST_S,
    next_s: float = NEXT_S,
    *,
    every_s: float = HANDED_EVERY_S,
    reach: AllowedAddresses | None = None,
) -> Iterator[Frame]:
    """The frames of `source` as server.pictures gives them, and its errors; CameraLost where none comes in time.

    With a `reach` nothing outside it is connected to, wherever the stream leads.
    """
    command = own_module("server.board.setup.opening")
    asked = OpenRequest(source, fps, every_s, None if reach is None else reach.listed)
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, bufsize=0)  # noqa: S603  # no shell
    try:
        with suppress(BrokenPipeError):  # it has ended already, which is said below
            os.write(process.stdin.fileno(), json.dumps(asked).encode() + b"\n")  # type: ignore[union-attr]  # as below
        wait_s, begun = first_s, time.monotonic()
        while (found := _next_frame(process, source, wait_s)) is not None:
            yield found
            wait_s = next_s
        if process.wait(next_s) != 0:
            text = "camera {source}: what opened it crashed after {seconds} s"
            raise CameraLost(text, source=source, seconds=round(time.monotonic() - begun))
    finally:
        process.kill()
        for end in (process.stdin, process.stdout):
            if end is not None:
                end.close()
        threading.Thread(target=process.wait, daemon=True).start()  # one stuck in a driver is not waited for


def guarded_opener(source: str, profile: Profile | None, fps: float, cameras_at: Sequence[str]) -> Opener | None:
    """What opens a profile's camera that a visitor of a page named, so that it leads nowhere but `cameras_at`.

    The same for all commands. None for any other camera: what the command line names may be anywhere.
    """
    reach = parse_addresses(cameras_at)
    if profile is None or not profile.guarded or source != profile.source:
        return None
    return partial(open_source, source, fps, every_s=0.0, reach=reach)


def _next_frame(process: subprocess.Popen[bytes], source: str, wait_s: float) -> Frame | None:
    """The next frame, None at the end."""
    end = time.monotonic() + wait_s
    head = _read_bytes(process, HEAD.size, end, source)
    if not head:
        return None
    letter, t, height, width = HEAD.unpack(head)
    if letter != PICTURE:
        raise _decode_error(letter, _read_bytes(process, min(height, LONGEST_MESSAGE), end, source), source)
    if height * width > MOST_PIXELS:
        text = "camera {source}: {size} is too large; choose a smaller picture"
        raise CameraLost(text, source=source, size=f"{width}x{height}")
    data = _read_bytes(process, 3 * height * width, end, source)
    if not data:
        return None
    return Frame(t, np.frombuffer(data, np.uint8).reshape(height, width, 3))


def _decode_error(letter: bytes, said: bytes, source: str) -> CameraLost | InputError:
    """The error that `_write_frames` has written; a driver may have written into it before it crashed."""
    try:
        text, values = json.loads(said)
        return (CameraLost if letter == CAMERA_LOST else InputError)(str(text), **values)
    except (ValueError, TypeError, LookupError, AttributeError):
        return CameraLost("camera {source}: cannot be opened, and does not say why", source=source)


def _read_bytes(process: subprocess.Popen[bytes], count: int, end: float, source: str) -> bytes:
    """So many bytes, none where the process has ended before; CameraLost at the time `end`."""
    pipe, held = process.stdout.fileno(), bytearray()  # type: ignore[union-attr]  # it was started with a pipe
    while len(held) < count:
        left = end - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise CameraLost(
                "camera {source}: gives no picture in time: is it in use elsewhere, or hung?", source=source
            )
        more = os.read(pipe, min(count - len(held), 1 << 20))
        if not more:
            return b""
        held += more
    return bytes(held)


def _write_frames(asked: OpenRequest) -> None:
    """Write the frames to standard output, as the process that opens."""
    source, fps, every_s, listed = asked
    gate = None if listed is None else Gate(AllowedAddresses(tuple(listed)))
    opens = unmirrored_source(source)
    address = opens if gate is None else gate.redirect_source(opens)
    out, last = sys.stdout.buffer, -every_s
    try:
        for frame in unmirror_frames(source, read_frames(address, fps)):
            if is_live(source) and frame.t - last < every_s:
                continue
            last = frame.t
            out.write(HEAD.pack(PICTURE, frame.t, *frame.image.shape[:2]))
            out.write(frame.image.tobytes())
            out.flush()
    except BrokenPipeError:
        os._exit(0)
    except (CameraLost, InputError) as error:
        if gate is not None and gate.refused:
            text = "camera {source}: leads to {host}: for streams from there the setting cameras-at must name it"
            error = type(error)(text, source=source, host=gate.refused)
        values = {name: str(value).replace(address, opens) for name, value in error.values.items()}
        said = json.dumps([error.text.replace(address, opens), values]).encode()
        out.write(HEAD.pack(CAMERA_LOST if isinstance(error, CameraLost) else NO_SOURCE, 0.0, len(said), 0) + said)
        out.flush()


def _end_with_parent() -> None:
    """Whoever asked for the pictures is gone, however it ended."""
    while os.read(0, 1):
        pass
    os._exit(0)


def _read_line() -> bytes:
    """The first line of standard input, and nothing of what follows."""
    said = bytearray()
    while (letter := os.read(0, 1)) not in {b"", b"\n"}:
        said += letter
    return bytes(said)


if __name__ == "__main__":
    asked_for = OpenRequest(*json.loads(_read_line()))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _write_frames(asked_for)
    os._exit(0)  # the thread above waits for good
