"""Events of a camera or a recording for whoever has no page: `referee watch`."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import closing

from engine.errors import InputError
from engine.match.events import Event
from server.board.live.camera import SILENCE_LOOK_S, Camera, CameraGone, LookDone, RecordingEnded, StreamTime
from server.board.live.notices import CameraLostNotice, PictureLeftOut
from server.board.live.visibility import Visibility
from server.pictures import read_frames
from vision.frames import Frame, is_live
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.watcher import Watcher

CameraItem = Frame | CameraGone | RecordingEnded | LookDone
OpenFrames = Callable[[], Iterator[Frame]]


def watch_source(
    watcher: Watcher, source: str, fps: float, opened: OpenFrames | None = None, *, realtime: bool
) -> Iterator[tuple[Event, ...]]:
    """What follows from each frame, and from a camera's silence. A recording is told as fast as it is watched.

    The looks at a camera, and at a recording in its own time, run beside their frames.

    A camera that is lost is opened again; InputError and CameraLost for a source that gives no frame at all.
    """
    if not (is_live(source) or realtime):
        for frame in read_frames(source, fps):
            yield _told_of(frame) + watcher.take_frame(frame)
        yield watcher.conclude_recording()
        return
    inbox: queue.SimpleQueue[CameraItem] = queue.SimpleQueue()
    camera = Camera(source, fps, inbox.put, opened, watcher.profile.size_wh, realtime=realtime)
    unseen, time = Visibility(), StreamTime()
    aside = ParallelWatcher(watcher, lambda: inbox.put(LookDone()), begins_alone=not is_live(source))
    with closing(aside), closing(camera):
        camera.start_capture()
        while True:
            try:
                item = inbox.get(timeout=SILENCE_LOOK_S)
            except queue.Empty:
                if is_live(source) and (t := time.check_silence()) is not None:
                    yield unseen.report_silence(t, aside.report_silence(t))
                continue
            match item:
                case Frame():
                    frame, age_s = time.stamp_frame(item)
                    yield _told_of(frame) + unseen.take_frame(frame.t, aside.take_frame(frame), age_s)
                    camera.request_next_frame(begun=aside.has_begun)
                case LookDone():
                    yield from map(unseen.translate_events, aside.finish_look())
                    aside.begin_missed_look()
                case CameraGone(message=message, final=final, cause=cause):
                    if final or watcher.last is None:
                        raise InputError(message)
                    t = time.current_time()
                    yield CameraLostNotice(t, message), *unseen.report_camera_lost(t, message, cause)
                case RecordingEnded():
                    yield from map(unseen.translate_events, aside.finish_look())
                    yield unseen.translate_events(aside.conclude_recording())
                    return


def _told_of(frame: Frame) -> tuple[Event, ...]:
    """What is to be said of a frame beside what it shows."""
    out = frame.left_out
    return () if out is None else (PictureLeftOut(frame.t, out.said),)
