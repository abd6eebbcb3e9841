"""`referee check`: game records played through, and where they break the rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from engine.errors import InputError
from engine.text.records import WrittenGame, read_pgn
from engine.text.replay import UNFINISHED, RecordFault, Replay, read_opening, replay_record
from server.inputs import read_text
from server.masking import print_line
from server.record.archive import as_pgn
from server.record.imports import (
    ParsedText,
    add_game_tags,
    assumed_in,
    describe_assumption,
    describe_no_result,
    is_prose,
    parse_text,
)
from server.record.journal import UnlawfulError

RULES_BROKEN = 1
NOT_READ = 2


@click.command
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--variant", help="The game, of records without the tag Variant.")
@click.option("--rules", help="Its rule set.")
def command(files: tuple[str, ...], variant: str | None, rules: str | None) -> int:
    """Read game records and say of each file whether every move is lawful.

    Besides text it takes pages of prose, and lines of JSON (.jsonl), as `referee games export` writes them. Exit 1 if
    any game is broken, 2 if a file cannot be read.
    """
    broken = unread = False
    for file in files:
        try:
            lines, faulty = _check_file(file, variant, rules)
        except InputError as error:  # the other files are reported on all the same
            print_line(f"referee: {error}", err=True)
            unread = True
            continue
        broken = broken or faulty
        for line in lines:
            print_line(line)
    if unread:
        return NOT_READ
    return RULES_BROKEN if broken else 0


def _check_file(file: str, variant: str | None, rules: str | None) -> tuple[list[str], bool]:
    """The lines about a file, and whether it is broken. InputError for what cannot be read."""
    text, path = read_text(file), Path(file)
    taken = None if variant else assumed_in(text, path, rules)
    assumption = [describe_assumption(path, taken)] if taken else []
    lacks_result = False
    try:
        if path.suffix.lower() == ".jsonl" or is_prose(text, variant):
            parsed = parse_text(text, path, variant, rules)
            games, lacks_result = _write_again(parsed, file), parsed.lacks_result
        else:
            games = _read_playable_games(text, file, *(taken or (variant, rules)))
    except UnlawfulError as error:
        said = str(error).removeprefix(f"record {file}, ").removeprefix(f"{file}: ")
        return [f"{file}: {said}", *assumption], True
    played = [replay_record(record) for record in games]
    lines, is_broken = [f"{file}: {line}" for line in list_verdicts(games, played)], any(one.fault for one in played)
    return [*lines, *assumption, *[describe_no_result(path)] * (lacks_result and not is_broken)], is_broken


def _write_again(parsed: ParsedText, file: str) -> tuple[WrittenGame, ...]:
    """The games of a text that was no record, as records: without the lines, which are not those of the file."""
    return tuple(
        replace(game, plies=tuple(replace(ply, line=0) for ply in game.plies), lines={})
        for name, events in parsed.games
        for game in read_pgn(as_pgn(name, events), file)
    )


def _read_playable_games(text: str, file: str, variant: str | None, rules: str | None) -> tuple[WrittenGame, ...]:
    """The games of a text with tags, each with a usable opening."""
    games = tuple(add_game_tags(record, variant, rules) for record in read_pgn(text, file))
    for record in games:
        try:
            read_opening(record)
        except InputError as error:
            raise InputError(f"{file}: {error}") from None
    return games


def _name_line(record: WrittenGame, fault: RecordFault) -> str:
    """In which line of the file the fault is, where that is known."""
    line = record.plies[fault.ply - 1].line if fault.ply else record.lines.get("", record.lines.get("Result", 0))
    return f" (line {line})" if line and fault.ply <= len(record.plies) else ""


def list_verdicts(records: tuple[WrittenGame, ...], played: list[Replay]) -> list[str]:
    """One line for a file that is well, else one for each broken game."""
    faults = [
        (f"game {number}: " if len(played) > 1 else "") + str(found.fault) + _name_line(record, found.fault)
        for number, (record, found) in enumerate(zip(records, played, strict=True), start=1)
        if found.fault
    ]
    if faults:
        return faults
    plies = sum(len(found.texts) for found in played)
    games = f"{len(played)} games, " if len(played) > 1 else ""
    results = ", ".join(_find_result(record, found) for record, found in zip(records, played, strict=True))
    return [f"ok, {games}{plies} plies, {results}"]


def _find_result(record: WrittenGame, played: Replay) -> str:
    """As the record says it, or by the rules where it says none and the moves have ended the game."""
    return played.outcome.result if record.result == UNFINISHED and played.outcome else record.result
