"""What it costs to judge one look at its dearest: python -m tests.bench.bench_judging [--looks 40]

Mid-game positions, three plies played unseen, and every cell of the board reads as something: *plain* as what stands
there, with noise; *misread* one cell in four as anything. Milliseconds of the processor, no pictures.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import click

from engine import games
from engine.belief.decision import update_belief
from engine.belief.memory import Memory
from engine.belief.sight import InMotion, Sight
from engine.game import Game, Move, Position

GAMES = ("camelot", "tri-camelot", "cam-3d", "camblam")
UNSEEN = 3
KINDS = {"plain": 0.0, "misread": 0.25}
"""Share of the cells that read as anything."""
SURE, NOISE, SHOWN_S = 8.0, 2.0, 3.0


def played(game: Game, chance: random.Random, plies: int) -> tuple[list[Position], list[Move]]:
    """A game at random, at most so long."""
    positions, moves = [game.start()], list[Move]()
    while len(moves) < plies and (lawful := game.moves(positions[-1])):
        moves.append(chance.choice(lawful))
        positions.append(game.play(positions[-1], moves[-1]))
    return positions, moves


def look(game: Game, placement: bytes, chance: random.Random, misread: float) -> Sight:
    """What is read of a placement when every cell has been looked at."""
    rows = []
    for piece in placement:
        shown = chance.randrange(len(game.looks)) if chance.random() < misread else game.look_of[piece]
        rows.append([chance.gauss(0.0 if one == shown else -SURE, NOISE) for one in range(len(game.looks))])
    odd = [chance.random() * misread for _ in placement]
    return Sight(1.0, rows, odd, rested=True, moving_s=SHOWN_S, offset_cells=[0.0] * len(placement), clear=True)


def measured(game: Game, looks: int, misread: float) -> Iterator[float]:
    """Milliseconds of each look."""
    for number in range(looks):
        chance = random.Random(number)
        positions, moves = played(game, chance, chance.randrange(8, 60))
        if len(moves) <= UNSEEN:
            continue  # a random game of Cam 3-D may be over at once
        before, known = positions[: len(positions) - UNSEEN], moves[: len(moves) - UNSEEN]
        seen = look(game, positions[-1].placement, chance, misread)
        begun = time.thread_time()
        update_belief(game, before, known, seen, Memory(), InMotion())
        yield 1e3 * (time.thread_time() - begun)


@click.command()
@click.option("--looks", default=40, show_default=True, help="of each kind, for each game")
def command(looks: int) -> None:
    """Judge looks and print the middle, one in twenty, and the worst."""
    for name in GAMES:
        game = games.load(name)
        for kind, misread in KINDS.items():
            ms = sorted(measured(game, looks, misread))
            click.echo(f"{name:12} {kind:8} median {ms[len(ms) // 2]:5.0f} ms, one in twenty over "
                       f"{ms[int(0.95 * len(ms))]:5.0f}, worst {ms[-1]:5.0f}")  # fmt: skip


if __name__ == "__main__":
    command()
