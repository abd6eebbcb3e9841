"""`referee tournament`: players, pairings, results and standings of an event in a hall."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table as Drawn
from rich.text import Text

from engine import games
from engine.errors import InputError
from server.commands._event_files import database_option, export, import_report, open_tournaments, report
from server.exits import DONE
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Matters
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament import pairing_gacrux as fide
from server.hall.tournament import people, trf
from server.hall.tournament.event import (
    ABSENCES,
    COLOURS_OF_TWO,
    ROUND_ROBIN,
    SYSTEMS,
    TABLES_OF_THREE,
    Entrant,
    Tournament,
)
from server.hall.tournament.event_site import event_to_json
from server.hall.tournament.results import LETTERS_OF, award_points
from server.hall.tournament.results_from_boards import (
    build_pairing,
    change_by_arbiter,
    give_board,
    give_result,
)
from server.hall.tournament.standings import compute_standings
from server.inputs import read_text
from server.masking import escape_to_line, print_line, print_text
from server.options import FilePath

BY_HAND = "command line"
"""Who said a result that was said here."""
OPENED = "open"
"""In the place of a result: none stands there any more."""


@click.group
def command() -> None:
    """Run a tournament: players, pairings and standings, with the results that come from the boards of a hall."""


@command.command
@click.argument("name")
@click.option("--title", default="", help="What people call it.")
@click.option("--system", type=click.Choice(SYSTEMS), default=SYSTEMS[0], show_default=True)
@click.option("--rounds", type=int, help="How many rounds; of a round robin they follow from its players.")
@click.option(
    "--times", type=int, default=1, show_default=True, help="How often everybody meets everybody in a round robin."
)
@click.option("--game", type=click.Choice(games.names()), default="camelot", show_default=True)
@click.option("--place", default="")
@click.option("--federation", default="", help="Three letters, for FIDE's report.")
@click.option("--begins", default="", metavar="DATE", help="As 2026-11-24.")
@click.option("--ends", default="", metavar="DATE")
@click.option("--arbiter", default="")
@click.option(
    "--first", type=click.Choice(COLOURS_OF_TWO), help="The side of number 1 in round 1; default: drawn by lot."
)
@click.option("--tie-breaks", default="", metavar="LIST", help="By FIDE's names: BH/C1,BH,SB,WIN.")
@click.option("--boards", default="", metavar="LIST", help="Boards of the tables, in order; default: all of the hall.")
@database_option
def new(
    name: str,
    title: str,
    system: str,
    rounds: int | None,
    times: int,
    game: str,
    place: str,
    federation: str,
    begins: str,
    ends: str,
    arbiter: str,
    first: str | None,
    tie_breaks: str,
    boards: str,
    database: str | None,
) -> int:
    """A tournament without players, as NAME (a to z, 0 to 9, hyphens)."""
    if rounds is None and system != ROUND_ROBIN:
        raise InputError(f"tournament {name}: say with --rounds how many rounds it has")
    breaks = tuple(word.strip() for word in tie_breaks.split(",") if word.strip())
    if system != TABLES_OF_THREE:
        fide.check_tie_breaks(breaks)
    seats = tuple(word.strip() for word in boards.split(",") if word.strip())
    made = Tournament(
        name,
        title or name,
        system,
        rounds or 0,
        game,
        place,
        federation,
        begins,
        ends,
        arbiter,
        first or secrets.choice(COLOURS_OF_TWO),
        breaks,
        seats,
        times,
    )
    with open_tournaments(database) as (tournaments, _):
        tournaments.add_tournament(made)
    rounds_said = f"{rounds} rounds" if rounds else "as many rounds as its players need,"
    print_line(f"{name}: {system}, {rounds_said} of {game}; number 1 begins with {made.first}")
    return DONE


@command.command("list")
@database_option
def list_tournaments(database: str | None) -> int:
    """Every tournament, a line each."""
    with open_tournaments(database) as (tournaments, _):
        for name in tournaments.list_names():
            one = tournaments.load_tournament(name)
            print_line(f"{name}: {one.title}, {len(one.entrants)} players, round {one.paired} of {one.last_round}")
    return DONE


@command.command
@click.argument("name")
@click.argument("file", type=FilePath(dir_okay=False, exists=True, allow_dash=True, path_type=Path), required=False)
@click.option("--player", "player", default="", help="One player, instead of a file.")
@click.option("--rating", type=int, default=0)
@database_option
def enter(name: str, file: Path | None, player: str, rating: int, database: str | None) -> int:
    """Players from FILE (- is standard input): a line each, `name; rating; title; federation; FIDE id`.

    Who is entered after a round was paired begins with the next.
    """
    if (file is None) == (not player):
        raise InputError("tournament enter: give a file, or --player NAME")
    text = _read_input(file) if file else ""

    def enter_all(one: Tournament) -> Tournament:
        found = people.read_players(text, f"players {file}", one.entrants) if file else [Entrant(0, player, rating)]
        return running.enter_players(one, found)

    with open_tournaments(database) as (tournaments, _):
        after = tournaments.change_tournament(name, enter_all)
    print_line(f"{name}: {len(after.entrants)} players")
    return DONE


@command.command
@click.argument("name")
@click.argument("number", type=int)
@click.argument("player")
@database_option
def change(name: str, number: int, player: str, database: str | None) -> int:
    """NUMBER is PLAYER from now on: a line as in a file, `name; rating; title; federation; FIDE id`."""
    (said,) = people.read_players(player.partition("\n")[0], "player")
    _change(name, database, lambda one, _: running.edit_player(one, number, said))
    return DONE


@command.command
@click.argument("name")
@click.argument("round_", metavar="ROUND", type=int)
@click.argument("one", type=int)
@click.argument("other", type=int)
@database_option
def exchange(name: str, round_: int, one: int, other: int, database: str | None) -> int:
    """Players ONE and OTHER take each other's seats, while their tables have no result: at one table they swap sides.

    A late arrival without a table is paired with the player who has the bye.
    """
    _change(name, database, lambda it, _: running.exchange_players(it, round_, one, other))
    return DONE


@command.command
@click.argument("name")
@click.argument("number", type=int)
@click.option("--back", is_flag=True, help="Plays again, from the next round on.")
@database_option
def withdraw(name: str, number: int, *, back: bool, database: str | None) -> int:
    """Player NUMBER plays no further round.

    Before round 1 it is taken off the list, and the numbers after it close up.
    """
    with open_tournaments(database) as (tournaments, _):
        was = tournaments.load_tournament(name).find_entrant(number).name
        after = tournaments.change_tournament(
            name, lambda one: running.withdraw_player(one, number, back=back, was=was)
        )
    if not back and not after.paired:
        print_line(f"{was} is taken off the list: enter them again to play")
        return DONE
    _say_of_player(after, number, "plays again" if back else "plays no further round")
    return DONE


@command.command
@click.argument("name")
@click.argument("number", type=int)
@click.argument("round_", metavar="ROUND", type=int)
@click.argument("worth", type=click.Choice([*ABSENCES, "none"]))
@database_option
def bye(name: str, number: int, round_: int, worth: str, database: str | None) -> int:
    """Player NUMBER will not play ROUND, worth a `half` point, `zero` or a `full` one; `none` takes it back."""
    with open_tournaments(database) as (tournaments, _):
        after = tournaments.change_tournament(
            name, lambda one: running.set_absence(one, number, round_, "" if worth == "none" else worth)
        )
    _say_of_player(after, number, f"round {round_}: " + ("plays" if worth == "none" else f"{worth} bye"))
    return DONE


def _say_of_player(tournament: Tournament, number: int, said: str) -> None:
    """Name whom a number was: an arbiter may have mistyped it."""
    name = next((one.name for one in tournament.entrants if one.number == number), "")
    print_line(f"{number} {name}: {said}")


@command.command
@click.argument("name")
@click.argument("round_", metavar="ROUND", type=int)
@click.option(
    "--pairs", type=FilePath(dir_okay=False, exists=True, path_type=Path), help="As bbpPairings or JaVaFo wrote them."
)
@click.option("--undo", is_flag=True, help="Take the pairing back, while it has no result.")
@database_option
def pair(name: str, round_: int, pairs: Path | None, *, undo: bool, database: str | None) -> int:
    """Pair ROUND, the next one, and give each table a board."""
    given = trf.read_pairs(read_text(str(pairs)), f"pairs {pairs}") if pairs else None
    with open_tournaments(database) as (tournaments, engine):
        if undo:
            tournaments.change_tournament(name, lambda one: running.unpair_round(one, round_))
            return DONE
        ledger = Ledger(engine)
        boards = sorted({board for board, _ in ledger.stored_games()}, key=running.board_order)
        pair_next, notes = build_pairing(tournaments, ledger, name, round_, boards, given)
        after = tournaments.change_tournament(name, pair_next)
    _print_round(after, round_)
    lines = list(map(str, notes))
    without = [str(table.table) for table in after.at(round_) if not table.board and not table.result]
    if without and not after.boards and len(boards) < sum(not table.is_bye for table in after.at(round_)):
        lines.append(
            f"no board for table {', '.join(without)}: only boards with a stored game are known here; pair on the "
            f"hall's page, which knows all that are connected, or: referee tournament board {name} {round_} TABLE BOARD"
        )
    for line in lines:
        print_text(line, err=True)
    return DONE


class _WithResults(click.Command):
    """A result may begin with a minus: no option is meant by it, and a `--` before it hides none behind it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As by Click, without any `--`."""
        return super().parse_args(ctx, [one for one in args if one != "--"])


@command.command(cls=_WithResults, context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("round_", metavar="ROUND", type=int)
@click.argument("table", type=int)
@click.argument("result")
@click.option("--was", default="", help="The result that stands there and is to be changed.")
@database_option
def result(name: str, round_: int, table: int, result: str, was: str, database: str | None) -> int:
    """The RESULT of a table: 1-0, 0-1, 1/2-1/2; +:-, -:+, -:- where somebody did not come; 1-0-0 at three; `open`."""
    said = _parse_result(result)
    after = _change(
        name,
        database,
        lambda one, ledger: give_result(one, round_, table, said, BY_HAND, was, ledger),
    )
    names = {one.number: one.name for one in after.entrants}
    players = next(one.players for one in after.at(round_) if one.table == table)
    who = " - ".join(names.get(one, str(one)) for one in players)
    print_line(f"round {round_}, table {table}, {who}: {said or OPENED}")
    return DONE


def _parse_result(text: str) -> str:
    """A result as it is kept, "" for one that is opened again. InputError for what is none at any table."""
    if text == OPENED:
        return ""
    for players in (2, 3):
        with suppress(InputError):
            award_points(text, players)
            return text
    raise InputError(
        f"result {text[:20]!r}: one of {', '.join(LETTERS_OF)}; 1-0-0 and so on at a table of three; {OPENED} where "
        "none is to stand"
    )


@command.command
@click.argument("name")
@click.argument("round_", metavar="ROUND", type=int)
@click.argument("table", type=int)
@click.argument("board")
@database_option
def board(name: str, round_: int, table: int, board: str, database: str | None) -> int:
    """Play a table at BOARD, or at none (-)."""
    at = "" if board == "-" else board
    _change(
        name,
        database,
        lambda one, ledger: give_board(one, round_, table, at, ledger),
    )
    return DONE


@command.command
@click.argument("name")
@click.option("--round", "round_", type=int, help="The tables of a round, instead of the standings.")
@click.option("--json", "as_json", is_flag=True, help="All of it, as JSON.")
@database_option
def show(name: str, round_: int | None, *, as_json: bool, database: str | None) -> int:
    """How they stand after the last round whose results are all known."""
    with open_tournaments(database) as (tournaments, _):
        one = tournaments.load_tournament(name)
    table = compute_standings(one)
    if as_json:
        click.echo(json.dumps(event_to_json(one, table, {})))
    elif round_ is not None:
        _print_round(one, round_)
    else:
        drawn = Drawn("rank", "no", "name", "points", *table.tie_breaks, box=None, title=f"after round {table.after}")
        for row in table.rows:
            cells = (str(row.rank), str(row.entrant.number), row.entrant.name, row.points, *row.tie_breaks)
            drawn.add_row(*map(Text, map(escape_to_line, cells)))
        Console().print(drawn)
    return DONE


@command.command
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@database_option
def remove(name: str, *, yes: bool, database: str | None) -> int:
    """Forget a tournament; the games of its boards stay."""
    with open_tournaments(database) as (tournaments, _):
        tournaments.load_tournament(name)
        if not yes:
            click.confirm(escape_to_line(f"Forget {name} with its pairings and results?"), abort=True)
        tournaments.remove_tournament(name)
    return DONE


def _change(name: str, database: str | None, change: Callable[[Tournament, Ledger], Tournament]) -> Tournament:
    """What an arbiter changes at the tables, whether the hall runs or not."""
    with open_tournaments(database) as (tournaments, engine):
        ledger = Ledger(engine)
        distrust = Matters(engine).find_distrust()
        return change_by_arbiter(tournaments, name, lambda one: change(one, ledger), ledger, distrust)


def _read_input(file: Path) -> str:
    with click.open_file(str(file), encoding="utf-8", errors="replace") as opened:
        text: str = opened.read()
    return text


def _print_round(tournament: Tournament, round_: int) -> None:
    drawn = Drawn("table", "board", "players", "result", box=None, title=f"round {round_}")
    for table in tournament.at(round_):
        names = " – ".join(f"{number} {tournament.find_entrant(number).name}" for number in table.players)
        drawn.add_row(*map(Text, map(escape_to_line, (str(table.table), table.board, names, table.result))))
    Console().print(drawn)


for made in (import_report, report, export):
    command.add_command(made)
