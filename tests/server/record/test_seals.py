"""Seals: a record made anew by somebody who may write its file is told from the one that the score sheet came from."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pypdfium2 import PdfDocument

from engine.errors import InputError
from engine.games import load
from engine.match.events import Adjourned
from engine.match.events import Result as GameResult
from engine.match.referee import new_match
from server.record.archive import as_jsonl, as_pgn
from server.record.chain import CODE_LETTERS, beginning_of, code_of
from server.record.details import parse_details
from server.record.exports import FORMATS
from server.record.imports import add_games
from server.record.journal import Journal
from server.record.seal import SEALED, load_sealer
from server.record.store import open_record
from tests.server.record.reading import read_games
from tests.server.record.test_archive import run

NAME = "camelot-0001"
BEGUN = "2026-11-23T10:00:00+00:00"
MOVE = {"t": 4.0, "event": "move", "ply": 1, "side": "white", "notation": "E6-C8", "from": "E6", "to": "C8"}
ENDED = GameResult(9.0, "1-0", "resigned")
Rows = list[tuple[str, str]]


@pytest.fixture(autouse=True)
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The key of this referee."""
    path = tmp_path / "keys" / "seal.key"
    monkeypatch.setenv("CAMELOT_REFEREE_SEAL_KEY", str(path))
    return path


def played(path: Path, name: str = NAME) -> str:
    """A game that white won, and the code on its score sheet."""
    with open_record(path) as record:
        journal = Journal(record, name, load_sealer(lambda: BEGUN))
        journal.begin_game(new_match(load("camelot", "wcf")), BEGUN)
        record.append_event(name, MOVE | {"captured": [], "confidence": 1.0})
        journal.write_events([ENDED])
        events = record.read_events(name)
    assert [event["event"] for event in events] == ["begin", "move", "result", SEALED]
    text = PdfDocument(FORMATS["pdf"](name, events))[0].get_textpage().get_text_range()
    found = re.search(r"Code of the record: (\S+)", text)
    assert found is not None
    return found[1]


def verify(path: Path, *more: str) -> tuple[int, str]:
    """The exit status and all that was printed."""
    return run("verify", "--record", path, *more)


def forged(path: Path, change: Callable[[Rows], Rows]) -> None:
    """Write the events of the record anew, with a chain and a list of games that hold, as who has the file can."""
    with closing(sqlite3.connect(path)) as db:
        rows = change(db.execute("SELECT game, event FROM events ORDER BY game, number").fetchall())
    anew = path.with_name("anew.db")
    with open_record(anew) as record:
        for game, text in rows:
            record.append_event(game, json.loads(text))
    anew.replace(path)


def test_a_sheet_is_found_in_its_record_however_its_code_is_typed(tmp_path: Path) -> None:
    code = played(tmp_path / "r.db")
    assert re.fullmatch(r"(\w{4}-){3}\w{4}", code)
    for typed in (code, code.lower(), code.replace("-", " "), code.replace("0", "O").replace("1", "l")):
        status, said = verify(tmp_path / "r.db", "--head", typed)
        assert status == 0, said
        assert f"{NAME}: event 3 has the code {typed}: the sheet belongs to this game, begun {BEGUN}" in said
    status, said = verify(tmp_path / "r.db")
    assert status == 0
    assert "1 sealed by this referee (key " in said


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: [(game, text.replace("1-0", "0-1")) for game, text in rows if SEALED not in text],
        lambda rows: [(game, text.replace("2026-11-23", "2026-11-22")) for game, text in rows if SEALED not in text],
        lambda rows: [(game, text.replace("E6-C8", "E6-C6")) for game, text in rows if SEALED not in text],
        lambda rows: [row for row in rows if row[0] != NAME],
        lambda rows: [(f"{game}9", text) for game, text in rows if SEALED not in text],
    ],
    ids=["result", "date", "move", "game deleted", "game renamed"],
)
def test_a_record_made_anew_holds_together_and_is_found_by_the_sheet(
    tmp_path: Path, change: Callable[[Rows], Rows]
) -> None:
    path = tmp_path / "r.db"
    played(path, "camelot-0002")
    code = played(path)
    forged(path, change)
    status, said = verify(path, "--head", code)
    assert status == 1
    assert f"no event has the code {code}: its game was changed or deleted, or is in another record" in said


def test_a_seal_is_of_its_game_and_of_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    played(path)
    assert verify(path)[0] == 0
    forged(path, lambda rows: [(game, text.replace("resigned", "agreed")) for game, text in rows])
    status, said = verify(path)
    assert status == 1
    assert f"{NAME}: event 4: its seal does not belong to the game" in said


def test_a_forger_with_a_key_of_his_own_is_another_referee(tmp_path: Path, key: Path) -> None:
    path = tmp_path / "r.db"
    code = played(path)
    key.unlink()
    status, said = verify(path)
    assert status == 0, "a record is looked at where its referee is not"
    assert f"no key at {key}" in said
    advice = f"copy its seal.key to {key}"
    assert advice in said
    run("backup", tmp_path / "copy.db", "--record", path)
    assert advice in run("restore", tmp_path / "copy.db", "--record", tmp_path / "new.db")[1]
    assert not key.exists(), "the other one may still be put there"
    load_sealer()
    status, said = verify(path)
    assert status == 1
    assert f"{NAME}: ended, and sealed by another referee (key " in said
    assert "ok" not in said
    assert advice in said
    assert verify(path, "--head", code)[0] == 0, "the paper tells"


@pytest.mark.parametrize("left", [1, 2], ids=["names", "result"])
def test_who_leaves_the_seal_out_is_seen_without_paper(tmp_path: Path, left: int) -> None:
    path = tmp_path / "r.db"
    played(path, "camelot-0002")
    played(path)
    with open_record(path) as record:
        journal = Journal(record, NAME, load_sealer(lambda: BEGUN))
        journal.write_note(parse_details({"players": {"white": "Anna"}}, ("white", "black")).to_event(0.0, "arbiter"))
    assert verify(path)[0] == 0
    seals = [0]

    def without(rows: Rows) -> Rows:
        kept = []
        for game, text in rows:
            seals[0] += game == NAME and SEALED in text
            if game != NAME or SEALED not in text or seals[0] < left:
                kept.append((game, text.replace("Anna", "Berta")))
        return kept

    forged(path, without)
    status, said = verify(path)
    assert status == 1
    assert f"{NAME}: ended, and its end is not sealed" in said
    assert "camelot-0002: " not in said
    assert ": ok" not in said


def test_a_game_that_is_not_over_or_came_out_of_a_file_needs_no_seal(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    with open_record(path) as record:
        journal = Journal(record, NAME, load_sealer(lambda: BEGUN))
        journal.begin_game(new_match(load("camelot", "wcf")), BEGUN)
        journal.write_note(parse_details({"players": {"white": "Anna"}}, ("white", "black")).to_event(0.0, "arbiter"))
        record.append_event(NAME, MOVE | {"captured": [], "confidence": 1.0})
        journal.write_events([Adjourned(5.0)])
        journal.write_note(parse_details({"players": {"white": "Berta"}}, ("white", "black")).to_event(0.0, "arbiter"))
        record.append_event(NAME, {"t": 9.0, "event": "takeback", "plies": 1})
    played(tmp_path / "other.db")
    with open_record(tmp_path / "other.db") as record:
        (tmp_path / "game.jsonl").write_text(as_jsonl(record.read_events(NAME)), encoding="utf-8")
    with open_record(path) as record:
        add_games(record, read_games(tmp_path / "game.jsonl"))
    status, said = verify(path)
    assert status == 0, said


def test_what_was_written_after_the_sheet_is_told(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    code = played(path)
    with open_record(path) as record:
        journal = Journal(record, NAME, load_sealer(lambda: BEGUN))
        journal.write_note(parse_details({"players": {"white": "Anna"}}, ("white", "black")).to_event(0.0, "arbiter"))
        newer = record.read_events(NAME)[-1]
    assert newer["event"] == SEALED
    assert newer["code"] != code
    assert f"{NAME}: written since then: details" in verify(path, "--head", code)[1]
    assert "written since" not in verify(path, "--head", str(newer["code"]))[1]


def test_text_page_and_data_have_the_code_and_an_import_has_no_foreign_seal(tmp_path: Path) -> None:
    code = played(tmp_path / "r.db")
    with open_record(tmp_path / "r.db") as record:
        events = record.read_events(NAME)
    assert f'[Seal "{code}"]' in as_pgn(NAME, events)
    assert code in FORMATS["html"](NAME, events).decode()
    (tmp_path / "game.jsonl").write_text(as_jsonl(events), encoding="utf-8")
    with open_record(tmp_path / "other.db") as record:
        (name,) = add_games(record, read_games(tmp_path / "game.jsonl"))
        assert SEALED not in [event["event"] for event in record.read_events(name)]


def test_key_and_record_are_their_owners_and_a_bad_key_stops_no_game(
    tmp_path: Path, key: Path, caplog: pytest.LogCaptureFixture
) -> None:
    played(tmp_path / "r.db")
    assert {path.stat().st_mode & 0o777 for path in (key, tmp_path / "r.db")} == {0o600}
    key.write_text("no key", encoding="utf-8")
    assert load_sealer() is None
    assert "games are not sealed" in caplog.text
    status, said = verify(tmp_path / "r.db")
    assert status == 0
    assert f"key of the seals {key}: no private key" in said


@pytest.mark.parametrize("typed", ["", "7QK3", "7QK3-M2PD-0VZA-9XT!", "x" * 64, "\ud800" * 16, "0" * 5000])
def test_what_is_no_code_is_said_in_a_line(typed: str) -> None:
    with pytest.raises(InputError, match="a code has 16 letters"):
        beginning_of(typed)


def test_a_code_is_the_beginning_of_its_hash() -> None:
    for number in range(200):
        head = hashlib.sha256(str(number).encode()).hexdigest()
        code = code_of(head)
        assert len(code.replace("-", "")) == CODE_LETTERS
        assert head.startswith(beginning_of(code))
        assert beginning_of(head) == head


def test_a_kind_of_event_that_is_no_longer_written_is_kept(tmp_path: Path) -> None:
    """Records of earlier versions have time stamps in them."""
    path = tmp_path / "games.sqlite3"
    played(path)
    with open_record(path) as record:
        record.append_event(NAME, {"event": "stamped", "number": 4, "at": BEGUN, "stamp": "AA=="})
        text = as_jsonl(record.read_events(NAME))
    assert '"stamped"' in text
    assert verify(path)[0] == 0
    exported = tmp_path / "games.jsonl"
    exported.write_text(text, encoding="utf-8")
    code, said = run("games", "import", exported, "--record", tmp_path / "other.sqlite3")
    assert code == 0, said
