"""`referee replay`: referee a recorded session again and compare what is said with what was said then."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import click

from server.cli import ANSWER_IS_NO, DONE
from server.session import EVENTS, replayed


@click.command(help="Referee a recorded session again; exit 1 if anything is said differently.")
@click.argument("session", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--quiet", is_flag=True, help="Only the answer, not the events.")
def command(session: Path, quiet: bool) -> int:
    """Exit 0 if the events are the same byte for byte, 1 if not, 2 if the folder is no session."""
    now: list[str] = []
    for line in replayed(session):
        now.append(line)
        if not quiet:
            click.echo(line, nl=False)
    with (session / EVENTS).open(encoding="utf-8", newline="") as file:
        then = file.readlines()
    for number, (was, is_) in enumerate(zip_longest(then, now), start=1):
        if was != is_:
            click.echo(f"{session}: line {number} of {EVENTS} differs", err=True)
            click.echo(f"  then: {(was or '(nothing)').rstrip()}", err=True)
            click.echo(f"  now:  {(is_ or '(nothing)').rstrip()}", err=True)
            return ANSWER_IS_NO
    click.echo(f"{session}: the same {len(now)} events", err=True)
    return DONE
