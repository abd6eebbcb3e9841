"""From frames to events: the one place where what the camera saw meets the rules.

Everything here takes its times from the frames, so a recording gives the same events again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from calibration.profile import Profile
from calibration.view import View
from engine.explain.reasons import Reason
from engine.match.acts import Act, AsPlayed, Correct, Press, Resume, vouches_for_board
from engine.match.events import Event
from engine.match.judging import Asked, Blind, Concluded, Consequence, Found, Input, Sighted, Ticked
from engine.match.state import RESTING, Match, Phase
from vision.frames import Frame, check_size
from vision.own_lights import Colour, OwnLights
from vision.reading.level import Reading
from vision.sight.resting_board import RestingBoard
from vision.sight.seeing import Seeing, SeenBoard
from vision.sight.watchdog import LIMIT_S, Watchdog
from vision.watch.looks import LookState
from vision.watch.motion_frames import MotionFrames
from vision.watch.schedule import DueLook, Schedule
from vision.watch.stages import Stages
from vision.watch.story import Story

CONCLUDED_S, CONCLUDED_STEP_S = 6.0, 0.1
"""The last picture of a recording is looked at as if the board stood on so for the first: by then all that it shows has
been said or asked about. The second is how finely that time goes by, as frames of ten a second would. Raising the
second looks later than is due, lowering it only takes time. Lowering the first leaves last plies unsaid, raising it
finds nothing more: of 15 pieces of two photographed games the last word came 2.8 s after the last picture."""


class Watcher:
    """Frames in, events out. Mutable; owns what is seen, the looks and the match.

    `trace` is told of each input that is judged and what followed from it.
    """

    def __init__(
        self, profile: Profile, match: Match, trace: Callable[[Input, Consequence], object] | None = None
    ) -> None:
        self.stages = Stages()
        self.last: Frame | None = None
        self.has_ended_under_hand = False
        """Whether a hand lies over the board in the last picture of a recording: what it has done is not told."""
        self._story, self._schedule = Story(match, trace), Schedule()
        self._looks = LookState(profile, self._story, self._schedule, self.stages)
        self._seeing: Seeing | None = None
        self._watchdog = Watchdog(match.game.board)
        self._coming = MotionFrames()
        """Those taken while another thread reads."""
        self._at_rest = False
        """Whether nothing has stirred since all of the board was understood."""
        self._waits_for_look = False
        """Whether another thread was reading when the newest frame came, so that nobody has asked if a look is due."""
        self._quiet = RestingBoard(profile.views, profile.size_wh)
        self.own = OwnLights(match.game.board, profile.views)
        self.lit: Sequence[Sequence[Colour]] = ()
        """Colours of all cells in each state that the board's own LEDs may have had in the next frame; () without."""

    is_busy = False
    """No look is ever under way once a call has come back: see vision.watch.parallel_watcher for one that has them."""

    def finish_look(self, *, soon: bool = False) -> Iterator[tuple[Event, ...]]:
        """What follows from a look that runs: nothing, there is none."""
        return iter(())

    def begin_missed_look(self) -> None:
        """Begin the look that fell due while another one ran: none did."""

    def call_after_look(self, call: Callable[[], object]) -> None:
        """Call this once no look runs: at once."""
        call()

    def close(self) -> None:
        """Nothing runs on."""

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self._story.match

    @property
    def profile(self) -> Profile:
        """Where the board was found."""
        return self._looks.profile

    @property
    def fit(self) -> int:
        """How well the lines of the board are seen where it lies, of 100."""
        return self._looks.fit

    @property
    def reading(self) -> Reading | None:
        """The last one that was judged."""
        return self._looks.reading

    @property
    def has_begun(self) -> bool:
        """Whether the board was seen to stand as it should."""
        return self._looks.eyes is not None

    @property
    def waiting_reasons(self) -> tuple[Reason, ...]:
        """Why nothing is said just now, first what holds it back; () if nothing is waited for."""
        return self._story.waiting_reasons

    @property
    def views(self) -> Sequence[View]:
        """Where the board is now, one view a level."""
        return self._seeing.resting_views if self._seeing is not None else self.profile.views

    def take_frame(self, frame: Frame) -> tuple[Event, ...]:
        """Take one frame. InputError if its size is not the calibrated one."""
        given, due = self.see_frame(frame)
        events = self.take_inputs(given)
        if due is not None:
            events = (*events, *self.run_look(due))
            self.learn_from_look(due)
        return events

    def see_frame(self, frame: Frame, *, reading: bool = False) -> tuple[tuple[Input, ...], DueLook | None]:
        """Take one frame: what it says to the match, and the look that is due. InputError as in `take_frame`.

        This alone may be called while another thread is `reading`, that is in `run_look`.
        """
        check_size(frame, self.profile.size_wh)
        frame = self._remove_own_light(frame)
        self.stages.note_frame()
        given: tuple[Input, ...] = ()
        if self.last is not None and frame.t - self.last.t > LIMIT_S:
            given = (Blind(round(self.last.t + LIMIT_S, 3), "no-picture"),)
            self._looks.set_vouched(stands_so=False)
        self.last, self._waits_for_look = frame, False
        if self._at_rest and self._quiet.can_skip_frame(frame.t, frame.image):
            self._looks.note_rest(frame.t)
            return given, None
        seen, seeing, cause = self._observe_frame(frame)
        given += (Blind(frame.t, cause) if cause else Sighted(frame.t),)
        self._at_rest = self.has_begun and not (cause or seen.hands or seen.touched.any())
        if self._at_rest:
            self._quiet.remember_frame(frame.t, frame.image, seen.place.moved)
        if cause == "frozen" or self._watchdog.poor:
            self._looks.set_vouched(stands_so=False)  # what is seen next may be another board
            return given, None
        self._waits_for_look = reading
        if not reading and self._is_due(seen):
            return given, DueLook(seen, seeing.take_snapshot(), frame)
        if seen.hands:
            self._keep_moving(seen, seeing, reading=reading)
        return given, None

    def _is_due(self, seen: SeenBoard) -> bool:
        """Whether the board is to be looked at now."""
        return self._schedule.is_due(seen, begun=self._is_following(seen)) or self._looks.is_lost(seen)

    def _is_following(self, seen: SeenBoard) -> bool:
        """Whether plies are looked for: the board stood right, or nearly so and something has stirred since."""
        return self.has_begun or (self._looks.is_following and bool(seen.touched.any()))

    def _remove_own_light(self, frame: Frame) -> Frame:
        """The frame as it would be without the light of the board's own LEDs."""
        if not self.lit:
            return frame
        if self._seeing is not None and self._seeing.place.is_found:
            self.own.follow_board(self._seeing.place.moved)
        bare = np.frombuffer(self.match.position.placement, np.uint8) == 0
        return replace(frame, image=self.own.clean_image(frame.image, self.lit, bare))

    def _keep_moving(self, seen: SeenBoard, seeing: Seeing, *, reading: bool) -> None:
        """Hands are over the board: keep what can be seen beside them."""
        if reading:
            self._coming.keep_frame(seen, seeing)
        elif self.has_begun:
            self._looks.motion.keep_frame(seen, seeing)
            self._story.held = (Reason("hand-over-board", int((~seen.readable).sum()), 0),)

    def _observe_frame(self, frame: Frame) -> tuple[SeenBoard, Seeing, str]:
        """What the frames up to this one show, and why the board is not seen ("" if it is)."""
        start = time.perf_counter()
        if self._seeing is None:
            self._seeing = Seeing(self.match.game.board, self.profile.views, frame.image)
            self._quiet = RestingBoard(self.profile.views, self.profile.size_wh)
        seeing = self._seeing
        seeing.take_frame(frame.t, frame.image)
        seen = seeing.observe_board()
        asked = self.match.phase in (Phase.UNCLEAR, Phase.TROUBLE)  # what is odd there is what people were told of
        odd, awaited = self._looks.unexplained & (not asked), self._is_awaited(seen)
        followed = self.has_begun and self.match.phase is Phase.PLAYING
        cause = self._watchdog.find_cause(
            seen,
            seeing.small_grey,
            seeing.measured_noise,
            odd,
            begun=self.has_begun,
            awaited=awaited,
            puzzled_s=seen.t - self._looks.understood_t if followed and seen.touched.any() else 0.0,
        )
        self.stages.sight_ms.append((time.perf_counter() - start) * 1e3)
        return seen, seeing, cause or self._looks.unfit

    def _is_awaited(self, seen: SeenBoard) -> bool:
        """Whether anything is waited for on the board: not in a pause, nor while hands put pieces up after a game."""
        phase = self.match.phase
        return not (phase in RESTING or (phase is Phase.OVER and seen.hands))

    def take_inputs(self, given: Sequence[Input]) -> tuple[Event, ...]:
        """What follows in the match from what was seen or asked."""
        return self._story.take_inputs(given)

    def run_look(self, due: DueLook) -> tuple[Event, ...]:
        """Read, judge and understand. May run in a thread of its own while nothing but `see_frame` is called."""
        with self.stages.time_look():
            return self._looks.judge_frame(due)

    def learn_from_look(self, due: DueLook) -> None:
        """The look is over: go on seeing with what was understood."""
        if self._looks.elsewhere is not None:
            self._seeing, self._looks.elsewhere = self._looks.elsewhere, None
            self._waits_for_look = False  # it has seen no frame yet
            self.own, self._quiet = self.own.seen_from(self.views), RestingBoard(self.views, self.profile.size_wh)
        elif self._seeing is not None:
            self._seeing.learn_from(due.still)
        self._looks.motion.join_frames(self._coming)

    def find_missed_look(self) -> DueLook | None:
        """The look that fell due in the newest frame while another thread was reading: it need not wait for the next
        frame. To be asked once what that thread has understood is learned."""
        if not self._waits_for_look or self._seeing is None or self.last is None:
            return None
        self._waits_for_look = False
        seen = self._seeing.observe_board()
        return DueLook(seen, self._seeing.take_snapshot(), self.last) if self._is_due(seen) else None

    def conclude_recording(self) -> tuple[Event, ...]:
        """No frame follows: what the last one leaves open is told or asked as if the board stood on as it shows.

        Nothing is said of what is half done, by a hand over the board, nor of a board that is not seen; and nobody is
        accused, but asked.
        """
        if self._seeing is None or self.last is None or self.match.phase is Phase.BLIND:
            return ()
        seeing, last = self._seeing, self.last
        self.has_ended_under_hand = seeing.observe_board().hands
        first: tuple[Input, ...] = (Concluded(last.t),)
        events: tuple[Event, ...] = ()
        for step in range(1, round(CONCLUDED_S / CONCLUDED_STEP_S) + 1):
            t = round(last.t + step * CONCLUDED_STEP_S, 3)
            seeing.let_time_pass(t)
            seen = seeing.observe_board()
            if not seen.hands and self._is_due(seen):
                due = DueLook(seen, seeing.take_snapshot(), replace(last, t=t))
                events, first = (*events, *self.take_inputs(first), *self.run_look(due)), ()
                self.learn_from_look(due)
        return events

    def report_silence(self, t: float) -> tuple[Event, ...]:
        """No frame has come until `t`, in seconds of the stream."""
        late = self.last is not None and t - self.last.t > LIMIT_S
        return self._story.take_input(Blind(t, "no-picture")).events if late else ()

    def perform_act(self, asked: Act, t: float) -> tuple[Event, ...]:
        """Do what a person asked, and look at the board anew. InputError when it cannot be done."""
        before, away = self.match, self.match.phase is Phase.ADJOURNED
        events = self._story.take_input(Asked(t, asked)).events
        looks = self._looks
        vouched = vouches_for_board(asked)
        if vouched or (away and isinstance(asked, Resume)):
            self._relearn_board()
        looks.set_vouched(stands_so=vouched or (looks.is_vouched and isinstance(asked, Press)))
        if isinstance(asked, Correct | AsPlayed) and asked.by != "far":  # nobody there sees these pieces
            looks.believe_statement(before)
        if not isinstance(asked, Press):
            looks.lose_sight()
            if self._seeing is not None:
                self._seeing.mark_touched()
        return events

    def replace_profile(self, profile: Profile, t: float) -> tuple[Event, ...]:
        """The board is where `profile` says; it is learned anew from the position that should stand there."""
        self._watchdog = Watchdog(self.match.game.board)
        self.own = OwnLights(self.match.game.board, profile.views)
        self._relearn_board(profile)
        self._looks.lose_sight()
        return self._story.take_input(Found(t, self.fit)).events

    def replace_match(self, match: Match) -> None:
        """Another game goes on here; the board is learned anew from the position that should stand on it."""
        self._story.replace_match(match)
        self._relearn_board()
        self._looks.lose_sight()

    def advance_time(self, t: float) -> tuple[Event, ...]:
        """Time goes by, whatever the board shows."""
        return (*self._story.take_input(Ticked(t)).events, *self.report_silence(t))

    def _relearn_board(self, profile: Profile | None = None) -> None:
        """The board is to be learned anew, from the position that should stand on it: where `profile` says, or now."""
        self._looks.relearn_board(profile or replace(self.profile, views=tuple(self.views)))
        self._seeing, self._at_rest = None, False
