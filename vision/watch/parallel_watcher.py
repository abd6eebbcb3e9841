"""Looks in a thread of their own: frames go on being taken while one of them is read and judged.

The match has one owner at a time. While a look runs that is the look, and the match is shown as it stood when the look
began; all that comes meanwhile is kept, and put in after it in the order in which it came. A frame calls some fifty
short functions, and after each may have to wait for the other thread: see SWITCH_S.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress

from calibration.profile import Profile
from calibration.relocate import SEARCHES
from calibration.view import View
from engine.explain.reasons import Reason
from engine.match.acts import Act
from engine.match.events import Event
from engine.match.judging import Blind, Input, Ticked
from engine.match.state import Match
from vision.frames import Frame
from vision.own_lights import Colour, OwnLights
from vision.reading.level import Reading
from vision.sight.watchdog import LIMIT_S
from vision.watch.schedule import DueLook
from vision.watch.stages import Stages
from vision.watch.watcher import Watcher

SWITCH_S = 0.0005
"""How long a thread may keep the interpreter while another one waits: with Python's usual 5 ms a frame that is taken
beside a look waits a quarter of a second, with this 25 ms at most. Lowering it makes looks dearer."""


class ParallelWatcher:
    """A watcher whose looks are made beside its frames. Owned by the main loop, as the watcher is."""

    def __init__(self, watcher: Watcher, done: Callable[[], object], *, begins_alone: bool = False) -> None:
        """`done` is called, in another thread, when a look is over: then `finish_look` must be called by the owner.

        `begins_alone`: until the board is ready looks are waited for, so that a recording loses no frame.
        """
        self._watcher, self._done, self._begins_alone = watcher, done, begins_alone
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="look")
        self._running: tuple[Future[tuple[Event, ...]], DueLook] | None = None
        self._meanwhile: list[Input | Callable[[], object]] = []
        self._stood = self._watcher_state()
        self._began = 0.0
        self._takes_since: float | None = None
        """Since when the owner itself is at a picture or at what follows from a look; None while it is not."""
        self._worked_t = 0.0
        sys.setswitchinterval(SWITCH_S)

    @property
    def is_busy(self) -> bool:
        """Whether a look is under way, or what came meanwhile is still to be put in."""
        return self._running is not None

    @property
    def lit(self) -> Sequence[Sequence[Colour]]:
        """What the board's own LEDs may have shown in the next frame, as the watcher has it."""
        return self._watcher.lit

    @lit.setter
    def lit(self, lit: Sequence[Sequence[Colour]]) -> None:
        self._watcher.lit = lit

    @property
    def own(self) -> OwnLights:
        """How the board's own LEDs look to the camera."""
        return self._watcher.own

    @property
    def busy_s(self) -> float:
        """For how many seconds the look that runs has been under way; 0 while there is none."""
        return time.monotonic() - self._began if self.is_busy else 0.0

    @property
    def works_s(self) -> float:
        """For how many seconds the piece of work has been under way that is the longest just now: a picture that is
        taken, a look, what is learned from it; 0 while there is none. May be asked in any thread."""
        running, takes_since = self._running, self._takes_since
        begun = [] if takes_since is None else [takes_since]
        if running is not None and not running[0].done():
            begun.append(self._began)
        return time.monotonic() - min(begun) if begun else 0.0

    @property
    def rests_s(self) -> float:
        """For how many seconds the last piece of work has been over."""
        return time.monotonic() - self._worked_t

    @property
    def profile(self) -> Profile:
        """Where the board was found."""
        return self._watcher.profile

    @property
    def stages(self) -> Stages:
        """What everything took."""
        return self._watcher.stages

    @property
    def last(self) -> Frame | None:
        """The newest frame."""
        return self._watcher.last

    @property
    def has_begun(self) -> bool:
        """Whether the board was seen to stand as it should."""
        return self._watcher.has_begun

    @property
    def match(self) -> Match:
        """The match as it stands; during a look as it stood before."""
        return self._visible_state()[0]

    @property
    def waiting_reasons(self) -> tuple[Reason, ...]:
        """Why nothing is said just now."""
        return self._visible_state()[1]

    @property
    def fit(self) -> int:
        """How well the board was found, 0-100."""
        return self._visible_state()[2]

    @property
    def reading(self) -> Reading | None:
        """The last one that was judged."""
        return self._visible_state()[3]

    @property
    def views(self) -> Sequence[View]:
        """Where the board is now, one view a level."""
        return self._visible_state()[4]

    def take_frame(self, frame: Frame) -> tuple[Event, ...]:
        """Take one frame; what follows from it at once. InputError as the watcher's."""
        with self._note_work():
            return self._take_frame(frame)

    def _take_frame(self, frame: Frame) -> tuple[Event, ...]:
        given, due = self._watcher.see_frame(frame, reading=self.is_busy)
        if self.is_busy:
            self._meanwhile += given
            return ()
        events = self._watcher.take_inputs(given)
        if due is None:
            return events
        if self._begins_alone and not self.has_begun:
            events = (*events, *self._watcher.run_look(due))
            self._watcher.learn_from_look(due)
            return events
        self._begin_look(due)
        return events

    def _begin_look(self, due: DueLook) -> None:
        self._stood = self._watcher_state()
        self._began = time.monotonic()
        future = self._reader.submit(self._watcher.run_look, due)
        self._running = (future, due)
        future.add_done_callback(lambda _: self._end_look())

    def advance_time(self, t: float) -> tuple[Event, ...]:
        """Time goes by, whatever the board shows."""
        if not self.is_busy:
            return self._watcher.advance_time(t)
        self._meanwhile.append(Ticked(t))
        return self.report_silence(t)

    def report_silence(self, t: float) -> tuple[Event, ...]:
        """No frame has come until `t`, in seconds of the stream."""
        if not self.is_busy:
            return self._watcher.report_silence(t)
        if self.last is not None and t - self.last.t > LIMIT_S:
            self._meanwhile.append(Blind(t, "no-picture"))
        return ()

    def conclude_recording(self) -> tuple[Event, ...]:
        """No frame follows: what the last one leaves open; not while `is_busy`."""
        with self._note_work():
            return self._watcher.conclude_recording()

    def perform_act(self, asked: Act, t: float) -> tuple[Event, ...]:
        """Do what a person asked; not while `is_busy`: see `call_after_look`. InputError when it cannot be done."""
        return self._watcher.perform_act(asked, t)

    def replace_profile(self, profile: Profile, t: float) -> tuple[Event, ...]:
        """The board is where `profile` says; not while `is_busy`."""
        return self._watcher.replace_profile(profile, t)

    def replace_match(self, match: Match) -> None:
        """Another game goes on here; not while `is_busy`."""
        self._watcher.replace_match(match)

    def call_after_look(self, call: Callable[[], object]) -> None:
        """Call this after the look, in its order among all that comes meanwhile."""
        self._meanwhile.append(call)

    def finish_look(self, *, soon: bool = False) -> Iterator[tuple[Event, ...]]:
        """The look is over: what follows from it, and then from all that came meanwhile. To be read to its end.

        Waits for a look that still runs; nothing if there is none. What went wrong in it is raised here. `soon`: a
        search for a board that was moved, which takes ten seconds and more on a busy machine, finds nothing instead.
        """
        if self._running is None:
            return
        future, due = self._running
        try:
            with self._note_work(), SEARCHES.cut_short() if soon else nullcontext():
                events = future.result()
                self._watcher.learn_from_look(due)
        finally:
            self._running = None
        meanwhile, self._meanwhile = self._meanwhile, []
        yield events
        for one in meanwhile:
            if callable(one):
                one()
            else:
                yield self._watcher.take_inputs([one])

    def begin_missed_look(self) -> None:
        """Begin the look that fell due while another one ran at once, and not with the next frame; after `finish_look`.

        A piece is mostly lifted while the hand that reached for it is still being looked at.
        """
        due = None if self.is_busy else self._watcher.find_missed_look()
        if due is not None:
            self._begin_look(due)

    def close(self) -> None:
        """Wait for the look that still runs, not for a search to its end, and leave it."""
        if self._running is not None:
            with suppress(Exception), SEARCHES.cut_short():
                self._running[0].result()
        self._reader.shutdown()

    def _end_look(self) -> None:
        """Called in the thread of the look: it is over."""
        self._worked_t = time.monotonic()
        self._done()

    @contextmanager
    def _note_work(self) -> Iterator[None]:
        """The owner is at work within."""
        self._takes_since = time.monotonic()
        try:
            yield
        finally:
            self._worked_t = time.monotonic()
            self._takes_since = None

    def _watcher_state(self) -> tuple[Match, tuple[Reason, ...], int, Reading | None, Sequence[View]]:
        one = self._watcher
        return one.match, one.waiting_reasons, one.fit, one.reading, one.views

    def _visible_state(self) -> tuple[Match, tuple[Reason, ...], int, Reading | None, Sequence[View]]:
        return self._stood if self.is_busy else self._watcher_state()
