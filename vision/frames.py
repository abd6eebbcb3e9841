"""Camera sources: a device, a network stream, a video file, one picture, or a folder of pictures.

`mirrored:` stands before a source that shows everything as in a mirror: its pictures are turned back.
Recorded sources give every frame with its stream time and as fast as it is asked for; live ones give the newest.
A source that cannot be opened or breaks off raises CameraLost, one line with what to do.
"""

from __future__ import annotations

import json
import sys
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice, takewhile
from pathlib import Path
from types import UnionType
from typing import Any

import cv2
import numpy as np

from calibration.door import MOST_PICTURE, MOST_TEXT, read_file, read_text
from engine.errors import InputError, Worded
from vision import MOST_PIXELS, modes, network_camera, picamera
from vision.ground import Image
from vision.settings_holder import SettingsHolder
from vision.video import Film

LIVE = ("/dev/", "rtsp://", "http://", "https://", "picamera:")
"""How the names of cameras begin."""
PHONE = "phone:"
"""The source that is a phone's browser; its pictures come over the web, see server/board/live/phone.py."""
NO_SUCH_SOURCE = "camera {source}: no such file, folder or device; give a device number, a file or an URL"
DEFAULT_FPS = 8.0
PICTURE_SUFFIXES = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}
MOST_FPS = 1000.0
MOST_STREAM_S = 1e8
"""Three years, as long as clocks go (engine.match.clock). Raising it lets in times that cannot be told apart any more,
lowering it refuses long recordings."""
MOST_REPEATS = 10_000
MOST_AROUND, AROUND_S = 12, 3.0
"""Frames around one that tell what is noise in it, half of them from before where there are so many, and for how long
those after it are waited for. Raising them averages more noise away, takes memory, and makes the owner of a slow camera
wait; lowering them leaves noise. Chosen on three films of wooden boards with white noise of 14 grey levels put over
them: the board is found in none of twelve frames alone, in nine with 6 more, and in all with 12 and with 24."""
HELD_S = 0.25
"""A reader that holds a frame for longer is not ready for the next ones; for less the recording catches up."""


LEFT_OUT = "The picture {path} cannot be read and is left out: put it into the folder again, or go on without it."
SAME_SHAPE = 0.01
"""Pictures whose sides are in the same proportion up to this share are the same picture in another size. Raising it
stretches what shows another piece of the table, lowering it refuses sizes that cameras round to whole blocks of 16:
1088 lines for 1080 are 0.7 %, and 4:3 is 25 % from 16:9."""
TURN_BACK = (
    "camera: the picture is {size}, but the board was set up in {need}: turn the camera or the phone back, or set the "
    "board up again"
)
OTHER_SHAPE = (
    "camera: the picture is {size}, but the board was set up in {need}: set the camera back to that size, or set the "
    "board up again"
)


class CameraLost(Worded, OSError):  # noqa: N818  # it is the camera that is lost; the name is used throughout the documents
    """The camera cannot be opened or gives no more pictures."""


class HeldOtherwise(CameraLost):
    """Pictures come, but of another shape than those in which the board was set up: nothing is to be read from them."""


@dataclass(frozen=True)
class Frame:
    """One picture, uint8 (H, W, 3) BGR, and its time in seconds of the stream.

    `left_out` says of pictures just before it that they cannot be read, and which was the first.
    """

    t: float
    image: Image
    left_out: Worded | None = field(default=None, kw_only=True)


def is_live(source: str) -> bool:
    """Whether a source is a camera (whose frames may be dropped) rather than a recording."""
    opens = modes.device_of(source)
    return opens == PHONE or opens.isdecimal() or opens.startswith(LIVE)


def read_frames(source: str, fps: float = DEFAULT_FPS, *, realtime: bool = False) -> Iterator[Frame]:
    """The frames of `source`, in order. `fps` is for folders without times. CameraLost if it cannot be opened."""
    if source.startswith(modes.MIRRORED_BEFORE):
        return unmirror_frames(source, read_frames(modes.unmirrored_source(source), fps, realtime=realtime))
    if source == PHONE:
        raise CameraLost(f"camera {PHONE}: for `referee serve` alone; `referee phone` makes a picture for others")
    if source.startswith("picamera:"):
        found = _read_picamera(source)
    elif "://" in source and is_live(source):
        found = _read_network(source)
    elif is_live(source):
        found = _read_device(source)
    elif Path(source).is_dir():
        found = _read_folder(Path(source), fps)
    elif not Path(source).exists():
        raise CameraLost(NO_SUCH_SOURCE, source=source)
    elif Path(source).suffix.lower() in PICTURE_SUFFIXES:
        found = iter([Frame(0.0, load_picture(Path(source)))])
    else:
        found = _read_film(source, fps)
    return _pace_frames(found) if realtime and not is_live(source) else found


def unmirror_frames(source: str, given: Iterator[Frame]) -> Iterator[Frame]:
    """What `source` gives as it is on the table: turned back where the source is mirrored."""
    return map(unmirror_frame, given) if source.startswith(modes.MIRRORED_BEFORE) else given


def unmirror_frame(frame: Frame) -> Frame:
    """A mirrored frame as it is on the table."""
    return replace(frame, image=np.ascontiguousarray(frame.image[:, ::-1]))


def load_picture(path: Path) -> Image:
    """A picture file as BGR. InputError if it cannot be read as one."""
    try:
        raw = np.frombuffer(read_file(path, MOST_PICTURE), np.uint8)
    except OSError as error:
        raise InputError("picture {path}: {why}", path=path, why=error.strerror) from error
    except InputError as error:
        raise InputError(f"picture {error}") from None
    image = cv2.imdecode(raw, cv2.IMREAD_COLOR) if len(raw) else None
    if image is None:
        raise InputError("picture {path}: not a picture that can be read (JPEG, PNG, ...)", path=path)
    if image.shape[0] * image.shape[1] > MOST_PIXELS:
        size = f"{image.shape[1]}x{image.shape[0]}"
        raise InputError("picture {path}: {size} is too large; scale it down", path=path, size=size)
    return np.asarray(image, np.uint8)


def frame_number(source: str, number: int, fps: float = DEFAULT_FPS) -> Frame:
    """Frame `number` (from 0) of a source. InputError if it has fewer."""
    return frames_around(source, number, fps)[0]


def frames_around(source: str, number: int, fps: float = DEFAULT_FPS) -> tuple[Frame, Iterator[Image]]:
    """Frame `number` (from 0) of a source, and the pictures just before and after it. InputError if it has fewer.

    What fails after it ends only what is given with it.
    """
    given, last = read_frames(source, fps), -1
    before: deque[Image] = deque(maxlen=MOST_AROUND // 2)
    for last, frame in enumerate(given):
        if last == number:
            after = islice(_follow_frame(frame, given), MOST_AROUND - len(before))
            return frame, chain(tuple(before), after)
        before.append(frame.image)
    raise InputError(f"camera {source}: has {last + 1} frames, there is no frame {number} (they count from 0)")


def _follow_frame(frame: Frame, given: Iterator[Frame]) -> Iterator[Image]:
    """The pictures that come soon after a frame."""
    with suppress(CameraLost, InputError, cv2.error):
        yield from (one.image for one in takewhile(lambda one: one.t - frame.t <= AROUND_S, given))


def duration_s(source: str, fps: float = DEFAULT_FPS) -> float:
    """Stream time of the last frame of a recording, 0 for a single picture. CameraLost or InputError if it is none."""
    source = modes.unmirrored_source(source)
    if Path(source).is_dir():
        times, _ = _load_schedule(Path(source) / "recording.json", len(_list_pictures(Path(source))), fps)
        return times[-1]
    if Path(source).suffix.lower() in PICTURE_SUFFIXES:
        return 0.0
    with Film(source, fps) as film:
        return film.duration_s


def frame_at(source: str, t: float, fps: float = DEFAULT_FPS) -> Frame:
    """The frame of a recording that is shown at stream time `t`, the last one after its end."""
    if source.startswith(modes.MIRRORED_BEFORE):
        return unmirror_frame(frame_at(modes.unmirrored_source(source), t, fps))
    if Path(source).is_dir():
        files = _list_pictures(Path(source))
        times, repeats = _load_schedule(Path(source) / "recording.json", len(files), fps)
        shown = [path for path, count in zip(files, repeats, strict=True) for _ in range(count)]
        number = max(0, bisect_right(times, t) - 1)
        return Frame(times[number], load_picture(shown[number]))
    if Path(source).suffix.lower() in PICTURE_SUFFIXES:
        return Frame(0.0, load_picture(Path(source)))
    with Film(source, fps) as film:
        image = film.picture_at(t)
        return Frame(film.t, image)


def _list_pictures(folder: Path) -> list[Path]:
    files = sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES)
    if not files:
        raise CameraLost("camera {source}: no pictures in this folder", source=folder)
    return files


def _read_folder(folder: Path, fps: float) -> Iterator[Frame]:
    """The pictures of a folder; those that cannot be read are left out, and after the last one the picture before it
    stays. InputError where the first cannot: nothing can begin with it."""
    files = _list_pictures(folder)
    image: Image | None = None
    shown, left_out = 0, None
    times, repeats = _load_schedule(folder / "recording.json", len(files), fps)
    for path, count in zip(files, repeats, strict=True):
        try:
            image = load_picture(path)
        except InputError:
            if image is None:
                raise
            left_out = left_out or Worded(LEFT_OUT, path=path.name)
            if path != files[-1]:
                shown += count
                continue
        for _ in range(count):
            yield Frame(times[shown], image, left_out=left_out)
            shown, left_out = shown + 1, None


def _load_schedule(path: Path, count: int, fps: float) -> tuple[list[float], list[int]]:
    """Stream times, and how many frames each picture is shown for, from a folder's recording.json or evenly spaced.

    {"fps": 8} or {"t": [0.0, 0.12, ...]}; with {"repeat": [10, 2, ...]} a picture stands for that many equal frames.
    """
    spec = _read_schedule(path)
    repeats, times, rate = spec.get("repeat", [1] * count), spec.get("t"), spec.get("fps", fps)
    if not _is_list_of(repeats, int) or len(repeats) != count or not all(0 < n <= MOST_REPEATS for n in repeats):
        raise InputError(f"{path}: repeat must be {count} whole numbers, one a picture")
    total = sum(repeats)
    if times is not None:
        if not _is_list_of(times, int | float) or len(times) != total:
            raise InputError(f"{path}: t must be {total} times in seconds, one a frame")
        if not all(abs(t) <= MOST_STREAM_S for t in times):
            raise InputError(f"{path}: t must be seconds, {MOST_STREAM_S:.0f} at most")
        return [float(t) for t in times], repeats
    if not isinstance(rate, int | float) or not 0 < rate <= MOST_FPS or total > MOST_STREAM_S * rate:
        raise InputError(f"{path}: fps must be a number of frames a second")
    return [i / rate for i in range(total)], repeats


def _read_schedule(path: Path) -> dict[str, Any]:
    """What a recording.json says, whatever that is; nothing where there is none."""
    if not path.exists():
        return {}
    try:
        spec = json.loads(read_text(path, MOST_TEXT))
    except (ValueError, RecursionError) as error:  # one that is nested thousands deep is none
        raise InputError(f"{path}: not JSON: {error}") from error
    if not isinstance(spec, dict):
        raise InputError(f'{path}: give {{"fps": 8}} or {{"t": [0.0, 0.12, ...]}}')
    return spec


def _is_list_of(value: object, kind: type | UnionType) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) and not isinstance(item, bool) for item in value)


def _read_film(source: str, fps: float) -> Iterator[Frame]:
    with Film(source, fps) as film:
        while (image := film.next_picture()) is not None:
            yield Frame(film.t, image)


def _read_network(source: str) -> Iterator[Frame]:
    try:
        for t, image in network_camera.read_stream(source):
            yield Frame(t, image)
    except network_camera.StreamLost as error:
        raise CameraLost(error.said) from error


def _read_device(source: str) -> Iterator[Frame]:
    capture = _open_device(source)
    if not capture.isOpened():
        raise CameraLost(
            "camera {source}: cannot be opened; is it plugged in, free, and are you in the group 'video'?",
            source=source,
        )
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    start = time.monotonic()
    steady = SettingsHolder(capture)
    try:
        while True:
            ok, image = capture.read()
            if not ok:
                raise CameraLost(network_camera.NO_MORE, source=source)
            frame = Frame(time.monotonic() - start, np.asarray(image, np.uint8))
            steady.check_frame(frame.t, frame.image)
            yield frame
    finally:
        steady.restore_settings()
        capture.release()


def _read_picamera(source: str) -> Iterator[Frame]:
    try:
        for t, image in picamera.read_pictures(source):
            yield Frame(t, image)
    except picamera.NoPictures as error:
        raise CameraLost(error.said) from error


def _open_device(source: str) -> cv2.VideoCapture:
    """A camera that is plugged in, in its best mode or the best of the size that is asked for."""
    device, size_wh = modes.device_of(source), modes.size_of(source)
    if sys.platform != "linux":
        return cv2.VideoCapture(int(device) if device.isdecimal() else device)
    capture = cv2.VideoCapture(modes.file_of(source), cv2.CAP_V4L2)
    mode = modes.choose_mode(modes.list_modes(modes.file_of(source)), size_wh)
    if mode is not None and capture.isOpened():
        modes.set_mode(capture, mode)
    return capture


def _pace_frames(recorded: Iterator[Frame]) -> Iterator[Frame]:
    """A recording at the speed at which it was made; its clock stands still while its reader is not ready for it."""
    start: float | None = None
    for frame in recorded:
        now = time.monotonic()
        start = now - frame.t if start is None else start
        wait = start + frame.t - now
        if wait > 0:
            time.sleep(wait)
        yield frame
        held_s = time.monotonic() - max(now, start + frame.t)
        if held_s > HELD_S:
            start += held_s


def check_size(frame: Frame, size_wh: tuple[int, int]) -> None:
    """InputError if the frame has not the size of the pictures that the profile was made from."""
    h, w = frame.image.shape[:2]
    if (w, h) != size_wh:
        text, values = describe_other_size((w, h), size_wh)
        raise InputError(text, **values)


def describe_other_size(size_wh: tuple[int, int], need_wh: tuple[int, int]) -> tuple[str, dict[str, object]]:
    """That a picture is not of the size in which the board was set up, and what to do: a text and its values."""
    lies, lay = (np.sign(w - h) for w, h in (size_wh, need_wh))
    values: dict[str, object] = {"size": "x".join(map(str, size_wh)), "need": "x".join(map(str, need_wh))}
    return (OTHER_SHAPE if lies == lay else TURN_BACK), values


def has_shape(size_wh: tuple[int, int], need_wh: tuple[int, int]) -> bool:
    """Whether a picture of one size is an evenly scaled one of the other."""
    (w, h), (need_w, need_h) = size_wh, need_wh
    return abs(w * need_h / (h * need_w) - 1.0) <= SAME_SHAPE


def scale_frame(frame: Frame, size_wh: tuple[int, int], *, any_size: bool = True) -> Frame:
    """The frame in this size. HeldOtherwise where it has not its shape, or, unless `any_size` will do, its size."""
    h, w = frame.image.shape[:2]
    if (w, h) == size_wh:
        return frame
    if not (any_size and has_shape((w, h), size_wh)):
        text, values = describe_other_size((w, h), size_wh)
        raise HeldOtherwise(text, **values)
    scaled = cv2.resize(frame.image, size_wh, interpolation=cv2.INTER_AREA if w > size_wh[0] else cv2.INTER_LINEAR)
    return replace(frame, image=np.asarray(scaled, np.uint8))
