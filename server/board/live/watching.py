"""Events of a camera or a recording for whoever has no page: `referee watch`."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import closing

from engine.errors import InputError
from engine.match.events import Event
from server.board.live.camera import SILENCE_LOOK_S, Camera, CameraGone, LookDone, RecordingEnded, StreamTime
from server.board.live.visibility import Visibility
from server.pictures import frames
from vision.frames import Frame, is_live
from vision.watch.aside import Aside
from vision.watch.watcher import Watcher

Item = Frame | CameraGone | RecordingEnded | LookDone
Opened = Callable[[], Iterator[Frame]]


def watched(
    watcher: Watcher, source: str, fps: float, opened: Opened | None = None, *, realtime: bool
) -> Iterator[tuple[Event, ...]]:
    """What follows from each frame, and from a camera's silence. A recording is told as fast as it is watched.

    The looks at a camera, and at a recording in its own time, run beside their frames.

    A camera that is lost is opened again; InputError and CameraLost for a source that gives no frame at all.
    """
    if not (is_live(source) or realtime):
        for frame in frames(source, fps):
            yield watcher.frame(frame)
        return
    inbox: queue.Queue[Item] = queue.Queue()
    camera, unseen, time = Camera(source, fps, inbox.put, opened, realtime=realtime), Visibility(), StreamTime()
    aside = Aside(watcher, lambda: inbox.put(LookDone()), begins_alone=not is_live(source))
    with closing(aside), closing(camera):
        camera.start()
        while True:
            try:
                item = inbox.get(timeout=SILENCE_LOOK_S)
            except queue.Empty:
                if is_live(source) and (t := time.silent()) is not None:
                    yield unseen.silent(t, aside.silence(t))
                continue
            match item:
                case Frame():
                    frame, age_s = time.frame(item)
                    yield unseen.frame(frame.t, aside.frame(frame), age_s)
                    camera.taken(begun=aside.begun)
                case LookDone():
                    yield from map(unseen.heard, aside.finish())
                case CameraGone(message=message, final=final):
                    if final or watcher.last is None:
                        raise InputError(message)
                    yield unseen.lost(time.now(), message)
                case RecordingEnded():
                    yield from map(unseen.heard, aside.finish())
                    return
