"""Which frames the camera thread hands over when they come faster than they are taken."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from server.board.live.camera import Camera, CameraGone, RecordingEnded
from tests.patience import PATIENCE_S
from vision.frames import Frame

GREY = np.zeros((4, 4, 3), np.uint8)
COUNT = 6


class Source:
    """Frames that are given one by one when asked for, and `through` when all have been handed over."""

    def __init__(self) -> None:
        self.through, self.over = threading.Event(), threading.Event()

    def __call__(self) -> Iterator[Frame]:
        for number in range(COUNT):
            yield Frame(float(number), GREY)
        self.through.set()
        assert self.over.wait(PATIENCE_S)


Came = queue.Queue[Frame | CameraGone | RecordingEnded]


def next_t(came: Came) -> float:
    item = came.get(timeout=PATIENCE_S)
    assert isinstance(item, Frame)
    return item.t


def test_of_a_cameras_frames_that_pile_up_the_newest_is_taken() -> None:
    source, came = Source(), Came()
    camera = Camera("0", 8.0, came.put, source, realtime=False)
    camera.start_capture()
    assert source.through.wait(PATIENCE_S)
    assert next_t(came) == 0.0
    assert came.empty()
    camera.request_next_frame()
    assert next_t(came) == COUNT - 1
    source.over.set()
    camera.close()


@pytest.mark.parametrize("realtime", [False, True])
def test_no_frame_of_a_recording_is_left_out_before_the_game_has_begun(realtime: bool) -> None:
    source, came = Source(), Came()
    camera = Camera("game.mp4", 8.0, came.put, source, realtime=realtime)
    camera.start_capture()
    for number in range(COUNT):
        assert next_t(came) == number
        assert number == COUNT - 1 or not source.through.is_set()
        camera.request_next_frame(begun=False)
    source.over.set()
    camera.close()


def test_afterwards_one_in_its_own_time_is_not_waited_for() -> None:
    source, came = Source(), Came()
    camera = Camera("game.mp4", 8.0, came.put, source, realtime=True)
    camera.start_capture()
    assert next_t(came) == 0.0
    camera.request_next_frame(begun=True)
    assert source.through.wait(PATIENCE_S), "the thread has not waited"
    times = [next_t(came)]
    camera.request_next_frame()
    while times[-1] < COUNT - 1:
        times.append(next_t(came))
        camera.request_next_frame()
    assert times == sorted(times)
    source.over.set()
    camera.close()
