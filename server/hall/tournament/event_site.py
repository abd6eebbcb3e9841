"""A whole event as files that any web server or CDN serves: pages, games to replay, text, JSON, a report for FIDE.

The files are a function of the tournament and of what is stored of its games. Nothing in them asks a server for
anything; pages are in one language, and a page of an event that goes on loads itself anew every minute.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from engine.errors import InputError
from server.hall.desk.ledger import Ledger
from server.hall.tournament import trf
from server.hall.tournament.event import TABLES_OF_THREE, Entrant, Seating, Tournament
from server.hall.tournament.games_played import PlayedGame, find_played_games
from server.hall.tournament.standings import Standings, compute_standings
from server.languages import ENGLISH, load_languages
from server.record.archive import as_pgn, as_replay
from server.record.exports.page import render_page

log = logging.getLogger(__name__)

SERVER_FILES = Path(__file__).parents[2]
Files = dict[str, bytes]
MOST_PAGES_KEPT = 5000


class EventSite:
    """Makes the files, and keeps the pages of games that nothing new was stored of."""

    def __init__(self, code: str = ENGLISH) -> None:
        if code not in load_languages():
            raise InputError(f"language {code[:20]!r}: one of {', '.join(load_languages())}")
        self._language = load_languages()[code]
        self._kept: dict[tuple[str, str, str], tuple[bytes, str] | None] = {}
        self._pages = Environment(
            loader=FileSystemLoader([SERVER_FILES / "templates", SERVER_FILES / "static"]), autoescape=True
        )
        self._pages.globals |= {"_": self._language.translate_text, "language": self._language}

    def build_files(self, tournament: Tournament, ledger: Ledger) -> Files:
        """Name of a file, with its folder -> its content."""
        made: Files = {"site.css": (SERVER_FILES / "static" / "site.css").read_bytes()}
        found, texts = {}, []
        for game in find_played_games(tournament, ledger):
            if (shown := self._render_game(tournament, game)) is None:
                continue
            made[f"games/{game.public_name}.html"], text = shown
            texts.append(text)
            found[game.table.round, game.table.table] = game.public_name
        made["games.pgn"] = "\n".join(texts).encode()
        table = compute_standings(tournament)
        made["event.json"] = _dump_json(event_to_json(tournament, table, found))
        if tournament.system != TABLES_OF_THREE and tournament.complete:
            made["report.trf"] = trf.write_tournament(
                replace(tournament, entrants=_public_entrants(tournament))
            ).encode()
        is_over = tournament.complete == tournament.last_round
        shared = {"tournament": tournament, "standings": table, "is_over": is_over, "files": sorted(made)}
        for round_ in range(1, tournament.paired + 1):
            tables = [_table_to_json(tournament, one, found) for one in tournament.at(round_)]
            made[f"round-{round_}.html"] = self._render_page(
                "site_round.html", shared | {"round": round_, "tables": tables}
            )
        made["index.html"] = self._render_page("site_index.html", shared)
        return made

    def _render_page(self, template: str, values: Mapping[str, object]) -> bytes:
        return self._pages.get_template(template).render(**values).encode()

    def _render_game(self, tournament: Tournament, game: PlayedGame) -> tuple[bytes, str] | None:
        """The page and the text of a game; None for one whose events make none, which is logged."""
        names = json.dumps(game.events[-1], ensure_ascii=False)
        key = (f"{tournament.name} {game.public_name}", game.head, names)
        if key not in self._kept:
            if len(self._kept) > MOST_PAGES_KEPT:
                self._kept.clear()
            try:
                replay = as_replay(game.public_name, game.events)
                self._kept[key] = (
                    render_page(replay, self._language.code).encode(),
                    as_pgn(game.public_name, game.events),
                )
            except (ValueError, KeyError) as error:
                log.warning("%s of %s is left out: %s", game.public_name, tournament.name, str(error)[:300])
                self._kept[key] = None
        return self._kept[key]


def event_to_json(tournament: Tournament, table: Standings, games: Mapping[tuple[int, int], str]) -> dict[str, object]:
    """The event as JSON: who plays, how they stand, every round; `games` are the names of the files that show them."""
    said = {key: value for key, value in asdict(tournament).items() if key not in {"entrants", "absences", "tables"}}
    return {
        "tournament": said | {"rounds": tournament.last_round, "seats": list(tournament.seat_names)},
        "players": [asdict(one) for one in _public_entrants(tournament)],
        "standings": {
            "after": table.after,
            "tie_breaks": list(table.tie_breaks),
            "columns": list(table.columns),
            "rows": [
                {"rank": row.rank, "number": row.entrant.number, "name": row.entrant.name, "points": row.points}
                | {"tie_breaks": list(row.tie_breaks), "crosstable": list(row.cells)}
                for row in table.rows
            ],
        },
        "byes": [asdict(one) for one in tournament.absences],
        "rounds": [
            {"round": round_, "tables": [_table_to_json(tournament, one, games) for one in tournament.at(round_)]}
            for round_ in range(1, tournament.paired + 1)
        ],
    }


def _public_entrants(tournament: Tournament) -> tuple[Entrant, ...]:
    """Who plays, without what is nobody's business."""
    return tuple(replace(one, birth="", sex="") for one in tournament.entrants)


def _table_to_json(tournament: Tournament, table: Seating, games: Mapping[tuple[int, int], str]) -> dict[str, object]:
    """A table as pages and JSON say it."""
    players = [tournament.find_entrant(number) for number in table.players]
    return {
        "table": table.table,
        "board": table.board,
        "players": [{"number": one.number, "name": one.name, "rating": one.rating} for one in players],
        "result": table.result,
        "game": games.get((table.round, table.table), ""),
    }


def _dump_json(said: Mapping[str, object]) -> bytes:
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()
