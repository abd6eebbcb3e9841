"""The search for the labels that explain one picture best, given what the reader has learned.

Cells whose look is not the best one given the others are changed, most gain first, until nothing improves; a new piece
that a cell beside explains better is put there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from vision.reading.appearance import OFF_CENTRE, TEMPERATURE, Ints
from vision.reading.floor import STRANGE, Flags
from vision.reading.footprint import PATCH_SIZE
from vision.reading.known_cells import KnownCells

Scores = npt.NDArray[np.float32]
Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
"""Likelihood and solidity of a piece in every sample of its patch, and of "outside" behind them."""

CLIMB_CELLS = 1.5
"""How far away a piece may really stand that was taken for one in a cell: the eight cells around."""
MEMORY_ADVANTAGE = 20.0
"""A piece is taken for the remembered one unless a general template explains the patch better by this much."""
TOUCHED_COST = 2.5
"""Score against "the same side's piece, but not as remembered": a piece that nobody touched looks as before, and one
in a hundred plies knocks one. It decides between a captured piece and a floor of its own colour never seen before."""
PUSHED_CELLS = 0.15
"""A piece that looks otherwise than before was pushed when it stands so far off the middle: 0.22 and more when it was
seen twice, and of 700 pieces that came none had one beside it that was."""
COVERED = 0.45
"""Share of a cell's base that nothing explains, from which it counts as covered: pieces in any pose of the reference
recordings stay under 0.44, hands are above 0.6 in most cells that they cover."""
SWEEPS = 12
"""Rounds of changing labels at most; the recordings need up to five."""
STRANGE_FACTOR = 4.0
"""A sample is inexplicable when its likelihood is under this many times that of an arbitrary colour."""


@dataclass(frozen=True)
class CellView:
    """One cell's patch under each content, given what stands in the other cells. Arrays are (PATCH_SIZE,)."""

    through: npt.NDArray[np.float32]
    """Share of each sample that nothing nearer hides."""
    likelihood: dict[int, npt.NDArray[np.float32]]
    """By look, 0 for empty; looks without a template are missing."""
    same: int
    """The look that is taken for the very piece that was remembered; 0 if none is."""


@dataclass(frozen=True)
class Surroundings:
    """What the pieces around a cell make of its patch. Arrays are (PATCH_SIZE,)."""

    behind: npt.NDArray[np.float32]
    """Likelihood of each sample if nothing stands in the cell and nothing nearer hides it."""
    over: npt.NDArray[np.float32]
    """Likelihood of each sample that something nearer shows, times how much of it that hides."""
    through: npt.NDArray[np.float32]
    """Share of each sample that nothing nearer hides."""

    @property
    def cache_key(self) -> tuple[bytes, ...]:
        """The same of two that are the same."""
        return self.behind.tobytes(), self.over.tobytes(), self.through.tobytes()


@dataclass(frozen=True)
class Fits:
    """How well each template explains a cell within its surroundings."""

    totals: npt.NDArray[np.float32]
    """(templates,) the log-likelihood of each in each place of the cell."""
    found: dict[int, int]
    """Look -> its best template."""
    likelihood: dict[int, npt.NDArray[np.float32]]
    """Look -> likelihood of each sample under that."""


class Scene:
    """The search for the best labels of one picture."""

    def __init__(self, reader: KnownCells, labels: Ints, active: Flags) -> None:
        self.r = reader
        self.labels = labels
        self.active = np.flatnonzero(active)
        self._floor = {
            int(c): f.ravel()
            for c, f in zip(
                self.active,
                reader.floor.bare_likelihood(
                    reader.patches[self.active], reader.prints.sample_at[self.active], reader.around
                ),
                strict=True,
            )
        }
        self._memory_look = reader.look_table[reader.pieces]
        self._remembered = labels > 0
        self._layers: dict[int, Layer] = {}
        self._kept: dict[int, Layer] = {}
        """The layers of remembered pieces: they depend on no label."""
        self._parts: dict[tuple[int, int], tuple[Layer, npt.NDArray[np.float32], npt.NDArray[np.float32]]] = {}
        """What a layer lets through and what it shows in the patch of another cell, with that layer."""
        self._fits: dict[tuple[int, tuple[bytes, ...]], Fits] = {}
        """How the templates fit into a cell within surroundings that it had: labels come and go, and in a fifth of all
        cases it had them before."""
        pieces = reader.stack.solid_likelihoods(reader.patches[self.active])
        self._pieces = dict(zip(self.active.tolist(), pieces, strict=True))
        self._mixed, self._scratch = np.empty((2, *reader.stack.solid.shape), np.float32)
        self.views: dict[int, CellView] = {}
        """How each active cell was last explained."""
        self._totals: dict[int, npt.NDArray[np.float32]] = {}
        """What each template scored in an active cell, when it was last explained."""

    def _cell_layer(self, j: int) -> Layer:
        """The layer of what stands in cell `j`, computed once for each of its labels."""
        if j not in self._layers:
            kept = bool(self._remembered[j])
            self._layers[j] = self._kept_layer(j) if kept else self.r.layer_of(j, int(self.labels[j]), remembered=False)
        return self._layers[j]

    def _kept_layer(self, j: int) -> Layer:
        """The layer of the piece that is remembered in cell `j`."""
        if j not in self._kept:
            self._kept[j] = self.r.layer_of(j, int(self._memory_look[j]), remembered=True)
        return self._kept[j]

    def _find_surroundings(self, c: int) -> Surroundings:
        """What the pieces that stand around a cell by their labels make of its patch."""
        prints, labels = self.r.prints, self.labels.tolist()
        behind, over, through = self._floor[c], np.zeros(PATCH_SIZE, np.float32), np.ones(PATCH_SIZE, np.float32)
        for j in prints.behind_first[c]:
            if labels[j] == 0:
                continue
            layer = self._cell_layer(j)
            part = self._parts.get((c, j))
            if part is None or part[0] is not layer:
                at = prints.overlap[c][j]
                solid = layer[1][at]
                part = self._parts[c, j] = layer, 1 - solid, solid * layer[0][at]
            _, clear, shown = part
            if prints.distance[j] > prints.distance[c]:
                behind = clear * behind + shown
            else:
                over = clear * over + shown
                through = through * clear
        return Surroundings(behind, over, through)

    def _fit_templates(self, c: int, around: Surroundings) -> Fits:
        """How well each template explains a cell within its surroundings."""
        key = c, around.cache_key
        if key not in self._fits:
            stack = self.r.stack
            mixed = np.multiply(stack.clear, around.through * around.behind, out=self._mixed)
            mixed += np.multiply(self._pieces[c], around.through, out=self._scratch)
            mixed += around.over
            totals = np.log(mixed, out=self._scratch).sum(axis=1) - stack.shift_cost
            found = {look: int(mine[np.argmax(totals[mine])]) for look, mine in stack.of_look.items()}
            self._fits[key] = Fits(totals, found, {look: mixed[at].copy() for look, at in found.items()})
        return self._fits[key]

    def score_cell(self, c: int) -> tuple[Scores, float]:
        """Scores of one cell given the labels of all others, and the inexplicable share of its base."""
        stack = self.r.stack
        around = self._find_surroundings(c)
        behind, over, through = around.behind, around.over, around.through
        scores = np.full(self.r.look_count, -1e9)
        free = over + through * behind
        scores[0] = np.log(free).sum()
        fits = self._fit_templates(c, around)
        self._totals[c], best = fits.totals, {0: free, **fits.likelihood}
        for look, found in fits.found.items():
            self.r.found[c, look] = found
            scores[look] = fits.totals[found]
        kept = int(self._memory_look[c])
        if kept:
            scores[kept] -= TOUCHED_COST * TEMPERATURE
            likelihood, a = self._kept_layer(c)
            same = over + through * ((1 - a[:-1]) * behind + a[:-1] * likelihood[:-1])
            remembered = float(np.log(same).sum())
            self.r.memory_wins[c] = remembered > scores[kept] + (TOUCHED_COST * TEMPERATURE - MEMORY_ADVANTAGE)
            if remembered > scores[kept]:
                scores[kept], best[kept] = remembered, same
        self.views[c] = CellView(through, best, kept if best.get(kept) is not None and self.r.memory_wins[c] else 0)
        guesses = {look: scores[look] for look in stack.guessed_looks}
        scores[list(guesses)] = -1e9
        winner = best[int(np.argmax(scores))]
        inexplicable = float((winner[self.r.base] < STRANGE_FACTOR * STRANGE).mean())
        if inexplicable > COVERED:
            scores[list(guesses)] = list(guesses.values())
        else:  # what is known explains it: what nobody has seen does not stand there
            best = {look: likelihood for look, likelihood in best.items() if look not in guesses}
            self.views[c] = replace(self.views[c], likelihood=best)
        return (scores / TEMPERATURE).astype(np.float32), inexplicable

    def score_pieces(self, c: int) -> dict[int, float]:
        """What each piece that there is a template of scored in a cell, when that was last explained, in nats."""
        best = self._totals[c].reshape(len(self.r.stack.templates), -1).max(axis=1) / TEMPERATURE
        return {one.piece: float(score) for one, score in zip(self.r.stack.templates, best, strict=True)}

    def score_unremembered(self, c: int) -> tuple[Scores, float]:
        """Scores of one cell as if nothing were remembered of it, and the inexplicable share of its base."""
        kept = self._memory_look[c], self._remembered[c]
        self._memory_look[c], self._remembered[c] = 0, False
        found = self.score_cell(c)
        self._memory_look[c], self._remembered[c] = kept
        return found

    def settle_labels(self, scores: Scores, unexplained: npt.NDArray[np.float32]) -> None:
        """Change labels until every active cell has its best one; fills `scores` and `unexplained`."""
        self._improve_labels(scores, unexplained, {int(c) for c in self.active})
        moved = {c for c in self.active.tolist() if self._relocate_piece(c)}
        if moved:
            self._layers.clear()
            self._improve_labels(scores, unexplained, {int(c) for c in self.active})

    def pushed_beside(self, c: int, look: int) -> list[int]:
        """The cells beside `c` whose piece has that look and has been pushed off the middle of its cell."""
        return [
            j
            for j in self._cells_beside(c)
            if j in self.views
            and self.labels[j] == look == self._memory_look[j]
            and self.views[j].same != look
            and OFF_CENTRE[self.r.found[j, look] % len(OFF_CENTRE)] > PUSHED_CELLS
        ]

    def _cells_beside(self, c: int) -> list[int]:
        """The cells around `c` whose pieces may be seen in its patch."""
        centres = self.r.centres_xy
        return [j for j in self.r.prints.behind_first[c] if np.abs(centres[j] - centres[c]).max() < CLIMB_CELLS]

    def set_labels(self, labels: dict[int, int], scores: Scores, unexplained: npt.NDArray[np.float32]) -> list[int]:
        """Set these labels; the active cells that are explained anew because one of them or beside them changed."""
        new = {c for c, label in labels.items() if label != self.labels[c]}
        for c in new:
            self.labels[c] = labels[c]
            self._remembered[c] = labels[c] > 0 and labels[c] == self._memory_look[c] and self.r.memory_wins[c]
            self._layers.pop(c, None)
        todo = [c for c in self.active.tolist() if any(j in new for j in self.r.prints.behind_first[c])]
        for c in todo:
            scores[c], unexplained[c] = self.score_cell(c)
        return todo

    def _relocate_piece(self, c: int) -> bool:
        """Whether the new piece in `c` is better explained as standing in a cell beside it; then it is put there.

        A tall piece may be taken for a nearer one that stands askew while other cells are still in doubt.
        """
        look = int(self.labels[c])
        if look == 0 or look == int(self._memory_look[c]):
            return False
        self.labels[c] = 0
        gains = {}
        for j in [c, *(j for j in self._cells_beside(c) if j in self._pieces and self.labels[j] == 0)]:
            self._layers.clear()
            found, _ = self.score_cell(j)
            gains[j] = float(found[look] - found[0])
        best = max(gains, key=lambda j: (gains[j], j == c))
        self.labels[best] = look
        self._remembered[best] = False
        return best != c

    def _relabel_best(self, scores: Scores) -> set[int]:
        """Give the cells that gain most their best label, of those behind each other one a sweep; which they are."""
        gain = scores[self.active].max(axis=1) - scores[self.active, self.labels[self.active]]
        touched: set[int] = set()
        blocked: set[int] = set()
        for i in np.argsort(-gain, kind="stable").tolist():
            c = int(self.active[i])
            if gain[i] > 1e-5 and c not in blocked:
                self.labels[c] = int(np.argmax(scores[c]))
                blocked.update(self.r.prints.behind_first[c])
                touched.add(c)
        return touched

    def _recall_cells(self, cells: set[int]) -> set[int]:
        """Note in which of `cells` what is remembered explains the picture; where that is another than before."""
        touched: set[int] = set()
        for c in cells:
            kept = self.labels[c] > 0 and self.labels[c] == self._memory_look[c] and self.r.memory_wins[c]
            if bool(kept) != bool(self._remembered[c]):
                self._remembered[c] = kept
                touched.add(c)
        return touched

    def _improve_labels(self, scores: Scores, unexplained: npt.NDArray[np.float32], todo: set[int]) -> None:
        """Let the cells that gain most have their best label, again and again, until none gains."""
        active = set(todo)
        for _ in range(SWEEPS):
            for c in sorted(todo):
                scores[c], unexplained[c] = self.score_cell(c)
            touched = self._relabel_best(scores) | self._recall_cells(active)
            if not touched:
                return
            for c in touched:
                self._layers.pop(c, None)
            todo = {c for c in active if c in touched or any(j in touched for j in self.r.prints.behind_first[c])}
