"""Films shown to a watcher as the service shows them: frames go on while a look is under way."""

from __future__ import annotations

from collections.abc import Iterable

from engine.match.events import Event
from engine.match.judging import Input
from vision.frames import Frame
from vision.watch.schedule import DueLook
from vision.watch.watcher import Watcher

LOOK_FRAMES = 4
"""Those that come during a look: a small computer needs 0.3 s for one."""


class SlowLooks:
    """As `ParallelWatcher` takes frames, in one thread: a look lasts for so many of them. Mutable."""

    def __init__(self, watcher: Watcher, look_frames: int = LOOK_FRAMES) -> None:
        self._watcher, self._look_frames = watcher, look_frames
        self._look: DueLook | None = None
        self._left = 0
        self._meanwhile: list[Input] = []

    def take_frames(self, frames: Iterable[Frame]) -> list[Event]:
        """What is said of them; a look that is still under way at their end is waited for."""
        events = [event for frame in frames for event in self._take_frame(frame)]
        return [*events, *self._finish_look()]

    def _take_frame(self, frame: Frame) -> tuple[Event, ...]:
        given, due = self._watcher.see_frame(frame, reading=self._look is not None)
        if self._look is not None:
            self._meanwhile.extend(given)
            self._left -= 1
            return () if self._left else self._finish_look()
        events = self._watcher.take_inputs(given)
        if due is not None:
            self._look, self._left = due, self._look_frames - 1
        return events if self._left else (*events, *self._finish_look())

    def _finish_look(self) -> tuple[Event, ...]:
        """What follows from the look that is under way, and from what came meanwhile."""
        if self._look is None:
            return ()
        due, given = self._look, tuple(self._meanwhile)
        self._look, self._left = None, 0
        self._meanwhile.clear()
        events = self._watcher.run_look(due)
        self._watcher.learn_from_look(due)
        return (*events, *self._watcher.take_inputs(given))
