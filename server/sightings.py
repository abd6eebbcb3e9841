"""From frames to events: the one place where what the camera saw meets the rules.

Everything here runs in the main loop and takes its times from the frames, so a recording gives the same events again.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from calibration.lattice import assess
from calibration.profile import Profile
from calibration.view import View
from engine.acts import Act, AsPlayed, Correct, Press
from engine.arbiter import act, tick
from engine.course import shown
from engine.errors import InputError
from engine.events import Event, LightChanged, SetUp
from engine.match import RESTING, Match, Phase
from engine.referee import camera_found, camera_moved, step
from engine.sight import Sight
from engine.verdicts import Covered, Doubtful, Played, Raised, Still, Unfinished, Wrong
from engine.witness import Clarity, Opinion, explain
from server.relit import not_to_learn
from vision.eyes import WIDESPREAD, Eyes
from vision.frames import Frame
from vision.read import Reading
from vision.sight.seeing import READ_S, Seeing, Seen

TIMED_FRAMES = 10_000
DEBUG = bool(os.environ.get("SIGHT_DEBUG"))
Cells = npt.NDArray[np.bool_]
LOOK_AT_S = (0.1, 0.2, 0.3, 0.45, 0.7, 1.0, 1.1, 1.5, 2.1, 2.8, 3.6, 5.0)
AGAIN_S = 2.0
RESTED_S, PATIENT_S = 1.0, 2.5
UNSEEN = 6.0
"""Score against any other content of a cell that is not seen than what stood there."""
SURELY_SEEN = 0.2
"""Share of a cell that nothing explains, up to which it is seen beside a resting arm."""


@dataclass
class Stages:
    """Milliseconds spent in each stage, one number a frame, the latest ones."""

    gate_ms: deque[float] = field(default_factory=lambda: deque(maxlen=TIMED_FRAMES))
    read_ms: deque[float] = field(default_factory=lambda: deque(maxlen=TIMED_FRAMES))
    decide_ms: deque[float] = field(default_factory=lambda: deque(maxlen=TIMED_FRAMES))

    def medians(self) -> dict[str, float]:
        """Median of each stage over the frames that had it, and of everything over all frames."""
        stages = {"gate_ms": self.gate_ms, "read_ms": self.read_ms, "decide_ms": self.decide_ms}
        return {name: round(float(np.median(spent)), 2) if spent else 0.0 for name, spent in stages.items()}


class Watcher:
    """Frames in, events out. Mutable; owns eyes, seeing and match."""

    def __init__(self, profile: Profile, match: Match) -> None:
        self.profile = profile
        self.match = match
        self.stages = Stages()
        self.fit = min(profile.fits)
        self.last: Frame | None = None
        self.reading: Reading | None = None
        self._seeing: Seeing | None = None
        self._eyes: Eyes | None = None
        self._puzzled = False
        self._odd: frozenset[int] = frozenset()
        self._corrected: bytes | None = None
        self._stated: dict[int, int] = {}
        self._due: Cells | None = None
        self._due_since = 0.0
        self._offered = 0
        self._known_t = 0.0

    @property
    def views(self) -> Sequence[View]:
        """Where the board is now, one view a level."""
        return self._eyes.views if self._eyes else self.profile.views

    def frame(self, frame: Frame) -> tuple[Event, ...]:
        """Take one frame. InputError if its size is not the calibrated one."""
        check_size(self.profile, frame)
        self.last = frame
        start = time.perf_counter()
        if self._seeing is None:
            self._seeing = Seeing(self.match.game.board, self.profile.views, frame.image)
        self._seeing.take(frame.t, frame.image)
        seen = self._seeing.seen()
        self.stages.gate_ms.append((time.perf_counter() - start) * 1e3)
        if not self._is_due(seen):
            return ()
        return self._begin(seen) if self._eyes is None else self._judge(seen)

    def _is_due(self, seen: Seen) -> bool:
        """Whether there is something new to be read, or again after a while."""
        wanted = seen.readable & seen.touched
        if self._eyes is None:
            if not seen.readable.all():
                self._due = None
                return False
        elif not wanted.any():
            self._due = None
            return False
        calm = float(seen.still_s[wanted].min()) if wanted.any() else 0.0
        if self._due is None or (wanted & ~self._due).any():
            self._offered = 0
        self._due = wanted
        rest = min(calm, 1e9)
        if rest + 1e-6 < self._next_look():
            return False
        while rest + 1e-6 >= self._next_look():
            self._offered += 1
        return True

    def _next_look(self) -> float:
        if self._offered < len(LOOK_AT_S):
            return LOOK_AT_S[self._offered]
        return LOOK_AT_S[-1] + AGAIN_S * (self._offered - len(LOOK_AT_S) + 1)

    def asked(self, asked: Act, t: float) -> tuple[Event, ...]:
        """Do what a person asked, and look at the board anew. InputError when it cannot be done."""
        stood = self.match.position.placement
        self.match, events = act(self.match, asked, t)
        if isinstance(asked, Correct):
            self._corrected = stood
        if isinstance(asked, Correct | AsPlayed):
            look_of, now = self.match.game.look_of, self.match.position.placement
            self._stated |= {c: look_of[old] for c, (old, new) in enumerate(zip(stood, now, strict=True)) if old != new}
        if not isinstance(asked, Press):
            self._due = None
            if self._seeing is not None:
                for level in self._seeing.levels:
                    level.touched[:] = True
            self._odd = frozenset()
        return events

    def replace(self, profile: Profile, t: float) -> tuple[Event, ...]:
        """The board is where `profile` says; it is learned anew from the position that should stand there."""
        self.profile, self.fit = profile, min(profile.fits)
        self._eyes, self._seeing, self._puzzled = None, None, False
        self._odd = frozenset()
        if self.match.phase is not Phase.BLIND:
            return ()
        self.match, events = camera_found(self.match, t, self.fit)
        return events

    def tick(self, t: float) -> tuple[Event, ...]:
        """Time goes by, whatever the board shows."""
        self.match, events = tick(self.match, t)
        return events

    def _begin(self, seen: Seen) -> tuple[Event, ...]:
        """Learn the board from the first look at the expected position."""
        assert self._seeing is not None and self.last is not None
        game, pieces, image = self.match.game, list(self.match.position.placement), self.last.image
        pictures = self._seeing.pictures(seen.readable)
        eyes = Eyes(game.board, self.profile.views, game.look_of, image, pieces, pictures)
        wrong = eyes.wrong_cells(pieces)
        if wrong and self.match.phase in (*RESTING, Phase.OVER):
            return ()
        if wrong:
            event = SetUp(seen.t, tuple(game.board.cells[c] for c in wrong))
            said = self.match.note
            self.match = replace(self.match, phase=Phase.SETUP, note=event)
            return () if isinstance(said, SetUp) and said.wrong == event.wrong else (event,)
        self._eyes = eyes
        self.fit = min(assess(game.board, v, image, k).score for k, v in enumerate(self.profile.views))
        eyes.look(pictures)
        return self._decide(seen, eyes.explained(eyes.differs()), 1.0)

    def _judge(self, seen: Seen) -> tuple[Event, ...]:
        """Read the cells that can be read; first see whether board or light changed as a whole."""
        eyes, seeing = self._eyes, self._seeing
        assert eyes is not None and seeing is not None and self.last is not None
        start = time.perf_counter()
        pictures = seeing.pictures(seen.readable)
        eyes.look(pictures)
        events: list[Event] = []
        keen = True
        differs = eyes.differs(keen) & seen.readable
        calm = float(seen.still_s[differs].min()) if differs.any() else float(seen.still_s.max())
        if not seen.place.found or self.match.phase is Phase.BLIND:
            if calm < 0.3:
                return ()
            moved = eyes.find_again(self.last.image)
            if DEBUG:
                print(f"  {seen.t:.2f} find_again {moved} place {seen.place.share:.2f}")
            if moved is not None:
                self.match, said = camera_moved(self.match, seen.t)
                events.extend(said)
                if moved.fit is None:
                    return tuple(events)
                self.fit = moved.fit
                known = [(level.known, level.known_blocks) for level in seeing.levels]
                self._seeing = Seeing(self.match.game.board, eyes.views, self.last.image)
                for level, (a, b) in zip(self._seeing.levels, known, strict=True):
                    level.known, level.known_blocks = a, b
            if moved is not None or self.match.phase is Phase.BLIND:
                self.match, said = camera_found(self.match, seen.t, self.fit)
                events.extend(said)
            return tuple(events)
        reading = eyes.explained(differs)
        self.stages.read_ms.append((time.perf_counter() - start) * 1e3)
        widespread = float(eyes.differs().mean()) > WIDESPREAD
        if DEBUG:
            game = self.match.game
            print(f"  {seen.t:.2f} look calm {calm:.2f} readable {seen.readable.sum()} hands {seen.hands} differs",
                  [(game.board.cells[c], int(reading.looks[c]), round(float(reading.scores[c].max()-reading.scores[c][game.look_of[self.match.position.placement[c]]]),1), round(float(reading.strange[c]),2)) for c in np.flatnonzero(differs)][:14])
        if widespread and not seen.hands and calm >= RESTED_S:
            if eyes.light_changed:
                events.append(LightChanged(seen.t))
            unsure = not_to_learn(self.match, eyes, reading, hands=False)
            eyes.adopt_light(unsure)
            eyes.look(pictures)
            reading = eyes.explained(eyes.differs(True) & seen.readable)
        return (*events, *self._decide(seen, self._as_stated(reading), calm))

    def _as_stated(self, reading: Reading) -> Reading:
        """A cell that still looks as before a person said that it changed says nothing: the person is believed."""
        scores = reading.scores.copy()
        for cell, before in self._stated.items():
            if reading.looks[cell] == before:
                scores[cell] = 0.0
        return replace(reading, scores=scores)

    def _decide(self, seen: Seen, reading: Reading, calm: float) -> tuple[Event, ...]:
        """Explain a reading by the rules, act on it, and learn from what was understood."""
        start = time.perf_counter()
        self.reading = reading
        match, game = self.match, self.match.game
        scores = reading.scores.copy()
        looks = np.array([game.look_of[piece] for piece in match.position.placement])
        # What shows its floor, or the piece that stood there, is clear; what seems to have come may still be held.
        came = (reading.looks > 0) & (reading.looks != looks)
        hidden = ~seen.readable | (seen.reached & (came | (reading.strange > SURELY_SEEN)))
        readable = ~hidden
        scores[hidden] = -UNSEEN
        scores[hidden, looks[hidden]] = 0.0
        strange = np.where(hidden, 0.0, reading.strange)
        sight = Sight(
            seen.t,
            scores.tolist(),
            strange.tolist(),
            calm >= PATIENT_S,
            float(reading.changed.mean()) > WIDESPREAD,
            calm >= RESTED_S,
            seen.t - calm - self._known_t,
            reading.askew.tolist(),
            (),
            not seen.hands,
            self._odd,
        )
        opinion = explain(game, match.positions, match.moves, sight)
        opinion = self._guarded(readable, opinion)
        if DEBUG:
            print(f"     -> {opinion.verdict} {opinion.confidence:.3f} {opinion.clarity.name}")
        if self._corrected is not None:
            if isinstance(opinion.verdict, Played) and shown(match, opinion.verdict) == self._corrected:
                return ()
            if isinstance(opinion.verdict, Still):
                self._corrected = None
        if opinion.odd is not None:
            self._odd = opinion.odd
        self.match, events = step(match, opinion, seen.t, self.fit)
        self.stages.decide_ms.append((time.perf_counter() - start) * 1e3)
        settled = isinstance(opinion.verdict, Still | Played) and self.match.phase in (Phase.PLAYING, Phase.OVER)
        understood = settled and (opinion.clarity is Clarity.PLAIN or bool(events))
        if understood and self._eyes is not None and self._seeing is not None and self.last is not None:
            self._eyes.look(self._seeing.pictures(readable, learn=True))
            self._eyes.learn(self.last.image, list(self.match.position.placement))
            self._seeing.understood(readable, bool(readable.all()))
            self._stated.clear()
            self._odd = frozenset()
            self._due = None
            self._known_t = seen.t
        if isinstance(opinion.verdict, Doubtful | Raised):
            self._puzzled = True
        elif understood or isinstance(opinion.verdict, Covered):
            self._puzzled = False
        return events

    def _guarded(self, readable: Cells, opinion: Opinion) -> Opinion:
        """Nobody is accused or asked while hands hide what would tell."""
        if not readable.all() and isinstance(opinion.verdict, Wrong | Doubtful):
            return Opinion(Covered(tuple(np.flatnonzero(~readable).tolist())), opinion.confidence)
        return opinion


def check_size(profile: Profile, frame: Frame) -> None:
    """InputError if the frame has not the size of the pictures that the profile was made from."""
    h, w = frame.image.shape[:2]
    if (w, h) != profile.size_wh:
        need = "x".join(str(n) for n in profile.size_wh)
        raise InputError(f"camera: frames are {w}x{h}, the profile was made for {need}; calibrate again")
