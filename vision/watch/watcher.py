"""From frames to events: the one place where what the camera saw meets the rules.

Everything here takes its times from the frames, so a recording gives the same events again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.profile import Profile
from calibration.view import View
from engine.belief.sight import InMotion, Sight
from engine.belief.verdicts import Doubtful, Played, Still, Unfinished
from engine.match.acts import Act, AsPlayed, Correct, Press, Resume, StandsSo
from engine.match.events import Event
from engine.match.judging import (
    Asked,
    Blind,
    Found,
    Input,
    Lit,
    Looked,
    Lost,
    NotSetUp,
    Outcome,
    Sighted,
    State,
    Ticked,
    Unseen,
    take,
)
from engine.match.state import RESTING, Match, Phase
from engine.reasons import Reason, per_cent
from vision.frames import Frame, check_size
from vision.ground import Image
from vision.reading.appearance import Ints
from vision.reading.eyes import WIDESPREAD, Eyes
from vision.reading.level import COVERED, FEW_COVERED, Reading
from vision.sight.align import LEAST_SHARE
from vision.sight.quiet import Quiet
from vision.sight.seeing import Seeing, Seen
from vision.sight.stillness import Flags
from vision.sight.watchdog import LIMIT_S, Watchdog
from vision.watch.beginning import Beginning, beginning
from vision.watch.motion_frames import MotionFrames
from vision.watch.relighting import not_to_learn
from vision.watch.schedule import MOST_READ, Schedule, most_changed, rest_of
from vision.watch.sighted import half_way, hidden, left_unread, sight_of
from vision.watch.stages import Stages

RESTED_S, PATIENT_S = 1.0, 2.5
"""Hands pause for less than the first in play; what merely lies on the board after the second is no hand."""
FIND_S = 0.3
"""A board that is not where it was is looked for once the picture has been still for so long: during a shock a wrong
place may fit."""
FIT_KEPT = 0.8
"""After a bump the board fits about as well as before: 0.95 of it and more; a wrong place on a shaken picture 0.7."""


@dataclass(frozen=True)
class Due:
    """A look that is due: at what the frames until `frame` have shown."""

    seen: Seen
    still: Seeing
    frame: Frame


class Watcher:
    """Frames in, events out. Mutable; owns what is seen, the eyes and the match.

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
        self._seeing: Seeing | None = None
        self._elsewhere: Seeing | None = None
        """Where the look that is over has found the board."""
        self._eyes: Eyes | None = None
        self._schedule, self._watchdog, self._motion = Schedule(), Watchdog(match.game.board), MotionFrames()
        self._beginning, self._coming = Beginning(), MotionFrames()
        """Those taken while another thread reads."""
        self._unexplained = np.zeros(len(match.game.board.cells), bool)
        """Cells of the last reading that say nothing: not read in time, or neither floor nor piece."""
        self._stated: dict[int, int] = {}
        """Cells that a person said have changed, with the look that they had before, until they were learned."""
        self._at_rest = False
        """Whether nothing has stirred since all of the board was understood."""
        self._quiet = Quiet(profile.views, profile.size_wh)
        self._missed, self._vouched, self._unfit = False, False, ""
        """Whether the board was seen not to stand right, whether a person says that it does, and why none can tell."""
        self._known_t = 0.0
        """When it was last known what stands on the board."""

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self._state.match

    @property
    def begun(self) -> bool:
        """Whether the board was seen to stand as it should."""
        return self._eyes is not None

    @property
    def waits(self) -> tuple[Reason, ...]:
        """Why nothing is said just now, first what holds it back; () if nothing is waited for."""
        return () if self.match.phase in (*RESTING, Phase.OVER) else self._held

    @property
    def views(self) -> Sequence[View]:
        """Where the board is now, one view a level."""
        return self._eyes.views if self._eyes else self.profile.views

    def frame(self, frame: Frame) -> tuple[Event, ...]:
        """Take one frame. InputError if its size is not the calibrated one."""
        given, due = self.see(frame)
        events = self.enter(given)
        if due is not None:
            events = (*events, *self.look(due))
            self.learned(due)
        return events

    def see(self, frame: Frame, reading: bool = False) -> tuple[tuple[Input, ...], Due | None]:
        """Take one frame: what it says to the match, and the look that is due. InputError as in `frame`.

        This alone may be called while another thread is `reading`, that is in `look`.
        """
        check_size(frame, self.profile.size_wh)
        self.stages.taken()
        given: tuple[Input, ...] = ()
        if self.last is not None and frame.t - self.last.t > LIMIT_S:
            given = (Blind(round(self.last.t + LIMIT_S, 3), "no-picture"),)
        self.last = frame
        if self._at_rest and self._quiet.goes_on(frame.t, frame.image):
            return given, None
        start = time.perf_counter()
        if self._seeing is None:
            self._seeing = Seeing(self.match.game.board, self.profile.views, frame.image)
            self._quiet = Quiet(self.profile.views, self.profile.size_wh)
        seeing = self._seeing
        seeing.take(frame.t, frame.image)
        seen = seeing.seen()
        cause = self._watchdog.cause(seen, seeing.small, seeing.noise, self.begun, self._unexplained) or self._unfit
        self.stages.sight_ms.append((time.perf_counter() - start) * 1e3)
        given += (Blind(frame.t, cause) if cause else Sighted(frame.t),)
        self._at_rest = self._eyes is not None and not (cause or seen.hands or seen.touched.any())
        if self._at_rest:
            self._quiet.remember(frame.t, frame.image, seen.place.moved)
        if cause == "frozen" or self._watchdog.poor:
            return given, None
        if reading:
            if seen.hands:
                self._coming.take(seen, seeing)
        elif self._schedule.due(seen, self._eyes is not None):
            return given, Due(seen, seeing.still(), frame)
        elif self._eyes is not None and seen.hands:
            self._motion.take(seen, seeing)
            self._held = (Reason("hand-over-board", int((~seen.readable).sum()), 0),)
        return given, None

    def enter(self, given: Sequence[Input]) -> tuple[Event, ...]:
        """What follows in the match from what was seen or asked."""
        return tuple(event for one in given for event in self._take(one).events)

    def look(self, due: Due) -> tuple[Event, ...]:
        """Read, judge and understand. May run in a thread of its own while nothing but `see` is called."""
        with self.stages.look():
            return self._look(due.seen, due.still, due.frame.image)

    def learned(self, due: Due) -> None:
        """The look is over: go on seeing with what was understood."""
        if self._elsewhere is not None:
            self._seeing, self._elsewhere = self._elsewhere, None
        elif self._seeing is not None:
            self._seeing.learn_from(due.still)
        self._motion.join(self._coming)

    def silence(self, t: float) -> tuple[Event, ...]:
        """No frame has come until `t`, in seconds of the stream."""
        late = self.last is not None and t - self.last.t > LIMIT_S
        return self._take(Blind(t, "no-picture")).events if late else ()

    def asked(self, asked: Act, t: float) -> tuple[Event, ...]:
        """Do what a person asked, and look at the board anew. InputError when it cannot be done."""
        stood, away = self.match.position.placement, self.match.phase is Phase.ADJOURNED
        events = self._take(Asked(t, asked)).events
        self._vouched = isinstance(asked, StandsSo) or (self._vouched and isinstance(asked, Press))
        if isinstance(asked, StandsSo) or (away and isinstance(asked, Resume)):
            self._forget()
        if isinstance(asked, Correct | AsPlayed):
            look_of, now = self.match.game.look_of, self.match.position.placement
            self._stated |= {c: look_of[old] for c, (old, new) in enumerate(zip(stood, now, strict=True)) if old != new}
        if not isinstance(asked, Press):
            self._lose_sight()
            if self._seeing is not None:
                self._seeing.touch()
        return events

    def replace(self, profile: Profile, t: float) -> tuple[Event, ...]:
        """The board is where `profile` says; it is learned anew from the position that should stand there."""
        self.profile, self.fit = profile, min(profile.fits)
        self._watchdog = Watchdog(self.match.game.board)
        self._forget()
        self._lose_sight()
        return self._take(Found(t, self.fit)).events

    def tick(self, t: float) -> tuple[Event, ...]:
        """Time goes by, whatever the board shows."""
        return (*self._take(Ticked(t)).events, *self.silence(t))

    def _take(self, given: Input) -> Outcome:
        """Go on from an input."""
        outcome = take(self._state, given)
        self._state = outcome.state
        if isinstance(given, Blind):
            self._held = outcome.waits
        if self._trace is not None:
            self._trace(given, outcome)
        return outcome

    def _wait(self, given: Unseen | NotSetUp) -> tuple[Event, ...]:
        """Nothing can be judged in this look."""
        outcome = self._take(given)
        self._held = outcome.waits
        return outcome.events

    def _forget(self) -> None:
        """The board is to be learned anew, from the position that should stand on it."""
        self._eyes = self._seeing = None
        self._missed = self._at_rest = False

    def _lose_sight(self) -> None:
        """What was seen before says nothing any more."""
        self._held = ()
        self._motion.clear()
        self._beginning = Beginning()
        self._schedule.again()

    def _look(self, seen: Seen, seeing: Seeing, image: Image) -> tuple[Event, ...]:
        """Read the frame `image` and those before it."""
        if self._eyes is None:
            return self._begin(seen, seeing, image)
        if not seen.place.found or self.match.phase is Phase.BLIND:
            return self._find_again(seen, seeing, self._eyes, image)
        return self._judge(seen, seeing, self._eyes, image)

    def _begin(self, seen: Seen, seeing: Seeing, image: Image) -> tuple[Event, ...]:
        """Learn the board from the first still picture of the expected position."""
        pictures = seeing.pictures(seen.readable)
        start = self.match.game, self.match.position, self.profile.views, image, pictures
        begun = self._beginning.go_on(seen, lambda: beginning(*start, asks=self._missed))
        if begun is None:
            self._schedule.again()  # with the next part
            return ()
        refused = bool(begun.wrong) and not self._vouched
        self._unfit = "small" if refused and begun.small else ""
        if refused:
            self._missed = True
            return () if self._unfit else self._wait(NotSetUp(seen.t, begun.wrong, begun.options, begun.fit))
        self._missed = self._vouched = False
        self._eyes, self.fit = begun.eyes, begun.fit
        eyes = begun.eyes
        seeing.hold_pieces([reader.largest for _, reader in eyes.readers])
        eyes.look(pictures)
        return self._decide(seen, seeing, eyes, image, eyes.explained(eyes.differs()), ~seen.readable)

    def _judge(self, seen: Seen, seeing: Seeing, eyes: Eyes, image: Image) -> tuple[Event, ...]:
        """Read the cells that can be read; first see whether board or light changed as a whole."""
        start = time.perf_counter()
        pictures = seeing.pictures(seen.readable)
        eyes.look(pictures)
        events: tuple[Event, ...] = ()
        differs = eyes.differs(keen=True) & seen.readable & seen.touched
        widespread = float(eyes.differs().mean()) > WIDESPREAD
        rest_s = rest_of(seen, differs)
        if widespread and not seen.hands and rest_s >= RESTED_S:
            events = self._another_light(seen, eyes)
            eyes.look(pictures)
            differs = eyes.differs(keen=True) & seen.readable
        asked = most_changed(differs, eyes.changes, MOST_READ if rest_s < RESTED_S else len(differs))
        unread = differs & ~asked
        reading = left_unread(eyes.explained(asked), unread, self._expected)
        self.stages.read_ms.append((time.perf_counter() - start) * 1e3)
        return (*events, *self._decide(seen, seeing, eyes, image, self._as_stated(reading), unread))

    def _find_again(self, seen: Seen, seeing: Seeing, eyes: Eyes, image: Image) -> tuple[Event, ...]:
        """The board is not where it was: find it where the camera sees it now."""
        rest_s = float(np.median(seen.still_s))
        if rest_s < FIND_S:
            return self._wait(Unseen(seen.t, Reason("board-lost", per_cent(seen.place.share), per_cent(LEAST_SHARE))))
        moved = eyes.find_again(image, 0.0 if rest_s >= PATIENT_S else FIT_KEPT * self.fit)
        events: tuple[Event, ...] = ()
        if moved is not None:
            self._lose_sight()
            events = self._take(Lost(seen.t)).events
            if moved.fit is None:
                return (*events, *self._wait(Unseen(seen.t, Reason("board-lost"))))
            self.fit = moved.fit
        if moved is not None:
            self._elsewhere = seeing.move_to(eyes.views, image)
        elif not seen.place.found:
            seeing.hold(image, stayed=True)
        if moved is not None or (seen.place.found and self.match.phase is Phase.BLIND):
            events = (*events, *self._take(Found(seen.t, self.fit)).events)
        return events

    def _another_light(self, seen: Seen, eyes: Eyes) -> tuple[Event, ...]:
        """Go on in the light of the last look."""
        events = self._take(Lit(seen.t)).events if eyes.light_changed else ()
        reading = eyes.explained(eyes.differs(keen=True) & seen.readable)
        eyes.adopt_light(not_to_learn(self.match, eyes, reading, hands=False) | ~seen.readable)
        self._motion.clear()
        return events

    def _as_stated(self, reading: Reading) -> Reading:
        """A cell that still looks as before a person said that it changed says nothing: the person is believed."""
        scores = reading.scores.copy()
        for cell, before in self._stated.items():
            if reading.looks[cell] == before:
                scores[cell] = 0.0
        return replace(reading, scores=scores)

    def _decide(
        self, seen: Seen, seeing: Seeing, eyes: Eyes, image: Image, reading: Reading, unread: Flags
    ) -> tuple[Event, ...]:
        """Explain a reading by the rules, act on it, and learn from what was understood and read."""
        start = time.perf_counter()
        self.reading = reading
        strange = reading.strange > COVERED
        few = int(strange.sum()) <= FEW_COVERED
        self._unexplained = unread | (strange & (not few))  # not read, or of no use
        unseen = hidden(reading, self._expected, seen.readable, seen.reached)
        rest_s = rest_of(seen, reading.changed & ~unseen)
        sight = replace(
            sight_of(seen.t, reading, self._expected, unseen),
            patient=rest_s >= PATIENT_S,
            rested=rest_s >= RESTED_S,
            unsteady=float(reading.changed.mean()) > WIDESPREAD,
            moving_s=round(seen.t - rest_s - self._known_t, 3),
            alone=not seen.hands,
        )
        looked = Looked(seen.t, sight, self.fit, InMotion(lambda: self._seen_moving(seen, seeing, eyes)))
        outcome = self._take(looked)
        self._held, opinion, events = outcome.waits, outcome.opinion, outcome.events
        self.stages.decide_ms.append((time.perf_counter() - start) * 1e3)
        if opinion is None or outcome.ignored:
            return events
        settled = isinstance(opinion.verdict, Still | Played) and self.match.phase in (Phase.PLAYING, Phase.OVER)
        if settled and opinion.settled and (isinstance(opinion.verdict, Still) or bool(events)):
            # Beside a hidden cell what reads otherwise may be half of a ply, and is not learned as what stood there.
            agrees = (reading.looks == self._expected) | ~reading.changed | ~unseen.any()
            if rest_s < RESTED_S or seen.hands:
                told = np.isin(np.arange(len(agrees)), list(self._stated))
                agrees &= told | ~half_way(reading, self._expected)
            self._understand(seen, seeing, eyes, image, ~unseen & ~unread & agrees)
        elif isinstance(opinion.verdict, Doubtful | Unfinished):
            self._motion.take(seen, seeing)
        return events

    def _understand(self, seen: Seen, seeing: Seeing, eyes: Eyes, image: Image, shown: Flags) -> None:
        """It is known what stands in the cells that are `shown`: learn how they look."""
        eyes.look(seeing.pictures(shown, learn=True))
        # The picture of a cell that is not shown is the old one, and so is what stands in it.
        eyes.learn(image, np.where(shown, list(self.match.position.placement), eyes.pieces).tolist())
        seeing.understood(shown, bool(shown.all()))
        self._stated = {cell: before for cell, before in self._stated.items() if not shown[cell]}
        self._held = ()
        self._known_t = seen.t
        self._schedule.again()
        if not seen.hands:
            self._motion.clear()
            seeing.hold(image)

    @property
    def _expected(self) -> Ints:
        """(cells,) the look of what stands in each cell by the record."""
        return np.array([self.match.game.look_of[piece] for piece in self.match.position.placement])

    def _seen_moving(self, seen: Seen, seeing: Seeing, eyes: Eyes) -> Sequence[Sight]:
        """What was seen between the last understood look and this one."""
        found = [
            sight_of(t, reading, self._expected, ~readable) for t, reading, readable in self._motion.readings(eyes)
        ]
        eyes.look(seeing.pictures(seen.readable))  # what is learned next is the look
        return found
