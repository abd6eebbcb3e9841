"""From looks to events: the one place where what the camera saw meets the rules.

Everything here runs in the main loop and takes its times from the frames, so a recording gives the same events again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from calibration.lattice import assess
from calibration.profile import Profile
from calibration.view import View
from engine.acts import Act, AsPlayed, Correct, Press
from engine.errors import InputError
from engine.events import Event
from engine.hindsight import Remembered
from engine.judging import Asked, Found, Input, Lit, Looked, Lost, NotSetUp, Outcome, State, Ticked, Unseen, take
from engine.match import RESTING, Match, Phase
from engine.reasons import Reason, per_cent
from engine.sight import Sight
from engine.verdicts import Covered, Doubtful, Played, Raised, Still, Unfinished
from engine.witness import FEW_STRANGE, STRANGE, Clarity
from server.plain import plain, sight_of
from server.relit import not_to_learn
from server.stages import Stages
from vision.eyes import WIDESPREAD, Eyes
from vision.frames import Frame
from vision.glimpses import Glimpses
from vision.ground import Image
from vision.light import BLURRED
from vision.reach import Over, Surroundings
from vision.read import Reading
from vision.settle import Gate, Look
from vision.sparing import worth_asking

Cells = npt.NDArray[np.bool_]

RESTED_S = 1.0
"""Hands pause over the board for up to 0.7 s in the reference recordings."""
ARM_S = 6.0
"""No arm is as still as this for so long: what reaches over the board belongs there. With 2.5 s two of four drawn games
had a ply wrong in which hands rested for 3 s in every pose."""
SHUT_EVERY_S = 0.5
"""How often a trace is told at most that there is nothing to look at."""
FIT_KEPT = 0.8
"""After a bump the board fits about as well as before: 0.95 of it and more. On a shaken picture of a drawn game a wrong
place fitted 0.7 as well."""


class Watcher:
    """Frames in, events out. Mutable; owns eyes, gate and match.

    All that is judged goes through `_take`; `trace` is told of each input there and what followed from it.
    """

    def __init__(self, profile: Profile, match: Match, trace: Callable[[Input, Outcome], object] | None = None) -> None:
        self.profile = profile
        self.stages = Stages()
        self.fit = min(profile.fits)
        self.last: Frame | None = None
        self.reading: Reading | None = None
        """The last one that was judged."""
        self._state = State(match)
        self._trace = trace
        self._held: tuple[Reason, ...] = ()
        """What the last look still waited for."""
        self._shut_for = "", -SHUT_EVERY_S
        self._gate = Gate()
        self._glimpses = Glimpses()
        self._surroundings = Surroundings(match.game.board)
        self._eyes: Eyes | None = None
        self._shadows: Image | None = None
        """The picture from which the shadow of a cup was learned last."""
        self._puzzled = False
        self._odd: frozenset[int] = frozenset()
        """Cells whose piece seemed a little gone when nothing had been moved since the board was understood."""
        self._stated: dict[int, int] = {}
        """Cells that a person said have changed, with the look that they had before, until they were learned."""

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self._state.match

    @property
    def waits(self) -> tuple[Reason, ...]:
        """Why nothing is said just now, first what holds it back; () if nothing is waited for."""
        if self.match.phase in (*RESTING, Phase.OVER):
            return ()
        return self._held if self._gate.waits is None else (self._gate.waits,)

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
            self._shut(frame.t)
            if self._gate.in_motion and self._eyes is not None:
                self._glimpses.take(frame.t, frame.image, self._eyes, self._surroundings)
            return ()
        return self._begin(look) if self._eyes is None else self._judge(look)

    def asked(self, asked: Act, t: float) -> tuple[Event, ...]:
        """Do what a person asked, and look at the board anew. InputError when it cannot be done."""
        stood = self.match.position.placement
        events = self._take(Asked(t, asked)).events
        if isinstance(asked, Correct | AsPlayed):
            look_of, now = self.match.game.look_of, self.match.position.placement
            self._stated |= {c: look_of[old] for c, (old, new) in enumerate(zip(stood, now, strict=True)) if old != new}
        if not isinstance(asked, Press):
            self._gate.forget()
            self._glimpses.clear()
            self._odd = frozenset()
            self._held = ()
        return events

    def replace(self, profile: Profile, t: float) -> tuple[Event, ...]:
        """The board is where `profile` says; it is learned anew from the position that should stand there."""
        self.profile, self.fit = profile, min(profile.fits)
        self._eyes, self._gate, self._puzzled = None, Gate(), False
        self._lose_sight()
        return self._take(Found(t, self.fit)).events

    def tick(self, t: float) -> tuple[Event, ...]:
        """Time goes by, whatever the board shows."""
        return self._take(Ticked(t)).events

    def _take(self, given: Input) -> Outcome:
        """Go on from an input."""
        outcome = take(self._state, given)
        self._state = outcome.state
        if self._trace is not None:
            self._trace(given, outcome)
        return outcome

    def _shut(self, t: float) -> None:
        """While no look is offered a trace is told why, now and then: else one who sees nothing would leave none."""
        reason = self._gate.waits
        if self._trace is None or reason is None:
            return
        before, since = self._shut_for
        if reason.rule != before and t - since >= SHUT_EVERY_S:
            self._shut_for = reason.rule, t
            self._take(Unseen(t, reason))

    def _wait(self, given: Unseen | NotSetUp) -> tuple[Event, ...]:
        """Nothing can be judged in this look."""
        outcome = self._take(given)
        self._held = outcome.waits
        return outcome.events

    def _begin(self, look: Look) -> tuple[Event, ...]:
        """Learn the board from the first look at the expected position."""
        game, pieces = self.match.game, list(self.match.position.placement)
        eyes = Eyes(game.board, self.profile.views, game.look_of, look.image, pieces)
        wrong = eyes.wrong_cells(pieces)
        if wrong:
            return self._wait(NotSetUp(look.t, tuple(wrong)))
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
            return self._wait(Unseen(look.t, Reason("blurred", per_cent(eyes.sharpness), per_cent(BLURRED))))
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
                events.extend(self._take(Lit(look.t)).events)
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
            events.extend(self._wait(Unseen(look.t, Reason("hand-over-found-board"))))
            return False
        if moved is not None:
            self._lose_sight()
            events.extend(self._take(Lost(look.t)).events)
            if moved.fit is None:
                events.extend(self._wait(Unseen(look.t, Reason("board-lost"))))
                return False
            self.fit = moved.fit
        if moved is not None or blind:
            events.extend(self._take(Found(look.t, self.fit)).events)
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
        sight = replace(sight_of(look, reading, over.near, look.rest_s >= RESTED_S), alone=over.alone, odd=self._odd)
        outcome = self._take(Looked(look.t, sight, self.fit, Remembered(lambda: self._glimpsed(look))))
        self._held, opinion, events = outcome.waits, outcome.opinion, outcome.events
        if opinion is None or outcome.ignored:
            return events
        if opinion.odd is not None and not over.arm:
            self._odd = opinion.odd
        self.stages.decide_ms.append((time.perf_counter() - start) * 1e3)
        settled = isinstance(opinion.verdict, Still | Played) and self.match.phase in (Phase.PLAYING, Phase.OVER)
        understood = settled and (opinion.clarity is Clarity.PLAIN or bool(events))
        if understood:
            self._held = ()
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
        return [replace(plain(t, one), reached=over.near) for t, one, over in seen]


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
