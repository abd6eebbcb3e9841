"""Three players: are the others taken to play together, or each for itself? `python -m tests.opponent.three_seats`.

The same search in C, the same worth of positions and the same nodes for both ways; every opening is played with the one
on each seat against the other on two.
"""

from __future__ import annotations

import click

from engine import games
from engine.game import Game, Move, Position
from opponent.contest.openings import at_random
from opponent.contest.statistics import share
from opponent.players.deep import core_of, move_of

LONGEST = 300
"""Plies after which a game is a draw."""
WAYS = {"each for itself": True, "together": False}


def chosen(game: Game, way: tuple[Position, ...], itself: bool, nodes: int) -> Move:
    """The move of one of the two ways."""
    core = core_of(game)
    if core is None:
        raise SystemExit("no compiled core: run `pip install -e .` where a compiler is")
    found = core.search(way, bytearray(1), lambda *said: None, nodes=nodes, each_for_itself=itself)
    return move_of(game, way[-1], found)


def played(game: Game, opening: tuple[Move, ...], itself: tuple[bool, ...], nodes: int) -> tuple[float, ...]:
    """What each seat gets of the point."""
    way = [game.start()]
    for move in opening:
        way.append(game.play(way[-1], move))
    while len(way) < LONGEST and (outcome := game.outcome(way[-1])) is None:
        move = chosen(game, tuple(way), itself[way[-1].seat], nodes)
        way.append(game.play(way[-1], move))
    outcome = game.outcome(way[-1])
    if outcome is None or "/" in outcome.result:
        return (1 / len(game.seats),) * len(game.seats)
    return tuple(float(one) for one in outcome.result.split("-"))


@click.command()
@click.option("--nodes", default=(500, 5_000, 50_000), multiple=True, show_default=True)
@click.option("--openings", default=10, show_default=True, help="Each gives three games of each way against the other.")
def command(nodes: tuple[int, ...], openings: int) -> None:
    """Play, and print what one of each way wins against two of the other; a third would be as good."""
    game = games.load("tri-camelot")
    for most in nodes:
        for name, itself in WAYS.items():
            results = []
            for number in range(openings):
                opening = at_random(game, 6, number)
                for seat in range(3):
                    seats = tuple(itself if one == seat else not itself for one in range(3))
                    results.append(played(game, opening, seats, most)[seat])
            found = share(results)
            click.echo(
                f"{most} nodes, one {name} against two of the other: {100 * found.mean:.0f} % "
                f"(95 % between {100 * found.low:.0f} and {100 * found.high:.0f}, {found.games} games)"
            )


if __name__ == "__main__":
    command()
