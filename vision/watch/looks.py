"""A look: cells are read, judged by the rules, and learned from where it is understood what stands in them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.profile import Profile
from calibration.relocate import Relocated
from engine.belief.answer import MANY_CHANGED
from engine.belief.sight import InMotion, Sight
from engine.belief.verdicts import Covered, Doubtful, Played, Still, Verdict, Wrong
from engine.explain.reasons import Reason, per_cent
from engine.game import Game
from engine.match.events import Event, Ready
from engine.match.judging import Consequence, Found, Lit, Looked, Lost, NotSetUp, PutUp, Unseen
from engine.match.state import Match, Phase
from vision.ground import Image, Picture
from vision.reading.level import FEW_COVERED, Reading
from vision.reading.level_readers import WIDESPREAD, LevelReaders
from vision.reading.scene import COVERED
from vision.sight.align import BOARD_SEEN
from vision.sight.seeing import Seeing, SeenBoard
from vision.sight.stillness import Flags
from vision.watch.beginning import Beginning, Begun, begin_game_in_parts, find_unfitness
from vision.watch.board_search import BoardSearch, has_stayed
from vision.watch.cell_reader import CellReader
from vision.watch.motion_frames import MotionFrames
from vision.watch.relighting import not_to_learn
from vision.watch.repeated_looks import MOSTLY_START, RepeatedLooks
from vision.watch.schedule import FLICKERS_SHARE, DueLook, Schedule, rest_of
from vision.watch.second_witness import SecondWitness, has_moved_since
from vision.watch.sighted import half_shown_cells, held_cells, hidden_cells, sight_of
from vision.watch.stages import Stages
from vision.watch.story import Story

RESTED_S, PATIENT_S = 1.0, 2.5
"""Hands pause for less than the first in play; what merely lies on the board after the second is no hand."""
HIDING_LEVELS, FOLLOWED_S, NOISE_WAIT_S = 4.0, 1.5, 3.0
"""Noise of more grey levels a block hides that a piece comes or goes; it is seen when the mean has followed it for so
long, and waited for no longer than the third since hands were seen. Raising the first or lowering the others learns the
cell that a black piece left on dark wood as that piece; lowering the first or raising the others looks more often in
noise. Good cameras have 0.5, bad ones by weak lamps 5 to 11. Chosen on one film of Camelot, tried on seven others."""
FEW_WRONG = 2
"""So many cells may seem wrong at the start and the game be begun by playing on from it: one odd cell has no veto. A
hand covers more. Three right starts of two photographed games were refused for a cell each; two of them were begun so.
Raising it begins games from boards that nobody has set up, lowering it refuses right ones."""
PLAIN_LEAD = 8.0
"""A cell plainly looks as before a person said that it changed, or as was said, if that leads by so much: on five drawn
boards the right look of all cells led by 11 to 25. Raising it believes mistyped moves over the picture; lowering it
asks about pieces that the camera hardly tells from the floor."""
FIND_S = 0.3
"""A board that is not where it was is looked for once the picture has been still for so long: during a shock a wrong
place may fit."""


class LookState:
    """The eyes, and all that looks remember of each other. Mutable; one look at a time."""

    def __init__(self, profile: Profile, story: Story, schedule: Schedule, stages: Stages) -> None:
        self.profile, self.fit = profile, min(profile.fits)
        self.eyes: LevelReaders | None = None
        self.reading: Reading | None = None
        """The last one that was judged."""
        self._by_memory: Reading | None = None
        """The last one that was not read afresh, and its time."""
        self._by_memory_t = 0.0
        self.elsewhere: Seeing | None = None
        """Where the look that is over has found the board."""
        self.motion = MotionFrames()
        self.unexplained = np.zeros(len(story.match.game.board.cells), bool)
        """Cells of the last reading that say nothing: not read in time, or neither floor nor piece."""
        self.unfit = ""
        """Why nobody can tell whether the board stands right."""
        self._story, self._schedule, self._stages = story, schedule, stages
        self._beginning = Beginning()
        self._search = BoardSearch(story, profile)
        self._again = RepeatedLooks()
        self._put_up: Beginning | None = None
        """Looks for the first position of a game that was resumed and does not stand."""
        self._turns = CellReader()
        self._stated: dict[int, int] = {}
        """Cells that a person said have changed, with the look that they had before, until they were learned."""
        self._missed = self._vouched = False
        """Whether the board was seen not to stand right, and whether a person says that it does."""
        self._doubted: LevelReaders | None = None
        """Those that learned a board on which a cell or two seemed wrong."""
        self._known_t = np.zeros(len(story.match.game.board.cells))
        """(cells,) when it was last known what stands in each."""
        self._second = SecondWitness(story.match.game, profile.views)
        self._noisy_since_t = 0.0
        """Since when nothing is learned because of noise."""

    def relearn_board(self, profile: Profile) -> None:
        """The board is to be learned anew, from the position that should stand on it; where `profile` says."""
        self.profile, self.fit, self._turns = profile, min(profile.fits), CellReader()
        self.eyes = self._doubted = None
        self._missed = self._vouched = False
        self._second = SecondWitness(self._story.match.game, self.profile.views)

    def lose_sight(self) -> None:
        """What was seen before says nothing any more."""
        self._story.held = ()
        self.motion.clear_frames()
        self._beginning = Beginning()
        self._turns.forget_readings()
        self._schedule.retry_soon()

    def set_vouched(self, *, stands_so: bool) -> None:
        """Whether a person says that the board stands as it should."""
        self._vouched = stands_so

    @property
    def is_following(self) -> bool:
        """Whether plies are followed: the board was seen to stand right, or nearly."""
        return self.eyes is not None or self._doubted is not None

    @property
    def _named_game(self) -> Game:
        return self.profile.white.name_looks(self._story.match.game)

    @property
    def is_vouched(self) -> bool:
        """Whether a person said so."""
        return self._vouched

    def believe_statement(self, before: Match) -> None:
        """A person has said what was played since `before`: of those cells they are believed until it is seen."""
        look_of, now = before.game.look_of, self._story.match.position.placement
        changed = zip(before.position.placement, now, strict=True)
        self._stated |= {cell: look_of[old] for cell, (old, new) in enumerate(changed) if old != new}

    def judge_frame(self, due: DueLook) -> tuple[Event, ...]:
        """Read the frame that is due and those before it, judge it, and learn from what was understood."""
        seen, seeing, image = due.seen, due.still, due.frame.image
        if self.eyes is None:
            return self._begin_game(seen, seeing, image)
        if not seen.place.is_found or self._story.match.phase is Phase.BLIND:
            return self._find_again(seen, seeing, self.eyes, image)
        if self._second.is_needed(seen) and self._is_puzzled_by(seen):
            return self._look_afresh(seen, seeing, self.eyes, image)
        return self._judge_board(seen, seeing, self.eyes, image)

    def note_rest(self, t: float) -> None:
        """Nothing has stirred until `t` seconds since all of the board was understood."""
        self._second.note_understood(t)

    @property
    def understood_t(self) -> float:
        """Until when nothing has happened on the board that was not understood."""
        return self._second.understood_t

    def is_lost(self, seen: SeenBoard) -> bool:
        """Whether the board is to be read afresh now: nothing has been understood for long."""
        if not seen.touched.any():
            self.note_rest(seen.t)
        return self.eyes is not None and self._second.is_due(seen)

    def _look_afresh(self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, image: Image) -> tuple[Event, ...]:
        """Read the board by what this picture alone shows; learn it anew if that is explained."""
        expected = self._story.expected_looks
        remembered = self._remembered_reading()
        reading, unseen = self._second.read_afresh(seen, seeing, eyes, expected, remembered, self._by_memory_t)
        self.reading = reading = self._as_stated(reading, unseen)
        unexplained = reading.unexplained > COVERED
        self.unexplained = unexplained & (int(unexplained.sum()) > FEW_COVERED)
        sight = replace(
            sight_of(seen.t, reading, expected, unseen),
            patient=True,
            rested=True,
            moving_s=round(seen.t - self._last_known_t(reading.changed & ~unseen), 3),
            clear=True,
            hand_beside=seen.hand_beside,
            afresh=remembered is None,
            stirred=self._second.has_new_movement(seen),
        )
        outcome = self._story.take_input(Looked(seen.t, sight, self.fit))
        self._story.held, events = outcome.waits, outcome.events
        if self._is_settled(outcome) and not (unseen.any() or seeing.is_covered):  # a ply on its way, a hand at the rim
            self._learn_anew(seen, seeing, eyes, image)
            return events
        verdict = outcome.opinion.verdict if outcome.opinion else None
        if seen.hands or not isinstance(verdict, Doubtful | Covered):
            return events
        if isinstance(verdict, Doubtful) and len(verdict.differs) > MANY_CHANGED:
            found = self._search.find_after_all(seen, seeing, image)
            if found is not None:
                return (*events, *self._go_to(found, seen, seeing, eyes, image))
        by_memory = self._by_memory
        return events if by_memory is None else (*events, *self._look_again(seen, seeing, eyes, image, by_memory))

    def _is_puzzled_by(self, seen: SeenBoard) -> bool:
        """Whether the first witness was asked about this very picture, and what it said was not understood: where looks
        take long none has been in time, and a lifted piece is understood until a look says that it was put back."""
        asked = self._by_memory is not None and not has_moved_since(seen, self._by_memory_t)
        return asked and self._by_memory_t > self._second.understood_t

    def _remembered_reading(self) -> Reading | None:
        """What the first witness has said of this very picture; None where too much differs from what it remembers."""
        said = self._by_memory
        if said is None:
            return None
        odd = (said.looks != self._story.expected_looks) | (said.unexplained > COVERED)
        return said if self._second.is_board_known(odd, said.changed) else None

    def _is_settled(self, outcome: Consequence) -> bool:
        """Whether it is known what stands on the board, and has been said."""
        opinion, phase = outcome.opinion, self._story.match.phase
        if opinion is None or outcome.ignored or not opinion.settled or phase not in (Phase.PLAYING, Phase.OVER):
            return False
        return isinstance(opinion.verdict, Still) or (isinstance(opinion.verdict, Played) and bool(outcome.events))

    def _learn_anew(self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, image: Image) -> None:
        """All of the board is understood in a picture that is like none before: learn it as at the beginning."""
        match, pictures = self._story.match, seeing.mean_pictures()
        placed = list(match.position.placement)
        self.eyes = LevelReaders(match.game.board, eyes.views, match.game.look_of, image, placed, pictures)
        seeing.limit_piece_sizes(self.eyes.expect_unseen_pieces())
        seeing.adopt_as_known()
        seeing.renew_anchor(image)
        self.eyes.compare_pictures(pictures)
        everywhere = np.ones(len(placed), bool)
        self._second.learn_cells(seeing, self.eyes, self._story.expected_looks, everywhere)
        self._second.note_understood(seen.t)
        self._known_t[:] = seen.t
        self.unexplained = ~everywhere
        self._stated.clear()
        self.lose_sight()

    def _begin_game(self, seen: SeenBoard, seeing: Seeing, image: Image) -> tuple[Event, ...]:
        """Learn the board from the first still picture of the expected position."""
        if self._doubted is not None:
            events = self._judge_board(seen, seeing, self._doubted, image)
            if any(isinstance(event, Ready) for event in events):
                self._missed, self.eyes, self._doubted = False, self._doubted, None
                return events
        stirred = float((seen.still_s < seen.still_s.max()).mean()) > FLICKERS_SHARE
        self._vouched &= not stirred  # of what has happened since nobody has said that it stands right
        pictures = seeing.relit_pictures(seen.readable)
        if self._put_up is not None:
            return self._look_for_first_position(self._put_up, seen, seeing, image, pictures)
        start = self._named_game, self._story.match.position, seeing.resting_views, image, pictures
        begun = self._beginning.advance_check(seen, lambda odd: begin_game_in_parts(*start, odd, asks=self._missed))
        if begun is None:
            self._schedule.retry_soon()  # with the next part
            return ()
        if (newer := self._search.find_at_start(begun.fit, self.profile, seen, seeing, image)) is not None:
            self.relearn_board(newer)
            self.elsewhere = seeing.move_to(newer.views, image)
            return ()
        refused = bool(begun.wrong) and not self._vouched
        self.unfit = find_unfitness(begun, self._story.expected_looks, pictures) if refused else ""
        if refused:
            return self._refuse_start(begun, seen, seeing, pictures)
        self._missed = self._vouched = False
        events = self._adopt_eyes(begun, seen, seeing, image, pictures)
        if not begun.wrong and self._story.match.phase is Phase.SETUP:
            self.eyes, self._doubted = None, begun.eyes  # beside a hand: a ply may come before all is seen
        return events

    def _refuse_start(
        self, begun: Begun, seen: SeenBoard, seeing: Seeing, pictures: Sequence[Picture]
    ) -> tuple[Event, ...]:
        """The board does not stand as it should: say so, and see whether people play on from it all the same."""
        self._missed = True
        if self._seems_put_up(begun.wrong):
            self._put_up = Beginning()
        expected = self._story.expected_looks
        if begun.options and not self._second.confirms_expected(seen, seeing, expected, begun.wrong):
            self._doubted = None  # it stands as after a ply: that is asked
        elif self._doubted is None and len(begun.wrong) <= FEW_WRONG and not self.unfit:
            self._remember_doubtful(seen, seeing, begun.eyes, pictures)
        not_set_up = NotSetUp(seen.t, begun.wrong, begun.options, begun.fit, begun.exchanged)
        return () if self.unfit else self._story.note_unjudged(not_set_up)

    def _seems_put_up(self, wrong: Sequence[int]) -> bool:
        """Whether most of the cells that plies have changed seem to be `wrong`."""
        match = self._story.match
        pairs = zip(match.first_position.placement, match.position.placement, strict=True)
        apart = {cell for cell, (first, now) in enumerate(pairs) if first != now}
        return match.makes_way and len(apart.intersection(wrong)) > MOSTLY_START * len(apart)

    def _look_for_first_position(
        self, checking: Beginning, seen: SeenBoard, seeing: Seeing, image: Image, pictures: Sequence[Picture]
    ) -> tuple[Event, ...]:
        """A game goes on that does not stand: were its pieces put up for the next one while nobody looked?"""
        match = self._story.match
        start = self._named_game, match.first_position, seeing.resting_views, image, pictures
        begun = checking.advance_check(seen, lambda odd: begin_game_in_parts(*start, odd, asks=False))
        if begun is None:
            self._schedule.retry_soon()
            return ()
        self._put_up = None
        events = () if begun.wrong else self._story.take_input(PutUp(seen.t, begun.fit)).events
        return (*events, *self._adopt_eyes(begun, seen, seeing, image, pictures)) if events else ()

    def _adopt_eyes(
        self, begun: Begun, seen: SeenBoard, seeing: Seeing, image: Image, pictures: Sequence[Picture]
    ) -> tuple[Event, ...]:
        """Go on with eyes that have learned the board from this picture of it."""
        self.eyes, eyes, self.fit, self._doubted = begun.eyes, begun.eyes, begun.fit, None
        seeing.limit_piece_sizes(eyes.expect_unseen_pieces())
        eyes.compare_pictures(pictures)
        self._second.learn_cells(seeing, eyes, self._story.expected_looks, seen.readable)
        return self._decide_reading(seen, seeing, eyes, image, eyes.explain_cells(eyes.changed_cells()), ~seen.readable)

    def _remember_doubtful(
        self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, pictures: Sequence[Picture]
    ) -> None:
        """A cell or two seem wrong: remember the board as it is, to see whether people play on from it."""
        self._doubted = eyes
        seeing.limit_piece_sizes(eyes.expect_unseen_pieces())
        eyes.compare_pictures(pictures)
        seeing.learn_readable(seen.readable, whole=bool(seen.readable.all()))
        self._second.learn_cells(seeing, eyes, self._story.expected_looks, seen.readable)
        self._known_t[seen.readable] = seen.t

    def _judge_board(self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, image: Image) -> tuple[Event, ...]:
        """Read the cells that can be read; first see whether board or light changed as a whole."""
        start = time.perf_counter()
        pictures = seeing.relit_pictures(seen.readable)
        eyes.compare_pictures(pictures)
        events: tuple[Event, ...] = ()
        differs = eyes.changed_cells(keen=True) & seen.readable & seen.touched
        widespread = float(eyes.changed_cells().mean()) > WIDESPREAD
        rest_s = rest_of(seen, differs)
        if widespread and not seen.hands and rest_s >= RESTED_S:
            events = self._another_light(seen, seeing, eyes)
            eyes.compare_pictures(pictures)
            differs = eyes.changed_cells(keen=True) & seen.readable
        reading, unread = self._turns.read_cells(
            eyes, differs, seen, self._story.expected_looks, everything=rest_s >= RESTED_S
        )
        reading = self._second.combine_readings(reading, seen, seeing, eyes, self._story.expected_looks, differs)
        self._stages.read_ms.append((time.perf_counter() - start) * 1e3)
        if self._stated:
            unseen = hidden_cells(reading, self._story.expected_looks, seen)
            reading = self._as_stated(reading, unseen)
        return (*events, *self._decide_reading(seen, seeing, eyes, image, reading, unread))

    def _find_again(self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, image: Image) -> tuple[Event, ...]:
        """The board is not where it was: find it where the camera sees it now."""
        rest_s = float(np.median(seen.still_s))
        if rest_s < FIND_S:
            lost = Reason("board-lost", per_cent(seen.place.seen), per_cent(BOARD_SEEN))
            return self._story.note_unjudged(Unseen(seen.t, lost))
        found = self._search.find_board(seeing, image)
        if found is None and rest_s < PATIENT_S:
            return self._story.note_unjudged(Unseen(seen.t, Reason("board-lost")))
        if found is not None and has_stayed(found, seeing):
            if not seen.place.is_found:
                seeing.renew_anchor(image, stayed=True)
            blind = seen.place.is_found and self._story.match.phase is Phase.BLIND
            return self._story.take_input(Found(seen.t, self.fit)).events if blind else ()
        if found is None:
            self.lose_sight()
            events = self._story.take_input(Lost(seen.t)).events
            return (*events, *self._story.note_unjudged(Unseen(seen.t, Reason("board-lost"))))
        return self._go_to(found, seen, seeing, eyes, image)

    def _go_to(
        self, found: Relocated, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, image: Image
    ) -> tuple[Event, ...]:
        """The camera was moved: look from where the board was found."""
        self.lose_sight()
        events = self._story.take_input(Lost(seen.t)).events
        eyes.look_from(found.views)
        self.fit, self.elsewhere = found.fit, seeing.move_to(found.views, image)
        return (*events, *self._story.take_input(Found(seen.t, self.fit)).events)

    def _another_light(self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders) -> tuple[Event, ...]:
        """Go on in the light of the last look."""
        events = self._story.take_input(Lit(seen.t)).events if eyes.light_changed else ()
        reading = eyes.explain_cells(eyes.changed_cells(keen=True) & seen.readable)
        confirmed = self._second.find_confirmed(reading, seen, seeing, self._story.expected_looks)
        self._turns.forget_readings()
        eyes.adopt_light(confirmed | not_to_learn(self._story.match, eyes, reading, hands=False) | ~seen.readable)
        self.motion.clear_frames()
        return events

    def _as_stated(self, reading: Reading, unseen: Flags) -> Reading:
        """A cell that still looks as before a person said that it changed says nothing: the person is believed. Where
        fewer cells that are seen plainly show what was said than plainly look as before, those are not passed over."""
        expected, scores = self._story.expected_looks, reading.scores.copy()
        leads = {
            cell: float(scores[cell, before] - scores[cell, expected[cell]]) for cell, before in self._stated.items()
        }
        plain = [lead for cell, lead in leads.items() if abs(lead) >= PLAIN_LEAD and not unseen[cell]]
        agreeing = sum(lead < 0 for lead in plain)
        believed = agreeing > 0 and 2 * agreeing >= len(plain)
        for cell, before in self._stated.items():
            if reading.looks[cell] == before and (believed or leads[cell] < PLAIN_LEAD):
                scores[cell] = 0.0
        return replace(reading, scores=scores)

    def _decide_reading(
        self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, image: Image, reading: Reading, unread: Flags
    ) -> tuple[Event, ...]:
        """Explain a reading by the rules, act on it, and learn from what was understood and read."""
        start = time.perf_counter()
        self.reading, self._by_memory, self._by_memory_t = reading, reading, seen.t
        unexplained = reading.unexplained > COVERED
        few = int(unexplained.sum()) <= FEW_COVERED
        self.unexplained = unread | (unexplained & (not few))  # not read, or of no use
        unseen = hidden_cells(reading, self._story.expected_looks, seen)
        rest_s = rest_of(seen, reading.changed & ~unseen)
        sight = replace(
            sight_of(seen.t, reading, self._story.expected_looks, unseen),
            patient=rest_s >= PATIENT_S,
            rested=rest_s >= RESTED_S,
            unsteady=float(reading.changed.mean()) > WIDESPREAD,
            moving_s=round(seen.t - rest_s - self._last_known_t(reading.changed & ~unseen), 3),
            clear=not seen.hands,
            hand_beside=seen.hand_beside,
            stirred=self._second.has_new_movement(seen),
            otherwise=(*self._second.dissent_at(seen.t), *held_cells(reading, seen.within_grasp)),
        )
        moving = InMotion(lambda: self._seen_moving(seen, seeing, eyes))
        looked = Looked(seen.t, sight, self.fit, moving, in_doubt=eyes is self._doubted)
        outcome = self._story.take_input(looked)
        self._story.held, opinion, events = outcome.waits, outcome.opinion, outcome.events
        self._stages.decide_ms.append((time.perf_counter() - start) * 1e3)
        if opinion is None or outcome.ignored:
            return events
        if opinion.settled or not isinstance(opinion.verdict, Still | Doubtful | Covered | Wrong):
            self._second.note_understood(seen.t)
        if self._is_settled(outcome) and self._may_be_learned(opinion.verdict, seen, seeing):
            # Beside a hidden cell what reads otherwise may be half of a ply, and is not learned as what stood there.
            agrees = (reading.looks == self._story.expected_looks) | ~reading.changed | ~unseen.any()
            if rest_s < RESTED_S or seen.hands:
                told = np.isin(np.arange(len(agrees)), list(self._stated))
                agrees &= told | ~half_shown_cells(reading, self._story.expected_looks)
            self._learn_understood(seen, seeing, eyes, image, ~unseen & ~unread & agrees)
        elif not isinstance(opinion.verdict, Still | Wrong):
            self.motion.keep_frame(seen, seeing)
        if isinstance(opinion.verdict, Doubtful | Covered) and rest_s >= RESTED_S and not (seen.hands or unseen.any()):
            return (*events, *self._look_again(seen, seeing, eyes, image, reading))
        return events

    def _may_be_learned(self, verdict: Verdict, seen: SeenBoard, seeing: Seeing) -> bool:
        """Whether the picture shows by now all that has happened: where noise hides a movement, its mean follows
        slowly, and what is half gone must not become how its piece looks."""
        noisy = seeing.measured_noise.typical_deviation > HIDING_LEVELS
        at_rest = not seen.touched.any() or float(seen.still_s[seen.touched].min()) >= FOLLOWED_S
        if at_rest or seen.hands or not (noisy and isinstance(verdict, Still)):
            self._noisy_since_t = seen.t
            return at_rest or not (noisy and isinstance(verdict, Still))
        return seen.t - self._noisy_since_t >= NOISE_WAIT_S  # a cell that flickers is never at rest

    def _look_again(
        self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, image: Image, reading: Reading
    ) -> tuple[Event, ...]:
        """Where most of a board that nothing explains is as the game began: see cell by cell if all of it is."""
        match, pictures = self._story.match, seeing.relit_pictures(seen.readable)
        if match.phase is Phase.PAUSED or not match.makes_way:
            return ()
        start = self._named_game, match.first_position, seeing.resting_views, image, pictures
        begun = self._again.advance_check(
            match, reading.looks, eyes.unseen_looks, seen, lambda odd: begin_game_in_parts(*start, odd, asks=False)
        )
        events = () if begun is None else self._story.take_input(PutUp(seen.t, begun.fit)).events
        return (*events, *self._adopt_eyes(begun, seen, seeing, image, pictures)) if begun and events else ()

    def _last_known_t(self, changed: Flags) -> float:
        """Since when cells may have changed: those under a resting hand do so unseen, though all others are known."""
        return float(self._known_t[changed].min() if changed.any() else self._known_t.max())

    def _learn_understood(
        self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, image: Image, shown: Flags
    ) -> None:
        """It is known what stands in the cells that are `shown`: learn how they look."""
        eyes.compare_pictures(seeing.relit_pictures(shown, learn=True))
        # The picture of a cell that is not shown is the old one, and so is what stands in it.
        eyes.learn_pieces(
            image, np.where(shown, list(self._story.match.position.placement), eyes.learned_pieces).tolist()
        )
        seeing.learn_readable(shown, whole=bool(shown.all()))
        self._second.learn_cells(seeing, eyes, self._story.expected_looks, shown)
        self._turns.forget_readings()
        self._stated = {cell: before for cell, before in self._stated.items() if not shown[cell]}
        self._story.held = ()
        self._known_t[shown] = seen.t
        self._schedule.retry_soon()
        if not seen.hands:
            self.motion.clear_frames()
            seeing.renew_anchor(image)

    def _seen_moving(self, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders) -> Sequence[Sight]:
        """What was seen between the last understood look and this one."""
        expected, frames = self._story.expected_looks, self.motion.frame_readings(eyes)
        found = [sight_of(t, reading, expected, ~readable) for t, reading, readable in frames]
        eyes.compare_pictures(seeing.relit_pictures(seen.readable))  # what is learned next is the look
        return found
