"""The openings that our engine knows: `python -m tests.opponent.make_book` writes opponent/players/openings/ anew.

Two sources: the first plies of recorded games, as they were played, and openings that the engine plays against itself,
each time seeing positions a little otherwise, so that they differ. Of its own a line is kept if a longer search holds
it for even.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from engine import games
from engine.game import Game, Move
from engine.text import records
from opponent.players.book import OPENINGS
from opponent.players.deep import core_of, move_of

RECORDED = {"camelot": (Path(__file__).parents[1] / "data" / "games" / "wc2009-g1.pgn",)}
"""Games of championships, by game."""
RECORDED_WEIGHT = 8
"""A recorded line counts as this many of the engine's own: people have thought about it for longer."""
PLIES = 8
"""Of a line; more is hardly met, since the other side leaves the book."""
NODES, NOISE = 10_000, 10
"""For each ply, and hundredths of a man by which positions are seen otherwise in each opening: less, and they are the
same; more, and they are worse than what the search finds by itself."""
JUDGED, EVEN = 100_000, 40
"""Nodes that judge where a line leads, and the hundredths of a man up to which neither side has gained by it."""


def own(game: Game, number: int) -> tuple[str, ...] | None:
    """An opening of the engine against itself; None if it is not even."""
    core = core_of(game)
    if core is None:
        raise SystemExit("no compiled core: run `pip install -e .` where a compiler is")
    way, texts = [game.start()], []
    scores: list[int] = []
    for _ in range(PLIES):
        best = core.search(way, bytearray(1), lambda *said: None, nodes=NODES, noise=NOISE, seed=number)
        move = move_of(game, way[-1], best)
        texts.append(game.write(way[-1], move))
        way.append(game.play(way[-1], move))
        if game.outcome(way[-1]) is not None:
            return None
    core.search(way, bytearray(1), lambda depth, score, *said: scores.append(score), nodes=JUDGED)
    return tuple(texts) if scores and abs(scores[-1]) <= EVEN else None


def recorded(game: Game) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Whose, and the first plies of each game that is at hand."""
    for path in RECORDED.get(game.name, ()):
        for record in records.read_pgn(path.read_text(encoding="utf-8"), path.name):
            tags, position, texts = dict(record.tags), game.start(), []
            for ply in record.plies[:PLIES]:
                move = game.read(position, ply.text)
                if not isinstance(move, Move):
                    raise SystemExit(f"{path.name}: {ply.text} is not lawful")
                texts.append(game.write(position, move))
                position = game.play(position, move)
            yield f"{tags['Event']}, {tags['White']} against {tags['Black']}, {tags['Date']}", tuple(texts)


@click.command()
@click.option("--openings", default=150, show_default=True, help="That the engine plays of each game.")
@click.argument("names", nargs=-1)
def command(openings: int, names: tuple[str, ...]) -> None:
    """Write the openings of each game."""
    for name in names or ("camelot", "tri-camelot", "cam-3d", "camblam"):
        game = games.load(name)
        lines = ["# A weight, and the moves from the start placement."]
        for whose, texts in recorded(game):
            lines += [f"# {whose}", f"{RECORDED_WEIGHT} {' '.join(texts)}"]
        found = Counter(texts for number in range(1, openings + 1) if (texts := own(game, number)) is not None)
        lines += ["# Played by this program against itself"]
        lines += [f"{times} {' '.join(texts)}" for texts, times in sorted(found.items())]
        OPENINGS.mkdir(exist_ok=True)
        (OPENINGS / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        click.echo(f"{name}: {len(found)} lines, {found.total()} of {openings} openings even")


if __name__ == "__main__":
    command()
