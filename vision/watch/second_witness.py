"""The second witness: what the picture itself shows of the board, beside what is remembered of it.

The first witness (vision.reading.level) knows every cell by how it looked when it was last understood; it sees small
things, and nothing any more once the light is another one. The second one compares the cells of a picture with each
other. Both are heard where a cell has changed. Where nothing has been understood for long the board is read afresh by
the second: alone if the first contradicts what is believed all over the board, else with the first beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from calibration.view import View
from engine.belief.sight import NO_LOOK
from engine.game import Game
from vision.reading.appearance import Ints
from vision.reading.level import Reading
from vision.reading.level_readers import LevelReaders
from vision.sight.leaning import find_leaned_over, limit_leaned_scores
from vision.sight.seeing import READ_S, Seeing, SeenBoard
from vision.sight.stillness import Flags
from vision.taught.taught_reader import HALF_ODD, TaughtReader

HEARD_SHARE = 0.35
"""Share of the second witness in the scores of a cell that has changed. Chosen on 15 pieces of two photographed games
with hands (read afresh after a second) and 18 of ten others, right plies of 173 and 210: 110 and 209 with 0, 153 and
210 with 0.35, 140 and 206 (one wrong) with 0.5. Raising it reads shadows and tall pieces worse, lowering it believes
misread cells."""
LOST_S = 1.0
"""So long nothing is understood though the board is still, until it is read afresh. Raising it leaves people waiting
after a lamp; lowering it reads boards afresh that nobody has finished with. With two seconds 133 plies of those 173
were right, with one 153."""
REMEMBERED_SHARE, REMEMBERED_NATS = 0.5, 6.0
"""In a picture that is read afresh the first witness is heard with this share of its scores, each of so many nats at
most: it sees what has not changed at all, the second what stands there. Raising either believes what was remembered of
another light, lowering it misreads leaning pieces alone: a man beside its cell was said as a lawful ply. Guessed.

What it says of a cell by so many nats is plain: where the second says the same, its doubt counts alone. Lowering that
believes it of cells that noise has half changed. Two outsiders' films have such cells, at 9.9 nats and more."""
HOLDS_SHARE = 0.05
"""Of a larger share of the board the first witness says something else than is believed: it has lost it, and is not
heard, unless the rest looks as it did. One ply changes five cells at most. Of those 173 plies 144 are right with 0.15,
153 with 0.05."""
RELIT_SHARE = 0.5
"""Up to this share of the other cells may look changed though they hold what is believed: then many plies went by, and
the board is known all the same; another light changes nearly all. Raising it believes what was remembered of another
light, lowering it reads a board afresh that only many plies have changed, and takes shadows for pieces. It was 0.1 to
0.32 where plies were played unseen, 0.58 and more in photographs by daylight that drifts."""
AFRESH_S = 0.5
"""Between two such looks. Raising it says later what is found, lowering it costs 30 ms for each. Guessed."""
STIRRING_SHARE, AT_REST_S = 0.05, 1.0
"""All but this share of the cells must have been at rest for so long: hands pause for less, and some cells of a noisy
picture are never still. Raising the first reads boards over which something moves, lowering it never reads noisy ones;
raising the second waits longer. Guessed."""
ARM_SHARE = 0.75
"""Up to this share of the cells an arm has passed over or lain on; a lamp touches all. Raising it takes lamps for arms
and is silent after them, lowering it asks who holds a piece in the air what was played. Guessed between those two."""
OTHERWISE_NATS = 3.0
"""By so much a cell must look like others that hold something else than is believed, for that to be what this witness
alone says. Lowering it asks about plies that only shadows show, raising it lets the first witness miss plies alone.
Guessed."""
CONFIRMS_NATS = 2.0
"""By so much a cell must look like those that hold the same to be taken for right against the first witness.
Lowering it begins games in which such a cell is wrong, raising it asks about right starts. Guessed; two starts of a
photographed game are begun by it."""
Otherwise = tuple[tuple[int, int], ...]
"""(cell, look) of cells that plainly hold something else than is believed, or (cell, NO_LOOK) what is like none."""


class SecondWitness:
    """What is remembered for it, and when it is heard. Mutable."""

    def __init__(self, game: Game, views: Sequence[View]) -> None:
        self._game, self._views = game, views
        self._reader = self._new_reader()
        self._understood_t = self._afresh_t = self._judged_t = 0.0
        self._otherwise: Otherwise = ()
        """What it said against what was believed, and when."""
        self._otherwise_t = 0.0
        self._stood = np.zeros(len(game.board.cells), np.int64)
        """(cells,) the looks that were learned last."""
        self._leaned = np.zeros(len(game.board.cells), bool)
        """(cells,) over which pieces lean that have come since the cell was learned."""

    def learn_cells(self, seeing: Seeing, eyes: LevelReaders, looks: Ints, cells: Flags) -> None:
        """What is seen now shows these `looks` in these `cells`; the first witness has `eyes`."""
        came = np.where(cells & (looks != self._stood), looks, 0)
        if came.any() and not cells.all():
            self._leaned |= find_leaned_over(eyes.level_readers, came)
        self._leaned &= ~cells
        self._stood[cells] = looks[cells]
        self._reader.learn_cells(seeing.mean_pictures(), looks, cells)

    def note_understood(self, t: float) -> None:
        """Until `t` seconds nothing has happened that was not understood."""
        self._understood_t = t

    @property
    def understood_t(self) -> float:
        """Until when nothing has happened that was not understood."""
        return self._understood_t

    def dissent_at(self, t: float) -> Otherwise:
        """What it alone has said at `t` seconds against what was believed."""
        return self._otherwise if t == self._otherwise_t else ()

    def combine_readings(
        self, reading: Reading, seen: SeenBoard, seeing: Seeing, eyes: LevelReaders, expected: Ints, cells: Flags
    ) -> Reading:
        """A reading of the first witness, which has `eyes`, in which both are heard of the `cells`; of those that a
        piece leans over which has come only the first is: this one knows no piece that hides another cell."""
        still = _still_cells(seen)
        leaned = self._leaned | _hidden_by_arrivals(reading, eyes, expected)
        reading = replace(reading, scores=limit_leaned_scores(reading.scores, expected, leaned))
        heard = cells & seen.readable & still & self._reader.knows_looks(reading.looks) & ~leaned
        if not heard.any():
            return reading
        other = self._reader.read_cells(seeing.mean_pictures(), still, expected)
        plainly = _plainly_otherwise(other, expected)
        both = (1 - HEARD_SHARE) * reading.scores + HEARD_SHARE * other.scores
        scores = np.where(heard[:, None], both, reading.scores).astype(np.float32)
        odd = other.unexplained > HALF_ODD
        said = np.where(plainly & ~odd, other.looks, NO_LOOK)
        cells_said = np.flatnonzero(heard & (plainly | odd)).tolist()
        self._otherwise, self._otherwise_t = tuple((cell, int(said[cell])) for cell in cells_said), seen.t
        return replace(reading, scores=scores)

    def find_confirmed(self, reading: Reading, seen: SeenBoard, seeing: Seeing, expected: Ints) -> Flags:
        """(cells,) in which the first witness's `reading` has another look than is believed, and this one plainly sees
        the same: the light cannot have deceived both."""
        other = self._reader.read_cells(seeing.mean_pictures(), _still_cells(seen), expected)
        known = seen.readable & self._reader.knows_looks(reading.looks) & (other.unexplained <= HALF_ODD)
        return np.asarray(known & (other.looks == reading.looks) & _plainly_otherwise(other, expected), bool)

    def read_afresh(
        self,
        seen: SeenBoard,
        seeing: Seeing,
        eyes: LevelReaders,
        expected: Ints,
        remembered: Reading | None,
        remembered_t: float,
    ) -> tuple[Reading, Flags]:
        """What is said of a picture, and (cells,) of which cells nothing is; `remembered` is what the first witness
        said at `remembered_t` seconds, None where it has lost the board. Of what has stirred since it says nothing; it
        is believed alone where it sees a piece of which this witness has seen none on that level, and of cells over
        which a piece leans that has come."""
        self._afresh_t = seen.t
        still = _still_cells(seen)
        reading = self._reader.read_cells(seeing.mean_pictures(), still, expected, places=True)
        if remembered is None:
            return reading, ~still
        against = remembered.scores - remembered.scores.max(axis=1, keepdims=True)
        said = REMEMBERED_SHARE * np.maximum(against, -REMEMBERED_NATS)
        heard = seen.readable & (seen.still_s >= seen.t - remembered_t)
        both = reading.scores + np.where(heard[:, None], said, 0.0)
        scores = np.asarray(both - both.max(axis=1, keepdims=True), np.float32)
        odd = measure_joint_doubt(reading, remembered, heard)
        unknown = ~self._reader.knows_looks(remembered.looks)
        leaned = self._leaned | _hidden_by_arrivals(reading, eyes, expected)
        alone = heard & (unknown | leaned)
        scores[alone], odd[alone] = against[alone], remembered.unexplained[alone]
        scores = limit_leaned_scores(scores, expected, leaned)
        return replace(reading, scores=scores, looks=scores.argmax(axis=1), unexplained=odd), ~still

    def is_board_known(self, odd: Flags, changed: Flags) -> bool:
        """Whether the first witness still knows the board, of which it says that the cells `odd` are otherwise than
        believed, and that the cells `changed` do not look as they did."""
        rest = ~odd
        return float(odd.mean()) <= HOLDS_SHARE or float(changed[rest].sum()) < RELIT_SHARE * rest.sum()

    def confirms_expected(self, seen: SeenBoard, seeing: Seeing, expected: Ints, wrong: Sequence[int]) -> bool:
        """Whether the cells that seem `wrong` look like others of the same picture that hold what they should."""
        should, rows = expected[list(wrong)], np.arange(len(wrong))
        scores = self._new_reader().read_cells(seeing.mean_pictures(), seen.readable, expected).scores[list(wrong)]
        others = scores.copy()
        others[rows, should] = -np.inf
        return bool((scores[rows, should] - others.max(axis=1) > CONFIRMS_NATS).all())

    def is_needed(self, seen: SeenBoard) -> bool:
        """Whether nothing has been understood for long though the board is still and no arm rests over or beside it."""
        touched = float(seen.touched.mean())
        near = seen.hands or bool((seen.within_grasp & seen.touched).any())
        an_arm = near and touched <= ARM_SHARE  # whoever thinks may hold a piece in the air
        if an_arm or not touched or not seen.place.is_found:
            return False
        at_rest = float(np.quantile(seen.still_s[seen.touched], STIRRING_SHARE)) >= AT_REST_S
        return at_rest and seen.t - self._understood_t >= LOST_S

    def is_due(self, seen: SeenBoard) -> bool:
        """Whether it is needed, and was not heard just now."""
        return self.is_needed(seen) and seen.t - self._afresh_t >= AFRESH_S

    def has_new_movement(self, seen: SeenBoard) -> bool:
        """Whether anything has moved since this was asked last: then the picture is another one."""
        stirred = float(np.min(seen.still_s)) < seen.t - self._judged_t
        self._judged_t = seen.t
        return stirred

    def _new_reader(self) -> TaughtReader:
        return TaughtReader(self._game.board, self._views, len(self._game.looks))


def measure_joint_doubt(reading: Reading, remembered: Reading, heard: Flags) -> npt.NDArray[np.float32]:
    """(cells,) the share of each that is not explained: the worse of both witnesses where they differ, what
    `remembered` leaves where it says the same as `reading`, plainly or of a cell that looks as it did: it knows the
    cell itself, the other its likes. Where it is not heard, that of `reading`."""
    best = np.sort(remembered.scores, axis=1)
    known = (best[:, -1] - best[:, -2] >= REMEMBERED_NATS) | ~remembered.changed
    agreed = known & (reading.scores.argmax(axis=1) == remembered.looks)
    joint = np.where(agreed, remembered.unexplained, np.maximum(reading.unexplained, remembered.unexplained))
    return np.where(heard, joint, reading.unexplained).astype(np.float32)


def _hidden_by_arrivals(reading: Reading, eyes: LevelReaders, expected: Ints) -> Flags:
    """(cells,) over which pieces lean that have come by a reading."""
    return find_leaned_over(eyes.level_readers, np.where(reading.looks != expected, reading.looks, 0))


def _plainly_otherwise(other: Reading, expected: Ints) -> Flags:
    """(cells,) that this witness reads as another look than is believed, by OTHERWISE_NATS and more."""
    every = np.arange(len(expected))
    apart = other.scores[every, other.looks] - other.scores[every, expected]
    return np.asarray((other.looks != expected) & (apart > OTHERWISE_NATS), bool)


def has_moved_since(seen: SeenBoard, t: float) -> bool:
    """Whether more than noise has stirred since `t` seconds."""
    return float(np.quantile(seen.still_s, STIRRING_SHARE)) < seen.t - t


def _still_cells(seen: SeenBoard) -> Flags:
    """(cells,) that can be read, whatever lies over them: the picture tells."""
    return np.asarray(seen.still_s >= READ_S, bool)
