"""`referee engine`: our engine, speaking UGI."""

from __future__ import annotations

import sys

import click

from opponent.engines.ugi import Ugi
from opponent.players.choosing import NAMES
from opponent.players.levels import HIGHEST, LOWEST


@click.command
@click.option("--player", type=click.Choice(NAMES), default="search", show_default=True, help="What finds the moves.")
@click.option("--level", type=click.IntRange(LOWEST, HIGHEST), default=HIGHEST, show_default=True, help="Its strength.")
def command(player: str, level: int) -> None:
    """Play as an engine: read UGI commands on standard input and answer on standard output (docs/engines.md)."""
    Ugi(lambda line: print(line, flush=True), player, level).run(sys.stdin)
