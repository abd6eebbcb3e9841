"""`referee games list|show|export|delete`: the games that were played."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from engine.errors import InputError
from server.archive import Events, as_jsonl, as_pgn, as_replay, events_of
from server.cli import DONE
from server.evidence import folder_of, forget
from server.exports.film import film
from server.exports.page import page
from server.exports.sheet import sheet
from server.record import existing, open_record

FORMATS: dict[str, Callable[[str, Events], bytes]] = {
    "pgn": lambda name, events: as_pgn(name, events).encode(),
    "jsonl": lambda name, events: as_jsonl(events).encode(),
    "html": lambda name, events: page(as_replay(name, events)).encode(),
    "gif": lambda name, events: film(as_replay(name, events)),
    "pdf": lambda name, events: sheet(as_replay(name, events)),
}
record_option = click.option(
    "--record", "path", type=click.Path(dir_okay=False, path_type=Path), help="Default: your own record."
)


@click.command("list")
@record_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_games(path: Path | None, as_json: bool) -> int:
    """Every game in the record, the newest first."""
    with open_record(existing(path)) as record:
        found = record.summaries()
    if as_json:
        for summary in found:
            click.echo(json.dumps({key: value for key, value in asdict(summary).items() if key != "head"}))
        return DONE
    table = Table("name", "begun", "rules", "plies", "result", box=None)
    for summary in found:
        rules = f"{summary.game} {summary.rules}"
        table.add_row(summary.name, summary.begun[:16].replace("T", " "), rules, str(summary.plies), summary.result)
    Console().print(table)
    return DONE


@click.command
@click.argument("name", metavar="GAME")
@record_option
def show(name: str, path: Path | None) -> int:
    """One game as text, with the time of each move."""
    with open_record(existing(path)) as record:
        click.echo(as_pgn(name, events_of(record, name)), nl=False)
    return DONE


@click.command
@click.argument("name", metavar="GAME")
@record_option
@click.option("--format", "kind", type=click.Choice(sorted(FORMATS)), help="Default: by the ending of the file.")
@click.option("-o", "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="File to write.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def export(name: str, path: Path | None, kind: str | None, out: Path, force: bool) -> int:
    """One game as a file: text, lines of JSON, a page to replay it, a moving picture, a score sheet."""
    chosen = kind or out.suffix.removeprefix(".").lower()
    if chosen not in FORMATS:
        raise InputError(f"{out}: give --format, or a name that ends in one of {', '.join(sorted(FORMATS))}")
    if out.exists() and not force:
        raise InputError(f"{out}: is there already; --force writes over it")
    with open_record(existing(path)) as record:
        events = events_of(record, name)
    data = FORMATS[chosen](name, events)
    out.write_bytes(data)
    click.echo(f"{out}: {name}, {len(data)} bytes")
    return DONE


@click.command
@click.argument("names", nargs=-1, required=True, metavar="GAME...")
@record_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(names: tuple[str, ...], path: Path | None, yes: bool) -> int:
    """Remove games for good. End `referee serve` first if one of them is being played."""
    file = existing(path)
    with open_record(file) as record:
        for name in names:
            events_of(record, name)
        if not yes:
            click.confirm(f"Delete {', '.join(names)} from {file} for good?", abort=True)
        for name in names:
            forget(record, folder_of(file), name)
            record.delete(name)
            click.echo(f"{name}: deleted")
    return DONE
