"""`referee games list|show|export|import|delete`: the games that were played."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import click
from rich.cells import cell_len
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table
from rich.text import Text

from engine.errors import InputError
from engine.text.replay import UNFINISHED
from server.disk import replace_output
from server.exits import DONE
from server.inputs import read_text
from server.masking import escape_to_line, print_line, print_text
from server.options import A_FILE, OUT_FILE
from server.record.archive import as_pgn, as_replay, read_game_events
from server.record.evidence import find_unshared_pictures, folder_of, remove_pictures
from server.record.exports import FORMATS
from server.record.exports.page import render_page
from server.record.exports.photos import pictures_after, small_photo_uri
from server.record.imports import (
    add_games_to_file,
    assumed_in,
    describe_assumption,
    describe_no_result,
    parse_text,
)
from server.record.playing import check_name, is_claimed
from server.record.store import Record, open_record, record_at, require_record
from server.saying import describe_default_rules

MOST_NAMED = 20
"""Games or pictures from which a bar is shown: fewer take less than a second."""
OTHER_COLUMNS = 40
"""Characters that the others have at least, beside the longest name."""
T = TypeVar("T")
record_option = click.option("--record", "path", type=A_FILE, help="Default: your own record.")


@click.command("list")
@record_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_games(path: Path | None, *, as_json: bool) -> int:
    """Every game in the record, the newest first."""
    with open_record(require_record(path)) as record:
        found = record.list_summaries()
    if as_json:
        for summary in found:
            said = {key: value for key, value in asdict(summary).items() if key not in {"head", "details"}}
            click.echo(json.dumps(said | summary.known()))
        return DONE
    named = [column for column in ("players", "event") if any(summary.known()[column] for summary in found)]
    longest = max((cell_len(escape_to_line(summary.name)) for summary in found), default=0)
    table = Table(
        Column("name", no_wrap=True, min_width=longest), "begun", "rules", "plies", "result", *named, box=None
    )
    for summary in found:
        rules = f"{summary.game} {summary.rules}"
        begun, known = summary.begun[:16].replace("T", " "), [summary.known()[column] for column in named]
        cells = (summary.name, begun, rules, str(summary.plies), summary.result, *known)
        table.add_row(*map(Text, map(escape_to_line, cells)))
    console = Console()
    console.width = max(console.width, longest + OTHER_COLUMNS)
    console.print(table, crop=False)
    return DONE


@click.command
@click.argument("name", metavar="GAME")
@record_option
def show(name: str, path: Path | None) -> int:
    """One game as text, with the time of each move."""
    with open_record(require_record(path)) as record:
        print_text(as_pgn(name, read_game_events(record, name)), nl=False)
    return DONE


@click.command
@click.argument("name", metavar="GAME")
@record_option
@click.option("--format", "kind", type=click.Choice(sorted(FORMATS)), help="Default: by the ending of the file.")
@click.option("-o", "--out", required=True, type=OUT_FILE, help="File to write.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option(
    "--pictures/--no-pictures", default=True, help="Put the camera's pictures, if kept, into the page (html)."
)
def export(name: str, path: Path | None, kind: str | None, out: Path, *, force: bool, pictures: bool) -> int:
    """One game as a file: text, lines of JSON, a page to replay it, a moving picture, a score sheet."""
    chosen = kind or out.suffix.removeprefix(".").lower()
    if chosen not in FORMATS:
        raise InputError(f"{out}: give --format, or a name that ends in one of {', '.join(sorted(FORMATS))}")
    if out.exists() and not force:
        raise InputError(f"{out}: is there already; --force writes over it")
    file = require_record(path)
    with open_record(file) as record:
        events = read_game_events(record, name)
    if chosen == "html" and pictures:
        after = pictures_after(events)
        found = {ply: small_photo_uri(folder_of(file), after[ply]) for ply in show_progress(sorted(after), "pictures")}
        data = render_page(
            as_replay(name, events, {ply: picture for ply, picture in found.items() if picture})
        ).encode()
    else:
        data = FORMATS[chosen](name, events)
    replace_output(out, data)
    print_line(f"{out}: {name}, {len(data)} bytes")
    return DONE


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=A_FILE)
@click.option("--record", "path", type=A_FILE, help="Default: your own record.")
@click.option("--variant", help="The game, of records without the tag Variant.")
@click.option("--rules", help="The rule set, of records without the tag Rules.")
def import_games(files: tuple[Path, ...], path: Path | None, variant: str | None, rules: str | None) -> int:
    """Take games from files into the record: text as `export` writes it, or lines of JSON (.jsonl)."""
    kept = record_at(path)
    check_name(kept)
    texts = [(file, read_text(str(file))) for file in show_progress(files, "reading")]
    found = [(file, parse_text(text, file, variant, rules)) for file, text in texts]
    changed = [(file, change) for file, parsed in found for change in parsed.list_changes()]
    taken_over = add_games_to_file(kept, [game for _, parsed in found for game in parsed.games])
    for (file, change), game in zip(changed, taken_over, strict=True):
        print_line(f"{file}: {game.name}, {game.plies} plies{change}")
    for (file, text), (_, parsed) in zip(texts, found, strict=True):
        if taken := None if variant else assumed_in(text, file, rules):
            print_line(describe_assumption(file, taken))
        if default := parsed.find_default_rules():
            print_line(describe_default_rules(str(file), default))
        if parsed.lacks_result:
            print_line(describe_no_result(file))
    return DONE


@click.command
@click.argument("names", nargs=-1, required=True, metavar="GAME...")
@record_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(names: tuple[str, ...], path: Path | None, *, yes: bool) -> int:
    """Remove games for good; one that is being played is refused."""
    file = require_record(path)
    claimed = is_claimed(file)
    with open_record(file) as record:
        for name in names:
            read_game_events(record, name)
        if claimed:
            _check_games_over(record, names)
        if not yes:
            click.confirm(escape_to_line(f"Delete {', '.join(names)} for good, in {file}?"), abort=True)
        for name in names:
            pictures = find_unshared_pictures(record, name)
            record.delete_game(name)
            remove_pictures(folder_of(file), pictures)
            print_line(f"{name}: deleted")
    return DONE


def _check_games_over(record: Record, names: Iterable[str]) -> None:
    """InputError if one of the games is not over while a referee plays into the record."""
    for name in names:
        summary = record.find_summary(name)
        if summary and summary.result == UNFINISHED:
            raise InputError(f"game {name}: may be the one that is being played; end `referee serve` first")


def show_progress(things: Sequence[T], doing: str) -> Iterable[T]:
    """The things one after another, with a bar on the terminal while they take their time."""
    console = Console(stderr=True)
    return track(
        things, doing, console=console, transient=True, disable=not console.is_terminal or len(things) < MOST_NAMED
    )
