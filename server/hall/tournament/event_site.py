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
from server.hall.tournament.games_played import PlayedGame, played
from server.hall.tournament.standings import Standings, standings
from server.languages import ENGLISH, languages
from server.record.archive import as_pgn, as_replay
from server.record.exports.page import page

log = logging.getLogger(__name__)

SERVER_FILES = Path(__file__).parents[2]
Files = dict[str, bytes]
MOST_PAGES_KEPT = 5000


class EventSite:
    """Makes the files, and keeps the pages of games that nothing new was stored of."""

    def __init__(self, code: str = ENGLISH) -> None:
        if code not in languages():
            raise InputError(f"language {code[:20]!r}: one of {', '.join(languages())}")
        self._language = languages()[code]
        self._kept: dict[tuple[str, str, str], tuple[bytes, str] | None] = {}
        self._pages = Environment(
            loader=FileSystemLoader([SERVER_FILES / "templates", SERVER_FILES / "static"]), autoescape=True
        )
        self._pages.globals |= {"_": self._language.say, "language": self._language}

    def files(self, tournament: Tournament, ledger: Ledger) -> Files:
        """Name of a file, with its folder -> its content."""
        made: Files = {"site.css": (SERVER_FILES / "static" / "site.css").read_bytes()}
        found, texts = {}, []
        for game in played(tournament, ledger):
            if (shown := self._shown(tournament, game)) is None:
                continue
            made[f"games/{game.name}.html"], text = shown
            texts.append(text)
            found[game.table.round, game.table.table] = game.name
        made["games.pgn"] = "\n".join(texts).encode()
        table = standings(tournament)
        made["event.json"] = _json(document(tournament, table, found))
        if tournament.system != TABLES_OF_THREE and tournament.complete:
            made["report.trf"] = trf.written(replace(tournament, entrants=_public(tournament))).encode()
        is_over = tournament.complete == tournament.rounds
        shared = {"tournament": tournament, "standings": table, "is_over": is_over, "files": sorted(made)}
        for round_ in range(1, tournament.paired + 1):
            tables = [_row(tournament, one, found) for one in tournament.at(round_)]
            made[f"round-{round_}.html"] = self._page("site_round.html", shared | {"round": round_, "tables": tables})
        made["index.html"] = self._page("site_index.html", shared)
        return made

    def _page(self, template: str, values: Mapping[str, object]) -> bytes:
        return self._pages.get_template(template).render(**values).encode()

    def _shown(self, tournament: Tournament, game: PlayedGame) -> tuple[bytes, str] | None:
        """The page and the text of a game; None for one whose events make none, which is logged."""
        names = json.dumps(game.events[-1], ensure_ascii=False)
        key = (f"{tournament.name} {game.name}", game.head, names)
        if key not in self._kept:
            if len(self._kept) > MOST_PAGES_KEPT:
                self._kept.clear()
            try:
                replay = as_replay(game.name, game.events)
                self._kept[key] = page(replay, self._language.code).encode(), as_pgn(game.name, game.events)
            except (ValueError, KeyError) as error:
                log.warning("%s of %s is left out: %s", game.name, tournament.name, str(error)[:300])
                self._kept[key] = None
        return self._kept[key]


def document(tournament: Tournament, table: Standings, games: Mapping[tuple[int, int], str]) -> dict[str, object]:
    """The event as JSON: who plays, how they stand, every round; `games` are the names of the files that show them."""
    said = {key: value for key, value in asdict(tournament).items() if key not in {"entrants", "absences", "tables"}}
    return {
        "tournament": said | {"seats": list(tournament.seats)},
        "players": [asdict(one) for one in _public(tournament)],
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
            {"round": round_, "tables": [_row(tournament, one, games) for one in tournament.at(round_)]}
            for round_ in range(1, tournament.paired + 1)
        ],
    }


def _public(tournament: Tournament) -> tuple[Entrant, ...]:
    """Who plays, without what is nobody's business."""
    return tuple(replace(one, birth="", sex="") for one in tournament.entrants)


def _row(tournament: Tournament, table: Seating, games: Mapping[tuple[int, int], str]) -> dict[str, object]:
    """A table as pages and JSON say it."""
    players = [tournament.entrant(number) for number in table.players]
    return {
        "table": table.table,
        "board": table.board,
        "players": [{"number": one.number, "name": one.name, "rating": one.rating} for one in players],
        "result": table.result,
        "game": games.get((table.round, table.table), ""),
    }


def _json(said: Mapping[str, object]) -> bytes:
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()
