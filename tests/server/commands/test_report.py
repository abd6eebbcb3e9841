"""The file for a report of trouble: what is in it, what is not, and that it is made where everything else is broken."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli import referee
from server.record.evidence import Store, folder_of
from server.record.store import open_record
from tests.server.past import NAME, fill

SECRETS = ("hunter2", "Anna Muster", "Club Beispiel")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "camelot-referee"
    folder.mkdir()
    return folder


def reported(out: Path, *more: str) -> tuple[Result, dict[str, bytes]]:
    done = CliRunner().invoke(referee, ["report", "--out", str(out), *more], standalone_mode=False)
    if not out.exists():
        return done, {}
    with zipfile.ZipFile(out) as packed:
        return done, {name: packed.read(name) for name in packed.namelist()}


def test_before_anything_was_set_up(home: Path) -> None:
    done, parts = reported(home / "report.zip")
    assert done.exception is None, done.exception
    told = parts["report.txt"].decode()
    assert told.startswith("camelot-referee ") and "numpy" in told
    assert "note  profile: no board has been set up yet" in told


def test_what_is_in_it_and_what_is_not(home: Path) -> None:
    (home / "settings.toml").write_text(
        '[serve]\nhall = "mqtt://board:hunter2@broker/club"\nplayer = ["white=Anna Muster"]\nplace = "Club Beispiel"\n'
        'mode = "tournament"\n',
        encoding="utf-8",
    )
    (home / "board.toml").write_text('game = "camelot"\nsource = "rtsp://me:hunter2@camera/1"\n', encoding="utf-8")
    record = home / "games.sqlite3"
    fill(record)
    store = Store(folder_of(record), 10**8)
    digest = store.add_picture(b"\xff\xd8 a picture \xff\xd9")
    with open_record(record) as opened:
        opened.append_event(NAME, {"event": "details", "by": "page", "details": {"players": {"white": "Anna Muster"}}})
        opened.append_event(
            NAME, {"event": "evidence", "ply": 1, "before": None, "after": digest, "scores": {"E6": [1.0]}}
        )
    done, parts = reported(home / "report.zip")
    assert done.exception is None, done.exception
    assert sorted(parts) == ["board.toml", f"{NAME}.jsonl", "report.txt", "settings.json"]
    for name, data in parts.items():
        assert not any(secret in data.decode() for secret in SECRETS), name
    assert json.loads(parts["settings.json"])["serve"]["mode"] == "tournament"
    events = [json.loads(line)["event"] for line in parts[f"{NAME}.jsonl"].splitlines()]
    assert events[0] == "begin" and events[-1] == "evidence" and "move" in events
    assert "WRONG profile" in parts["report.txt"].decode()
    done, parts = reported(home / "with.zip", "--pictures")
    assert parts["pictures/1-after.jpg"].startswith(b"\xff\xd8")
    before = (home / "with.zip").read_bytes()
    done, _ = reported(home / "with.zip")
    assert "there already" in str(done.exception) and (home / "with.zip").read_bytes() == before


def test_it_is_made_where_everything_is_broken(home: Path) -> None:
    for name in ("settings.toml", "board.toml", "games.sqlite3"):
        (home / name).write_bytes(b"\xff\x00 = [nothing\n")
    environ = {"CAMELOT_REFEREE_SETTINGS": str(home / "settings.toml")}
    out = home / "report.zip"
    done = CliRunner().invoke(referee, ["report", "--out", str(out)], standalone_mode=False, env=environ)
    assert done.exception is None, done.exception
    with zipfile.ZipFile(out) as packed:
        assert {"report.txt", "settings.json", "games.txt"} <= set(packed.namelist())
        assert "wrong" in json.loads(packed.read("settings.json"))
