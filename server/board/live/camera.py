"""The camera thread: puts frames into the main loop's queue and opens the camera again when it is lost.

Also the stream time between its frames: what it would be now, by the machine's clock.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

from calibration.profile import Profile
from engine.errors import InputError
from server.board.live.visibility import NO_PICTURE, TURNED
from server.masking import mask_sentence
from server.pictures import read_frames
from vision.frames import MOST_FPS, CameraLost, Frame, HeldOtherwise, is_live, scale_frame
from vision.modes import in_size, is_plugged
from vision.sight.watchdog import LIMIT_S

FIRST_CAMERA_WAIT_S, LONGEST_CAMERA_WAIT_S = 0.25, 5.0
"""Back-off between attempts to open a lost camera."""
UNFIT_S = 1.0
"""So long a camera may give pictures of another size: some drivers do for a moment after they were plugged in. Raising
it says later that a phone was turned, and of silence before; lowering it opens such cameras once more."""
LONGEST_PICTURE_S = 2.0
"""Longer than a camera takes for a picture. A thread that is decoding one when the program ends crashes it."""
STALL_S, STALL_TIMES = 1.0, 3.0
"""A camera from which nothing has come for so long, and for so many times as long as usual, has stalled. Raising either
takes old pictures for new ones after short stalls, lowering it leaves out pictures of cameras that come unevenly."""
DRAINED_S = 1.0
"""What a network held up comes first and at once: after a stall pictures must have come without another for so long to
be surely new. Raising it is blind for longer, lowering it takes old pictures for new ones: cleaned of the lights of now
they showed a man back in his cell in 3 of 26 stalls of 6 s beside lit squares, and with this in none of 25."""
USUAL_OF = 9
"""So many intervals tell what is usual. More are steadier, fewer follow a camera that becomes slower sooner."""
SILENCE_LOOK_S = 0.25
"""How frequently whoever waits for frames looks whether they still come."""


OTHER_FILM = (
    "{source}: its pictures are {size}, but the board was set up in {need}: set it up in these pictures too, or name "
    "another camera"
)


class OtherFilmError(InputError):
    """A recording whose pictures are not of the profile's size: it is of another set-up."""


@dataclass(frozen=True)
class LiveFrame(Frame):
    """A camera's frame, which came when the machine's clock showed `at` seconds.

    `may_be_old`: it came just after a gap, and may have been taken before or during it.
    """

    at: float
    may_be_old: bool = field(default=False, kw_only=True)


class StallWatch:
    """Whether a camera's pictures come one after another. Mutable; times are of the machine's clock."""

    def __init__(self) -> None:
        self._came_t: float | None = None
        self._intervals_s = deque[float](maxlen=USUAL_OF)
        self._drained_t = 0.0

    def may_be_old(self, came_t: float) -> bool:
        """Whether the picture that comes now may have been held up by a stall."""
        before, self._came_t = self._came_t, came_t
        if before is None:
            return False
        interval_s = came_t - before
        usual_s = median(self._intervals_s) if self._intervals_s else 0.0
        if interval_s > max(STALL_S, STALL_TIMES * usual_s):
            self._drained_t = came_t + DRAINED_S
        self._intervals_s.append(interval_s)
        return came_t < self._drained_t


class StreamTime:
    """Goes on from the newest frame by `clock` (seconds, never running back). Mutable."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = self._reached = 0.0
        self._at = clock()

    def stamp_frame(self, frame: Frame) -> tuple[Frame, float]:
        """A frame that was taken, and how many seconds ago it came, 0 for a recording's.

        A camera's is not earlier than what was said to be the time while nothing came.
        """
        now, age_s = self._clock(), 0.0
        self._at = now
        if isinstance(frame, LiveFrame):
            frame, age_s, self._at = replace(frame, t=max(frame.t, self._reached)), now - frame.at, frame.at
        self._last = frame.t
        return frame, age_s

    def current_time(self) -> float:
        """The stream time of this moment."""
        return self._last + self._clock() - self._at

    def check_silence(self) -> float | None:
        """The stream time of this moment if no frame has come for so long that it has to be said, else None."""
        t = self.current_time()
        if t - self._last <= LIMIT_S:
            return None
        self._reached = t
        return t


@dataclass(frozen=True)
class LookDone:
    """A look that ran beside the frames is over."""


@dataclass(frozen=True)
class CameraGone:
    """The camera was lost; `message` says what to do, to players too: it has no password of an address.

    With `final` there will be no more frames.
    """

    message: str
    final: bool = False
    cause: str = NO_PICTURE
    """What the board is not seen for: NO_PICTURE, or TURNED where pictures of another shape come."""


@dataclass(frozen=True)
class RecordingEnded:
    """A recording was played to its end."""


def check_fps(fps: float) -> None:
    """InputError for what is no number of frames a second."""
    if not 0 < fps <= MOST_FPS:
        raise InputError(f"--fps {fps}: give a number of frames a second")


def resolve_source(source: str, fps: float, profile: Profile) -> str:
    """`source`, else the profile's. InputError if it can be known to be unusable before anything is written,
    OtherFilmError where it is of another set-up.

    A recording's first picture is looked at; a camera may be plugged in later.
    """
    check_fps(fps)
    source = source or profile.source
    if not source:
        raise InputError("the profile names no camera: give --camera")
    source = in_size(source, profile.size_wh)
    if not is_live(source):
        h, w = first_picture(source, fps).image.shape[:2]
        if (w, h) != profile.size_wh:
            size, need = ("x".join(map(str, wide_high)) for wide_high in ((w, h), profile.size_wh))
            raise OtherFilmError(OTHER_FILM, source=source, size=size, need=need)
    return source


def first_picture(recording: str, fps: float) -> Frame:
    """Of what is no camera. InputError where there is none."""
    try:
        return next(read_frames(recording, fps))
    except CameraLost as error:
        raise InputError(error.said) from error


def fit_frames(
    given: Iterator[Frame], size_wh: tuple[int, int], report: Callable[[HeldOtherwise], object] | None = None
) -> Iterator[Frame]:
    """The frames in the size that the profile was made for; others are left out.

    Where others come for longer than UNFIT_S, `report` is told, and they are waited out: whoever holds the phone turns
    it back. Frames of the same shape are scaled. Without `report` nothing is scaled, as a camera that is plugged in may
    show another piece of the table in another size, and then HeldOtherwise is raised: to open it again may help.
    """
    since: float | None = None
    told = ""
    for frame in given:
        try:
            fitting = scale_frame(frame, size_wh, any_size=report is not None)
        except HeldOtherwise as error:
            since = frame.t if since is None else since
            if frame.t - since > UNFIT_S and str(error) != told:
                if report is None:
                    raise
                told = str(error)
                report(error)
            continue
        since, told = None, ""
        yield fitting


class Camera:
    """A source of frames in a thread of its own. `request_next_frame` must be called for every frame that was taken."""

    def __init__(
        self,
        source: str,
        fps: float,
        put: Callable[[Frame | CameraGone | RecordingEnded], object],
        opened: Callable[[], Iterator[Frame]] | None = None,
        size_wh: tuple[int, int] | None = None,
        *,
        realtime: bool,
    ) -> None:
        """`opened` gives the frames of a source that is not opened by its name. Frames of a camera that have not the
        size of the profile, `size_wh`, are left out; None takes any."""
        self._source, self._realtime, self._put = source, realtime, put
        self._opened = opened or partial(read_frames, source, fps, realtime=realtime)
        self._size_wh = size_wh if is_live(source) else None
        self._lock = threading.Lock()
        self._free = threading.Semaphore(1)
        self._newest: Frame | None = None
        """What came while the main loop had not yet taken an older one."""
        self._may_drop = is_live(source)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._capture_frames, name="camera", daemon=True)

    def start_capture(self) -> None:
        """Begin to take pictures."""
        self._thread.start()

    def request_next_frame(self, *, begun: bool = True) -> None:
        """A frame was taken from the queue: the next may come, or the newest of those that came meanwhile.

        No frame of a recording is left out before the game has `begun`.
        """
        with self._lock:
            self._may_drop = self._may_drop or (self._realtime and begun)
            newest, self._newest = self._newest, None
            if newest is None:
                self._free.release()
        if newest is not None:
            self._put(newest)

    def close(self) -> None:
        """Stop, and wait until the thread has let go of the camera; a stuck driver is not waited for."""
        self._closing.set()
        self._free.release()
        if self._thread.is_alive():
            self._thread.join(LONGEST_PICTURE_S)

    def _capture_frames(self) -> None:
        wait, begun, stalls = FIRST_CAMERA_WAIT_S, 0.0, StallWatch()
        last: LiveFrame | None = None
        lost, said = False, ""
        while not self._closing.is_set():
            try:
                for frame in self._open_fitting():
                    now = time.monotonic()
                    if lost and last is not None:
                        # Stream time goes on over the gap by the clock, so that times in the record never run back.
                        begun = last.t + (now - last.at) - frame.t
                    wait, lost, said = FIRST_CAMERA_WAIT_S, False, ""
                    last = LiveFrame(begun + frame.t, frame.image, now, may_be_old=stalls.may_be_old(now))
                    if not self._hand_over(last if is_live(self._source) else frame):
                        return
                self._put(RecordingEnded())
                return
            except InputError as error:
                self._put(CameraGone(mask_sentence(error.said), final=True))
                return
            except CameraLost as error:
                final = not is_live(self._source)
                if str(error) != said:  # one outage is told once, and what else is found out about it
                    cause = TURNED if isinstance(error, HeldOtherwise) else NO_PICTURE
                    self._put(CameraGone(mask_sentence(error.said), final=final, cause=cause))
                if final:
                    return
                said = str(error)
                lost = True
                self._closing.wait(wait)
                wait = min(wait * 2, LONGEST_CAMERA_WAIT_S)

    def _open_fitting(self) -> Iterator[Frame]:
        """The frames of the source, in the size of the profile where there is one."""
        if self._size_wh is None:
            return self._opened()
        return fit_frames(self._opened(), self._size_wh, None if is_plugged(self._source) else self._report_turned)

    def _report_turned(self, error: HeldOtherwise) -> None:
        self._put(CameraGone(mask_sentence(error.said), cause=TURNED))

    def _hand_over(self, frame: Frame) -> bool:
        """Put a frame into the queue; False when closing."""
        if not self._may_drop:
            self._free.acquire()
        else:
            with self._lock:
                if not self._free.acquire(blocking=False):
                    self._newest = frame
                    return not self._closing.is_set()
        if self._closing.is_set():
            return False
        self._put(frame)
        return True
