"""A program that is started again on a disk that is still full: the game goes on from what was kept, and no ply of it
is lost, however many starts there are before there is room.

On a real file system of a few megabytes, in a process with mounts of its own.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.errors import InputError
from engine.match.referee import new_match
from server.board.live import unwritten
from server.board.live.unwritten import MOST_FILES, UnwrittenEvent
from server.board.resuming import resume_game
from server.record.journal import fold_events
from server.record.store import Record, open_record
from tests.server.board.live.test_unwritten import line
from tests.server.record.test_archive import played

STARTS = """
import json, os, signal, subprocess, sys, urllib.request
from contextlib import suppress
from pathlib import Path
from server.record.evidence import folder_of
from server.record.store import open_record
from server.record.verifying import find_record_faults
from tests.patience import PATIENCE_S, wait_until
from tests.programs import started
from tests.server.board.live.test_unwritten import WAITING, serve

disk = Path(sys.argv[1])
file, filler = disk / "games.sqlite3", disk / "filler"
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "none", disk], check=True)

def ask(url, what):
    with urllib.request.urlopen(f"{url}{what}", timeout=PATIENCE_S) as answer:
        return json.load(answer)

def fill():
    with suppress(OSError), filler.open("ab", 0) as out:
        while out.write(b"0" * 512):
            pass

def kept():
    files = sorted(Path(os.environ["TMPDIR"]).glob("*.unwritten-*"))
    return [[json.loads(line)["event"] for line in file.read_text().splitlines()] for file in files]

def start(until, meanwhile):
    with started(serve(file), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while "page is at" not in (words := process.stdout.readline()):
            assert process.poll() is None, process.stderr.read()
        url = words.split("page is at ")[1].split()[0]
        meanwhile()
        wait_until(lambda: until(ask(url, "healthz"), ask(url, "api/v1/game")))
        shown = [ask(url, "healthz"), ask(url, "api/v1/game")]
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=PATIENCE_S)[1]
        return {"code": process.returncode, "said": said, "health": shown[0], "game": shown[1], "kept": kept()}

def full_and_said(health, game):
    return health["record_waiting"] > 0 and bool(game["record"])

came = [
    start(lambda health, _: health["record_waiting"] >= WAITING, fill),
    start(full_and_said, fill),
    start(lambda health, game: full_and_said(health, game) and health["record_waiting"] > 2, fill),
    start(lambda health, _: health["record"] == "ok" and health["record_waiting"] == 0, filler.unlink),
    start(lambda health, _: health["record"] == "ok", lambda: None),
]
with open_record(file) as record:
    events, faults = record.read_events("camelot-0001"), find_record_faults(record, folder_of(file))[0]
print(json.dumps({"came": came, "events": events, "faults": faults, "left": kept()}))
"""


def test_each_start_on_a_full_disk_goes_on_from_what_was_kept(tmp_path: Path) -> None:
    disk, temporary = tmp_path / "disk", tmp_path / "temporary"
    disk.mkdir()
    temporary.mkdir()
    own = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-c", STARTS, str(disk)]
    done = subprocess.run(own, capture_output=True, text=True, check=False, env=os.environ | {"TMPDIR": str(temporary)})
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    first, second, third, free, last = said["came"]
    assert [one["code"] for one in (first, second, third, free, last)] == [2, 2, 2, 0, 0], said["came"]
    (lines,) = first["kept"]
    assert lines, "nothing waited, and this tests nothing"
    assert "start again before this computer is switched off" in first["said"]
    for one in (second, third):
        assert len(one["kept"]) == 1 and one["kept"][0][: len(lines)] == lines, "one file has all, in its order"
        assert one["health"]["record"] == "full" and one["health"]["status"] == "degraded"
        assert "is full" in one["game"]["record"], "the page says so too"
    plies = [event["ply"] for event in lines if event["event"] == "move"]
    assert plies and all(one["game"]["ply"] >= plies[-1] for one in (second, third, free)), "it goes on from them"
    all_kept = third["kept"][0]
    at = said["events"].index(lines[0])
    assert said["events"][at : at + len(all_kept)] == all_kept
    assert said["faults"] == [] and said["left"] == [] and "unwritten" not in last["said"]


def kept_in(tmp_path: Path, events: list[dict[str, object]]) -> tuple[Path, Path]:
    """A record with a game whose last events are kept in a file, and the file."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        game = played(record, "camelot", 3)
        count, head = len(record.read_events(game)), record.read_hashes(game)[-1]
    lines = [UnwrittenEvent(game, count, head, event, sealed=False) for event in events]
    kept = unwritten.save_lines(file, lines)
    assert kept is not None
    return file, kept


def take_nothing(record: Record) -> None:
    """Have the record take nothing from now on, as one on a disk that can only be read."""
    record._db.execute("PRAGMA query_only = ON")


def take_all(record: Record) -> None:
    record._db.execute("PRAGMA query_only = OFF")


def test_a_new_game_that_was_begun_while_nothing_was_written_is_gone_on_with(tmp_path: Path) -> None:
    file, kept = kept_in(tmp_path, [{"event": "result", "result": "1-0", "reason": "resignation", "t": 9.0}])
    with open_record(file) as record:
        name = next(iter(record.event_counts()))
        first = dict(record.read_events(name)[0])
        count = len(record.read_events(name))
        lines = unwritten._read_lines(kept)
        kept.unlink()
        kept_again = unwritten.save_lines(file, [*lines, UnwrittenEvent("camelot-0009", 0, "", first, sealed=False)])
        take_nothing(record)
        memory = unwritten.restore_lines(file, record, None)
        assert memory is not None and kept_again is not None and kept_again.exists()
        fresh = new_match(fold_events(record.read_events(name), name).game)
        match, journal = resume_game(memory.as_record(), fresh, None, fresh=False)
        assert [one.name for one in memory.list_summaries()] == ["camelot-0009", name]
        assert memory.played_games()["camelot-0009"][0] == 1
        assert journal.name == "camelot-0009" and not match.moves
        take_all(record)
        unwritten.write_lines(record, memory.lines, None)
        memory.remove_files()
        assert not kept_again.exists()
        assert len(record.read_events(name)) == count + 1 and record.read_events("camelot-0009") == [first]


def test_files_are_taken_in_the_order_in_which_they_were_made(tmp_path: Path) -> None:
    """The number of a file says nothing of it: the first that was free."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        record.append_event("game", {"event": "begin"})
        head = record.read_hashes("game")[0]
        for number, text in enumerate(("one", "two"), start=1):
            made = unwritten.save_lines(file, [line(1, head, "one"), line(1, head, "two")][:number])
            assert made is not None and text
            os.utime(made, (1000 - number, 1000 - number))
        take_nothing(record)
        memory = unwritten.restore_lines(file, record, None)
        assert memory is not None and [one.event["text"] for one in memory.lines] == ["one", "two"]
        assert [one.name[-1] for one in memory.files] == ["2", "1"]


def test_a_file_that_is_in_the_record_already_is_no_news_where_the_game_has_gone_on(tmp_path: Path) -> None:
    """The program was killed between writing what the file has and removing it."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        record.append_event("game", {"event": "begin"})
        head = record.read_hashes("game")[0]
        kept = unwritten.save_lines(file, [line(1, head, "one")])
        for text in ("one", "two"):
            record.append_event("game", {"event": "note", "text": text})
        assert unwritten.restore_lines(file, record, None) is None
        assert kept is not None and not kept.exists()
        assert len(record.read_events("game")) == 3


@pytest.mark.parametrize("spoilt", ["{", "[1]", '{"game": "game"}', "[" * 100_000])
def test_a_start_does_not_go_on_without_a_file_that_cannot_be_read(tmp_path: Path, spoilt: str) -> None:
    file = tmp_path / "games.sqlite3"
    kept = Path(f"{file}.unwritten-1")
    kept.write_text(spoilt, encoding="utf-8")
    with open_record(file) as record, pytest.raises(InputError, match=r"unwritten-1: damaged: .*: it has plies") as why:
        unwritten.restore_lines(file, record, None)
    assert "\n" not in str(why.value) and len(str(why.value)) < 400
    assert kept.exists()


def test_where_all_names_are_taken_no_file_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unwritten.tempfile, "tempdir", str(tmp_path / "not there"))
    file = tmp_path / "games.sqlite3"
    names = [Path(f"{file}.unwritten-{number}") for number in range(1, MOST_FILES)]
    for name in names:
        name.touch()
    assert unwritten.save_lines(file, [line(1, "", "one")]) is None
    assert all(name.exists() for name in names)


def test_what_was_written_in_part_is_ended_later(tmp_path: Path) -> None:
    """The disk takes one event and then nothing again: the rest is written by the next try, in its order."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        record.append_event("game", {"event": "begin"})
        head = record.read_hashes("game")[0]
        unwritten.save_lines(file, [line(1, head, "one"), line(1, head, "two")])
        take_nothing(record)
        memory = unwritten.restore_lines(file, record, None)
        assert memory is not None
        memory.append_event("game", {"event": "note", "text": ("three",)})
        take_all(record)
        record.append_event("game", {"event": "note", "text": "one"})
        unwritten.write_lines(record, memory.lines[:3], None)
        unwritten.write_lines(record, memory.lines, None)
        assert [event.get("text") for event in record.read_events("game")] == [None, "one", "two", ["three"]]
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT count(*) FROM events").fetchone() == (4,)
