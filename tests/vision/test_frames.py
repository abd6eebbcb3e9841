"""Camera sources: what they give, and one clear line when they cannot."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.errors import InputError
from vision import frames
from vision.frames import AROUND_S, MOST_AROUND, CameraLost, Frame, frame_number, frames_around, is_live, read_frames
from vision.network_camera import STREAM_S


def picture(level: int) -> np.ndarray:
    return np.full((48, 64, 3), level, np.uint8)


def folder_of(path: Path, levels: list[int], spec: object | None = None) -> str:
    path.mkdir(exist_ok=True)
    for number, level in enumerate(levels):
        cv2.imwrite(str(path / f"frame_{number:04d}.png"), picture(level))
    if spec is not None:
        (path / "recording.json").write_text(spec if isinstance(spec, str) else json.dumps(spec))
    return str(path)


@pytest.mark.parametrize(
    ("spec", "times"),
    [
        (None, [0.0, 0.125, 0.25]),
        ({"fps": 4}, [0.0, 0.25, 0.5]),
        ({"t": [1.0, 1.5, 7.25]}, [1.0, 1.5, 7.25]),
    ],
)
def test_a_folder_plays_in_name_order(spec: object, times: list[float], tmp_path: Path) -> None:
    source = folder_of(tmp_path / "shots", [10, 20, 30], spec)
    found = list(read_frames(source))
    assert [frame.t for frame in found] == times
    assert [int(frame.image[0, 0, 0]) for frame in found] == [10, 20, 30]
    assert found[0].image.shape == (48, 64, 3)


def test_frames_a_second_of_a_folder(tmp_path: Path) -> None:
    assert [f.t for f in read_frames(folder_of(tmp_path, [1, 2, 3]), fps=2.0)] == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"t": [0.0, 1.0]}, "t must be 3 times in seconds"),
        ({"fps": 0}, "fps must be a number"),
        ({"fps": "fast"}, "fps must be a number"),
        ({"fps": 1e-300}, "fps must be a number"),
        ({"fps": 5e-324}, "fps must be a number"),
        ({"t": [0.0, 1.0, 1e300]}, "t must be seconds, 100000000 at most"),
        ({"t": [0.0, 1.0, float("nan")]}, "t must be seconds"),
        ("{", "not JSON"),
    ],
)
def test_times_that_cannot_be(spec: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        list(read_frames(folder_of(tmp_path, [1, 2, 3], spec)))


def test_one_picture_is_one_frame(tmp_path: Path) -> None:
    folder_of(tmp_path, [77])
    (frame,) = read_frames(str(tmp_path / "frame_0000.png"))
    assert (frame.t, int(frame.image[0, 0, 0])) == (0.0, 77)


def test_a_video_gives_its_frames_and_their_times(tmp_path: Path) -> None:
    path = tmp_path / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (64, 48))
    for level in (20, 60, 100, 140):
        writer.write(picture(level))
    writer.release()
    found = list(read_frames(str(path)))
    assert [round(f.t, 3) for f in found] == [0.0, 0.2, 0.4, 0.6]
    assert np.allclose([f.image.mean() for f in found], [20, 60, 100, 140], atol=3)


def test_the_number_of_a_frame(tmp_path: Path) -> None:
    source = folder_of(tmp_path, [10, 20])
    assert int(frame_number(source, 1).image[0, 0, 0]) == 20
    with pytest.raises(InputError, match="has 2 frames, there is no frame 2"):
        frame_number(source, 2)


def test_the_frames_around_one_are_given_with_it(tmp_path: Path) -> None:
    source = folder_of(tmp_path, list(range(40)))
    for number, first, last in ((0, 0, 12), (20, 14, 26), (39, 33, 39)):
        frame, others = frames_around(source, number, 100.0)
        assert int(frame.image[0, 0, 0]) == number
        assert [int(one[0, 0, 0]) for one in others] == [n for n in range(first, last + 1) if n != number]
    _, others = frames_around(source, 0, 2.0)
    assert len(list(others)) == 2 * AROUND_S < MOST_AROUND, "a slow camera is not waited for"


def test_what_fails_after_a_frame_ends_only_what_is_given_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks_off(*_: object) -> Iterator[Frame]:
        yield Frame(0.0, picture(20))
        yield Frame(0.1, picture(30))
        raise CameraLost("camera 0: gives no more pictures")

    monkeypatch.setattr(frames, "read_frames", breaks_off)
    frame, others = frames_around("0", 0)
    assert frame.t == 0.0
    assert [int(one[0, 0, 0]) for one in others] == [30]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CameraLost, match="no such file, folder or device"):
        list(read_frames(str(tmp_path / "none.mp4")))


def test_a_picture_that_is_cut_off_is_left_out_and_said_with_the_next_one(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "shots", [10, 20, 30, 40, 50])
    for number in (1, 2, 4):
        file = tmp_path / "shots" / f"frame_{number:04d}.png"
        file.write_bytes(file.read_bytes()[:40])
    found = list(read_frames(folder, fps=2.0))
    assert [frame.t for frame in found] == [0.0, 1.5, 2.0]
    assert [str(frame.left_out)[:55] for frame in found if frame.left_out] == [
        "The picture frame_0001.png cannot be read and is left o",
        "The picture frame_0004.png cannot be read and is left o",
    ]
    assert np.array_equal(found[1].image, found[2].image), "the board as it was seen last"


def test_a_folder_without_pictures_is_named(tmp_path: Path) -> None:
    with pytest.raises(CameraLost, match="no pictures in this folder"):
        list(read_frames(str(tmp_path)))


@pytest.mark.parametrize("name", ["film.mp4", "still.jpg"])
@pytest.mark.parametrize("content", [b"", b"no picture at all" * 10])
def test_a_file_that_cannot_be_read_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match="read"):
        list(read_frames(str(path)))


def test_a_device_that_cannot_be_opened_comes_with_advice() -> None:
    with pytest.raises(CameraLost, match="group 'video'"):
        next(read_frames("/dev/video97"))


@pytest.mark.parametrize(
    ("source", "live"),
    [("0", True), ("/dev/video0", True), ("rtsp://box/1", True), ("game.mp4", False), ("shots", False)],
)
def test_which_sources_are_live(source: str, live: bool) -> None:
    assert is_live(source) is live


def test_a_camera_in_the_network_that_never_answers_is_given_up() -> None:
    """Something listens there and says nothing: people hear it in seconds and not in half a minute."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        with pytest.raises(CameraLost, match="no pictures come from there"):
            next(read_frames(f"http://127.0.0.1:{silent.getsockname()[1]}/video"))
        assert time.monotonic() - begun < 3 * STREAM_S


WATCHED = """
import re, sys
from pathlib import Path
from vision.frames import CameraLost, read_frames
try:
    next(read_frames(sys.argv[1]))
except CameraLost as lost:
    print(lost)
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what FFmpeg takes is bounded on Linux")
def test_a_camera_that_claims_a_picture_of_gigabytes_does_not_fill_the_memory() -> None:
    """It took what came within six seconds, 1.4 GB; a Raspberry Pi has as much for all it does."""

    opened: list[socket.socket] = []

    def flood(server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                one, _ = server.accept()
                opened.append(one)
                head = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n--next\r\n"
                one.sendall(f"{head}Content-Type: image/jpeg\r\nContent-Length: 99999999999\r\n\r\n".encode())
                with suppress(OSError):
                    while True:
                        one.sendall(b"\xff\xd8" + bytes(1_000_000))

    with ExitStack() as ends, socket.create_server(("127.0.0.1", 0)) as camera:
        ends.callback(lambda: [one.close() for one in opened])
        threading.Thread(target=flood, args=(camera,), daemon=True).start()
        command = [sys.executable, "-c", WATCHED, f"http://127.0.0.1:{camera.getsockname()[1]}/video"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    lost, most_kb = done.stdout.splitlines()
    assert "camera http" in lost
    assert int(most_kb) < 500_000
