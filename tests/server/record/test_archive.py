"""Games that were played: listed, shown, exported in every format, checked against tampering, deleted."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest
from click.testing import CliRunner
from PIL import Image
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from engine import games
from engine.errors import InputError
from engine.match.acts import AsPlayed, Forfeit, Resign
from engine.match.arbiter import apply_act
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from engine.text import records
from engine.text.positions import to_json
from engine.text.records import read_pgn
from engine.text.replay import replay_record
from server.cli import main, referee
from server.exits import ANSWER_IS_NO
from server.record.archive import as_jsonl, as_pgn, as_replay
from server.record.exports.film import render_film
from server.record.exports.page import render_page
from server.record.exports.sheet import render_sheet
from server.record.imports import parse_text
from server.record.journal import Journal, fold_events, next_name
from server.record.schema import GUARD, STAND
from server.record.store import Record, open_record
from tests.server.record.reading import read_games

FAMILY = ("camelot", "camblam", "tri-camelot", "cam-3d")
PLIES = 14
OLD_TABLE = """CREATE TABLE events (game TEXT NOT NULL, number INTEGER NOT NULL, event TEXT NOT NULL,
 previous TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (game, number)) WITHOUT ROWID"""


def played(record: Record, game_name: str, plies: int = PLIES, name: str = "") -> str:
    """A game in the record, by the events that a service writes."""
    game = games.load(game_name)
    match: Match = new_match(game)
    journal = Journal(record, name or next_name(record, game_name))
    journal.begin_game(match, "2026-11-21T19:30:00+00:00")
    record.append_event(journal.name, {"t": 1.0, "event": "ready", "fit": 99})
    position = match.position
    for ply in range(1, plies + 1):
        moves = sorted(game.moves(position), key=lambda m: game.write(position, m))
        move = moves[(7 * ply) % len(moves)]
        event = {
            "t": 1.0 + 4 * ply, "event": "move", "ply": ply, "side": game.seats[position.seat],
            "notation": game.write(position, move), "from": game.board.cells[move.origin],
            "to": game.board.cells[move.target], "captured": [game.board.cells[c] for c in move.taken],
            "confidence": 0.998,
        }  # fmt: skip
        record.append_event(journal.name, event)
        position = game.play(position, move)
    return journal.name


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record with one game of each kind."""
    path = tmp_path_factory.mktemp("archive") / "games.sqlite3"
    with open_record(path) as record:
        for name in FAMILY:
            played(record, name)
    return path


@pytest.fixture
def copy(file: Path, tmp_path: Path) -> Iterator[Path]:
    """The record, to be spoiled."""
    yield Path(shutil.copy(file, tmp_path / "copy.sqlite3"))


def run(*arguments: object, typed: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(referee, [str(a) for a in arguments], typed, standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value, result.output


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as stopped:
        main([str(a) for a in arguments])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_games_are_listed_newest_first(file: Path) -> None:
    _, text = run("games", "list", "--record", file)
    assert "camblam-0001" in text
    assert "2026-11-21 19:30" in text
    rows = [json.loads(line) for line in run("games", "list", "--json", "--record", file)[1].splitlines()]
    assert {row["name"]: row["plies"] for row in rows} == {f"{name}-0001": PLIES for name in FAMILY}


@pytest.mark.parametrize("game", FAMILY)
def test_text_round_trips_and_is_lawful(file: Path, game: str) -> None:
    with open_record(file) as record:
        text = as_pgn(f"{game}-0001", record.read_events(f"{game}-0001"))
    (read,) = records.read_pgn(text)
    assert records.write_pgn(read, len(games.load(game).seats)) == text
    found = replay_record(read)
    assert found.fault is None
    assert len(found.texts) == PLIES
    assert read.plies[1].parse_commands() == {"emt": "4.0"}


def test_clock_and_what_stood_though_not_lawful_are_in_the_text() -> None:
    match = replace(with_clock(new_match(games.load("camelot")), parse_control("1h")), phase=Phase.PLAYING)
    events: list[dict[str, object]] = [
        {"event": "begin", "game": "camelot", "rules": match.game.rules, "clock": "1h"},
    ]
    events[0]["position"] = to_json(match.game, match.position)
    for t, asked in ((1.0, AsPlayed("E6-E4")), (13.0, AsPlayed("D10-D9"))):
        match, said = apply_act(match, asked, t)
        events += [event.to_json() for event in said]
    text = as_pgn("odd", events)
    assert "[%clk 1:00:00] [%as-played not-a-move]" in text.replace("\n", " ")
    (read,) = records.read_pgn(text)
    assert read.plies[1].parse_commands()["clk"] == "0:59:48"
    assert replay_record(read).fault is None


LEFT_IN_TEXT = {
    "of three, two resign": (
        ("F5-H7", Resign("red"), "I14-G16", Resign("blue")),
        "1. F5-H7 {[%left red resigned]} 1... -- I14-G16 {[%left blue resigned]} 0-0-1",
        "resigned",
    ),
    "before the first move, and by the clock": (
        (Resign("blue"), "D13-E14", "I14-G16", Forfeit("green", "time")),
        "{[%left blue resigned]} 1. -- D13-E14 I14-G16 {[%left green time]} 0-1-0",
        "time",
    ),
    "of two": (("D6-F8", Resign("black")), "1. D6-F8 {[%left black resigned]} 1-0", "resigned"),
}


@pytest.mark.parametrize("played", LEFT_IN_TEXT)
def test_who_left_the_game_and_when_comes_back_out_of_its_text(played: str, tmp_path: Path) -> None:
    """A game of three, of whom two resigned, could not be read again: its text had the third's move in another's
    column, and said that everything had been captured."""
    course, text, reason = LEFT_IN_TEXT[played]
    game = games.load("camelot" if "two" in played.split()[-1:] else "tri-camelot")
    match = replace(new_match(game), phase=Phase.PLAYING)
    begin = {"event": "begin", "game": game.name, "rules": game.rules, "position": to_json(game, match.position)}
    events: list[Mapping[str, object]] = [begin]
    for one in course:
        asked = AsPlayed(one) if isinstance(one, str) else one
        match, said = apply_act(match, asked, 0.0)
        events += [event.to_json() for event in said]
    assert match.outcome is not None and match.outcome.reason == reason
    name, (read, again) = f"{game.name}-0001", (tmp_path / "game.pgn", tmp_path / "game.jsonl")
    exported = as_pgn(name, events)
    read.write_text(exported, encoding="utf-8")
    again.write_text(as_jsonl(events), encoding="utf-8")
    assert re.sub(r" ?\[%emt \S+\] ?|\{\[%emt \S+\]\} ", "", exported.split("\n\n")[1]).split() == text.split()
    for file in (read, again):
        assert run("check", file)[0] == 0
        ((_, taken),) = read_games(file)
        assert fold_events(taken, "taken").outcome == match.outcome
    ((_, taken),) = read_games(read)
    assert as_pgn(name, taken) == exported


@pytest.mark.parametrize(
    ("variant", "moves", "said"),
    [
        ("cam", "1. B5-B6 1-0-0", "line 3: result 1-0-0: result: A game of cam ends with 1-0, 0-1, 1/2-1/2"),
        ("tri-camelot", "1. F5-H7 1-0", "line 3: result 1-0"),
        ("tri-camelot", "1. F5-H7 1/2-1/2", "1-0-0, 0-1-0, 0-0-1, 1/3-1/3-1/3"),
        ("tri-camelot", "1. F5-H7 {[%left pink resigned]} *", "line 3: ply 1 (blue) F5-H7: illegal: left"),
        ("tri-camelot", "1. F5-H7 {[%left red resigned] [%left red time]} *", "out of the game already"),
        ("camelot", "1. D6-F8 {[%left black resigned]} 1... H11-F9 1-0", "game-over"),
        ("camelot", "1. D6-F8 {[%left black resigned]} 0-1", "The last position is 1-0 (resigned)"),
    ],
)
def test_an_end_that_the_game_cannot_have_is_refused_everywhere(
    variant: str, moves: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "game.pgn"
    file.write_text(f'[Variant "{variant}"]\n\n{moves}\n', encoding="utf-8")
    code, checked = run("check", file)
    assert code == ANSWER_IS_NO and "(line 3)" in checked
    with pytest.raises(InputError) as refused:
        read_games(file)
    assert said in str(refused.value)
    game = games.load("cam")
    begin = {"event": "begin", "game": "cam", "rules": game.rules, "position": to_json(game, game.start())}
    lines = as_jsonl([begin, {"t": 1.0, "event": "result", "result": "1-0-0", "reason": "castle"}])
    with pytest.raises(InputError, match="line 2: result 1-0-0"):
        parse_text(lines, Path("game.jsonl"))


@pytest.mark.parametrize("variant", ["Cam 3-D", "cam3d", "CAM_3D", "cam-3d"])
def test_a_game_is_known_as_people_write_it(variant: str, tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    file.write_text(f'[Variant "{variant}"]\n\n1. 1B2-1A3 *\n', encoding="utf-8")
    assert games.load(variant).name == "cam-3d"
    assert run("check", file)[1] == f"{file}: ok, 1 plies, *\n"


@pytest.mark.parametrize("game", FAMILY)
def test_a_film_has_a_picture_for_each_position(file: Path, game: str) -> None:
    with open_record(file) as record:
        data = render_film(as_replay(game, record.read_events(f"{game}-0001")))
    with Image.open(BytesIO(data)) as shown:
        assert shown.n_frames == PLIES + 1  # type: ignore[attr-defined]  # only moving pictures have it


@pytest.mark.parametrize("game", FAMILY)
def test_a_score_sheet_has_every_move(file: Path, game: str) -> None:
    with open_record(file) as record:
        shown = as_replay(game, record.read_events(f"{game}-0001"))
    pdf = pypdfium2.PdfDocument(render_sheet(shown))
    text = "".join(pdf[i].get_textpage().get_text_range() for i in range(len(pdf)))
    squeezed = "".join(text.split()).replace("–", "-")
    positions = shown["positions"]
    assert isinstance(positions, list)
    assert all(step["move"] in squeezed for step in positions[1:])
    assert pdf[0].render(scale=1).to_numpy().std() > 5
    pdf.close()


def test_the_page_replays_in_a_browser_without_a_server(file: Path, tmp_path: Path, driver: Chrome) -> None:
    for game in FAMILY:
        with open_record(file) as record:
            shown = as_replay(game, record.read_events(f"{game}-0001"))
        (tmp_path / f"{game}.html").write_text(render_page(shown), encoding="utf-8")
        driver.get((tmp_path / f"{game}.html").as_uri())
        positions = shown["positions"]
        assert isinstance(positions, list)
        driver.find_element(By.ID, "on").click()
        assert positions[1]["move"] in driver.find_element(By.ID, "headline").text
        driver.find_element(By.CSS_SELECTOR, f'[data-ply="{PLIES}"]').click()
        pieces = driver.find_elements(By.CSS_SELECTOR, "#pieces .piece")
        assert {p.get_attribute("data-cell") for p in pieces} == set(positions[-1]["cells"])
        assert driver.get_log("browser") == []


def test_exports_write_over_nothing(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("pgn", "jsonl", "html", "gif", "pdf"):
        out = tmp_path / f"game.{kind}"
        assert run("games", "export", "camelot-0001", "--record", file, "-o", out)[0] == 0
        assert out.stat().st_size > 400
    assert "is there already" in refused(
        capsys, "games", "export", "camelot-0001", "--record", file, "-o", tmp_path / "game.pgn"
    )
    assert "--format" in refused(capsys, "games", "export", "camelot-0001", "--record", file, "-o", tmp_path / "g.doc")
    assert "not in this record" in refused(capsys, "games", "show", "nothing", "--record", file)
    assert "there is none" in refused(capsys, "games", "list", "--record", tmp_path / "none.sqlite3")
    assert run("check", tmp_path / "game.pgn") == (0, f"{tmp_path / 'game.pgn'}: ok, {PLIES} plies, *\n")


def test_deleting_asks_and_leaves_the_others(copy: Path) -> None:
    answer = CliRunner().invoke(referee, ["games", "delete", "camelot-0001", "--record", str(copy)], input="n\n")
    assert answer.exit_code == 1
    run("games", "delete", "camelot-0001", "--yes", "--record", copy)
    with open_record(copy) as record:
        assert sorted(record.event_counts()) == [f"{name}-0001" for name in sorted(FAMILY) if name != "camelot"]
        with pytest.raises(sqlite3.Error, match="append-only"):
            record._db.execute("DELETE FROM events")
    assert run("verify", "--record", copy)[0] == 0


def spoil(path: Path, *statements: str) -> None:
    """Change a record behind its back, and leave its guards as they were."""
    db = sqlite3.connect(path)
    for statement in ("DROP TRIGGER events_stand", "DROP TRIGGER events_stay", *statements, STAND, GUARD):
        db.execute(statement)
    db.commit()
    db.close()


SPOILED = {
    "UPDATE events SET event = replace(event, '\"t\":9.0', '\"t\":9.1') WHERE game = 'camelot-0001'": "event 4",
    "DELETE FROM events WHERE game = 'camelot-0001' AND number = 7": "event 7",
    "DELETE FROM events WHERE game = 'camelot-0001' AND number = 16": "event 16",
    "DELETE FROM events WHERE game = 'camelot-0001'": "event 1",
    "DELETE FROM summaries WHERE name = 'camelot-0001'": "event 1",
    "UPDATE events SET hash = 'f' || substr(hash, 2) WHERE game = 'camelot-0001' AND number = 5": "event ",
}


@pytest.mark.parametrize("statement", SPOILED)
def test_any_change_is_found_and_named(copy: Path, statement: str) -> None:
    status, said = run("verify", "--record", copy)
    assert status == 0 and said.startswith(f"{copy}: ok, 4 games\n")
    spoil(copy, statement)
    status, said = run("verify", "--record", copy)
    assert status == ANSWER_IS_NO
    assert f"camelot-0001: {SPOILED[statement]}" in said
    assert "tri-camelot-0001" not in said


@pytest.mark.parametrize("kind", ["[]", "{}", "7", "null"])
def test_an_event_without_a_name_is_damage(copy: Path, kind: str) -> None:
    spoil(copy, f"UPDATE events SET event = json_set(event, '$.event', json('{kind}')) WHERE {NINTH}")  # noqa: S608
    with open_record(copy) as record, pytest.raises(sqlite3.DatabaseError, match="camblam-0001: an event is none"):
        record.read_events("camblam-0001")
    assert run("verify", "--record", copy)[0] == ANSWER_IS_NO


def test_every_flipped_bit_of_an_event_is_found(copy: Path) -> None:
    db = sqlite3.connect(copy)
    (text,) = db.execute("SELECT event FROM events WHERE game = 'camblam-0001' AND number = 9").fetchone()
    db.close()
    for at in range(0, len(text), 11):
        changed = text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1 :]
        quoted = changed.replace("'", "''")
        spoil(copy, f"UPDATE events SET event = '{quoted}' WHERE {NINTH}")  # noqa: S608  # from our own game
        with open_record(copy) as record:
            assert record.find_broken_event("camblam-0001") == 9
            assert record.find_broken_event("cam-3d-0001") is None


NINTH = "game = 'camblam-0001' AND number = 9"
COLUMNS = {
    "events": ("game", "number", "event", "previous", "hash"),
    "summaries": ("name", "game", "rules", "begun", "plies", "result", "events", "head", "details"),
    "places": ("place", "game", "hash"),
}
"""All that a record stores."""


def flipped(value: int | str) -> Iterator[int | str]:
    """The value with single bits of it turned over."""
    for bit in range(6):
        if isinstance(value, int):
            yield value ^ 1 << bit
        elif not value:
            yield chr(1 << bit | 64)
        else:
            at = bit * 37 % len(value)
            yield value[:at] + chr(ord(value[at]) ^ 1 << bit) + value[at + 1 :]


@pytest.mark.parametrize(("table", "column"), [(table, column) for table in COLUMNS for column in COLUMNS[table]])
def test_a_flipped_bit_in_any_column_is_found_and_named(copy: Path, table: str, column: str) -> None:
    db = sqlite3.connect(copy)
    assert [row[1] for row in db.execute(f"PRAGMA table_info({table})")] == list(COLUMNS[table])
    which = {"events": NINTH, "summaries": "name = 'camblam-0001'", "places": "game = 'camblam-0001'"}[table]
    (value,) = db.execute(f"SELECT {column} FROM {table} WHERE {which}").fetchone()  # noqa: S608  # from our own list
    db.close()
    whole = copy.read_bytes()
    for other in flipped(value):
        copy.write_bytes(whole)
        db = sqlite3.connect(copy)
        for guard in ("events_stand", "events_stay"):
            db.execute(f"DROP TRIGGER {guard}")
        if column == "number":
            db.execute("DELETE FROM events WHERE game = 'camblam-0001' AND number = ?", (other,))
        if column == "place":
            db.execute("DELETE FROM places WHERE place = ?", (other,))
        db.execute(f"UPDATE {table} SET {column} = ? WHERE {which}", (other,))  # noqa: S608  # from our own list
        for statement in (STAND, GUARD):
            db.execute(statement)
        db.commit()
        db.close()
        status, said = run("verify", "--record", copy)
        assert status == ANSWER_IS_NO, (value, other)
        assert "camblam-0001: event " in said
        assert "camelot-0001" not in said or column == "place"  # which another game may have had


PAGE = 4096
COMMANDS = (
    ("verify",),
    ("games", "list"),
    ("games", "show", "camelot-0001"),
    ("games", "delete", "camelot-0001", "--yes"),
)


def spoilt(data: bytes) -> Iterator[bytes]:
    """The file with each of its pages overwritten in turn, and cut off in many places."""
    for start in range(0, len(data), PAGE):
        yield data[:start] + b"\x5a" * 64 + data[start + 64 :]
        yield data[: start + PAGE // 2]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_damaged_file_is_said_in_a_line(
    copy: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    whole, noticed = copy.read_bytes(), 0
    for data in spoilt(whole):
        copy.write_bytes(data)
        with pytest.raises(SystemExit) as stopped:
            main([*command, "--record", str(copy)])
        assert stopped.value.code in {0, ANSWER_IS_NO, 2}
        said = capsys.readouterr()
        noticed += stopped.value.code != 0
        assert said.err.count("\n") == (stopped.value.code == 2)
        assert stopped.value.code == 0 or str(copy) in said.err + said.out or "not in this record" in said.err
    assert noticed == 2 * (len(whole) // PAGE) if command == ("verify",) else noticed


def test_a_record_of_the_first_version_gets_its_summaries(file: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite3"
    db = sqlite3.connect(old)
    db.execute(OLD_TABLE)
    db.execute(f"ATTACH '{file}' AS new")
    db.execute("INSERT INTO events SELECT * FROM new.events")
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()
    with open_record(old) as record, open_record(file) as new:
        assert sorted(record.list_summaries(), key=str) == sorted(new.list_summaries(), key=str)
        assert all(record.find_broken_event(name) is None for name in record.event_counts())


def test_long_games_stay_small(tmp_path: Path) -> None:
    path = tmp_path / "long.sqlite3"
    with open_record(path) as record:
        record.append_event("long", {"event": "begin", "game": "camelot", "rules": "wcf"})
        for ply in range(1, 401):
            move = {"event": "move", "ply": ply, "side": "white", "notation": "E6-C8", "from": "E6", "to": "C8"}
            record.append_event("long", {"t": 4.0 * ply, **move, "captured": [], "confidence": 0.998})
        record._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.stat().st_size / 400 < 1000


def test_what_a_ply_took_over_a_restart_is_not_known(tmp_path: Path) -> None:
    with open_record(tmp_path / "games.sqlite3") as record:
        name = played(record, "camelot", 4)
        events = [dict(event) for event in record.read_events(name)]
    moves = [event for event in events if event["event"] == "move"]
    at = events.index(moves[2])
    for event in events[at:]:
        event["t"] = float(str(event["t"])) - 11.5  # the camera was opened anew, and its time began with it
    events.insert(at, {"t": 0.5, "event": "ready", "fit": 99})
    positions = as_replay(name, events)["positions"]
    assert isinstance(positions, list)
    assert [step["spent"] for step in positions[1:]] == [4.0, 4.0, None, 4.0]
    assert as_pgn(name, events).count("%emt") == 3


def test_what_a_ply_took_is_not_how_long_it_took_people_to_correct_it(tmp_path: Path) -> None:
    """A correction an hour later gave the ply an hour, and those after it nothing."""
    with open_record(tmp_path / "games.sqlite3") as record:
        name = played(record, "camelot", 4)
        events = [dict(event) for event in record.read_events(name)]
    moves = [dict(event) for event in events if event["event"] == "move"]
    later = 3600.0
    events += [move | {"t": later, "by": "arbiter", "corrected": True} for move in moves[1:]]
    events += [{"t": later + 9, "event": "takeback", "plies": 1, "by": "arbiter"}]
    events += [moves[-1] | {"t": later + 20, "by": "arbiter"}]  # written in: nobody knows when it was played
    positions = as_replay(name, events)["positions"]
    assert isinstance(positions, list)
    assert [step["spent"] for step in positions[1:]] == [4.0, 4.0, 4.0, None]
    assert as_pgn(name, events).count("%emt") == 3


def test_a_game_whose_position_was_set_is_written_from_there_and_can_be_read_again(tmp_path: Path) -> None:
    """The moves after it stood behind those before it, and no reader could play them."""
    game = games.load("camelot")
    with open_record(tmp_path / "games.sqlite3") as record:
        name = played(record, "camelot", plies=4)
        cells = {"F6": "WM", "G6": "WN", "F11": "BM", "G11": "BN"}
        said = {"game": "camelot", "rules": game.rules, "to_move": "black", "cells": cells}
        record.append_event(name, {"t": 30.0, "event": "position", "position": said})
        moved = {"side": "black", "notation": "F11-F10", "from": "F11", "to": "F10", "captured": [], "confidence": 1.0}
        record.append_event(name, {"t": 40.0, "event": "move", "ply": 5, **moved})
        events = record.read_events(name)
    text = as_pgn(name, events)
    (written,) = read_pgn(text, "a text")
    found = replay_record(written)
    assert found.fault is None
    assert [ply.text for ply in written.plies] == ["F11-F10"]
    assert "{4 plies were played before this position was set: " in text
