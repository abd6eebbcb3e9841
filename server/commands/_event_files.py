"""`referee tournament import|report|export`: FIDE's reports in and out, and an event as a site of files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click
import sqlalchemy as sa

from calibration.door import read_file
from engine import games
from engine.errors import InputError
from server.disk import write_output
from server.exits import DONE
from server.hall.desk.database import explain_failures, open_database
from server.hall.desk.ledger import Ledger
from server.hall.hall_folder import HALL_DATABASE, HallFolder
from server.hall.tournament import trf
from server.hall.tournament.arbiter_actions import describe_renumbered, number_by_rating
from server.hall.tournament.event_site import EventSite
from server.hall.tournament.pairing_gacrux import NAME_WIDTH
from server.hall.tournament.tournament_store import Tournaments
from server.languages import ENGLISH, load_languages
from server.masking import print_line, print_text
from server.options import OUT_FILE, FilePath, NumberRange
from server.record.store import record_at
from server.spectators.shown import PublicFolder

MOST_WAITED_S = 1.0
"""How often it is looked whether a change is old enough to be shown."""

database_option = click.option(
    "--database",
    help="A file for SQLite, or postgresql://...; default: that of the hall whose folder this is, else hall.sqlite3 "
    "beside your record.",
)


@contextmanager
def open_tournaments(database: str | None) -> Iterator[tuple[Tournaments, sa.Engine]]:
    """The tournaments of a hall's database, which a hall may be using."""
    engine = open_database(database or _find_database())
    try:
        with explain_failures(engine):
            yield Tournaments(engine), engine
    finally:
        engine.dispose()


def _find_database() -> str:
    """That of the hall of this folder, or the one beside the own record. InputError for a hall with none here."""
    folder = HallFolder(Path())
    if not folder.is_hall:
        return str(record_at(None).with_name(HALL_DATABASE))
    found = folder.find_database()
    if "://" not in found and not Path(found).exists():
        raise InputError("tournament: the hall of this folder has its database elsewhere: name it with --database")
    return found


@click.command("import")
@click.argument("file", type=FilePath(dir_okay=False, exists=True, path_type=Path))
@click.argument("name")
@click.option("--game", type=click.Choice(games.names()), default="camelot", show_default=True)
@database_option
def import_report(file: Path, name: str, game: str, database: str | None) -> int:
    """A tournament out of FILE, a report of FIDE (TRF16), as NAME; it goes on from there."""
    try:
        data = read_file(file, trf.LARGEST_REPORT)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # as programs wrote it before the format said UTF-8
    one = trf.read_tournament(text, name, game, str(file))
    with open_tournaments(database) as (tournaments, _):
        tournaments.add_tournament(one)
    print_line(f"{name}: {len(one.entrants)} players, {one.paired} of {one.rounds} rounds")
    numbered = describe_renumbered(one, number_by_rating(one)) if not one.paired else []
    for line in [*trf.list_left_out(text), *(f"when round 1 is paired, {said}" for said in numbered)]:
        print_line(f"note: {line}", err=True)
    return DONE


@click.command
@click.argument("name")
@click.option("-o", "--out", type=OUT_FILE, help="Default: standard output.")
@database_option
def report(name: str, out: Path | None, database: str | None) -> int:
    """FIDE's report (TRF16) after the last round whose results are all known."""
    with open_tournaments(database) as (tournaments, _):
        one = tournaments.load_tournament(name)
    text = trf.write_tournament(one)
    if cut := trf.find_cut(one):
        numbers = ", ".join(str(entrant.number) for entrant in cut)
        print_line(
            f"note: FIDE's column has {NAME_WIDTH} characters for a name, those of {numbers} are cut",
            err=True,
        )
    if out is None:
        print_text(text, nl=False)
    else:
        write_output(out, text.encode(), "-o")
    return DONE


@click.command
@click.argument("name")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--follow", is_flag=True, help="Go on until Ctrl-C, and write what changes.")
@click.option(
    "--delay",
    type=NumberRange(0, 24 * 60),
    default=0.0,
    show_default=True,
    help="Minutes by which the site is behind, with --follow.",
)
@click.option("--every", type=NumberRange(0.1, 3600), default=10.0, show_default=True, help="Seconds between looks.")
@click.option("--language", type=click.Choice(sorted(load_languages())), default=ENGLISH, show_default=True)
@database_option
def export(
    name: str, folder: Path, *, follow: bool, delay: float, every: float, language: str, database: str | None
) -> int:
    """The event as files for any web server: pages, games to replay, text, JSON and FIDE's report."""
    if delay and not follow:
        raise InputError("tournament export: --delay needs --follow: what is old enough is known only to who looks on")
    site, shown = EventSite(language), PublicFolder(folder, delay * 60)
    with open_tournaments(database) as (tournaments, engine), suppress(KeyboardInterrupt):
        tournaments.load_tournament(name)
        looked = -every
        while True:
            if time.monotonic() - looked >= every:
                looked = time.monotonic()
                shown.hold_files(site.build_files(tournaments.load_tournament(name), Ledger(engine)))
            if shown.publish_due():
                print_line(f"{time.strftime('%H:%M:%S')} {folder}/index.html")
            if not follow:
                break
            time.sleep(min(MOST_WAITED_S, every))
    return DONE
