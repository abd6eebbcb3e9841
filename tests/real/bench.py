"""`make bench-real DATA=... PICTURES=...`: today's referee on real footage, and a plain reader beside it.

DATA has the stored footage (default: the part of it that is in this repository): scholarsmate.avi and .json, go_seq1,
go_seq2, oliverbutler/game*.json. PICTURES is a checkout or clone of OliverButlerSU/Realtime-Chess-Digitizer, by default
DATA/oliverbutler. What is not there is named in the table and left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import chess
import click
import cv2

from tests.plugin.site import at_hand
from tests.real import film, naive, photographs, stones
from tests.real.clip import Clip
from tests.real.figures import COLUMNS, Figures, compared, refereed, total

STORED = Path(__file__).parents[1] / "data" / "real"
EVERY = 3
"""Of the pieces of the photographed games, every so many."""
WHOLE = 4
"""So many of the games are refereed whole; one that is lost early takes minutes."""

Row = list[object]
Part = Callable[[], Iterator[Row]]


def measured(label: str, clips: Iterable[Clip]) -> Row:
    """The row of some clips together; each is named on standard error when it is done."""
    figures = []
    for clip in clips:
        figures.append(compared(clip, refereed(clip)))
        print(f"{clip.name}: {figures[-1].right} of {figures[-1].plies}", file=sys.stderr, flush=True)
    return [label, *total(figures).row()]


def plain(label: str, games: Iterable[Iterable[bool]]) -> Row:
    """The row of the plain reader."""
    read = [list(answers) for answers in games]
    right, plies = sum(map(sum, read)), sum(map(len, read))
    row = Figures(len(read), sum(map(all, read)), plies, right, plies - right).row()[:5]
    return [label, *row, *["-"] * (len(COLUMNS) - len(row))]


def film_rows(folder: Path) -> Iterator[Row]:
    """The film as it is, at full speed from a start position at rest, and with pauses."""
    one = film.load(folder)
    for clip in (film.as_it_is(one), film.full_speed(one), film.with_pauses(one)):
        yield measured(clip.name, [clip])
    shown = [None if number is None else one.images[number] for number in one.quiet]
    answers = naive.answers(one.corners, shown, one.moves, chess.Board())
    yield plain("film, pictures without hands, plain reader", [answers])


def stone_rows(folder: Path) -> Iterator[Row]:
    """Each Go sequence that is there."""
    for name in stones.there(folder):
        yield measured(f"Go, {name}", [stones.clip(folder / name)])


def photograph_rows(folder: Path, repository: Path, every: int, whole: int) -> Iterator[Row]:
    """The photographs in pieces, in whole games, and the plain reader on all of them."""
    found = photographs.load(folder, repository)
    which = "every piece" if every == 1 else f"every {every}. piece"
    yield measured(f"photographs, {which} of {photographs.PIECE}", photographs.pieces(found, every))
    games = (photographs.clip(game, 0, len(game.moves)) for game in found[:whole])
    yield measured(f"photographs, the first {len(found[:whole])} games whole", games)
    read = (
        naive.answers(game.corners, map(game.photograph, range(len(game.moves) + 1)), game.moves, game.board(0))
        for game in found
    )
    yield plain("photographs, plain reader", read)


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path), default=STORED)
@click.option("--pictures", type=click.Path(path_type=Path), help="Where the photographs' repository was fetched to.")
@click.option("--every", type=click.IntRange(1), default=EVERY, show_default=True, help="Which pieces of the games.")
@click.option("--whole", type=click.IntRange(0), default=WHOLE, show_default=True, help="How many whole games.")
def command(data: Path, pictures: Path | None, every: int, whole: int) -> None:
    """Print the table. Exit 1 if nothing at all could be measured."""
    cv2.setNumThreads(1)
    where = pictures or data / photographs.TRUTH
    parts: dict[str, tuple[str, Part]] = {
        "film": ("" if film.there(data) else f"no {film.FILE}.avi and .json in {data}", lambda: film_rows(data)),
        "Go": ("" if stones.there(data) else f"no {', '.join(stones.SEQUENCES)} in {data}", lambda: stone_rows(data)),
        "photographs": (photographs.there(data, where), lambda: photograph_rows(data, where, every, whole)),
    }
    click.echo("| | " + " | ".join(COLUMNS) + " |\n" + "|---" * (len(COLUMNS) + 1) + "|")
    with at_hand("chess", "go"):
        for name, (missing, rows) in parts.items():
            if missing:
                click.echo(f"| {name}: not there | " + " | ".join("-" * len(COLUMNS)) + " |")
                click.echo(f"{name}: {missing}", err=True)
            else:
                for row in rows():
                    click.echo("| " + " | ".join(map(str, row)) + " |")
    if all(missing for missing, _ in parts.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    command()
