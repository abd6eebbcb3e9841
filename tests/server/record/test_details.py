"""Names, event and place of a game: said, changed, written, read back; records without them stay as they are."""

from __future__ import annotations

import queue
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner
from pypdfium2 import PdfDocument

from engine.errors import InputError
from engine.games import load
from engine.match.referee import new_match
from server.board.pages.app import create_app
from server.cli import referee
from server.record.archive import as_pgn
from server.record.details import Details, SetDetails, find_latest_details, parse_details
from server.record.exports import FORMATS
from server.record.imports import add_games
from server.record.journal import Journal, fold_events
from server.record.store import open_record
from server.web.feed import Feed
from tests.server.record.reading import read_games
from tests.server.script import Script

SEATS = ("white", "black")
SAID = {"event": "Club open", "round": "3", "place": "Oslo", "arbiter": "M. Berg", "players": {"white": "Anna"}}
RATED = SAID | {"ratings": {"white": "1720"}}
MOVE = {"t": 4.0, "event": "move", "ply": 1, "side": "white", "notation": "E6-C8", "from": "E6", "to": "C8"}
MOVED = MOVE | {"captured": [], "confidence": 1.0}


def played(path: Path, *said: dict[str, object]) -> list[dict[str, object]]:
    """The events of a game of one move, with names said after it began."""
    with open_record(path) as record:
        journal = Journal(record, "camelot-0001")
        journal.begin_game(new_match(load("camelot", "wcf")), "2026-11-23T10:00:00+00:00")
        for each in said:
            journal.write_note(parse_details(each, SEATS).to_event(0.0, "arbiter"))
        record.append_event(journal.name, MOVED)
        return record.read_events("camelot-0001")


def test_every_change_stays_in_the_record_and_the_last_one_holds(tmp_path: Path) -> None:
    events = played(tmp_path / "r.sqlite3", SAID, SAID | {"round": "4"})
    assert [event["details"]["round"] for event in events if event["event"] == "details"] == ["3", "4"]
    assert {event["by"] for event in events if event["event"] == "details"} == {"arbiter"}
    assert find_latest_details(events, SEATS) == parse_details(SAID | {"round": "4"}, SEATS)
    assert len(fold_events(events, "r").moves) == 1


def test_a_record_without_names_says_what_it_said(tmp_path: Path) -> None:
    text = as_pgn("camelot-0001", played(tmp_path / "r.sqlite3"))
    assert text.startswith('[Event "camelot-0001"]\n[Date "2026.11.23"]\n[White "?"]\n[Black "?"]\n[Result "*"]')


def test_names_go_out_as_text_and_come_back(tmp_path: Path) -> None:
    events = played(tmp_path / "r.sqlite3", SAID)
    text = tmp_path / "game.pgn"
    text.write_text(as_pgn("camelot-0001", events), encoding="utf-8")
    with open_record(tmp_path / "other.sqlite3") as record:
        assert add_games(record, read_games(text)) == ["camelot-0001"]
        assert find_latest_details(record.read_events("camelot-0001"), SEATS) == parse_details(SAID, SEATS)
        assert record.list_summaries()[0].known() == {"players": "Anna"} | {
            k: str(SAID[k]) for k in SAID if k != "players"
        }
        assert record.find_broken_event("camelot-0001") is None


def test_an_event_of_one_word_is_no_name_that_replaces_it(tmp_path: Path) -> None:
    """Of two games of an event the first was named after it, the second had neither its name nor the event."""
    text, again = tmp_path / "two.pgn", tmp_path / "again.pgn"
    text.write_text('[Event "Club"]\n[White "Ann"]\n\n1. E6-E5 *\n\n[Event "Club"]\n\n1. E6-E5 *\n', encoding="utf-8")
    for number, source in enumerate((text, again)):
        with open_record(tmp_path / f"{number}.sqlite3") as record:
            names = add_games(record, read_games(source))
            assert names == ["Club", "camelot-0001"]
            found = {name: record.read_events(name) for name in names}
            assert [find_latest_details(events, SEATS).event for events in found.values()] == ["Club", "Club"]
        again.write_text("\n".join(as_pgn(*game) for game in found.items()), encoding="utf-8")


@pytest.mark.parametrize("name", ["camelot-0001", "camelot-12345", "final", "Open-2026", "camlet-0001"])
def test_a_name_is_no_event(name: str, tmp_path: Path) -> None:
    text = tmp_path / "a.pgn"
    text.write_text(as_pgn(name, played(tmp_path / "r.sqlite3")), encoding="utf-8")
    ((read, events),) = read_games(text)
    assert (read, find_latest_details(events, SEATS)) == (name, Details())
    assert as_pgn(read, events) == text.read_text(encoding="utf-8")


def test_ratings_go_with_the_names(tmp_path: Path) -> None:
    events = played(tmp_path / "r.sqlite3", RATED)
    text = tmp_path / "game.pgn"
    text.write_text(as_pgn("camelot-0001", events), encoding="utf-8")
    assert '[WhiteElo "1720"]' in text.read_text(encoding="utf-8")
    with open_record(tmp_path / "other.sqlite3") as record:
        add_games(record, read_games(text))
        assert find_latest_details(record.read_events("camelot-0001"), SEATS) == parse_details(RATED, SEATS)
    sheet = PdfDocument(FORMATS["pdf"]("camelot-0001", events))[0]
    assert "Anna (1720) – Black" in sheet.get_textpage().get_text_range()
    assert b"<b><bdi>Anna (1720)</bdi> " in FORMATS["html"]("camelot-0001", events)


def test_the_score_sheet_has_them(tmp_path: Path) -> None:
    page = PdfDocument(FORMATS["pdf"]("camelot-0001", played(tmp_path / "r.sqlite3", SAID)))[0]
    text = page.get_textpage().get_text_range()
    assert all(part in text for part in ("Anna – Black", "Club open · 3 · Oslo", "Arbiter: M. Berg"))


def test_a_record_of_the_version_before_is_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite3"
    played(path, SAID)
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE summaries DROP COLUMN details")
        db.execute("PRAGMA user_version = 3")
    db.close()
    with open_record(path) as record:
        assert record.list_summaries()[0].known()["event"] == "Club open"
        assert (record.schema_faults(), record.find_broken_event("camelot-0001")) == ([], None)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ([], "one object"),
        ({"town": "Oslo"}, "town"),
        ({"event": 3}, "event"),
        ({"event": "a\nb"}, "event"),
        ({"place": "x" * 81}, "place"),
        ({"players": {"green": "Eve"}}, "white, black"),
        ({"players": {"white": ["Eve"]}}, "white"),
        ({"ratings": {"white": "strong"}}, "rating of white"),
        ({"ratings": {"white": "0"}}, "rating of white"),
        ({"ratings": {"green": "1500"}}, "white, black"),
    ],
)
def test_what_is_no_name_is_named(said: object, named: str) -> None:
    with pytest.raises(InputError, match=named):
        parse_details(said, SEATS)


def test_letters_with_marks_are_kept_as_one() -> None:
    assert parse_details({"place": "Ko\u0308ln", "players": {"white": "A\u0308nne"}}, SEATS) == Details(
        place="Köln", players=(("white", "Änne"),)
    )


def test_the_page_hands_them_to_the_referee() -> None:
    script, asked = Script(Feed()), queue.SimpleQueue[object]()
    client = create_app(script.feed, asked.put, script.game).test_client()
    assert client.post("/api/v1/details", json=SAID | {"by": "arbiter"}).status_code == 202
    assert asked.get_nowait() == SetDetails(parse_details(SAID, SEATS), "arbiter")
    answer = client.post("/api/v1/details", json={"players": {"green": "Eve"}})
    assert (answer.status_code, "white, black" in answer.get_json()["detail"]) == (422, True)


def test_a_side_that_the_game_has_not_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    session = Path(__file__).parents[2] / "data" / "sessions" / "camelot_a"
    record = tmp_path / "r.sqlite3"
    options = ["--profile", str(session / "profile.toml"), "--camera", str(session), "--record", str(record)]
    answer = CliRunner().invoke(referee, ["watch", *options, "--player", "green=Eve"])
    assert (isinstance(answer.exception, InputError), record.exists()) == (True, False)
    assert "white, black" in str(answer.exception)


def test_nothing_said_is_nothing_written() -> None:
    assert Details().to_json() == {}
