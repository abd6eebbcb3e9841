"""What spectators are given: never before the delay, once and in order, in files that only grow, also after a kill."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.errors import InputError
from server.hall.delay import Delay
from server.hall.desk.database import open_database
from server.hall.desk.ledger import Ledger
from server.hall.desk.standing import BoardStanding
from server.spectators.shelf import End, Shelf
from server.spectators.shown import PublicFolder
from server.web.feed import Feed
from tests.server.hall.desk.test_ledger import chain

GAME = "camelot-0001"
STATE = {"name": GAME, "game": "camelot", "ply": 1, "side": "black", "players": {}, "last": None, "result": None}


class Spectators:
    """A delay whose clock is the test's."""

    def __init__(
        self, folder: Path, engine: sa.Engine, delay_s: float, rulings: dict[tuple[str, str], str] | None = None
    ) -> None:
        self.now, self.folder = 1000.0, folder
        self.ledger = Ledger(engine)
        self.rulings: dict[tuple[str, str], str] = dict(rulings or {})
        self.delay = Delay(self.ledger, Shelf(folder), Feed(), delay_s, lambda: self.now, lambda: self.rulings)

    def lines(self, board: str = "table-1") -> list[dict[str, object]]:
        file = self.folder / board / f"{GAME}.jsonl"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def goes_on(self, seconds: float) -> None:
        self.now += seconds
        self.delay.publish_due()
        self.delay.note_rulings()

    def shows(self, **said: object) -> None:
        self.delay.hold_back([], [BoardStanding("table-1", state={**STATE, **said})])

    def rows(self) -> list[tuple[object, object, object]]:
        """Result, its reason and ply of each board in the list, which is what its own file says."""
        listed = json.loads((self.folder / "boards.json").read_text(encoding="utf-8"))["boards"]
        for row in listed:
            now = json.loads((self.folder / row["board"] / "now.json").read_text(encoding="utf-8"))
            assert (now["state"]["result"], now["size"], now["time"]) == (row["result"], row["size"], row["time"])
            assert now["size"] == (self.folder / now["file"]).stat().st_size
        return [(row["result"], row.get("reason"), row["ply"]) for row in listed]

    def results(self) -> list[object]:
        """The results in the game's file, in their order."""
        events = [line["event"] for line in self.lines() if "event" in line]
        return [event["result"] for event in events if isinstance(event, dict) and event["event"] == "result"]

    def numbers(self) -> list[object]:
        return [line["sequence"] for line in self.lines() if "sequence" in line]


@pytest.fixture
def engine(tmp_path: Path) -> sa.Engine:
    return open_database(str(tmp_path / "hall.sqlite3"))


def test_nothing_is_told_early_and_everything_once(tmp_path: Path, engine: sa.Engine) -> None:
    there = Spectators(tmp_path / "live", engine, 60.0)
    links = chain("table-1", GAME, 40)
    for number, link in enumerate(links):
        there.now = 1000.0 + number
        there.delay.hold_back(
            there.ledger.store_links([link]), [BoardStanding("table-1", state={**STATE, "ply": number})]
        )
        there.delay.publish_due()
        assert there.lines() == [], "nobody is told before the delay"
    for second in range(200):
        there.now = 1000.0 + second
        there.delay.publish_due()
        old = max(0, min(40, second - 59))
        assert there.numbers() == list(range(1, old + 1))
        assert sum("state" in line for line in there.lines()) == old
    now = json.loads((there.folder / "table-1" / "now.json").read_text(encoding="utf-8"))
    assert now["state"]["ply"] == 39
    assert now["size"] == (there.folder / now["file"]).stat().st_size
    (row,) = json.loads((there.folder / "boards.json").read_text(encoding="utf-8"))["boards"]
    assert (row["board"], row["ply"], row["size"]) == ("table-1", 39, now["size"])


def test_a_hall_that_was_killed_goes_on_with_its_files_late_and_never_early(tmp_path: Path, engine: sa.Engine) -> None:
    first, links = Spectators(tmp_path / "live", engine, 60.0), chain("table-1", GAME, 30)
    first.delay.hold_back(first.ledger.store_links(links[:10]), [])
    first.now += 60.0
    first.delay.publish_due()
    first.delay.hold_back(first.ledger.store_links(links[10:20]), [])
    file = first.folder / "table-1" / f"{GAME}.jsonl"
    with file.open("ab") as half:
        half.write(b'{"time":1.0,"sequence":11,"ev')
    again = Spectators(tmp_path / "live", engine, 60.0)
    again.now += 59.0
    again.delay.publish_due()
    again.delay.hold_back(again.ledger.store_links(links[20:]), [])
    again.now += 1.0
    again.delay.publish_due()
    assert again.numbers() == list(range(1, 21))
    again.now += 59.0
    again.delay.publish_due()
    assert again.numbers() == list(range(1, 31))


def test_what_was_told_stays_when_the_hall_begins_anew(tmp_path: Path, engine: sa.Engine) -> None:
    first = Spectators(tmp_path / "live", engine, 60.0)
    first.shows(ply=1)
    first.goes_on(60.0)
    first.shows(ply=2)
    first.goes_on(59.0)
    assert first.rows() == [(None, None, 1)]
    again = Spectators(tmp_path / "live", engine, 60.0)
    assert again.rows() == [(None, None, 1)], "what was told stays, and nothing is told early"
    again.shows(ply=2)
    again.goes_on(59.0)
    assert again.rows() == [(None, None, 1)]
    again.goes_on(1.0)
    assert again.rows() == [(None, None, 2)]
    (tmp_path / "live" / "boards.json").write_text('{"boards": [{"board": "table-1", "file', encoding="utf-8")
    assert Spectators(tmp_path / "live", engine, 60.0).rows() == [], "a damaged list is begun anew"


def test_what_an_arbiter_decided_is_told_with_a_mark_as_late_as_all_else(tmp_path: Path, engine: sa.Engine) -> None:
    there, key = Spectators(tmp_path / "live", engine, 60.0), ("table-1", GAME)
    end = {"event": "result", "result": "1-0", "reason": "castle"}
    there.delay.hold_back(there.ledger.store_links(chain("table-1", GAME, 2, [{"event": "move", "ply": 1}, end])), [])
    there.shows(result="1-0", reason="castle")
    there.goes_on(60.0)
    assert there.rows() == [("1-0", "castle", 1)]
    there.rulings[key] = "0-1"
    there.goes_on(0.0)
    there.goes_on(59.0)
    assert (there.rows(), there.results()) == ([("1-0", "castle", 1)], ["1-0"])
    there.goes_on(1.0)
    assert (there.rows(), there.results()) == ([("0-1", "ruling", 1)], ["1-0", "0-1"])
    there.shows(result="1-0", reason="castle", note="the board says it again")
    there.goes_on(60.0)
    assert there.rows() == [("0-1", "ruling", 1)]
    again = Spectators(tmp_path / "live", engine, 60.0, there.rulings)
    again.shows(result="1-0", reason="castle")
    again.goes_on(60.0)
    assert (again.rows(), again.results()) == ([("0-1", "ruling", 1)], ["1-0", "0-1"]), "said once"
    again.rulings[key] = "+:-"
    again.goes_on(0.0)
    again.goes_on(60.0)
    assert (again.rows(), again.results()) == ([("+:-", "ruling", 1)], ["1-0", "0-1", "+:-"])
    last = Spectators(tmp_path / "live", engine, 60.0)
    last.goes_on(60.0)
    assert (last.rows(), last.results()) == ([("1-0", None, 1)], ["1-0", "0-1", "+:-", "1-0"]), (
        "the board's counts again"
    )


def test_what_is_a_hint_or_the_boards_own_is_not_told(tmp_path: Path, engine: sa.Engine) -> None:
    there = Spectators(tmp_path / "live", engine, 0.0)
    events = [{"event": "illegal", "instead": ["E6-E7"]}, {"event": "evidence", "ply": 1, "after": "0" * 64}]
    there.delay.hold_back(there.ledger.store_links(chain("table-1", GAME, 2, events)), [])
    there.delay.publish_due()
    assert [line["event"] for line in there.lines()] == [{"event": "illegal", "instead": []}]


def test_a_full_disk_is_tried_again_and_nothing_is_doubled(tmp_path: Path, engine: sa.Engine) -> None:
    there = Spectators(tmp_path / "live", engine, 0.0)
    there.delay.hold_back(there.ledger.store_links(chain("table-1", GAME, 5)), [])
    in_the_way = there.folder / "table-1"
    in_the_way.write_text("", encoding="utf-8")
    with pytest.raises(OSError, match="table-1"):
        there.delay.publish_due()
    in_the_way.unlink()
    there.delay.publish_due()
    there.delay.publish_due()
    assert there.numbers() == [1, 2, 3, 4, 5]


def test_who_reads_a_small_file_has_the_one_or_the_other(tmp_path: Path) -> None:
    shelf, end, seen = Shelf(tmp_path), threading.Event(), set[int]()
    shelf.replace_file("x", {"a": [0] * 5000})

    def read() -> None:
        while not end.is_set():
            seen.add(len(json.loads((tmp_path / "x").read_bytes())["a"]))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(300):
        shelf.replace_file("x", {"a": [0] * (5000 if number % 2 else 50)})
    end.set()
    reader.join()
    assert seen <= {50, 5000}


def test_a_result_after_which_a_position_is_set_counts_no_more(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    said: list[Mapping[str, object]] = [{"event": "result", "result": "1-0"}, {"event": "position", "position": {}}]
    for number, event in enumerate(said, start=1):
        shelf.append_lines("table-1", GAME, [{"sequence": number, "event": event}], number)
    assert shelf.file_end("table-1", GAME).result == Shelf(tmp_path).file_end("table-1", GAME).result == ""


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="name a folder"):
        Shelf(tmp_path / "file")
    assert Shelf(tmp_path / "new").file_end("table-1", GAME) == End()


def shown(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Clocks:
    """A clock that nobody sets and one that somebody may, both the test's, and a site behind them."""

    def __init__(self, folder: Path, delay_s: float) -> None:
        self.folder, self.delay_s = folder, delay_s
        self.now, self.date = 50.0, 1_000_000.0
        self.start()

    def start(self) -> None:
        """Start, or start again, as after a kill."""
        self.world = PublicFolder(self.folder, self.delay_s, lambda: self.now, lambda: self.date)

    def goes_on(self, seconds: float) -> None:
        self.now += seconds
        self.date += seconds


def test_nothing_is_seen_before_its_time(tmp_path: Path) -> None:
    there, chance = Clocks(tmp_path / "site", 60.0), random.Random(3)
    files, past = dict[str, bytes](), list[tuple[float, dict[str, bytes]]]()
    for step in range(400):
        there.goes_on(chance.uniform(0, 20))
        if chance.random() < 0.5:
            files = dict(files)
            name = chance.choice(["index.html", "a.html", "games/b.html", "games/c.html"])
            if chance.random() < 0.2:
                files.pop(name, None)
            else:
                files[name] = f"{name} {step}".encode()
            if there.world.hold_files(files):
                past.append((there.now, files))
        if chance.random() < 0.1:
            there.start()
        there.world.publish_due()
        early = [then for at, then in past if at + 60.0 <= there.now]
        late = [then for at, then in past if at + 60.001 <= there.now]  # in names of folders are milliseconds
        assert shown(there.folder) in ((early[-1:] or [{}])[0], (late[-1:] or [{}])[0])
    there.goes_on(61)
    there.world.publish_due()
    assert shown(there.folder) == files
    assert not list((tmp_path / "site.waiting").iterdir())


def test_a_clock_that_is_set_shows_nothing_early(tmp_path: Path) -> None:
    there = Clocks(tmp_path / "site", 60.0)
    there.world.hold_files({"index.html": b"1"})
    there.date += 3600
    assert not there.world.publish_due()
    there.goes_on(59)
    assert not there.world.publish_due()
    there.goes_on(1)
    assert there.world.publish_due()


def test_what_was_half_written_is_thrown_away(tmp_path: Path) -> None:
    world = PublicFolder(tmp_path / "site", 0.0)
    assert world.hold_files({"index.html": b"1"})
    (tmp_path / "site.waiting" / "5.new").mkdir()
    world = PublicFolder(tmp_path / "site", 0.0)
    assert not world.hold_files({"index.html": b"1"}), "it waits already"
    assert world.publish_due() == 1
    assert shown(tmp_path / "site") == {"index.html": b"1"}
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can be written"):
        PublicFolder(tmp_path / "file", 0.0)


def test_a_result_that_nobody_trusts_is_not_told_until_somebody_has_decided(tmp_path: Path, engine: sa.Engine) -> None:
    """Neither by the list nor by the game's file; late as all else, but for what is in doubt by the time it is told."""
    there, key = Spectators(tmp_path / "live", engine, 60.0), ("table-1", GAME)
    end = {"event": "result", "result": "1-0", "reason": "resigned"}
    there.delay.hold_back(there.ledger.store_links(chain("table-1", GAME, 2, [{"event": "move", "ply": 1}, end])), [])
    there.shows()
    there.goes_on(30.0)
    there.shows(result="1-0", reason="resigned")
    there.goes_on(5.0)
    there.rulings[key] = ""
    there.goes_on(0.0)
    there.goes_on(25.0)
    assert (there.rows(), there.results()) == ([(None, None, 1)], ["1-0", "*"])
    there.goes_on(30.0)
    assert there.rows() == [(None, "undecided", 1)]
    there.goes_on(60.0)
    again = Spectators(tmp_path / "live", engine, 60.0, there.rulings)
    again.shows(result="1-0", reason="resigned", note="said again")
    again.goes_on(60.0)
    assert (again.rows(), again.results()) == ([(None, "undecided", 1)], ["1-0", "*"])
    again.rulings[key] = "0-1"
    again.goes_on(0.0)
    again.goes_on(60.0)
    assert (again.rows(), again.results()) == ([("0-1", "ruling", 1)], ["1-0", "*", "0-1"])
    again.rulings[key] = ""
    again.goes_on(0.0)
    again.goes_on(60.0)
    del again.rulings[key]
    again.goes_on(0.0)
    assert again.rows() == [(None, "undecided", 1)]
    again.goes_on(60.0)
    assert (again.rows()[0][0], again.results()[-1]) == ("1-0", "1-0"), "the board is trusted again"
