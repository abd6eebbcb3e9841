"""`referee report`: one file to send along with a report of trouble."""

from __future__ import annotations

import io
import json
import os
import platform
import sys
import time
import zipfile
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path

import click

from engine import outside
from engine.errors import InputError
from server.board.pages.app import demonstration_record
from server.board.setup.save import default_profile
from server.commands.doctor import SIGNS, collect_findings
from server.disk import write_new
from server.exits import DONE
from server.masking import mask_passwords, print_line
from server.options import A_FILE, FILE_OR_FOLDER, OUT_FILE
from server.record.details import DETAILS, FIELDS
from server.record.evidence import EVIDENCE, folder_of, read_picture
from server.record.store import default_path, read_record
from server.settings import default_path as settings_path
from server.versions import own_version

LAST_EVENTS = 300
"""Of the last game, what each look scored among them: all of a game of a hundred plies. More makes files that no form
takes, less leaves out where the trouble began."""
LAST_PICTURES = 8
OF_PEOPLE = frozenset({*FIELDS, "player", "rating", "players", "ratings"})
"""Settings that say who plays and where: they are left out."""


@click.command(help="Write one file for a report of trouble: versions, check-up, settings, last looks.")
@click.option("--out", type=OUT_FILE, help="File to write; default: one by its date.")
@click.option("--pictures", is_flag=True, help="With the last pictures of the board.")
@click.option("--profile", type=FILE_OR_FOLDER, help="Profile of the board; default: your own.")
@click.option("--record", type=A_FILE, help="Where games are kept.")
def command(out: Path | None, *, pictures: bool, profile: Path | None, record: Path | None) -> int:
    """Nothing is sent anywhere: people look into the file, and attach it themselves."""
    out = out or Path(time.strftime("referee-report-%Y%m%d-%H%M%S.zip"))
    profile = profile or default_profile()
    parts: dict[str, bytes] = {"report.txt": _describe_installation(profile).encode()}
    for name, file in (("board.toml", profile), ("settings.json", settings_path(os.environ))):
        if file.is_file():
            parts[name] = _masked_settings(file) if name.endswith("json") else mask_passwords(_read_text(file)).encode()
    own = default_path() if default_path().is_file() else demonstration_record()
    parts |= _last_game(record or own, pictures=pictures)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    try:
        write_new(out, packed.getvalue())
    except OSError as error:
        there = isinstance(error, FileExistsError)
        raise InputError(f"--out {out}: {'it is there already: name another' if there else error.strerror}") from error
    print_line(f"{out}: {', '.join(parts)}")
    click.echo("Passwords, and who plays and where, are left out. Look through it before you send it.")
    if not pictures:
        click.echo("No picture is in it; with --pictures the last ones of the board are.")
    return DONE


def _describe_installation(profile: Path) -> str:
    """Versions and the check-up, for people."""
    lines = [
        f"camelot-referee {own_version()}, {time.strftime('%Y-%m-%d %H:%M %z')}",
        f"{platform.python_implementation()} {platform.python_version()}, {platform.platform()}, {platform.machine()}, "
        f"{os.cpu_count()} processors",
        f"installed in {sys.prefix}",
        "",
        *(f"{SIGNS[one.state]} {one.check}: {one.message}" for one in collect_findings(profile)),
        "",
        *sorted({f"{one.metadata['Name']} {one.version}" for one in distributions()}, key=str.lower),
    ]
    return mask_passwords("\n".join(lines) + "\n").replace(str(Path.home()), "~")


def _read_text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _masked_settings(file: Path) -> bytes:
    """The settings without who plays, as JSON; of a file that is none, why."""
    try:
        tables = outside.parse_toml(_read_text(file), "settings.toml")
    except InputError as error:
        return json.dumps({"wrong": mask_passwords(str(error))}).encode()
    kept = {
        name: {key: value for key, value in table.items() if key not in OF_PEOPLE} if isinstance(table, dict) else table
        for name, table in tables.items()
    }
    return mask_passwords(json.dumps(kept, indent=1, default=str)).encode()


def _last_game(record: Path, *, pictures: bool) -> dict[str, bytes]:
    """The last events of the game that was begun last, and the pictures that they name."""
    try:
        with read_record(record) as opened:
            games = opened.list_summaries()
            if not games:
                return {}
            newest = max(games, key=lambda game: game.begun)
            events = [one for one in opened.read_events(newest.name) if one.get("event") != DETAILS][-LAST_EVENTS:]
    except InputError as error:
        return {"games.txt": mask_passwords(f"{error}\n").encode()}
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in events)
    return {f"{newest.name}.jsonl": mask_passwords(lines).encode()} | (
        _collect_pictures(record, events) if pictures else {}
    )


def _collect_pictures(record: Path, events: Sequence[Mapping[str, object]]) -> dict[str, bytes]:
    """The last pictures that were kept, by ply."""
    found: dict[str, bytes] = {}
    for event in reversed(events):
        for side in ("after", "before"):
            digest = event.get(side)
            if event.get("event") != EVIDENCE or not isinstance(digest, str) or len(found) >= LAST_PICTURES:
                continue
            try:
                data = read_picture(folder_of(record), digest)
            except (InputError, OSError):  # of what is gone, or changed, the event itself is in the file
                continue
            found[f"pictures/{event.get('ply')}-{side}.jpg"] = data
    return found
