"""A Raspberry Pi's camera, by a program that speaks as `rpicam-vid` does: what it gives, and its death is no end."""

from __future__ import annotations

import os
import queue
import signal
import sys
import time
from pathlib import Path

import pytest

from server.board.live.camera import Camera, CameraGone, RecordingEnded
from tests.patience import PATIENCE_S
from vision import picamera
from vision.frames import CameraLost, Frame, is_live, read_frames

PROGRAM = """#!{python}
import os, sys, time
import cv2, numpy as np
asked = dict(zip(sys.argv[1::1], sys.argv[2::1]))
w, h = int(asked["--width"]), int(asked["--height"])
open({pids!r}, "a").write(f"{{os.getpid()}} {{asked['--camera']}}\\n")
number = 0
while True:
    picture = np.full((h, w, 3), number % 200, np.uint8)
    os.write(1, cv2.imencode(".jpg", picture)[1].tobytes())
    number += 1
    {then}
"""
KILLS = int(os.environ.get("PICAMERA_KILLS", "5"))


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, then: str = "time.sleep(0.03)") -> Path:
    """Puts such a program on the path; the file in which each start of it is noted."""
    pids, file = folder / "pids", folder / "rpicam-vid"
    file.write_text(PROGRAM.format(python=sys.executable, pids=str(pids), then=then))
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return pids


def test_pictures_come_whole_and_the_newest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch)
    assert is_live("picamera:")
    levels, times = [], []
    for frame in read_frames("picamera:"):
        assert frame.image.shape == (*picamera.SIZE_WH[::-1], 3)
        levels.append(int(frame.image[0, 0, 0]))
        times.append(frame.t)
        if len(levels) == 5:
            break
    assert levels == sorted(set(levels))
    assert times == sorted(times)


def test_the_second_camera_is_asked_for_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = installed(tmp_path, monkeypatch)
    next(read_frames("picamera:1"))
    assert pids.read_text().split()[1] == "1"


def test_a_program_that_hangs_is_a_camera_that_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = installed(tmp_path, monkeypatch, then="time.sleep(1000)")
    monkeypatch.setattr(picamera, "SILENT_S", 1.5)
    with pytest.raises(CameraLost, match="gives no more pictures"):
        for _ in read_frames("picamera:"):
            pass
    with pytest.raises(ProcessLookupError):  # and it is not left behind
        os.kill(int(pids.read_text().split()[0]), 0)


def test_without_the_program_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CameraLost, match="no rpicam-vid here; on a Raspberry Pi: sudo apt install rpicam-apps"):
        next(read_frames("picamera:"))


@pytest.mark.parametrize("source", ["picamera:x", "picamera:12", "picamera:0;reboot"])
def test_what_is_no_camera_is_refused(source: str) -> None:
    with pytest.raises(CameraLost, match="write picamera: for the first camera"):
        next(read_frames(source))


def test_killed_again_and_again_the_pictures_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread of the service opens it again each time, and says each time that it was gone."""
    pids = installed(tmp_path, monkeypatch)
    came: queue.SimpleQueue[Frame | CameraGone | RecordingEnded] = queue.SimpleQueue()
    camera = Camera("picamera:", 15.0, came.put, realtime=False)
    camera.start_capture()
    last, gone = -1.0, 0
    try:
        for number in range(KILLS):
            until = time.monotonic() + PATIENCE_S
            while True:
                item = came.get(timeout=max(0.1, until - time.monotonic()))
                if isinstance(item, CameraGone):
                    gone += 1
                    assert not item.final
                    continue
                assert isinstance(item, Frame)
                camera.request_next_frame()
                assert item.t > last
                last = item.t
                starts = pids.read_text().split("\n")[:-1]
                if len(starts) == number + 1:
                    os.kill(int(starts[-1].split()[0]), signal.SIGKILL)
                    break
    finally:
        camera.close()
    assert gone >= KILLS - 1
