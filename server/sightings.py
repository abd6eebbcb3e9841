"""From looks to events: the one place where what the camera saw meets the rules.

Everything here runs in the main loop and takes its times from the frames, so a recording gives the same events again.
"""

from __future__ import annotations

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
from engine.verdicts import Covered, Doubtful, Played, Raised, Still, Unfinished
from engine.witness import FEW_STRANGE, STRANGE, Clarity, explain
from server.relit import not_to_learn
from vision.eyes import WIDESPREAD, Eyes
from vision.frames import Frame
from vision.glimpses import Glimpses
from vision.ground import Image
from vision.reach import Over, Surroundings
from vision.read import Reading
from vision.settle import Gate, Look
from vision.sparing import worth_asking

TIMED_FRAMES = 10_000
"""Frames whose stages are timed at most: five minutes at 30 a second."""

Cells = npt.NDArray[np.bool_]


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


RESTED_S = 1.0
"""Hands pause over the board for up to 0.7 s in the reference recordings."""
ARM_S = 6.0
"""No arm is as still as this for so long: what reaches over the board belongs there. With 2.5 s two of four drawn games
had a ply wrong in which hands rested for 3 s in every pose."""
FIT_KEPT = 0.8
"""After a bump the board fits about as well as before: 0.95 of it and more. On a shaken picture of a drawn game a wrong
place fitted 0.7 as well."""


class Watcher:
    """Frames in, events out. Mutable; owns eyes, gate and match."""

    def __init__(self, profile: Profile, match: Match) -> None:
        self.profile = profile
        self.match = match
        self.stages = Stages()
        self.fit = min(profile.fits)
        self.last: Frame | None = None
        self.reading: Reading | None = None
        """The last one that was judged."""
        self._gate = Gate()
        self._glimpses = Glimpses()
        self._surroundings = Surroundings(match.game.board)
        self._eyes: Eyes | None = None
        self._shadows: Image | None = None
        """The picture from which the shadow of a cup was learned last."""
        self._puzzled = False
        self._odd: frozenset[int] = frozenset()
        """Cells whose piece seemed a little gone when nothing had been moved since the board was understood."""
        self._corrected: bytes | None = None
        """What stood when a person said otherwise: as long as it stands there it is not believed again."""
        self._stated: dict[int, int] = {}
        """Cells that a person said have changed, with the look that they had before, until they were learned."""

    @property
    def views(self) -> Sequence[View]:
        """Where the board is now, one view a level."""
        return self._eyes.views if self._eyes else self.profile.views

    def frame(self, frame: Frame) -> tuple[Event, ...]:
        """Take one frame. InputError if its size is not the calibrated one."""
        check_size(self.profile, frame)
        self.last = frame
        start = time.perf_counter()
        look = self._gate.push(frame.t, frame.image)
        self.stages.gate_ms.append((time.perf_counter() - start) * 1e3)
        if look is None:
            if self._gate.in_motion and self._eyes is not None:
                self._glimpses.take(frame.t, frame.image, self._eyes, self._surroundings)
            return ()
        return self._begin(look) if self._eyes is None else self._judge(look)

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
            self._gate.forget()
            self._glimpses.clear()
            self._odd = frozenset()
        return events

    def replace(self, profile: Profile, t: float) -> tuple[Event, ...]:
        """The board is where `profile` says; it is learned anew from the position that should stand there."""
        self.profile, self.fit = profile, min(profile.fits)
        self._eyes, self._gate, self._puzzled = None, Gate(), False
        self._lose_sight()
        if self.match.phase is not Phase.BLIND:
            return ()
        self.match, events = camera_found(self.match, t, self.fit)
        return events

    def tick(self, t: float) -> tuple[Event, ...]:
        """Time goes by, whatever the board shows."""
        self.match, events = tick(self.match, t)
        return events

    def _begin(self, look: Look) -> tuple[Event, ...]:
        """Learn the board from the first look at the expected position."""
        game, pieces = self.match.game, list(self.match.position.placement)
        eyes = Eyes(game.board, self.profile.views, game.look_of, look.image, pieces)
        wrong = eyes.wrong_cells(pieces)
        if wrong and self.match.phase in (*RESTING, Phase.OVER):
            return ()
        if wrong:
            event = SetUp(look.t, tuple(game.board.cells[c] for c in wrong))
            said = self.match.note
            self.match = replace(self.match, phase=Phase.SETUP, note=event)
            return () if isinstance(said, SetUp) and said.wrong == event.wrong else (event,)
        self._eyes = eyes
        self.fit = min(assess(game.board, v, look.image, k).score for k, v in enumerate(self.profile.views))
        reading = eyes.read(look.image)
        return self._decide(look, reading, self._over(look))

    def _judge(self, look: Look) -> tuple[Event, ...]:
        """Read a look; first see whether board or light changed as a whole."""
        eyes = self._eyes
        if eyes is None:
            return ()
        start = time.perf_counter()
        over = self._over(look)
        self._learn_cup(over, eyes)
        eyes.glance(look.image)
        if eyes.blurred and not look.patient:
            return ()
        events: list[Event] = []
        differs = eyes.differs(self._puzzled)
        asked = self._worth_asking(look, eyes, over, differs)
        if asked is None and (_widespread(eyes) or self.match.phase is Phase.BLIND):
            if not self._find_again(look, eyes, events):
                return tuple(events)
            over = self._over(look)
            differs = eyes.differs(self._puzzled)
        reading = eyes.explained(differs if asked is None else asked)
        self.stages.read_ms.append((time.perf_counter() - start) * 1e3)
        if asked is None and self._another_light(look, eyes, reading, over):
            if eyes.light_changed:
                events.append(LightChanged(look.t))
            reading = self._adopt_light(look, eyes, reading, over)
            over = self._over(look)
        return (*events, *self._decide(look, self._as_stated(reading), over))

    def _over(self, look: Look) -> Over:
        """What a look shows over the board."""
        return self._surroundings.over(look.image, self.views, look.since)

    def _worth_asking(self, look: Look, eyes: Eyes, over: Over, differs: Cells) -> Cells | None:
        """Of the cells that differ those worth reading if an arm has just come to rest over a part; None for all."""
        near = np.array(over.near, bool)
        if look.rest_s >= RESTED_S or self.match.phase is Phase.BLIND or not near.any() or near.all():
            return None
        game, now = self.match.game, self.match.position
        mine = np.array([game.seat_of[piece] == now.seat for piece in now.placement])
        return worth_asking(eyes, differs, mine, near)

    def _find_again(self, look: Look, eyes: Eyes, events: list[Event]) -> bool:
        """After widespread change: find the board where the camera sees it now. False while it cannot be read."""
        blind, views = self.match.phase is Phase.BLIND, eyes.views
        moved = eyes.find_again(look.image, 0.0 if look.patient else FIT_KEPT * self.fit)
        found = moved is not None and moved.fit is not None
        if found or (blind and moved is None):
            eyes.glance(look.image)
        if found and not blind and self._in_hand(look, self._over(look), eyes):
            # An arm that rests may look like a bump; then hands are still seen where the board was "found".
            eyes.look_from(views)
            return False
        if moved is not None:
            self._lose_sight()
            self.match, said = camera_moved(self.match, look.t)
            events.extend(said)
            if moved.fit is None:
                return False
            self.fit = moved.fit
        if moved is not None or blind:
            self.match, said = camera_found(self.match, look.t, self.fit)
            events.extend(said)
        return True

    def _another_light(self, look: Look, eyes: Eyes, reading: Reading, over: Over) -> bool:
        """Whether the light is another one, and no arm that is all of it."""
        if self._in_hand(look, over, reading):
            return False
        # A dark hand may look like black pieces, and its shadow like dusk: what is no darker on the whole waits longer,
        # also where a dark sleeve over a dark table does not show that an arm reaches in. A board
        # that was bumped is seen a little otherwise from its new place until it is understood there.
        waited = look.rest_s >= RESTED_S or not self._surroundings.known
        shaded = waited and _widespread(eyes) and not _hands(reading)
        if not (eyes.light_changed or (shaded and (look.patient or not over.arm))):
            return False
        # A cup gives a shade. So what is as dark as by a lamp is no more than an arm that has kept its place.
        resting = over.reached if eyes.light_changed else over.arm
        return not (resting and look.rest_s < ARM_S and over.same_light)

    def _adopt_light(self, look: Look, eyes: Eyes, reading: Reading, over: Over) -> Reading:
        """Go on in another light; what the look shows in it."""
        if eyes.light_changed:
            self._glimpses.clear()
        if over.alone:
            self._surroundings.clear(over)
        elif not over.untouched:
            self._surroundings.forget()
        unsure = not_to_learn(self.match, eyes, reading, hands=not over.alone)
        eyes.adopt_light(unsure)
        reading = eyes.read(look.image)
        if unsure.any() and not not_to_learn(self.match, eyes, reading, hands=not over.alone).any():
            # In its new light the board is understood: what was odd before was the light too.
            eyes.adopt_light(np.zeros(len(unsure), bool))
            reading = eyes.read(look.image)
        return reading

    def _as_stated(self, reading: Reading) -> Reading:
        """A cell that still looks as before a person said that it changed says nothing: the person is believed."""
        scores = reading.scores.copy()
        for cell, before in self._stated.items():
            if reading.looks[cell] == before:
                scores[cell] = 0.0
        return replace(reading, scores=scores)

    def _decide(self, look: Look, reading: Reading, over: Over) -> tuple[Event, ...]:
        """Explain a reading by the rules, act on it, and learn from what was understood."""
        start = time.perf_counter()
        self.reading = reading
        match = self.match
        sight = replace(_sight(look, reading, over.near), alone=over.alone, odd=self._odd)
        opinion = explain(match.game, match.positions, match.moves, sight, lambda: self._glimpsed(look))
        if self._corrected is not None:
            if isinstance(opinion.verdict, Played) and shown(match, opinion.verdict) == self._corrected:
                return ()
            if isinstance(opinion.verdict, Still):
                self._corrected = None
        if opinion.odd is not None and not over.arm:
            self._odd = opinion.odd
        self.match, events = step(match, opinion, look.t, self.fit)
        self.stages.decide_ms.append((time.perf_counter() - start) * 1e3)
        settled = isinstance(opinion.verdict, Still | Played) and self.match.phase in (Phase.PLAYING, Phase.OVER)
        understood = settled and (opinion.clarity is Clarity.PLAIN or bool(events))
        if understood:
            self._understand(look, over, isinstance(opinion.verdict, Still))
        elif not settled:
            self._gate.puzzled()
            if isinstance(opinion.verdict, Doubtful | Unfinished) and self._eyes is not None:
                self._glimpses.take(look.t, look.image, self._eyes, self._surroundings)
        if isinstance(opinion.verdict, Doubtful | Raised):
            self._puzzled = True
        elif understood or isinstance(opinion.verdict, Covered):
            self._puzzled = False  # until then every look is as keen: two kinds of looks might never agree
        return events

    def _understand(self, look: Look, over: Over, still: bool) -> None:
        """It is known what stands on the board: learn from it, unless an arm rests over it.

        Beside a cup nothing is learned where all is as it was, but what a person has said since is.
        """
        if self._eyes is None:
            return
        if look.rest_s >= ARM_S:
            self._surroundings.clear(over)
        elif over.reached:
            self._surroundings.rests(over, look.image)
            if over.arm or (still and not self._stated):
                return
        else:
            self._surroundings.understood(over)
        self._eyes.learn(look.image, list(self.match.position.placement))
        self._stated.clear()
        self._odd = frozenset()
        self._glimpses.clear()
        self._gate.understood()

    def _learn_cup(self, over: Over, eyes: Eyes) -> None:
        """Once what had come to rest is known for a cup, its shadow is learned from where the board was understood."""
        rested = self._surroundings.rested
        if rested is None or rested is self._shadows:
            return
        if over.untouched and over.passed_by:
            self._shadows = rested
            eyes.read(rested)
            eyes.learn(rested, list(self.match.position.placement))

    @staticmethod
    def _in_hand(look: Look, over: Over, seen: Reading | Eyes) -> bool:
        """Whether hands that pause may be over the board, by where they come from or by what they cover.

        Eyes are asked for a reading only if need be.
        """
        if look.rest_s >= RESTED_S or over.arm:
            return look.rest_s < RESTED_S
        return _hands(seen.explained(seen.differs()) if isinstance(seen, Eyes) else seen)

    def _lose_sight(self) -> None:
        """What was seen before says nothing any more: the board is elsewhere, or in another light."""
        self._odd = frozenset()
        self._glimpses.clear()
        self._surroundings.forget()

    def _glimpsed(self, look: Look) -> Sequence[Sight]:
        """What was seen between the last understood look and this one."""
        eyes = self._eyes
        if eyes is None:
            return ()
        seen = self._glimpses.readings(eyes)
        eyes.read(look.image, self._puzzled)  # what is learned next is the look
        return [
            Sight(t, one.scores.tolist(), one.strange.tolist(), askew=one.askew.tolist(), reached=over.near)
            for t, one, over in seen
        ]


def check_size(profile: Profile, frame: Frame) -> None:
    """InputError if the frame has not the size of the pictures that the profile was made from."""
    h, w = frame.image.shape[:2]
    if (w, h) != profile.size_wh:
        need = "x".join(str(n) for n in profile.size_wh)
        raise InputError(f"camera: frames are {w}x{h}, the profile was made for {need}; calibrate again")


def _widespread(eyes: Eyes) -> bool:
    """Whether so much differs that it is not the pieces that changed."""
    return float(eyes.differs().mean()) > WIDESPREAD


def _hands(reading: Reading) -> bool:
    """Whether so much of the board is inexplicable that hands must be over it."""
    return int((reading.strange > STRANGE).sum()) > FEW_STRANGE


def _sight(look: Look, reading: Reading, reached: Sequence[bool]) -> Sight:
    """A reading in the engine's plain numbers."""
    unsteady = float(reading.changed.mean()) > WIDESPREAD
    rested = look.rest_s >= RESTED_S
    return Sight(
        look.t,
        reading.scores.tolist(),
        reading.strange.tolist(),
        look.patient,
        unsteady,
        rested,
        look.moving_s,
        reading.askew.tolist(),
        reached,
    )
