"""Events of a camera or a recording for whoever has no page: `referee watch`."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import closing

from engine.errors import InputError
from engine.events import Event
from server.camera import Camera, CameraGone, RecordingEnded
from server.stream_time import LOOK_S, StreamTime
from server.unseen import Unseen
from vision.frames import Frame, frames, is_live
from vision.watch.watcher import Watcher

Item = Frame | CameraGone | RecordingEnded
Opened = Callable[[], Iterator[Frame]]


def watched(
    watcher: Watcher, source: str, fps: float, realtime: bool, opened: Opened | None = None
) -> Iterator[tuple[Event, ...]]:
    """What follows from each frame, and from a camera's silence. A recording is told as fast as it is watched.

    A camera that is lost is opened again; InputError and CameraLost for a source that gives no frame at all.
    """
    if not is_live(source):
        for frame in frames(source, fps, realtime):
            yield watcher.frame(frame)
        return
    inbox: queue.Queue[Item] = queue.Queue()
    camera, unseen, time = Camera(source, fps, realtime, inbox.put, opened), Unseen(), StreamTime()
    camera.start()
    with closing(camera):
        while True:
            try:
                item = inbox.get(timeout=LOOK_S)
            except queue.Empty:
                if (t := time.silent()) is not None:
                    yield unseen.silent(t, watcher.silence(t))
                continue
            match item:
                case Frame():
                    frame, age_s = time.frame(item)
                    yield unseen.frame(frame.t, watcher.frame(frame), age_s)
                    camera.taken()
                case CameraGone(message=message, final=final):
                    if final or watcher.last is None:
                        raise InputError(message)
                    yield unseen.lost(time.now(), message)
                case RecordingEnded():
                    return
