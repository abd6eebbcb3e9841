"""Fits the emission of engine/belief/priors.toml on a corpus: python -m tests.bench.fit FOLDER...

What a reading says of a cell is compared with what stood there, look by look, in all traces: without hands for every
cell, beside hands for cells that no ply nearby in time changes. The numbers are those that make the truth most likely
(maximum likelihood, by ever smaller steps along each axis) on the split `fit`; how often the readings of a margin were
wrong is shown for both splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import numpy.typing as npt

from engine.match.judging import Looked
from server.record.traces.lines import Coder
from server.record.traces.trace import load_trace
from tests.bench.corpus import SUFFIX
from tests.bench.corpus_truth import Stood

Array = npt.NDArray[np.float64]
NAMES = ("dull", "misread", "odd", "fresh")
BEGIN, STEPS = (0.5, -10.0, 8.0, 2.0), (0.3, 1.0, 2.0, 0.5)
SMALLEST = 0.02
MISLABELLED = 12.0
"""A cell that a ply has just changed and that is read as before by more nats was read before it: it is left out."""
NEVER = -1e9
"""Score of a look that a game does not have."""
MOST_LOOKS = 4


class Read(NamedTuple):
    """One reading of one cell: its scores, the true look, the share nothing explains, whether it is fresh."""

    scores: tuple[float, ...]
    truth: int
    odd: float
    fresh: bool
    split: str
    disturbance: str
    set_up: str


def readings(path: Path) -> Iterator[Read]:
    """What was read in a trace where it is known what stood there."""
    trace = load_trace(path)
    if trace.truth is None:
        return
    truth, film = Stood(trace), trace.truth["film"]
    of = film["split"], film["disturbance"], f"{film['board']} {film['seed']}{film['folder']}"
    game, stood = truth.game, truth.after
    unchanged = float(trace.header["unchanged"])
    coder = Coder(game, unchanged)
    for line in trace.lines:
        given = coder.decode_input(line)
        shown = truth.at(given.t) if isinstance(given, Looked) else None
        if not isinstance(given, Looked) or shown is None:
            continue
        played, clear = shown
        if not clear and truth.unlawful:
            continue
        near = stood[played : played + 1] if clear else stood[max(played - 1, 0) : played + 2]
        sight, hidden = given.sight, frozenset(given.sight.hidden)
        before = [game.look_of[piece] for piece in stood[max(played - 1, 0)]]
        for cell, scores in enumerate(sight.scores):
            looks = {game.look_of[one[cell]] for one in near}
            plain = all(score in (0.0, unchanged) for score in scores)
            if cell in hidden or len(looks) > 1 or plain:
                continue
            (look,) = looks
            if look != before[cell] and max(scores) - scores[look] > MISLABELLED:
                continue
            padded = (*scores, *[NEVER] * (MOST_LOOKS - len(scores)))
            yield Read(padded, look, sight.unexplained[cell], not sight.rested, *of)


class Fit:
    """Readings as arrays, and how unlikely numbers make the truth."""

    def __init__(self, reads: Sequence[Read]) -> None:
        scores = np.array([one.scores for one in reads])
        self.truth = np.array([one.truth for one in reads])
        self.scores = scores - scores.max(axis=1, keepdims=True)
        self.count = (scores > NEVER).sum(axis=1)
        self.odd = np.sqrt(np.maximum([one.odd for one in reads], 0.0))
        self.fresh = np.array([one.fresh for one in reads], float)

    def unlikeliness(self, numbers: Array) -> float:
        """Minus the logarithm of the likelihood, in nats."""
        dull, misread, odd, fresh = numbers
        shares = np.exp(np.exp(-dull * self.odd)[:, None] * self.scores)
        shares /= shares.sum(axis=1, keepdims=True)
        nothing = 1.0 / (1.0 + np.exp(-(misread + odd * self.odd + fresh * self.fresh)))
        right = shares[np.arange(len(self.truth)), self.truth]
        return float(-np.log((1 - nothing) * right + nothing / self.count).sum())

    def best(self) -> Array:
        """The numbers that make the truth most likely."""
        numbers, steps = np.array(BEGIN), np.array(STEPS)
        least = self.unlikeliness(numbers)
        while steps.max() > SMALLEST:
            better = False
            for axis, sign in ((axis, sign) for axis in range(len(numbers)) for sign in (1, -1)):
                other = numbers.copy()
                other[axis] += sign * steps[axis]
                found = self.unlikeliness(other)
                if found < least - 1e-6:
                    numbers, least, better = other, found, True
            if not better:
                steps = steps / 2
        return numbers


def reliability(reads: Sequence[Read]) -> Iterator[str]:
    """How often the best look of a cell was wrong, by how much it led."""
    ordered = np.sort([one.scores for one in reads], axis=1)
    lead = ordered[:, -1] - ordered[:, -2]
    wrong = np.argmax([one.scores for one in reads], axis=1) != np.array([one.truth for one in reads])
    for low, high in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 6), (6, 9), (9, 14), (14, np.inf)):
        here = (lead >= low) & (lead < high)
        if here.any():
            yield f"  led by {low:>2} to {high:>3}: {int(here.sum()):7} read, {wrong[here].mean():.4%} wrong"


def left_out(reads: Sequence[Read], by: str) -> Iterator[tuple[str, int, Array]]:
    """Fitted without the readings of one disturbance or set-up at a time: which, how many were left, the numbers."""
    for group in sorted({getattr(one, by) for one in reads}):
        others = [one for one in reads if getattr(one, by) != group]
        yield group, len(others), Fit(others).best()


def written(found: Array) -> str:
    """Numbers as a line."""
    return ", ".join(f"{name} {number:.2f}" for name, number in zip(NAMES, found, strict=True))


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--leave-out", type=click.Choice(["disturbance", "set_up"]), help="fit also without each of these")
def command(folders: Sequence[Path], leave_out: str | None) -> None:
    """Fit on the traces under FOLDERS and print what was found."""
    paths = sorted(path for folder in folders for path in folder.rglob("*" + SUFFIX) if "unfinished" not in path.name)
    reads = list(chain.from_iterable(map(readings, paths)))
    for split in ("fit", "test"):
        some = [one for one in reads if one.split == split]
        if not some:
            continue
        click.echo(f"{split}: {len(some)} readings")
        for line in reliability(some):
            click.echo(line)
        click.echo(f"  {written(Fit(some).best())}")
    for group, count, found in left_out(reads, leave_out) if leave_out else ():
        click.echo(f"without {group}: {count} readings, {written(found)}")


if __name__ == "__main__":
    command()
