"""An event as files: whole, and without anybody's birthday."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine import games
from engine.errors import InputError
from engine.text import records
from server.hall.desk.database import open_database
from server.hall.desk.ledger import Ledger
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament.event import TABLES_OF_THREE
from server.hall.tournament.event_site import EventSite
from server.mqtt.wire import EventLink
from server.record.archive import as_pgn
from server.record.chain import encode_event, genesis_hash, hash_event
from server.record.journal import build_begin_event
from server.record.store import open_record
from server.web.feed import Feed
from tests.server.hall.tournament.events import made, through
from tests.server.record.test_archive import run
from tests.server.script import OPENING, Script

NASTY = "<script>alert(1)</script>, \"&'"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    yield Ledger(engine)
    engine.dispose()


INTO_THE_CASTLE = ("C2-A4", "B5-A5", "D3-E4", "A5xA3", "B3-B2", "A3xC1")
"""Black wins Camette."""


def told(
    ledger: Ledger, board: str, game: str, moves: Sequence[str] = OPENING, result: str = "1-0", reason: str = "resigned"
) -> None:
    """A game of some moves, won by White."""
    script = Script(Feed(), games.load(game.rpartition("-")[0]))
    begin = build_begin_event(script.match) | {"begun": "2026-11-24T10:00:00+00:00"}
    for notation in moves:
        script.play(notation)
    events = [
        begin,
        *(moved.to_json() for moved in script.told),
        {"t": 30.0, "event": "result", "result": result, "reason": reason},
    ]
    head, links = genesis_hash(game), []
    for number, event in enumerate(events, 1):
        links.append(EventLink(board, game, number, head, hash_event(head, encode_event(event)), event))
        head = links[-1].hash
    assert len(ledger.store_links(links)) == len(events)


def test_the_files_of_an_event_hold_all_of_it(ledger: Ledger) -> None:
    one = made(5, 3, place="Town")
    one = replace(one, entrants=(replace(one.entrants[0], name=NASTY, birth="1990-02-03", sex="w"), *one.entrants[1:]))
    one = running.pair_round(one, 1, {}, boards=["table-1", "table-2"])
    told(ledger, "table-1", "camelot-0001")
    one = running.set_result(one, 1, 1, "1-0", "Doe", "")
    one = running.set_result(one, 1, 2, "-:+", "Doe", "")
    one = replace(one, tables=(replace(one.tables[0], game="camelot-0001"), *one.tables[1:]))
    files = EventSite().build_files(one, ledger)
    assert sorted(files) == sorted(
        [
            "event.json",
            "games.pgn",
            "games/round-1-table-1.html",
            "index.html",
            "report.trf",
            "round-1.html",
            "site.css",
        ]
    )
    (game,) = records.read_pgn(files["games.pgn"].decode())
    assert [ply.text for ply in game.plies] == list(OPENING)
    names = [one.find_entrant(number).name for number in one.at(1)[0].players]
    assert [game.find_tag("White"), game.find_tag("Black"), game.find_tag("Round"), game.result] == [
        *names,
        "1.1",
        "1-0",
    ]
    said = json.loads(files["event.json"])
    assert [table["result"] for table in said["rounds"][0]["tables"]] == ["1-0", "-:+", "bye"]
    assert said["rounds"][0]["tables"][0]["game"] == "round-1-table-1"
    assert not [name for name, content in files.items() if b"1990-" in content or b"1990/" in content]
    assert not [name for name, content in files.items() if name.endswith("html") and b"<script>alert" in content]
    assert 'href="games/round-1-table-1.html"' in files["round-1.html"].decode()
    german = EventSite("de").build_files(one, ledger)
    assert "Tabelle nach Runde 1" in german["index.html"].decode()


@pytest.mark.parametrize("result", ["0-1", "1/2-1/2", "1-0"])
def test_a_game_is_published_with_the_result_that_counts(ledger: Ledger, result: str) -> None:
    """Not with what the board said, where an arbiter said otherwise: nobody could tell which holds."""
    one = running.pair_round(made(2, 3), 1, {}, boards=["table-1"])
    told(ledger, "table-1", "camelot-0001")
    site = EventSite()
    one = replace(one, tables=(replace(one.tables[0], game="camelot-0001", result="1-0", source="board"),))
    site.build_files(one, ledger)
    one = running.set_result(one, 1, 1, result, "Doe", "1-0")
    files = site.build_files(one, ledger)
    (game,) = records.read_pgn(files["games.pgn"].decode())
    assert (game.result, game.find_tag("Result")) == (result, result)
    page = files["games/round-1-table-1.html"].decode()
    assert f'"result": "{result}"' in page or f'"result":"{result}"' in page


def read_one(text: str) -> records.WrittenGame:
    (game,) = records.read_pgn(text)
    return game


def test_a_result_that_an_arbiter_has_given_against_the_last_position_is_read_back(
    ledger: Ledger, tmp_path: Path
) -> None:
    """And with it the other games of the file, of which none was imported."""
    one = running.pair_round(replace(made(2, 3), game="camette"), 1, {}, boards=["table-1"])
    told(ledger, "table-1", "camette-0001", INTO_THE_CASTLE, "0-1", "castle")
    one = replace(one, tables=(replace(one.tables[0], game="camette-0001"),))
    files = [tmp_path / "0.pgn", tmp_path / "1.pgn", tmp_path / "2.pgn"]
    for file, result in zip(files, ("0-1", "1-0", "1/2-1/2"), strict=True):
        ruled = running.set_result(one, 1, 1, result, "Doe", "")
        file.write_bytes(EventSite().build_files(ruled, ledger)["games.pgn"])
        assert run("check", file) == (0, f"{file}: ok, 6 plies, {result}\n")
        assert ("adjudication" in file.read_text()) == (result != "0-1")
    record = tmp_path / "games.sqlite3"
    assert run("games", "import", *files, "--record", record)[0] == 0
    with open_record(record) as kept:
        again = [as_pgn(name, kept.read_events(name)) for name in kept.event_counts()]
    found = {game.result: game.find_tag("Termination") for game in map(read_one, again)}
    assert found == {"0-1": None, "1-0": "adjudication", "1/2-1/2": "adjudication"}
    assert run("verify", "--record", record)[0] == 0


def test_tables_of_three_are_shown_and_have_no_report(ledger: Ledger) -> None:
    files = EventSite().build_files(through(made(7, 2, TABLES_OF_THREE), random.Random(1)), ledger)
    assert "report.trf" not in files
    assert "round-2.html" in files
    assert 'http-equiv="refresh"' not in files["index.html"].decode(), "it is over"


def test_a_game_that_cannot_be_read_is_left_out_and_the_rest_is_there(ledger: Ledger) -> None:
    one = running.pair_round(made(4, 3), 1, {}, boards=["table-1"])
    event = {"event": "move", "ply": 9, "notation": "nonsense"}
    head = genesis_hash("camelot-0001")
    ledger.store_links([EventLink("table-1", "camelot-0001", 1, head, hash_event(head, encode_event(event)), event)])
    one = replace(one, tables=(replace(one.tables[0], game="camelot-0001"), *one.tables[1:]))
    files = EventSite().build_files(one, ledger)
    assert not [name for name in files if name.startswith("games/")]
    assert "index.html" in files
    with pytest.raises(InputError, match="language"):
        EventSite("xx")
