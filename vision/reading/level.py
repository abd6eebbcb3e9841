"""Reading one level: a score for every cell and look, from one still picture.

Every patch sample is explained by layers: the floor, over it the piece of the cell behind, the cell's own piece, and
whatever leans over it from nearer cells. The score of a look is the log-likelihood of the whole patch under it,
given what stands in the other cells; cells whose look is not the best one are changed one after another until
nothing improves, so that a piece leaning over an empty cell explains it instead of filling it.

A cell that looks as it did when its content was last accepted keeps that content and costs nothing to read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.view import Floats, View
from vision.ground import Ground, Image, Picture, ground_of, take_samples
from vision.reading.appearance import (
    OFF_CENTRE,
    Ints,
    LookTemplates,
    Template,
    guess_template,
    learn_looks,
    resample_template,
    safe_footprint,
)
from vision.reading.floor import Flags, Floor, dilate_flags
from vision.reading.footprint import PATCH_H, PATCH_SIZE, PATCH_W, Footprints, compute_footprints
from vision.reading.known_cells import KnownCells
from vision.reading.light import LIGHT_CHANGED, Gains, estimate_gains, patterns_alike
from vision.reading.network import judge_cells
from vision.reading.outlines import USUAL_HEIGHT, USUAL_RADIUS, BodySize, Evidence, fit_outlines, gather_evidence
from vision.reading.scene import COVERED, Scene, Scores

FEW_COVERED = 2
"""So many unexplained cells are a shadow on a printed castle or a fallen piece, not a hand: a hand that reaches a piece
covers eight cells and more in the reference recordings."""
UNCHANGED = -14.0
"""Score of another content for a cell that looks exactly as before."""
CHANGED_LEVELS = 6.0
"""A block of 4x4 samples that differs by more grey levels than this has changed; sensor noise, JPEG and exposure
flicker stay under 3 on the reference recordings."""
KEEN_LEVELS = 2.5
"""The same for a second look at what the first did not explain: a white piece on white in a dim room changes by 3-5."""
JUDGEMENTS = 3
"""Rounds of judging and explaining anew the cells around those that the network finds otherwise; most need one."""
CLEAR_JUDGEMENT = 1.0
"""By less than this the network does not change what the cells around are explained with: it hardly knew a
knight that half hid its own capture, and without the knight nothing explained what was seen there."""
OUTLINED = 2
"""Rounds of fitting outlines: how much a king hides of the piece behind it is known after the first."""
OWN_SEEN = 0.5
"""Share of a piece's base that must be seen to know it again: a knight's head before it is another piece's pattern."""
RELIGHTED_VARIANCE = 150.0
"""Added to the variance of learned colours in another light: highlights move and colours shift."""
SATURATED, WHITE_LEVEL = 250.0, 255.0
"""Grey levels from which a sample is at least so bright, and that none is above: white cells remembered from dusk were
305 once the lamp was on again, and those remembered as 255 were 300 when it got darker, in two drawn games."""
NOTHING_REMEMBERED = -1000.0
"""A colour that no cell has: everything counts as changed."""


@dataclass(frozen=True)
class Reading:
    """What one picture shows. All arrays are indexed by cell."""

    scores: Scores
    """(cells, looks) log-likelihood up to a constant per cell."""
    looks: Ints
    """(cells,) the best look of each cell given the others."""
    changed: Flags
    """(cells,) does not look as it did when the position was last accepted."""
    unexplained: npt.NDArray[np.float32]
    """(cells,) share of the cell's base that neither floor nor any piece explains: a hand, a cup, a fallen piece."""
    offset_cells: npt.NDArray[np.float32]
    """(cells,) how far off its middle, in cells, a piece stands that has come since; 0 where none has."""
    light: float
    """Brightness over that of the last accepted picture."""


class Reader(KnownCells):
    """The eyes for one level.

    Mutable: `learn_pieces` is told what really stands on the board in the last picture read.
    """

    def __init__(
        self,
        view: View,
        centres_xy: Floats,
        lattice: Ints,
        look_of: Sequence[int],
        picture: Picture,
        pieces: Sequence[int],
    ) -> None:
        """Learn floor and looks from a ground `picture` that shows `pieces` (piece number of each cell, 0 empty).

        `lattice` (cells, 2) are the cells' files and ranks as integers.
        """
        self.lattice = np.asarray(lattice)
        self.centres_xy = np.asarray(centres_xy, float)
        self.look_of = tuple(look_of)
        self.look_table = np.array(look_of, np.int64)
        self.look_count = max(look_of) + 1
        self._remembers = True
        self._first: dict[int, Template] = {}  # as they looked in the first light
        self._studied: set[int] = set()  # those of them that were seen on this level
        self.ground: Ground = ground_of(view)
        self.prints: Footprints = compute_footprints(view, self.centres_xy, self.ground.shape)
        self._shape_masks()
        self._study_picture(picture, np.asarray(pieces, np.int64))

    def look_from(self, view: View) -> None:
        """The camera moved a little: read through `view` from now on, with everything learned so far."""
        self.ground = ground_of(view)

    def seen_from(self, view: View) -> Reader:
        """The same board and pieces for quite another camera position: floor and looks, no memory of single cells."""
        other = copy(self)
        other.ground = ground_of(view)
        other.prints = compute_footprints(view, self.centres_xy, other.ground.shape)
        other._shape_masks()
        other.floor = deepcopy(self.floor)
        other._take_looks({p: resample_template(t, self.prints, other.prints) for p, t in self.templates.items()})
        other.pieces = np.zeros_like(self.pieces)
        other._first, other._relit = other.templates, np.ones(3)
        other._studied = {p for p, t in other.templates.items() if not t.is_guess}
        other._free = np.ones(len(self.pieces), bool)
        other._memory, other._remembers = np.full_like(self._memory, NOTHING_REMEMBERED), False
        other._at = np.zeros_like(self._at)
        other.found = np.zeros_like(self.found)
        other.memory_wins = np.ones(len(self.pieces), bool)
        return other

    def read_afresh(self, image: Image) -> Reading:
        """Scores for a picture of a board about which nothing but floor and looks is known.

        The light is evened out over all cells first, then over those that were read as free.
        """
        for _ in range(2):
            reading = self.read_image(image)
            self._free = reading.looks == 0
        return reading

    def borrow_looks(self, other: Reader) -> None:
        """Take over the looks of pieces that were only seen on another level."""
        missing = {p: t for p, t in other.templates.items() if p not in self.templates}
        if missing:
            borrowed = {p: resample_template(t, other.prints, self.prints) for p, t in missing.items()}
            self._first = self._first | borrowed
            self._take_looks(self.templates | borrowed)

    def guess_unseen_looks(self) -> None:
        """A piece that looks like none that was seen here may be of a side of which nothing stood on the board."""
        unseen = {*self.look_of} - {0} - {self.look_of[piece] for piece in self.templates}
        size = tuple(np.mean([*self.outlines.values()] or [(USUAL_RADIUS, USUAL_HEIGHT)], axis=0).tolist())
        guessed = {piece: guess_template(piece, size, self.prints) for piece in map(self.look_of.index, unseen)}
        self._first = self._first | guessed
        self._take_looks(self.templates | guessed)

    def _take_looks(self, templates: dict[int, Template]) -> None:
        """Read by these templates from now on; places in the stack of those that were there stay."""
        self.templates = templates
        self.stack = LookTemplates(list(templates.values()), self.look_of)

    def _shape_masks(self) -> None:
        """Parts of a patch that follow from the camera's position alone."""
        self._safe = safe_footprint(self.prints)
        self.base = (self.prints.piece_silhouette(0.3, 0.15) > 0.5).ravel()
        beside = self.prints.piece_silhouette(0.4, 1.1) < 0.05
        self.around = beside & (self.prints.along < 0.8)[:, None]

    def _study_picture(self, picture: Picture, pieces: Ints) -> None:
        """Learn floor, looks and memory from a picture of a known placement."""
        self.pieces = pieces.copy()
        self._free = pieces == 0
        self.floor = Floor(picture, self.centres_xy, self.lattice, self._covered_samples(pieces))
        self.picture, self.patches = picture, picture.reshape(-1, 3)[self.prints.sample_at]
        self.evidence: dict[int, Evidence] = {}
        for _ in range(OUTLINED):
            self.evidence = self._gather_evidence(fit_outlines([self.evidence], self.look_of))
        self._relit = np.ones(3)
        self._gains: Gains = np.ones((len(pieces), 3), np.float32)
        self.take_outlines(fit_outlines([self.evidence], self.look_of))

    def _gather_evidence(self, known: Mapping[int, BodySize]) -> dict[int, Evidence]:
        """How wide and high the pieces in the last picture are, as far as their outlines are `known`."""
        floor, filled = (take_samples(one, self.prints.sample_at) for one in (self.floor.colour, self.floor.clean))
        return gather_evidence(self.patches, floor, filled, self.pieces, self.look_of, self.prints, known)

    @property
    def largest_outline(self) -> BodySize:
        """Base radius of the widest and height of the tallest piece in the first picture."""
        return tuple(np.max([*self.outlines.values(), (0.0, 0.0)], axis=0).tolist())

    def take_outlines(self, outlines: Mapping[int, BodySize]) -> None:
        """Learn the looks of the pieces in the first picture, which are so wide and so high."""
        self.outlines = outlines
        pieces, floor = self.pieces, self.floor.colour[self.prints.sample_at]
        templates, front = learn_looks(self.patches, floor, pieces, self.look_of, self.prints, outlines)
        self._take_looks({t.piece: t for t in templates})
        self._first, self._studied = self.templates, set(self.templates)
        self._memory, self._memory_ok = self.patches.copy(), front
        self._at = np.array([self.stack.first_of.get(int(p), 0) for p in pieces])
        self.found = np.tile(self._at[:, None], (1, self.look_count))
        self.memory_wins = np.ones(len(pieces), bool)
        self._remember_hidden()

    def adopt_light(self, doubtful: Flags) -> None:
        """The light of the last picture read is here to stay: remember the board as it looks in it.

        Cells marked `doubtful` (and pieces in them) keep what was remembered, only brighter or darker.
        """
        gain = np.median(self._gains, axis=0)
        self._relit = self._relit * gain
        dimmer = float(np.mean(self._relit)) ** 2
        free = ~self._covered_samples(self.pieces + doubtful)
        self.floor.adopt_light(self.picture, gain, free)
        self._memory *= self._gains[:, None, None, :]
        now = self.patches[~doubtful] * self._gains[~doubtful][:, None, None, :]
        self._memory[~doubtful] = np.minimum(now, WHITE_LEVEL)
        self._take_looks(
            {
                p: t
                if t.is_guess
                else replace(
                    t,
                    mean=np.asarray(t.mean * self._relit, np.float32),
                    variance=(t.variance + RELIGHTED_VARIANCE) * dimmer,
                )
                for p, t in self._first.items()
            }
        )

    def read_image(self, image: Image) -> Reading:
        """Scores for a still picture."""
        self.compare_picture(self.ground.resample_image(image))
        return self.explain_cells(self.changed_cells())

    def compare_picture(self, picture: Picture) -> None:
        """Compare a ground picture with what is remembered, which is cheap; explaining what differs is not."""
        self.picture = picture
        at = self.prints.sample_at
        raw, floor = take_samples(picture, at), take_samples(self.floor.colour, at)
        self._gains = estimate_gains(raw, floor, self._free, self.centres_xy)
        # Gains of whole patches: numpy's loops over three channels take three times as long.
        self.patches = raw / np.broadcast_to(self._gains[:, None, None, :], raw.shape).copy()
        np.minimum(self.patches, np.maximum(floor, WHITE_LEVEL), out=self.patches)
        np.maximum(self.patches, floor, out=self.patches, where=raw >= SATURATED)
        self._off = np.abs(_block_means(self.patches - self._memory)).max(axis=(1, 2, 3))

    def changed_cells(self, *, keen: bool = False) -> Flags:
        """(cells,) that looked otherwise at the last glance than when their content was last accepted."""
        return np.asarray(self._off > (KEEN_LEVELS if keen else CHANGED_LEVELS))

    @property
    def grey_changes(self) -> npt.NDArray[np.float32]:
        """(cells,) grey levels by which each differed at the last glance from what is remembered."""
        return np.asarray(self._off, np.float32)

    def explain_cells(self, asked: Flags) -> Reading:
        """Scores for the picture of the last glance; cells that are not `asked` are taken to be as before."""
        changed = self.changed_cells()
        labels = self.look_table[self.pieces]
        scores = np.full((len(asked), self.look_count), UNCHANGED, np.float32)
        scores[np.arange(len(asked)), labels] = 0.0
        unexplained, offset_cells = np.zeros((2, len(asked)), np.float32)
        self.memory_wins[:] = True
        if asked.any():
            scene = Scene(self, labels.copy(), asked)
            scene.settle_labels(scores, unexplained)
            self._judge_cells(scene, scores, unexplained)
            labels = scene.labels
            guessed = np.isin(labels, list(self.stack.guessed_looks)) & (unexplained > COVERED)
            if int((unexplained > COVERED).sum()) <= FEW_COVERED:  # else it is a hand
                unexplained[guessed] = 0.0
            for c in scene.active.tolist():
                if labels[c] and labels[c] != scene.views[c].same:
                    offset_cells[c] = OFF_CENTRE[self.found[c, labels[c]] % len(OFF_CENTRE)]
        return Reading(scores, labels, changed, unexplained, offset_cells, float(np.median(self._gains)))

    def _judge_cells(self, scene: Scene, scores: Scores, unexplained: npt.NDArray[np.float32]) -> None:
        """Let the network judge every active cell; where it finds another content, the cells around are asked again."""
        if not self._remembers:  # the network has learned to compare with what stood there before
            return
        todo = scene.active.tolist()
        for _ in range(JUDGEMENTS):
            judge_cells(self, scene, scores, todo)
            best = {c: int(np.argmax(scores[c])) for c in todo}
            told = {
                c: look for c, look in best.items() if scores[c, look] - scores[c, scene.labels[c]] > CLEAR_JUDGEMENT
            }
            todo = scene.set_labels(told, scores, unexplained)
            if not todo:
                return

    def learn_pieces(self, pieces: Sequence[int]) -> None:
        """The last picture read shows `pieces`: remember how each cell looks now, and the floor that came free."""
        now = np.asarray(pieces, np.int64)
        looks = self.look_table[now]
        for c in np.flatnonzero(now).tolist():
            stays = self.look_table[self.pieces[c]] == looks[c] and self.memory_wins[c]
            if not stays:
                self._at[c] = self.found[c, looks[c]]
        self.pieces = now.copy()
        self._free = now == 0
        self._memory = self.patches.copy()
        self._remember_hidden()
        even = self.picture / np.median(self._gains, axis=0)
        self.floor.learn_samples(np.asarray(even, np.float32), ~self._covered_samples(now))
        self._learn_borrowed()

    def _learn_borrowed(self) -> None:
        """Pieces whose look was taken over from another level stand on this one now: learn it here."""
        mine = set(self.pieces.tolist()) - {0}
        new = mine - self._studied
        if not new:
            return
        floor, here = self.floor.colour[self.prints.sample_at], self._gather_evidence(self.outlines)
        outlines = {**fit_outlines([here], self.look_of), **self.outlines}
        learned, _ = learn_looks(self.patches, floor, self.pieces, self.look_of, self.prints, outlines)
        seen = {t.piece: t for t in learned if t.piece in new}
        of_look = {self.look_of[p]: t for p, t in seen.items()}
        guessed = [p for p, t in self.templates.items() if t.is_guess and self.look_of[p] in of_look]
        seen = {p: replace(of_look[self.look_of[p]], piece=p) for p in guessed} | seen
        in_first_light = {p: replace(t, mean=np.asarray(t.mean / self._relit, np.float32)) for p, t in seen.items()}
        self._first = self._first | in_first_light
        self._studied = self._studied | new
        self._take_looks(self.templates | seen)

    @property
    def light_changed(self) -> bool:
        """Whether the last picture read is lit quite differently from the remembered one."""
        return bool(np.abs(np.median(self._gains, axis=0) - 1).max() > LIGHT_CHANGED)

    def same_pattern_cells(self) -> Flags:
        """(cells,) whose piece shows the same pattern as when it was last accepted, whatever the light."""
        return np.asarray((self.pieces > 0) & self._cells_alike(np.arange(len(self.pieces))))

    def _cells_alike(self, cells: npt.NDArray[np.intp]) -> Flags:
        """Which of `cells` show enough of a base, and there the same pattern as when their content was accepted."""
        own = self._memory_ok[cells] & self.base.reshape(PATCH_H, PATCH_W)
        seen = own.sum(axis=(1, 2)) > OWN_SEEN * self.base.sum()
        return np.asarray(seen & patterns_alike(self.patches[cells], self._memory[cells], own))

    def _covered_samples(self, pieces: Ints) -> Flags:
        flags = np.zeros(self.ground.shape[0] * self.ground.shape[1], bool)
        for c in np.flatnonzero(pieces).tolist():
            flags[self.prints.sample_at[c][self._safe]] = True
        return dilate_flags(flags, self.ground.shape)

    def _remember_hidden(self) -> None:
        """Note which samples of every remembered piece a nearer piece hides."""
        ok = np.ones((len(self.pieces), PATCH_SIZE), bool)
        for c in np.flatnonzero(self.pieces).tolist():
            for j in self.prints.behind_first[c]:
                if self.pieces[j] and self.prints.distance[j] < self.prints.distance[c]:
                    ok[c] &= np.append(self.stack.solid[self._at[j]], 0)[self.prints.overlap[c][j]] < 0.15
        self._memory_ok = ok.reshape(-1, PATCH_H, PATCH_W)


def _block_means(patches: Picture) -> Picture:
    """The mean of each block of 4x4 samples of patches (N, PATCH_H, PATCH_W, 3): (N, 6, 3, 3).

    Sums of whole arrays, sample by sample, as `mean` adds them up too, but in a third of its time.
    """
    blocks = patches.reshape(len(patches), 6, PATCH_H // 6, 3, PATCH_W // 3, 3)
    total = np.zeros((len(patches), 6, 3, 3), np.float32)
    for row in range(PATCH_H // 6):
        for column in range(PATCH_W // 3):
            total += blocks[:, :, row, :, column]
    return total / np.float32(PATCH_H // 6 * (PATCH_W // 3))
