"""Judges the corpus anew, from traces alone: python -m tests.bench.replay_corpus FOLDER... [--jobs N] [--each]

Prints what was right, wrong, asked, found and falsely called, and which plies went by in silence, for each split and
disturbance. What people told the referee when the trace was made is told again where it is still needed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import click

from engine.match.acts import Correct
from engine.match.events import Event
from engine.match.judging import Asked, State
from engine.match.state import Match
from server.record.traces.refold import RefoldedLine, refold_lines
from server.record.traces.trace import Trace, load_trace
from tests.bench.corpus import FIGURES, SUFFIX, taken
from tests.bench.report import Report, judge_calls, judge_moves
from tests.bench.watched import Watched


@dataclass
class Judged:
    """One trace judged anew."""

    name: str
    split: str
    disturbance: str
    figures: dict[str, float]
    looks: int
    seconds: float
    same: bool
    """Whether the same was said as when the trace was made."""
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Stands:
    """What of a referee its figures ask for."""

    match: Match


def judged(path: Path) -> Judged:
    """The figures of a trace of the corpus."""
    trace = load_trace(path)
    lines = list(refold_lines(trace, still_asked))
    return figures(path.name.removesuffix(SUFFIX), trace, lines)


def still_asked(state: State, asked: Asked) -> bool:
    """People say which ply was played only if the referee does not know it."""
    return not isinstance(asked.act, Correct) or asked.act.ply > len(state.match.moves)


def figures(name: str, trace: Trace, lines: Sequence[RefoldedLine]) -> Judged:
    """What came of a trace, against its truth."""
    assert trace.truth is not None, f"{name}: a trace of the corpus has a truth"
    take, film = taken(trace.truth), trace.truth["film"]
    spans = {int(number): (begin, end) for number, (begin, end) in trace.truth["spans"].items()}
    report, watched = Report(take.name, plies=len(take.moves), illegal=len(take.illegal)), Watched()
    helped = {one.given.act for one in lines if isinstance(one.given, Asked) and one.outcome.events}
    report.helped = len({act.ply for act in helped if isinstance(act, Correct)})
    _follow(watched, trace, lines)
    watched.note(report)
    judge_moves(report, take, spans, watched.told)
    judge_calls(report, take, spans, watched.told)
    return Judged(
        name,
        film["split"],
        film["disturbance"],
        {name: getattr(report, name) for name in FIGURES},
        sum(one.is_look for one in lines),
        sum(one.seconds for one in lines),
        all(one.is_same for one in lines),
        report.remarks,
    )


def _follow(watched: Watched, trace: Trace, lines: Sequence[RefoldedLine]) -> None:
    """The moments of the film again, with what is said at each of them now."""
    truth = trace.truth or {}
    stands, ahead = Stands(trace.initial_match), list(lines)
    shown = [row[1:] for row in truth["shown"] for _ in range(row[0])]
    for t, (played, clear, seeable) in zip(truth["times"], shown, strict=True):
        events: list[Event] = []
        while ahead and (ahead[0].given.t < t or (ahead[0].given.t == t and not isinstance(ahead[0].given, Asked))):
            one = ahead.pop(0)
            stands = Stands(one.outcome.state.match)
            events += () if isinstance(one.given, Asked) else one.outcome.events
        watched.frame(stands, events, t, played, clear, seeable)


def table(found: Sequence[Judged]) -> Iterable[str]:
    """Figures of each split, then of each disturbance."""
    groups: dict[str, list[Judged]] = {}
    for one in found:
        groups.setdefault(one.split, []).append(one)
    for one in sorted(found, key=lambda one: one.disturbance):
        groups.setdefault(one.disturbance, []).append(one)
    yield f"{'':14}" + "".join(f"{name:>9}" for name in ("films", *FIGURES))
    for name, some in (*groups.items(), ("together", list(found))):
        sums = (sum(one.figures[figure] for one in some) for figure in FIGURES)
        yield f"{name:14}" + "".join(f"{number:9g}" for number in (len(some), *sums))


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--jobs", default=2, show_default=True, help="traces judged side by side, a core each")
@click.option("--each", is_flag=True, help="a line for each trace too, and what went wrong in it")
def command(folders: Sequence[Path], jobs: int, each: bool) -> None:
    """Judge every trace under FOLDERS."""
    paths = sorted(path for folder in folders for path in folder.rglob("*" + SUFFIX) if "unfinished" not in path.name)
    begun = time.perf_counter()
    found: list[Judged] = []
    with ProcessPoolExecutor(jobs) as workers:
        for one in workers.map(judged, paths, chunksize=4):
            found.append(one)
            if each:
                click.echo(f"{one.name}: {', '.join(f'{name} {one.figures[name]}' for name in FIGURES)}")
                for remark in one.remarks:
                    click.echo(f"    {remark}")
    for line in table(found):
        click.echo(line)
    looks, spent = sum(one.looks for one in found), sum(one.seconds for one in found)
    click.echo(
        f"{len(found)} traces, {sum(one.same for one in found)} with the same events as when they were made; "
        f"{looks} looks, {1e3 * spent / max(looks, 1):.1f} ms each; {time.perf_counter() - begun:.0f} s in all"
    )


if __name__ == "__main__":
    command()
