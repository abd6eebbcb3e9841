"""`referee perft`: how many lines of play a position has, counted."""

from __future__ import annotations

import click

from engine.perft import divide, perft
from server.inputs import read_position
from server.masking import print_line


@click.command
@click.argument("game")
@click.argument("depth", type=click.IntRange(min=0, max=99))
@click.option("--rules", help="Rule set, with switches as in `wcf,castle_move_limit=3`.")
@click.option("--position", "source", metavar="FILE", help="A position (JSON) in place of the start; - reads it here.")
@click.option("--paths", is_flag=True, help="Count written paths in place of results.")
@click.option("--divide", "divided", is_flag=True, help="First a line for each first move.")
def command(game: str, depth: int, rules: str | None, source: str | None, *, paths: bool, divided: bool) -> None:
    """Count the lines of DEPTH moves of GAME; the last line is the count alone."""
    found, position = read_position(game, rules, source)
    if not divided or depth == 0:
        click.echo(str(perft(found, position, depth, paths=paths)))
        return
    total = 0
    for move, count in divide(found, position, depth, paths=paths):
        print_line(f"{found.write(position, move)}: {count}")
        total += count
    click.echo(str(total))
