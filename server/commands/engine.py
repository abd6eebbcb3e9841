"""`referee engine`: our engine, speaking UGI; `referee engine bench` says how quickly it searches."""

from __future__ import annotations

import sys

import click

from engine import games
from opponent.engines.ugi import Ugi
from opponent.players.choosing import PLAYER_NAMES, find_strongest_player
from opponent.players.deep import core_of
from opponent.players.thinking import Info, Task
from opponent.vocabulary import HIGHEST, LOWEST, Limits
from server.masking import print_line
from server.options import NumberRange


@click.group(invoke_without_command=True)
@click.option(
    "--player", type=click.Choice(PLAYER_NAMES), default="search", show_default=True, help="What finds the moves."
)
@click.option("--level", type=click.IntRange(LOWEST, HIGHEST), default=HIGHEST, show_default=True, help="Its strength.")
@click.pass_context
def command(context: click.Context, player: str, level: int) -> None:
    """Play as an engine: read UGI commands on standard input and answer on standard output (docs/engines.md)."""
    if context.invoked_subcommand is None:
        Ugi(lambda line: print(line, flush=True), player, level).serve_lines(sys.stdin)


@command.command
@click.option("--seconds", type=NumberRange(min=0.1, max=600), default=2.0, show_default=True, help="For each game.")
@click.argument("names", metavar="[GAME]...", nargs=-1)
def bench(seconds: float, names: tuple[str, ...]) -> None:
    """Search the start of each game, and say how deep and how many nodes a second."""
    for name in names or games.names():
        game = games.load(name)
        said: list[Info] = []
        task = Task(game, (game.start(),), Limits(movetime_ms=round(seconds * 1000)), say=said.append)
        find_strongest_player(game).choose_move(task)
        how = "compiled" if core_of(game) is not None else "Python"
        last = said[-1] if said else Info(0, 0, 0, seconds)
        rate = last.nodes / last.seconds if last.seconds else 0
        print_line(f"{name} {game.rules}: depth {last.depth}, {rate:.0f} nodes/s ({how})")
