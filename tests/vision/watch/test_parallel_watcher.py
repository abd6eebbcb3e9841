"""Looks beside the frames: what is said is what the watcher says alone, and frames do not wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from calibration.profile import Profile
from engine.match.acts import Resign
from engine.match.events import Event
from engine.match.judging import Consequence, Input, Looked
from engine.match.referee import new_match
from engine.match.state import Phase
from tests.patience import PATIENCE_S
from tests.render.scene import Scene
from tests.vision.filmed import FPS, board, clean, grainy, handed, moves, put
from tests.vision.pictures import true_views
from vision.frames import Frame
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.watcher import Watcher

GAME, SCENE = board()
AFTER = put(GAME, SCENE, "F7", "F8")


class Held:
    """A watcher's trace that lets no look go on before `go` is set; `come` tells that one has come so far."""

    def __init__(self) -> None:
        self.go, self.come = threading.Event(), threading.Event()
        self.go.set()
        self.taken: list[float] = []

    def __call__(self, given: Input, outcome: Consequence) -> None:
        self.taken.append(given.t)
        if isinstance(given, Looked):
            self.come.set()
            assert self.go.wait(PATIENCE_S)


class Filmed:
    """An `ParallelWatcher` before a board."""

    def __init__(self) -> None:
        self.held, self.done = Held(), threading.Event()
        profile = Profile(GAME.name, tuple(true_views(SCENE)), (97,), "drawn")
        self.aside = ParallelWatcher(Watcher(profile, new_match(GAME), self.held), self.done.set)
        self.count = 0

    @property
    def t(self) -> float:
        return self.count / FPS

    def frame(self, scene: Scene) -> tuple[Event, ...]:
        """Show one frame, and wait for no look."""
        image = grainy(clean(scene), self.count)
        self.count += 1
        return self.aside.take_frame(Frame((self.count - 1) / FPS, image))

    def finished(self) -> list[Event]:
        """What follows from a look that is under way, and all that came meanwhile."""
        if not self.aside.is_busy:
            return []
        assert self.done.wait(PATIENCE_S)
        self.done.clear()
        return [event for events in self.aside.finish_look() for event in events]

    def show(self, scene: Scene, seconds: float) -> list[Event]:
        """What is said during so many seconds, every look waited for."""
        return [event for _ in range(round(seconds * FPS)) for event in (*self.frame(scene), *self.finished())]

    def until_busy(self, scene: Scene) -> None:
        """Show frames until a look runs that does not end."""
        self.held.come.clear()
        self.held.go.clear()
        while not self.aside.is_busy:
            self.frame(scene)
        assert self.held.come.wait(PATIENCE_S)


@contextmanager
def filmed() -> Iterator[Filmed]:
    film = Filmed()
    try:
        yield film
    finally:
        film.held.go.set()
        film.aside.close()


def test_it_says_what_the_watcher_says() -> None:
    watcher = Watcher(Profile(GAME.name, tuple(true_views(SCENE)), (97,), "drawn"), new_match(GAME))
    shown = [SCENE] * 15 + [handed(GAME, SCENE, "F8", holds="F7")] * 8 + [AFTER] * 15
    alone = [e for n, s in enumerate(shown) for e in watcher.take_frame(Frame(n / FPS, grainy(clean(s), n)))]
    with filmed() as film:
        beside = [event for scene in shown for event in (*film.frame(scene), *film.finished())]
    assert moves(alone) == ["F7-F8"]
    assert [event.to_json() for event in beside] == [event.to_json() for event in alone]


def test_frames_are_taken_while_a_look_runs() -> None:
    with filmed() as film:
        film.show(SCENE, 1.0)
        film.show(handed(GAME, SCENE, "F8", holds="F7"), 0.4)
        film.until_busy(AFTER)
        stood = film.aside.match
        for _ in range(30):
            assert film.frame(AFTER) == ()
        assert film.aside.last is not None and film.aside.last.t == pytest.approx(film.t - 1 / FPS)
        assert film.aside.match is stood, "nothing is shown before it is said"
        film.held.go.set()
        assert moves(film.finished() + film.show(AFTER, 1.5)) == ["F7-F8"]


def test_what_comes_during_a_look_is_put_in_after_it_in_order() -> None:
    with filmed() as film:
        film.show(SCENE, 1.0)
        film.show(handed(GAME, SCENE, "F8", holds="F7"), 0.4)
        film.until_busy(AFTER)
        film.frame(AFTER)
        film.aside.advance_time(film.t)
        said: list[Event] = []
        asked_t = film.t
        film.aside.call_after_look(lambda: said.extend(film.aside.perform_act(Resign("black", by="player"), asked_t)))
        film.frame(AFTER)
        assert film.aside.match.phase is not Phase.OVER
        before = len(film.held.taken)
        film.held.go.set()
        film.finished()
        assert film.held.taken[before:] == sorted(film.held.taken[before:])
        assert len(film.held.taken) - before >= 4
        assert film.aside.match.phase is Phase.OVER
        assert [event.t for event in said] == [asked_t] * len(said) and said


def answer_during_look(film: Filmed) -> Scene:
    """G10-G9 is played while the look at F7-F8 is under way, which is let go then; how the board stands after both."""
    film.show(SCENE, 1.0)
    film.show(handed(GAME, SCENE, "F8", holds="F7"), 0.4)
    film.until_busy(AFTER)
    later = put(GAME, AFTER, "G10", "G9")
    for _ in range(5):
        film.frame(handed(GAME, AFTER, "G9", holds="G10", from_deg=90.0))
    for _ in range(5):
        film.frame(later)
    film.held.go.set()
    return later


def test_a_piece_that_moves_during_a_look_is_seen_afterwards() -> None:
    """What the look learns is how the board stood when it began."""
    with filmed() as film:
        later = answer_during_look(film)
        assert moves(film.finished() + film.show(later, 2.5)) == ["F7-F8", "G10-G9"]


def test_a_look_that_falls_due_during_another_begins_when_that_is_over() -> None:
    """A lifted piece is not to wait for the next frame."""
    with filmed() as film:
        answer_during_look(film)
        said = film.finished()
        film.aside.begin_missed_look()
        assert film.aside.is_busy
        said += film.finished()
        assert film.held.taken[-1] == pytest.approx(film.t - 1 / FPS), "the newest frame was looked at"
        assert moves(said) == ["F7-F8", "G10-G9"]


def test_nothing_is_looked_at_twice_where_no_frame_came_meanwhile() -> None:
    with filmed() as film:
        film.show(SCENE, 1.0)
        film.show(handed(GAME, SCENE, "F8", holds="F7"), 0.4)
        film.until_busy(AFTER)
        film.held.go.set()
        film.finished()
        film.aside.begin_missed_look()
        assert not film.aside.is_busy


def test_what_goes_wrong_in_a_look_is_raised_where_it_is_finished() -> None:
    def broken(given: Input, outcome: Consequence) -> None:
        if isinstance(given, Looked):
            raise ZeroDivisionError

    with filmed() as film:
        profile = Profile(GAME.name, tuple(true_views(SCENE)), (97,), "drawn")
        film.aside = ParallelWatcher(Watcher(profile, new_match(GAME), broken), film.done.set)
        with pytest.raises(ZeroDivisionError):
            film.show(SCENE, 1.0)
