"""What each number of the belief is good for: python -m tests.bench.sensitivity FOLDER... [--by 0.3] [--leave-one-out]

Judges the corpus again with each number of engine/belief/priors.toml moved by 30 % either way; a number that changes
nothing has no business there. With --leave-one-out the numbers of the emission are fitted without one disturbance
(both splits) and the films under that disturbance are judged with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import fields, replace
from functools import partial
from itertools import chain
from pathlib import Path

import click

from engine.belief import decision
from engine.belief.numbers import Numbers, load_default_numbers
from tests.bench.corpus import SUFFIX
from tests.bench.fit import NAMES, left_out, readings, written
from tests.bench.replay_corpus import judged

SHOWN = ("right", "wrong", "asked", "found", "false", "silent", "helped")


def figures(path: Path, with_numbers: Numbers) -> tuple[str, Mapping[str, float]]:
    """The disturbance of a trace and what came of it with other numbers."""
    shipped = decision.load_default_numbers
    vars(decision)["load_default_numbers"] = lambda: with_numbers
    try:
        found = judged(path)
    finally:
        vars(decision)["load_default_numbers"] = shipped
    return found.disturbance, found.figures


def summed(workers: Executor, paths: Sequence[Path], with_numbers: Numbers) -> Counter[str]:
    """The figures of all traces together."""
    out: Counter[str] = Counter()
    for _, some in workers.map(partial(figures, with_numbers=with_numbers), paths, chunksize=4):
        out.update({name: int(some[name]) for name in SHOWN})
    return out


def moved(by: float) -> Iterator[tuple[str, Numbers]]:
    """Each number up and down by a share of itself; of probabilities it is the odds that are moved."""
    n = load_default_numbers()
    for field in fields(Numbers):
        value = getattr(n, field.name)
        for sign in (1, -1):
            factor = 1 + sign * by
            odds = value / (1 - value) * factor if 0 < value < 1 else 0.0
            yield (
                f"{field.name} {factor:.0%}",
                replace(n, **{field.name: odds / (1 + odds) if odds else value * factor}),
            )


def line(name: str, some: Counter[str], than: Counter[str]) -> str:
    """Figures, with what they are more or less than `than`."""
    return f"{name:22}" + "".join(
        f"{some[figure]:7}{some[figure] - than[figure]:+4}" if some[figure] != than[figure] else f"{some[figure]:7}    "
        for figure in SHOWN
    )


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--by", default=0.3, show_default=True, help="by which share numbers are moved")
@click.option("--leave-one-out", is_flag=True, help="fit without each disturbance, and judge it")
@click.option("--jobs", default=1, show_default=True, help="traces judged side by side, a core each")
def command(folders: Sequence[Path], by: float, leave_one_out: bool, jobs: int) -> None:
    """Judge the traces under FOLDERS with other numbers."""
    paths = sorted(path for folder in folders for path in folder.rglob("*" + SUFFIX) if "unfinished" not in path.name)
    click.echo(" " * 22 + "".join(f"{name:>7}    " for name in SHOWN))
    with ProcessPoolExecutor(jobs) as workers:
        if leave_one_out:
            reads = list(chain.from_iterable(map(readings, paths)))
            for group, _, found in left_out(reads, "disturbance"):
                theirs = [path for path in paths if f"-{group}-" in path.name]
                than = summed(workers, theirs, load_default_numbers())
                other = replace(load_default_numbers(), **dict(zip(NAMES, map(float, found), strict=True)))
                click.echo(line(group, summed(workers, theirs, other), than) + f"  {written(found)}")
            return
        than = summed(workers, paths, load_default_numbers())
        click.echo(line("as shipped", than, than))
        for name, other in moved(by):
            click.echo(line(name, summed(workers, paths, other), than))


if __name__ == "__main__":
    command()
