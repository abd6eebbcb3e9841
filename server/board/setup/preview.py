"""A camera before there is a game: only its newest picture matters."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from engine.errors import InputError
from engine.sentences import Sentence
from server.board.live.camera import Camera, CameraGone, RecordingEnded
from server.board.live.phone import Phone
from server.board.setup.opening import FIRST_S, open_source
from server.board.setup.within import AllowedAddresses
from vision.frames import MOST_AROUND, PHONE, CameraLost, Frame, duration_s, frame_at, is_live, unmirror_frames
from vision.ground import Image
from vision.modes import unmirrored_source
from vision.sight.stillness import average_still

MOST_KEPT_PX = 16_000_000
"""Pixels in all the pictures before the newest that are kept. Raising it averages more noise away in large pictures,
and takes memory: three bytes for each. Twelve of 1280 x 960 have as many."""


class Preview:
    """The newest picture of a camera, or one of a recording: its first, until another is asked for."""

    def __init__(
        self,
        source: str,
        fps: float,
        reach: AllowedAddresses | None = None,
        phone: Phone | None = None,
    ) -> None:
        """A stream connects to what is in `reach`, without one to anything. `phone` has the frames of the
        source that is one. InputError when it gives no picture."""
        if not source:
            raise InputError("camera: give its number, its address, or a video file")
        self.live = is_live(source)
        """Whether another look may show something else by itself."""
        self.mirrored = False
        """Whether its pictures are turned back since it was opened."""
        self.duration_s = 0.0
        """Of a recording; the game plays it from its beginning and waits until the pieces stand."""
        self._source, self._fps = source, fps
        self._camera: Camera | None = None
        self._first = threading.Event()
        self._why: str = Sentence("camera {source}: gives no picture: is it in use elsewhere?", {"source": source})
        self._image: Image | None = None
        self._earlier: tuple[Image, ...] = ()
        """Those of a camera just before it, the oldest first; replaced as a whole, as other threads read it."""
        if is_live(source):
            given: Callable[[], Iterator[Frame]] = partial(open_source, source, fps, reach=reach)
            if unmirrored_source(source) == PHONE and phone is not None:
                given = lambda: unmirror_frames(source, phone.read_frames())  # noqa: E731
            self._camera = Camera(source, fps, self._accept_item, given, realtime=True)
            self._camera.start_capture()
            self._first.wait(FIRST_S)
        else:
            try:
                self._image = next(open_source(source, fps)).image
                self.duration_s = duration_s(source, fps)
            except CameraLost as error:
                raise InputError(error.said) from error
        if self._image is None:
            self.release_camera()
            raise InputError(self._why)

    @property
    def current_image(self) -> Image:
        """The picture; nobody changes it."""
        return self._turn_back(self._newest())

    def average_image(self) -> Image:
        """The same without its noise, where nothing moves."""
        return self._turn_back(average_still(self._newest(), self._earlier))

    def _newest(self) -> Image:
        if self._image is None:
            raise InputError("camera: gives no picture")
        return self._image

    def _turn_back(self, image: Image) -> Image:
        return np.ascontiguousarray(image[:, ::-1]) if self.mirrored else image

    def seek_recording(self, t: float) -> None:
        """Show a recording as it is at stream time `t`. InputError for a camera."""
        if self.live:
            raise InputError("camera: only a recording has a time to choose")
        try:
            self._image = frame_at(self._source, t, self._fps).image
        except CameraLost as error:
            raise InputError(error.said) from error

    def release_camera(self) -> None:
        """Let go of the camera."""
        if self._camera is not None:
            self._camera.close()

    def _accept_item(self, item: Frame | CameraGone | RecordingEnded) -> None:
        if isinstance(item, Frame):
            if self._image is not None:
                count = min(MOST_AROUND, MOST_KEPT_PX * 3 // self._image.size)
                self._earlier = (*self._earlier, self._image)[-count:] if count else ()
            self._image = item.image
            if self._camera is not None:
                self._camera.request_next_frame()
        elif isinstance(item, CameraGone):
            self._why = item.message
        self._first.set()
