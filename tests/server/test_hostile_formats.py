"""Each format that a stranger may send, changed in a few places: a line of what is wrong, or it is used.

Nothing is written or read outside, no traceback, no memory that grows: `FUZZ=100000` looks at more (`make attack`).
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import sqlite3
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration import profile as profiles
from calibration.lens import load_lens
from device.port import LedPort
from device.protocols import load_protocol
from engine import games
from engine.errors import InputError
from engine.text.positions import to_json
from server.board.led_setup import read_map
from server.cli import main
from server.hall.desk.addresses import read_addresses
from server.pictures import read_frames
from server.record.evidence import folder_of
from server.record.imports import add_games
from server.record.store import open_record
from server.record.traces.trace import load_trace
from server.record.verifying import format_heads
from tests.hostile import OUTSIDE, Edit, as_lines, as_toml, edited, edits, kept_to, lines_edited
from tests.patience import PATIENCE_S
from tests.server.record.reading import read_games
from tests.server.record.test_archive import played
from tests.server.record.traces.refolded import refold_events

FUZZ = int(os.environ.get("FUZZ", "40"))
"""Files of each format."""
MOST_MB = 200
"""More than was in use before; what the commands themselves load is 110 of it."""
DATA = Path(__file__).parents[1] / "data"
SESSION = DATA / "sessions" / "camelot_a"
PROFILE = tomllib.loads((SESSION / "profile.toml").read_text()) | {
    "lights": {"port": "/dev/ttyACM0", "protocol": "adalight", "map": "map.toml"}
}
LED_MAP = tomllib.loads((Path(__file__).parents[2] / "device" / "maps" / "camelot.toml").read_text())
TRACE = [json.loads(line) for line in gzip.decompress(sorted(DATA.glob("corpus/*/*.gz"))[0].read_bytes()).splitlines()]
REPORTS = sorted((DATA / "reports").glob("*.trf"))
PICTURE = (SESSION / "frame_0000.jpg").read_bytes()

GAMES = tuple(games.names())
SETTINGS = {"perft": {"divide": True}, "games": {"list": {"record": "a"}}, "serve": {"port": 5000, "allow-host": ["a"]}}
BOARDS = {"table-1": {"url": "http://10.0.0.7:5000", "key": "k"}, "table-2": {"url": "https://[::1]/"}}

ROUND = 2000
"""Examples after which hypothesis begins anew: what it remembers of each would be counted as memory of the program."""


def many(test: Callable[[], None]) -> Callable[[], None]:
    """So many files: in the suite the same in each run, in `make attack` others each time."""
    rounds = max(1, FUZZ // ROUND)
    looks = settings(max_examples=min(FUZZ, ROUND), derandomize=rounds == 1)(test)

    def all_rounds() -> None:
        for _ in range(rounds):
            looks()

    all_rounds.__name__ = test.__name__
    return all_rounds


@pytest.fixture(autouse=True, scope="module")
def memory() -> Iterator[None]:
    """What all of it took at its most."""
    settings(max_examples=1)(given(st.text())(lambda _: None))()  # its tables of characters, made once a checkout
    before_mb = most_mb()
    Path("/proc/self/clear_refs").write_text("5")  # the kernel forgets what was in use at most until now
    yield
    used_mb = most_mb()
    print(f"\n{FUZZ} files of each format, {used_mb:.0f} MB at most, {before_mb:.0f} MB before them")
    assert used_mb - before_mb < MOST_MB


def most_mb() -> float:
    """Memory of this process that was in use at most."""
    return int(re.findall(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)[0]) / 1024


def tried(use: Callable[[], object]) -> None:
    """Used, or refused in a line."""
    try:
        use()
    except InputError as error:
        assert len(str(error)) < 20_000
    except OSError as error:
        assert error.strerror


def run(*arguments: object) -> int:
    """The exit status of a command, whose every traceback is one here."""
    with pytest.raises(SystemExit) as stopped:
        main([str(one) for one in arguments])
    assert stopped.value.code in {0, 1, 2}
    return int(stopped.value.code)


@many
@given(edits)
def test_profiles(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        path = Path(folder) / "board.toml"
        path.write_text(as_toml(edited(PROFILE, changes)), encoding="utf-8")

        def use() -> None:
            profile = profiles.load_profile(path)
            again = Path(folder) / "again.toml"
            again.write_text(profiles.dump_profile(profile), encoding="utf-8")
            assert profiles.load_profile(again).game == profile.game
            if port := profile.lights.get("port"):
                leds = read_map(games.load(profile.game, profile.rules), None)
                LedPort(port, lambda: load_protocol(profile.lights.get("protocol", "adalight"), leds, None), print)

        tried(use)


@many
@given(edits)
def test_maps_of_leds(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        path = Path(folder) / "map.toml"
        path.write_text(as_toml(edited(LED_MAP, changes)), encoding="utf-8")
        tried(lambda: read_map(games.load("camelot"), path))


@many
@given(edits)
def test_lenses(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        path = Path(folder) / "lens.toml"
        lens = {"camera": {"size": [1280, 960], "focal_px": 1100.0, "k1": -0.05}}
        path.write_text(as_toml(edited(lens, changes)), encoding="utf-8")
        tried(lambda: load_lens(path, (1280, 960)))


def imported(path: Path) -> None:
    """Taken over, shown in each form, copied and put back; or refused in a line, and nothing is there."""
    found = read_games(path)
    record = path.with_name("games.sqlite3")
    with open_record(record) as opened:
        names = add_games(opened, found)
    for number, name in enumerate(names):
        for kind in ("pgn", "jsonl", "html"):
            assert run("games", "export", name, "--record", record, "-o", path.with_name(f"{number}.{kind}")) == 0


@many
@given(edits)
def test_games_as_lines(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        path = Path(folder) / "games.jsonl"
        path.write_text(as_lines(edited(EVENTS, changes)), encoding="utf-8")
        tried(lambda: imported(path))


@many
@given(edits)
def test_games_as_text(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        path = Path(folder) / "games.pgn"
        text = lines_edited(sorted((DATA / "games").glob("*.pgn"))[0].read_text(), changes)
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        tried(lambda: imported(path))
        assert run("check", path) in {0, 1, 2}


@many
@given(edits)
def test_reports_of_tournaments(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        path = Path(folder) / "report.trf"
        text = lines_edited(min((one.read_text() for one in REPORTS), key=len), changes)
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        database = Path(folder) / "hall.sqlite3"
        if run("tournament", "import", path, "open", "--database", database) == 0:
            assert run("tournament", "show", "open", "--database", database) in {0, 2}
            assert run("tournament", "report", "open", "--database", database, "-o", Path(folder) / "again") in {0, 2}


@many
@given(edits)
def test_traces(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        path = Path(folder) / "trace.jsonl.gz"
        path.write_bytes(gzip.compress(as_lines(edited(TRACE[:20], changes)).encode(), 1))
        tried(lambda: refold_events(load_trace(path)))


@many
@given(edits)
def test_recordings(changes: list[Edit]) -> None:
    """Pictures with their times; among them what is none."""
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        inside = Path(folder) / "session"
        inside.mkdir()
        (inside / "frame_0.jpg").write_bytes(PICTURE)
        (inside / "frame_1.jpg").write_bytes(PICTURE)
        place, what, _ = changes[0]
        odd = inside / "frame_2.jpg"
        if what == "put":
            os.mkfifo(odd)
        elif what == "twice":
            odd.symlink_to("/dev/zero")
        elif what == "deeper":
            odd.mkdir()
        elif what == "name":
            odd.write_bytes(PICTURE[: place % len(PICTURE)])
        times = {"fps": 8, "repeat": [1, 1], "t": [0.0, 0.5]}
        (inside / "recording.json").write_text(json.dumps(edited(times, changes)), encoding="utf-8")

        def use() -> None:
            for number, _frame in enumerate(read_frames(str(inside))):
                if number > 20:
                    return

        tried(use)


@many
@given(edits)
def test_positions(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        path = Path(folder) / "position.json"
        place, _, _ = changes[0]
        game = games.load(GAMES[place % len(GAMES)])
        path.write_text(json.dumps(edited(to_json(game, game.start()), changes)), encoding="utf-8")
        run("legal", "-", "--position", path)
        run("why", "-", "E6-C8", "--position", path)


@many
@given(edits)
def test_witnesses_and_settings(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder), RECORD.parent):
        path = Path(folder) / "witness"
        path.write_text(lines_edited(WITNESS, changes), encoding="utf-8", errors="surrogatepass")
        run("verify", "--record", RECORD, "--witness", path)
        written = Path(folder) / "settings.toml"
        written.write_text(as_toml(edited(SETTINGS, changes)), encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CAMELOT_REFEREE_SETTINGS", str(written))
            run("perft", "camette", "1")
            run("games", "list", "--record", RECORD)


@many
@given(edits)
def test_lists_of_boards(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        path = Path(folder) / "boards.toml"
        path.write_text(as_toml(edited(BOARDS, changes)), encoding="utf-8")
        tried(lambda: read_addresses(path))


def chained(path: Path, changes: Sequence[Edit]) -> None:
    """A record with the game `EVENTS` changed, whose chain holds all the same, and with a picture of its own."""
    with open_record(path) as record:
        for event in edited(EVENTS, changes):
            if isinstance(event, dict):
                with suppress(UnicodeEncodeError, sqlite3.Error, InputError, OverflowError):
                    record.append_event("camelot-0001", event)
    folder_of(path).mkdir()
    (folder_of(path) / f"{'0' * 64}.jpg").symlink_to("/dev/zero")
    os.mkfifo(folder_of(path) / f"{'f' * 64}.jpg")


@many
@given(edits)
def test_records_and_copies_of_them(changes: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder)):
        base = Path(folder) / "inside" / "deeper"
        base.mkdir(parents=True)
        copy, own = base / "copy.sqlite3", base / "own.sqlite3"
        chained(copy, changes)
        if not copy.exists() or not open_record(copy).event_counts():
            return
        verified = run("verify", "--record", copy)
        assert run("restore", copy, "--record", own) == verified or verified == 1
        assert run("backup", base / "again.sqlite3", "--record", copy) in {0, 1, 2}
        run("games", "list", "--record", copy)
        run("evidence", "camelot-0001", "1", "--record", copy, "-o", base / "ply.png")
        for kind in ("pgn", "jsonl", "html"):
            run("games", "export", "camelot-0001", "--record", copy, "-o", base / f"a.{kind}")
        run("games", "delete", "camelot-0001", "--yes", "--record", copy)
        assert not list(Path(folder).glob("*.jpg"))


@many
@given(edits)
def test_records_whose_columns_hold_anything(changes: list[Edit]) -> None:
    """The file itself is written to, past the program and its chain."""
    with tempfile.TemporaryDirectory() as folder, kept_to(Path(folder), RECORD.parent):
        path = Path(folder) / "games.sqlite3"
        shutil.copy(RECORD, path)
        with closing(sqlite3.connect(path)) as db:
            db.execute("DROP TRIGGER IF EXISTS events_stay")
            for place, what, value in changes:
                table, columns = TABLES[place % len(TABLES)]
                with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
                    stored = value if isinstance(value, str | int | float | None) else json.dumps(value)
                    if what == "drop":
                        db.execute(f"DELETE FROM {table} WHERE rowid % 3 = ?", (place % 3,))  # noqa: S608  # ours
                    else:
                        db.execute(f"UPDATE {table} SET {columns[place % len(columns)]} = ?", (stored,))  # noqa: S608
            db.commit()
        for command in (["verify"], ["games", "list"], ["games", "show", "camelot-0001"]):
            run(*command, "--record", path)


def test_pipes_devices_and_bombs_are_refused_at_once(tmp_path: Path) -> None:
    pipe, zero, bomb = tmp_path / "pipe.toml", tmp_path / "zero.jsonl", tmp_path / "bomb.jsonl.gz"
    os.mkfifo(pipe)
    zero.symlink_to("/dev/zero")
    with gzip.open(bomb, "wb", 6) as out:
        for _ in range(400):
            out.write(b" " * 1_000_000)
    for path in (pipe, zero, tmp_path):
        for use in (
            profiles.load_profile,
            read_games,
            load_trace,
            lambda path: load_lens(path, (640, 480)),
            lambda path: read_map(games.load("camelot"), path),
        ):
            with pytest.raises(InputError, match="not a file"):
                use(path)
    with pytest.raises(InputError, match="larger than"):
        load_trace(bomb)


@pytest.mark.parametrize("command", ["watch", "serve", "calibrate"])
def test_a_pipe_as_a_film_and_a_board_beside_the_picture_are_a_line(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pipe, beside = tmp_path / "film.mp4", tmp_path / "beside.toml"
    os.mkfifo(pipe)
    text = (SESSION / "profile.toml").read_text(encoding="utf-8")
    far = "corners_px = [[5198, 5597], [5783, 5641], [5735, 5091], [5327, 5072]]"
    beside.write_text(re.sub(r"corners_px = .*", far, text), encoding="utf-8")
    ends: dict[str, list[object]] = {
        "calibrate": ["--game", "camelot", "--out", tmp_path / "out.toml"],
        "serve": ["--port", "0", "--record", tmp_path / "games.sqlite3"],
    }
    end = ends.get(command, [])
    if command != "calibrate":
        assert run(command, "--profile", beside, "--camera", SESSION, *end) == 2
        assert "lies outside the picture; put it right, or move the file away" in capfd.readouterr().err
        end = [*end, "--profile", SESSION / "profile.toml"]
    assert run(command, "--camera", pipe, *end) == 2
    assert "is a device or pipe, not a file" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("".join(f'[T{number} "x"]\n' for number in range(40_000)), 0),
        ('[Event "x"]\n' * 60_000, 0),
        (f'[Event "{"x" * 5_000_000}"]\n', 2),
        ('[Event "' + '\\"' * 1_000_000 + '"]\n', 2),
    ],
    ids=["many tags", "one tag many times", "a long tag", "a tag of quotes"],
)
@pytest.mark.timeout(PATIENCE_S)
def test_games_whose_tags_are_a_bomb_are_read_or_refused_as_fast_as_others(
    text: str, status: int, tmp_path: Path
) -> None:
    """Each took minutes, or a gigabyte."""
    path = tmp_path / "bomb.pgn"
    path.write_text(text + "\n1. E6-C8 *\n", encoding="utf-8")
    assert run("check", "--variant", "camelot", path) == status


def _recorded() -> tuple[Path, list[dict[str, Any]], list[tuple[str, list[str]]]]:
    """A record with a game that has pictures, its events, and the columns of its tables."""
    folder = Path(tempfile.mkdtemp(prefix="referee-test-"))
    path = folder / "games.sqlite3"
    with open_record(path) as record:
        name = played(record, "camelot", 6)
        pictured = {"t": 3.0, "event": "evidence", "ply": 1, "before": "0" * 64, "after": f"../../{OUTSIDE}"}
        removed = {"t": 3.5, "event": "evidence-removed", "pictures": ["f" * 64, "../../outside-of-the-test"]}
        events = [*record.read_events(name), pictured, removed]
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = [(name, [row[1] for row in db.execute(f"PRAGMA table_info({name})")]) for name in tables]
    return path, events, columns


RECORD, EVENTS, TABLES = _recorded()
with open_record(RECORD) as _opened:
    WITNESS = format_heads(_opened)
