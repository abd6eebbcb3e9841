"""A sitting: camera, referee and guide together, frame by frame."""

from __future__ import annotations

import logging
import queue
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from calibration.profile import Profile
from engine.errors import InputError
from engine.game import Game
from engine.match.events import CannotSee
from engine.match.referee import new_match
from server.board.certify.guide import Done, Guide, TaskOutcome
from server.board.certify.quality import Pictures
from server.board.certify.tasks import CertifyTask, TaskKind
from server.board.live.camera import SILENCE_LOOK_S, Camera, CameraGone, RecordingEnded, StreamTime
from server.board.live.watching import CameraItem
from server.pictures import read_frames
from vision.frames import Frame, is_live
from vision.ground import Image
from vision.watch.watcher import Watcher

log = logging.getLogger(__name__)


class Sitting:
    """Who goes through the programme at a board. Mutable; `told` hears of each task that is over and each that begins.

    Web threads read `guide`, `image` and `cause`, and say what people press with `press_button`.
    """

    def __init__(
        self,
        profile: Profile,
        game: Game,
        tasks: Sequence[CertifyTask],
        told: Callable[[Done | None, CertifyTask | None], object] = lambda done, task: None,
    ) -> None:
        self.game, self.profile = game, profile
        self.guide, self.pictures = Guide(game, tasks), Pictures(game, profile.views)
        self.causes: Counter[str] = Counter()
        """How often the board was not seen, by why."""
        self.cause = ""
        """Why it is not seen now."""
        self.image: Image | None = None
        self.shown: Image | None = None
        """What the camera saw when the board was last begun as it should stand."""
        self.ended = False
        """Whether there will be no more pictures."""
        self.began_t = self.t = 0.0
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._watcher = self._create_watcher()
        self._told = told
        told(None, self.guide.pending_task)

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to do."""
        return self.guide.pending_task is None

    def press_button(self, what: str) -> None:
        """A person has pressed something: see Guide.tell."""
        self._said.put(what)

    def take_frame(self, frame: Frame, late_s: float = 0.0) -> None:
        """Take one frame; what is said of it is `late_s` later than its time."""
        if self.image is None:
            self.began_t = frame.t
        self.t, self.image = frame.t, frame.image
        guide, before = self.guide, len(self.guide.done)
        while not self._said.empty():
            guide.apply_button(self._said.get(), frame.t)
        stirs = self.pictures.detect_motion(frame)
        blank = guide.begins_anew(frame.t)
        if blank and self._watcher.last is not None:
            self._watcher = self._create_watcher()
        events = () if blank else self._watcher.take_frame(frame)
        for event in events:
            if isinstance(event, CannotSee):
                self.causes[event.cause] += 1
                self.cause = event.cause
            elif event.name == "seen-again":
                self.cause = ""
        for act in guide.judge_frame(frame.t, events, self._watcher.match, late_s, stirs=stirs):
            try:
                self._watcher.perform_act(act, frame.t)
            except InputError as error:
                log.warning("the referee cannot be put right: %s", error)
        for done in guide.done[before:]:
            if done.task.kind is TaskKind.START and done.outcome is TaskOutcome.RIGHT:
                self.pictures.measure_board(frame, done.task.stands)
                self.shown = frame.image
            self._told(done, guide.pending_task)

    def _create_watcher(self) -> Watcher:
        return Watcher(self.profile, new_match(self.game, self.game.start()))


def run_sitting(
    sitting: Sitting, source: str, fps: float, opened: Callable[[], Iterator[Frame]] | None = None, *, realtime: bool
) -> None:
    """Until all is done or the recording is over; `opened` opens what is not opened by its name.

    InputError for a source that gives no frame.
    """
    if not (is_live(source) or realtime):
        for frame in read_frames(source, fps):
            sitting.take_frame(frame)
            if sitting.is_over:
                return
        return
    inbox: queue.SimpleQueue[CameraItem] = queue.SimpleQueue()
    camera, time = Camera(source, fps, inbox.put, opened, realtime=realtime), StreamTime()
    with closing(camera):
        camera.start_capture()
        while not sitting.is_over:
            try:
                item = inbox.get(timeout=SILENCE_LOOK_S)
            except queue.Empty:
                continue
            match item:
                case Frame():
                    frame, age_s = time.stamp_frame(item)
                    sitting.take_frame(frame, age_s)
                    camera.request_next_frame()
                case CameraGone(message=message, final=final):
                    if final or sitting.image is None:
                        raise InputError(message)
                    log.warning("%s", message)
                case RecordingEnded():
                    return
