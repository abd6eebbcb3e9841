"""A look: cells are read, judged by the rules, and remembered where it is known what stands in them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from calibration.profile import Profile
from calibration.view import View
from engine.belief.verdicts import Played, Still
from engine.match.events import Event
from engine.match.judging import Found, Lit, Looked, Lost, NotSetUp, Unseen
from engine.match.state import Match, Phase
from engine.reasons import Reason, per_cent
from vision.frames import Frame
from vision.ground import Image
from vision.reading.reader import Reader
from vision.reading.reading import COVERED, FEW_COVERED, Flags, Reading
from vision.reading.track import Tracker
from vision.sight.align import LEAST_SHARE
from vision.sight.seeing import Seeing, Seen
from vision.watch.beginning import begin
from vision.watch.schedule import Schedule, rest_of
from vision.watch.sighted import flagged, hidden, sight_of
from vision.watch.stages import Stages
from vision.watch.story import Story

RESTED_S, PATIENT_S = 1.0, 2.5
"""Hands pause for less than the first in play; what merely lies on the board after the second is no hand."""
FIND_S = 0.3
"""A board that is not where it was is looked for once the picture has been still for so long: during a shock a wrong
place may fit."""
FIT_KEPT = 0.8
"""After a bump the board fits about as well as before: 0.95 of it and more; a wrong place on a shaken picture 0.7."""
WIDESPREAD = 0.25
"""Share of changed cells from which it is not the pieces that changed: a move changes up to 0.12 with its shadows."""
RELIGHTED = 1.25
"""Brightness of the board over that of before, or before over now, from which the light is said to have changed."""


@dataclass(frozen=True)
class Due:
    """A look that is due: at what the frames until `frame` have shown."""

    seen: Seen
    still: Seeing
    frame: Frame


class Looks:
    """The reader, and all that looks remember of each other. Mutable; one look at a time."""

    def __init__(self, profile: Profile, story: Story, schedule: Schedule, stages: Stages) -> None:
        self.profile, self.fit = profile, min(profile.fits)
        self.reader: Reader | None = None
        """None until the board was seen to stand as it should."""
        self.reading: Reading | None = None
        """The last one that was judged."""
        self.elsewhere: Seeing | None = None
        """Where the look that is over has found the board."""
        self.unexplained = np.zeros(len(story.match.game.board.cells), bool)
        """Cells of the last reading that say nothing: neither floor nor piece."""
        self.unfit = ""
        """Why nobody can tell whether the board stands right."""
        self._tracker = Tracker(story.match.game.board, profile.views)
        self._story, self._schedule, self._stages = story, schedule, stages
        self._clear = np.zeros(len(story.match.game.board.cells), bool)
        """(cells,) what the last look saw: as it looked then it is taken in, once something has stirred."""
        self._missed = self._vouched = False
        """Whether the board was seen not to stand right, and whether a person says that it does."""
        self._nearly: Reader | None = None
        """One that was taught by a board that stood right but for a cell or two."""
        self._known_t = np.zeros(len(story.match.game.board.cells))
        """(cells,) when it was last known what stands in each."""

    @property
    def views(self) -> tuple[View, ...]:
        """Where the board is now, one view a level."""
        return self._tracker.views

    def anew(self, profile: Profile | None = None) -> None:
        """The board is to be learned anew, from the position that should stand on it; where `profile` says."""
        if profile is not None:
            self.profile, self.fit = profile, min(profile.fits)
        self._tracker = Tracker(self._story.match.game.board, self.profile.views)
        self.reader, self._nearly, self._missed = None, None, False

    def lose_sight(self) -> None:
        """What was seen before says nothing any more."""
        self._story.held = ()
        self._schedule.again()

    def vouch(self, stands_so: bool) -> None:
        """Whether a person says that the board stands as it should."""
        self._vouched = stands_so

    @property
    def follows(self) -> bool:
        """Whether plies are followed: the board stood right, or nearly."""
        return self.reader is not None or self._nearly is not None

    @property
    def vouched(self) -> bool:
        """Whether a person said so."""
        return self._vouched

    def look(self, due: Due) -> tuple[Event, ...]:
        """Read the frame that is due and those before it, judge it, and remember what was understood."""
        seen, seeing, image = due.seen, due.still, due.frame.image
        if self.reader is None:
            return self._begin(seen, seeing, image)
        if not seen.place.found or self._story.match.phase is Phase.BLIND:
            return self._find_again(seen, seeing, image)
        return self._judge(seen, seeing, self.reader, image)

    def _begin(self, seen: Seen, seeing: Seeing, image: Image) -> tuple[Event, ...]:
        """Learn the board from the first still picture of the expected position."""
        if self._nearly is not None and seen.stirred:
            events = self._judge(seen, seeing, self._nearly, image)
            if self._story.match.ready:
                self._missed, self.reader, self._nearly = False, self._nearly, None
                self._tracker.remember(image)
            if self._story.match.ready or self._story.played_unsaid:
                return events
        match = self._story.match
        begun = begin(
            match.game,
            match.position,
            self.profile.views,
            image,
            seeing.pictures(),
            clear=seen.readable,
            asks=self._missed,
        )
        refused = bool(begun.wrong) and not self._vouched
        self.unfit = "small" if refused and begun.small else ""
        if refused:
            self._missed = True
            if self._nearly is None and begun.nearly:
                self._nearly = begun.reader
                self._teach(seen, seeing, self._nearly, np.isin(np.arange(len(seen.readable)), begun.wrong))
            return () if self.unfit else self._story.wait(NotSetUp(seen.t, begun.wrong, begun.options, begun.fit))
        self.fit = begun.fit
        self._teach(seen, seeing, begun.reader, np.zeros(len(seen.readable), bool))
        return self._started(seen, seeing, begun.reader, image)

    def _started(self, seen: Seen, seeing: Seeing, reader: Reader, image: Image) -> tuple[Event, ...]:
        """The board is known from now on: the first reading of it."""
        self._missed = self._vouched = False
        self.reader, self._nearly = reader, None
        self._tracker.remember(image)
        self._known_t[:] = seen.t
        expected, nothing = self._story.expected, np.zeros(len(seen.readable), bool)
        return self._decide(seen, seeing, reader, image, reader.read(seeing.pictures(), seen.readable, nothing, expected))

    def _teach(self, seen: Seen, seeing: Seeing, reader: Reader, wrong: Flags) -> None:
        """The position stands in the picture that was read last, but for cells that are `wrong`."""
        reader.learn(self._story.expected, seen.readable & ~wrong)
        reader.take_in(self._story.expected, np.ones(len(wrong), bool))
        self._clear = np.zeros(len(wrong), bool)
        seeing.take_in(np.ones(len(wrong), bool))
        seeing.looked()

    def _judge(self, seen: Seen, seeing: Seeing, reader: Reader, image: Image) -> tuple[Event, ...]:
        """Read the cells that can be read."""
        start = time.perf_counter()
        believed, passed = self._story.believed, seen.passed
        if seen.stirred:
            reader.take_in(believed, self._clear)
            seeing.take_in(self._clear)
            passed = np.where(self._clear, seen.recent, seen.passed)
        reading = reader.read(seeing.pictures(), seen.readable, passed, believed)
        self._stages.read_ms.append((time.perf_counter() - start) * 1e3)
        events: tuple[Event, ...] = ()
        if not seen.hands and not 1 / RELIGHTED < reading.light < RELIGHTED:
            events = self._story.take(Lit(seen.t)).events
        return (*events, *self._decide(seen, seeing, reader, image, reading))

    def _find_again(self, seen: Seen, seeing: Seeing, image: Image) -> tuple[Event, ...]:
        """The board is not where it was: find it where the camera sees it now."""
        rest_s = float(np.median(seen.still_s))
        if rest_s < FIND_S:
            return self._story.wait(
                Unseen(seen.t, Reason("board-lost", per_cent(seen.place.share), per_cent(LEAST_SHARE)))
            )
        moved = self._tracker.find_again(image, 0.0 if rest_s >= PATIENT_S else FIT_KEPT * self.fit)
        events: tuple[Event, ...] = ()
        if moved is not None:
            self.lose_sight()
            events = self._story.take(Lost(seen.t)).events
            if moved.fit is None:
                return (*events, *self._story.wait(Unseen(seen.t, Reason("board-lost"))))
            self.fit = moved.fit
        if moved is not None:
            self.elsewhere = seeing.move_to(self.views, image)
        elif not seen.place.found:
            seeing.hold(image, stayed=True)
        if moved is not None or (seen.place.found and self._story.match.phase is Phase.BLIND):
            events = (*events, *self._story.take(Found(seen.t, self.fit)).events)
        return events

    def _decide(
        self, seen: Seen, seeing: Seeing, reader: Reader, image: Image, reading: Reading
    ) -> tuple[Event, ...]:
        """Explain a reading by the rules, act on it, and remember what was understood and read."""
        start = time.perf_counter()
        self.reading = reading
        unexplained = reading.unexplained > COVERED
        few = int(unexplained.sum()) <= FEW_COVERED
        self.unexplained = unexplained & (not few)
        unseen = hidden(reading, self._story.believed, seen.readable, seen.reached)
        self._clear = ~unseen & ~unexplained
        rest_s = rest_of(seen, reading.changed & ~unseen)
        sight = replace(
            sight_of(seen.t, reading, unseen),
            patient=rest_s >= PATIENT_S,
            rested=rest_s >= RESTED_S,
            unsteady=float(reading.changed.mean()) > WIDESPREAD,
            moving_s=round(seen.t - rest_s - self._last_known_t(reading.changed & ~unseen), 3),
            clear=not seen.hands,
            stirred=seen.stirred,
            passed=flagged(seen.recent),
        )
        seeing.looked()
        outcome = self._story.take(Looked(seen.t, sight, self.fit, in_doubt=reader is self._nearly))
        self._story.held, opinion, events = outcome.waits, outcome.opinion, outcome.events
        self._stages.decide_ms.append((time.perf_counter() - start) * 1e3)
        if opinion is None or outcome.ignored:
            return events
        settled = isinstance(opinion.verdict, Still | Played) and self._story.match.phase in (Phase.PLAYING, Phase.OVER)
        if settled and opinion.settled and (isinstance(opinion.verdict, Still) or bool(events)):
            self._understand(seen, seeing, reader, image, ~unseen & (reading.looks == self._story.expected))
        return events

    def _last_known_t(self, changed: Flags) -> float:
        """Since when cells may have changed: those under a resting hand do so unseen, though all others are known."""
        return float(self._known_t[changed].min() if changed.any() else self._known_t.max())

    def _understand(self, seen: Seen, seeing: Seeing, reader: Reader, image: Image, shown: Flags) -> None:
        """It is known what stands in the cells that are `shown`: so the looks look."""
        reader.learn(self._story.expected, shown)
        seeing.settle(shown)
        self._known_t[shown] = seen.t
        self._story.held = ()
        self._schedule.again()
        if not seen.hands and shown.all():
            self._tracker.remember(image)
            seeing.hold(image)
