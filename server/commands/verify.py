"""`referee verify`: whether a record is as it was written, and whether a score sheet belongs to it."""

from __future__ import annotations

from pathlib import Path

import click

from engine.errors import InputError
from server.disk import write_output
from server.exits import ANSWER_IS_NO, DONE
from server.inputs import read_text
from server.masking import print_line
from server.options import A_FILE, OUT_FILE
from server.record.chain import beginning_of
from server.record.evidence import folder_of
from server.record.seal import SEALED, key_path, read_own_public_key, short_key
from server.record.store import Record, open_record, require_record
from server.record.verifying import (
    advise_on_keys,
    compare_witness,
    find_record_faults,
    format_heads,
    list_misplaced,
    list_unproven,
    list_unsealed,
)


@click.command(help="Check that nothing in a record was changed since it was written; exit 1 if anything was.")
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--record", "path", type=A_FILE, help="Default: your own record.")
@click.option("--head", "typed", metavar="CODE", help="The code on a score sheet: is it of a game in this record?")
@click.option(
    "--witness",
    type=A_FILE,
    help="What was written with --write-witness and kept elsewhere: is all of it still here?",
)
@click.option(
    "--write-witness",
    "out",
    type=OUT_FILE,
    help="Write the newest hash of each game here; keep it where nobody who may write the record can.",
)
def command(
    games: tuple[str, ...],
    path: Path | None,
    typed: str | None,
    witness: Path | None,
    out: Path | None,
) -> int:
    """Exit 0 if every chain holds and every game can be played through, 1 with a line for each fault."""
    file = require_record(path)
    beginning = beginning_of(typed) if typed is not None else None
    with open_record(file) as record:
        faults, count = find_record_faults(record, folder_of(file), games)
        said: list[str] = []
        if not faults:
            doubts, seals = _check_seals(record)
            faults += doubts if beginning is None else []
            faults += compare_witness(record, read_text(str(witness)), str(witness)) if witness else []
            said = [*seals, *list_unsealed(record), *list_misplaced(record)]
            if out is not None:
                write_output(out, format_heads(record).encode(), "--write-witness")
        if beginning is not None:
            found = record.find_by_hash(beginning)
            missing = f"no event has the code {typed}: its game was changed or deleted, or is in another record"
            said = _describe_sheet_code(record, *found, str(typed)) if found else []
            faults += [] if found else [missing]
    for line in faults:
        print_line(f"{file}: {line}")
    if not faults:
        print_line(f"{file}: ok, {count} games")
    for line in said:
        print_line(line)
    return ANSWER_IS_NO if faults else DONE


def _describe_sheet_code(record: Record, game: str, number: int, typed: str) -> list[str]:
    """What a code that was found means."""
    events = record.read_events(game)
    later = [str(event.get("event")) for event in events[number:] if event.get("event") != SEALED]
    begun = str(events[0].get("begun", "")) if events else ""
    lines = [f"{game}: event {number} has the code {typed}: the sheet belongs to this game, begun {begun or 'undated'}"]
    return lines + ([f"{game}: written since then: {', '.join(sorted(set(later)))}"] if later else [])


def _check_seals(record: Record) -> tuple[list[str], list[str]]:
    """Games that ended without this referee's seal, and whose seals the games carry, a line each."""
    games: dict[str, set[str]] = {}
    for game, _, event in record.find_events(SEALED):
        games.setdefault(str(event["key"]), set()).add(game)
    try:
        known = read_own_public_key()
    except InputError as error:
        return [], [str(error)]
    said = [
        f"{len(names)} sealed by {'this referee' if key == known else 'another referee'} (key {short_key(key)})"
        for key, names in sorted(games.items())
    ]
    said += advise_on_keys(record, known)
    doubts = list_unproven(record, known)
    if not known and doubts:
        return [], [*said, f"no key at {key_path()}: whether this referee wrote them cannot be told"]
    return doubts, said
