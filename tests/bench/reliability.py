"""How often opinions are true, by how surely they are held: python -m tests.bench.reliability FOLDER...

Each look of a trace of the corpus at a clear board is judged again; the likeliest explanation, said or not, is
compared with what really stood there. Looks at the same ply are no independent cases, so plies are counted as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import click
from PIL import Image, ImageDraw, ImageFont

from engine.belief.opinion import Opinion
from engine.belief.verdicts import Covered, Doubtful, Earlier, Played, PutUpAgain, Still, Verdict
from engine.match.state import Match
from server.record.traces.refold import refold_lines
from server.record.traces.trace import load_trace
from tests.bench.corpus import SUFFIX
from tests.bench.corpus_truth import Stood
from tests.bench.replay_corpus import still_asked

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98, 0.99, 1.001)
"""Deciles, and the last of them where things are said."""
KINDS = ("drawn", "path traced")
ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "pictures" / "reliability.png"
SIDE, EDGE = 420, 70
COLOURS = {"drawn": (30, 92, 150), "path traced": (226, 140, 40)}
INK, FAINT, BACK = (34, 38, 44), (150, 154, 160), (255, 255, 255)


class Held(NamedTuple):
    """One opinion: how surely it was held, whether it was true, and of which films and ply."""

    probability: float
    true: bool
    kind: str
    split: str
    ply: str


def board_after(match: Match, verdict: Verdict) -> bytes | None:
    """What stands if a verdict is right; None for what nobody can stand still in."""
    match verdict:
        case Played(moves=moves, replaces=replaces):
            position = match.positions[-1 - replaces]
            for move in moves:
                position = match.game.play(position, move)
            return position.placement
        case Still():
            return match.position.placement
        case Earlier(plies=plies):
            return match.positions[-1 - plies].placement
        case PutUpAgain():
            return match.positions[0].placement
    return None


def likeliest(opinion: Opinion) -> tuple[float, Verdict]:
    """The explanation that is held likeliest, said or not, and how surely."""
    unsaid = isinstance(opinion.verdict, Doubtful | Covered) and opinion.best
    return (opinion.best[0][0], opinion.best[0][1].verdict) if unsaid else (opinion.probability, opinion.verdict)


def held(path: Path) -> list[Held]:
    """The opinions of a trace on looks at a clear board."""
    trace = load_trace(path)
    assert trace.truth is not None
    truth, film = Stood(trace), trace.truth["film"]
    kind = KINDS[bool(film["folder"])]
    out, match = [], trace.initial_match
    for one in refold_lines(trace, still_asked):
        opinion, shown = one.outcome.opinion, truth.at(one.given.t)
        if opinion is not None and shown is not None and shown[1] and not one.outcome.ignored:
            chance, verdict = likeliest(opinion)
            if not isinstance(verdict, Doubtful):  # of what nobody thought of nobody can say whether it was so
                stands = board_after(match, verdict) == truth.after[shown[0]]
                out.append(Held(chance, stands, kind, film["split"], f"{path.name} {shown[0]}"))
        match = one.outcome.state.match
    return out


def table(some: Iterable[Held]) -> Iterator[tuple[float, float, int, int, float, float]]:
    """For each class of probability: its edges, looks, plies, the mean probability and the share that was true."""
    some = list(some)
    for low, high in pairwise(EDGES):
        here = [one for one in some if low <= one.probability < high]
        if here:
            mean = sum(one.probability for one in here) / len(here)
            yield low, high, len(here), len({one.ply for one in here}), mean, sum(o.true for o in here) / len(here)


def picture(found: Sequence[Held]) -> Image.Image:
    """Share that was true over the probability; discs as large as what they stand on."""
    image = Image.new("RGB", (SIDE + 2 * EDGE, SIDE + 2 * EDGE), BACK)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(14)
    pen.rectangle((EDGE, EDGE, EDGE + SIDE, EDGE + SIDE), outline=FAINT)
    pen.line((EDGE, EDGE + SIDE, EDGE + SIDE, EDGE), fill=FAINT)
    for share in (0.0, 0.5, 1.0):
        at = EDGE + SIDE * share
        pen.text((at, EDGE + SIDE + 8), f"{share:.0%}", INK, font, anchor="ma")
        pen.text((EDGE - 8, 2 * EDGE + SIDE - at), f"{share:.0%}", INK, font, anchor="rm")
    pen.text((EDGE + SIDE / 2, EDGE + SIDE + 34), "how surely it is believed", INK, font, anchor="ma")
    pen.text((EDGE, 20), "how often it is true", INK, font)
    for number, kind in enumerate(KINDS):
        pen.text((EDGE + 12, EDGE + 12 + 20 * number), f"{kind} boards", COLOURS[kind], font)
        for _, _, looks, _, mean, true in table(one for one in found if one.kind == kind):
            x, y, r = EDGE + SIDE * mean, EDGE + SIDE * (1 - true), min(12.0, 2.0 + looks**0.5 / 8)
            pen.ellipse((x - r, y - r, x + r, y + r), outline=COLOURS[kind], width=3)
    return image


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--jobs", default=1, show_default=True, help="traces judged side by side, a core each")
@click.option("--picture", "out", type=click.Path(dir_okay=False, path_type=Path), help=f"draw it, as in {FILE.name}")
def command(folders: Sequence[Path], jobs: int, out: Path | None) -> None:
    """Judge the traces under FOLDERS and print how often opinions were true."""
    paths = sorted(path for folder in folders for path in folder.rglob("*" + SUFFIX) if "unfinished" not in path.name)
    with ProcessPoolExecutor(jobs) as workers:
        found = [one for some in workers.map(held, paths, chunksize=4) for one in some]
    for split in ("fit", "test"):
        for kind in KINDS:
            some = [one for one in found if (one.split, one.kind) == (split, kind)]
            click.echo(f"{split}, {kind}: {len(some)} looks")
            for low, high, looks, plies, mean, true in table(some):
                click.echo(f"  {low:5.2f} to {min(high, 1):4.2f}: {looks:6} looks of {plies:4} plies, {mean:7.2%} sure,"
                           f" {true:7.2%} true")  # fmt: skip
    if out:
        picture(found).save(out, optimize=True)


if __name__ == "__main__":
    command()
