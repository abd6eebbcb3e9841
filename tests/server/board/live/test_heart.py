"""A loop that stands still, a look that does not end, a record that is held: said within three seconds everywhere."""

from __future__ import annotations

import queue
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from calibration import profile as profiles
from device.lights import PALETTES, LedFrame, diagonal_cells, draw_match
from device.mapfile import load_default_map
from device.port import LedPort
from device.protocols import load_protocol
from device.protocols.ddp import DdpProtocol
from device.text import COLUMNS, HALTED_TEXT, HELD_TEXTS, READING_TEXT, SET_UP_TEXT, STARTING_TEXT, WORKING_TEXT
from engine import games
from engine.match.acts import Mode
from engine.match.referee import new_match
from server.board.live.camera import LookDone
from server.board.live.heart import Heart
from server.board.live.service import Item, Service, Stop
from server.board.pages.app import create_app
from server.record.details import Details, SetDetails
from server.record.journal import Journal
from server.record.store import open_record
from server.waits import DISK_TROUBLES, StorageWaits
from server.web.feed import Feed
from server.web.vitals import UNANSWERED
from tests.engine.sights import line
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.live.seen_once import SESSION
from vision.frames import Frame, load_picture
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.watcher import Watcher

WITHIN_S = 3.0


class Inbox(queue.SimpleQueue[Item]):
    """An inbox at which the loop may be kept for a while, as by a look that takes long."""

    keeps_s = 0.0

    def get(self, block: bool = True, timeout: float | None = None) -> Item:
        if not self.keeps_s:
            return super().get(block, timeout)
        time.sleep(self.keeps_s)
        raise queue.Empty


GAME = games.load("camelot", "wcf")


class Table:
    """A service in a thread, its lights at a socket, its page at a client."""

    def __init__(self, folder: Path, strip: socket.socket) -> None:
        self.strip, self.feed, self.inbox = strip, Feed(), Inbox()
        self.file = folder / "games.sqlite3"
        profile = profiles.load_profile(SESSION / "profile.toml")
        watcher = Watcher(profile, new_match(GAME))
        self.aside = ParallelWatcher(watcher, lambda: self.inbox.put(LookDone()))
        self.ready, self.pause = threading.Event(), 0.0
        self.thread = threading.Thread(target=self._run, args=(watcher,), daemon=True)
        self.client: FlaskClient = create_app(self.feed, self.inbox.put, GAME).test_client()
        board = GAME.board
        violet = PALETTES["standard"]["unseen"]
        under = {board.index[cell] for cell in diagonal_cells(board)}
        lit = {"rgb": "#{:02x}{:02x}{:02x}".format(*violet), "shape": "blink"}
        self.crossed = dict.fromkeys(diagonal_cells(board), lit)
        self.halted = load_default_map("camelot", board).encode_strip(
            [violet if i in under else (0, 0, 0) for i in range(160)]
        )

    def _run(self, watcher: Watcher) -> None:
        url = f"udp://127.0.0.1:{self.strip.getsockname()[1]}"
        leds = load_default_map("camelot", GAME.board)
        with open_record(self.file) as record:
            journal = Journal(record, "camelot-0001")
            journal.begin_game(watcher.match)
            service = self.service = Service(self.aside, journal, self.feed, inbox=self.inbox)
            service.use_lights(LedPort(url, lambda: load_protocol("ddp", leds), self.inbox.put, 1))
            self.ready.set()
            service.run_loop(lambda: time.sleep(self.pause))
            service.release_all()

    def lit(self, wanted: bytes) -> float:
        """When the lights show that."""
        end = time.monotonic() + PATIENCE_S
        while self.strip.recv(2000)[10:] != wanted:
            assert time.monotonic() < end
        return time.monotonic()

    def told(self, condition: Callable[[], bool]) -> float:
        """When that is so."""
        wait_until(condition)
        return time.monotonic()

    @property
    def leds(self) -> object:
        """What the page is told of the lights."""
        return (self.feed.newest_snapshot or {}).get("leds")

    @property
    def cause(self) -> object:
        """What the page is told of why the board is not seen."""
        return ((self.feed.newest_snapshot or {}).get("cannot_see") or {}).get("cause")  # type: ignore[attr-defined]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as strip:
        strip.bind(("127.0.0.1", 0))
        strip.settimeout(PATIENCE_S)
        table = Table(tmp_path, strip)
        table.thread.start()
        assert table.ready.wait(PATIENCE_S)
        table.told(lambda: table.client.get("/healthz").get_json().get("loop") == "ok")
        table.told(lambda: table.client.get("/healthz").get_json().get("lights") == UNANSWERED)  # the port is open
        yield table
        table.inbox.put(Stop())
        table.inbox.keeps_s = 0.0
        table.thread.join(PATIENCE_S)


def note_frames(monkeypatch: pytest.MonkeyPatch) -> list[LedFrame]:
    """All that is lit from now on, as it comes."""
    lit, encode = list[LedFrame](), DdpProtocol.encode_frame

    def note_frame(protocol: DdpProtocol, frame: LedFrame, t: float) -> bytes:
        lit.append(frame)
        return encode(protocol, frame, t)

    monkeypatch.setattr(DdpProtocol, "encode_frame", note_frame)
    return lit


def test_a_loop_that_hangs_is_said_by_lights_page_and_health(table: Table) -> None:
    assert table.client.get("/healthz").get_json()["lights"] == UNANSWERED
    table.pause = 6.0
    began = time.monotonic()
    table.inbox.put(Frame(0.0, load_picture(SESSION / "frame_0000.jpg")))
    assert table.lit(table.halted) - began < WITHIN_S
    table.told(lambda: table.cause == "halted")
    assert table.leds == table.crossed
    answer = table.client.get("/healthz").get_json()
    assert time.monotonic() - began < WITHIN_S
    assert (answer["status"], answer["loop"], answer["cause"]) == ("degraded", "halted", "halted")
    table.pause = 0.0
    table.told(lambda: table.cause != "halted")
    assert table.client.get("/healthz").get_json()["loop"] == "ok"
    table.told(lambda: table.leds != table.crossed)


def test_a_start_is_no_halt(table: Table) -> None:
    """Before the first picture the loop may take long to go round: nothing was said that could be true no more."""
    table.inbox.keeps_s = 4.0
    crossed, end = False, time.monotonic() + 4.0
    while time.monotonic() < end:
        crossed = crossed or table.strip.recv(2000)[10:] == table.halted or table.cause == "halted"
    assert not crossed


def test_a_start_that_hangs_is_said_in_the_end(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.board.live.heart.STARTS_WITHIN_S", 1.0)
    table.inbox.keeps_s = 2 * WITHIN_S
    began = time.monotonic()
    table.told(lambda: table.cause == "halted")
    table.lit(table.halted)
    assert time.monotonic() - began < 1.0 + 3 * WITHIN_S, "before the usual limit of 10 s, on a busy machine too"


def test_a_look_that_does_not_end_is_said_too(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop goes round, but what it decides by hangs: within three seconds it is said that it works, without cross
    and sound, and later that it has stopped."""
    monkeypatch.setattr("server.board.live.heart.WORKS_FOR_S", 5.0)
    go_on, lit = threading.Event(), note_frames(monkeypatch)
    monkeypatch.setattr(table.aside._watcher, "run_look", lambda due: go_on.wait(PATIENCE_S) and ())
    image = load_picture(SESSION / "frame_0001.jpg")
    for number in range(40):
        table.inbox.put(Frame(number / 10, image))
        time.sleep(0.02)
        if table.aside.is_busy:
            break
    began = time.monotonic()
    table.told(lambda: table.aside.is_busy)
    table.told(lambda: table.cause == "working")
    answer = table.client.get("/healthz").get_json()
    assert (answer["status"], answer["loop"], answer["cause"]) == ("degraded", "working", "working")
    assert table.leds == {}
    table.told(lambda: bool(lit) and lit[-1].text == WORKING_TEXT)
    assert time.monotonic() - began < WITHIN_S
    assert not (lit[-1].beep or any(map(any, lit[-1].rgb)) or HALTED_TEXT in {frame.text for frame in lit})
    assert table.lit(table.halted) - began > WITHIN_S
    table.told(lambda: table.cause == "halted")
    assert time.monotonic() - began < 5.0 + WITHIN_S
    assert table.client.get("/healthz").get_json()["loop"] == "halted"
    go_on.set()
    table.told(lambda: table.cause not in {"working", "halted"})


def test_a_picture_that_takes_long_is_work_and_not_the_end(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """As at a start, where the loop itself learns how the pieces stand: nobody is told to start the program again."""
    lit, watcher, causes = note_frames(monkeypatch), table.aside._watcher, set[object]()
    take = watcher.see_frame

    def see_slowly(frame: Frame, *, reading: bool = False) -> object:
        end = time.monotonic() + 5.0
        while time.monotonic() < end:
            causes.add(table.cause)
            time.sleep(0.05)
        return take(frame, reading=reading)

    monkeypatch.setattr(watcher, "see_frame", see_slowly)
    table.inbox.put(Frame(0.0, load_picture(SESSION / "frame_0000.jpg")))
    table.told(lambda: "working" in causes)
    table.told(lambda: table.cause != "working")
    assert "halted" not in causes and HALTED_TEXT not in {frame.text for frame in lit}
    assert not any(frame.beep for frame in lit)


@contextmanager
def held(file: Path) -> Iterator[None]:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_record_that_is_held_is_said_by_the_lights(table: Table) -> None:
    with held(table.file):
        began = time.monotonic()
        table.inbox.put(SetDetails(Details(event="Cup"), "page"))
        assert table.lit(table.halted) - began < WITHIN_S
        table.told(lambda: table.client.get("/healthz").get_json()["record"] == "held")
        assert time.monotonic() - began < WITHIN_S
        assert table.client.get("/api/v1/game").get_json()["leds"] == table.crossed, "those of the last ply"
    table.told(lambda: table.client.get("/healthz").get_json()["record"] == "ok")
    table.told(lambda: table.client.get("/api/v1/game").get_json()["leds"] != table.crossed)


def test_the_display_says_why_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is another matter than a program that holds the record: somebody can make room."""
    leds, shown = load_default_map("camelot", GAME.board), list[LedFrame]()
    port = LedPort("screen:", lambda: load_protocol("screen", leds), print)
    heart = Heart(Feed(), "standard", lambda: Mode.TRAINING)
    heart.use_port(port, "", Watcher(profiles.load_profile(SESSION / "profile.toml"), new_match(GAME)))
    monkeypatch.setattr(heart, "show_leds", shown.append)
    for kind in HELD_TEXTS:
        heart.show_halted(GAME.board, kind)
    heart.close()
    assert [frame.text for frame in shown] == list(HELD_TEXTS.values())
    assert {kind for kind, _ in (*DISK_TROUBLES.values(), (StorageWaits.kind, ""))} == set(HELD_TEXTS)
    said = (*HELD_TEXTS.values(), HALTED_TEXT, STARTING_TEXT, WORKING_TEXT, SET_UP_TEXT, READING_TEXT)
    assert all(len(line) <= COLUMNS for text in said for line in text)


@pytest.mark.parametrize("plies", [0, 1])
def test_before_the_first_picture_the_display_asks_for_nothing(monkeypatch: pytest.MonkeyPatch, plies: int) -> None:
    """In a game that goes on the pieces may stand right: it asks for them only once they were seen not to."""
    leds, shown, start = load_default_map("camelot", GAME.board), list[LedFrame](), new_match(GAME)
    positions, moves = line(GAME, "D6-D5")
    match = replace(start, positions=tuple(positions[: plies + 1]), moves=tuple(moves[:plies]))
    port = LedPort("screen:", lambda: load_protocol("screen", leds), print)
    heart = Heart(Feed(), "standard", lambda: Mode.TRAINING)
    heart.use_port(port, "", Watcher(profiles.load_profile(SESSION / "profile.toml"), match))
    monkeypatch.setattr(port, "show_frame", shown.append)
    heart.show_leds(draw_match(match), match)
    asks = replace(draw_match(match), text=("Confirm again?", "yes"))
    heart.show_leds(asks, match)
    heart.mark_begun()
    heart.show_leds(draw_match(match), match)
    heart.close()
    assert [frame.text for frame in shown] == [STARTING_TEXT, asks.text, READING_TEXT if plies else SET_UP_TEXT]


@pytest.mark.parametrize("mode", Mode)
def test_in_a_tournament_no_fault_of_the_referee_sounds(
    table: Table, monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> None:
    """Neither a loop that hangs, nor a record that cannot be written; the mode is the one that people have chosen."""
    lit = note_frames(monkeypatch)
    table.service._telling.mode = mode
    table.pause = 2 * WITHIN_S
    table.inbox.put(Frame(0.0, load_picture(SESSION / "frame_0000.jpg")))
    wait_until(lambda: any(frame.text == HALTED_TEXT for frame in lit))
    table.pause = 0.0
    with held(table.file):
        table.inbox.put(SetDetails(Details(event="Cup"), "page"))
        wait_until(lambda: any(frame.text == HELD_TEXTS["held"] for frame in lit))
    said = {frame.text: frame.beep for frame in lit if frame.text in {HALTED_TEXT, HELD_TEXTS["held"]}}
    assert said == dict.fromkeys((HALTED_TEXT, HELD_TEXTS["held"]), mode == Mode.TRAINING)
