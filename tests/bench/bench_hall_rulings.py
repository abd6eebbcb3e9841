"""Rulings while something is wrong: each arrives in its board's record once, or it is seen that it did not.

    python -m tests.bench.bench_hall_rulings [--boards 20] [--waves 5] [--only "broker gone,fork"]

For each kind of trouble: boards of their own ask something, an arbiter takes all of it, the trouble begins, the arbiter
rules on everything, the trouble ends. Every ruling that the hall took is then looked for in the records and in the
queue; one that it did not take was answered with an error. With real boards, broker, hall and database.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import shutil
import signal
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from server.board.hall_link import publisher
from server.board.live.notices import Decision
from server.board.publishing import HallOptions, join_hall
from server.mqtt.broker import broker_of
from server.record.journal import Journal
from server.record.store import open_record, read_record
from server.web.feed import Feed
from tests.bench.bench_hall_faults import FILLING, Bench, fill, read_only, small_disk
from tests.patience import wait_until
from tests.server.hall.parts import Mosquitto, Postgres, mosquitto
from tests.server.script import NAME, OPENING, Script

LASTS_S = 4.0
"""A trouble lasts so long after the last ruling."""
ARRIVES_S = 90.0
TAKEN_S = 15.0
"""An answer of the hall may take so long; then the arbiter's page says that the hall does not answer."""


class Seat:
    """A board: a thread that is its main loop and its record, and the line to the hall."""

    def __init__(self, bench: Bench, name: str, folder: Path, begun: str = "2026-11-25T10:00:00+00:00") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name, self.path = name, folder / "games.sqlite3"
        self._hall = HallOptions(broker_of(bench.broker.url), name)
        self.script, self._begun = Script(Feed()), begun
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.stands = threading.Event()
        """Set while the main loop does nothing."""
        self.come()

    def come(self) -> None:
        """Start the program on its record."""
        self._ending, self._ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(60)
        self._line: AbstractContextManager[None] = join_hall(
            self._hall, self.path, self.script.feed, NAME, self._inbox.put
        )
        self._line.__enter__()

    def leave(self) -> None:
        """End it."""
        self._line.__exit__(None, None, None)
        self._ending.set()
        self._thread.join()

    def write(self, what: Callable[[Journal], object]) -> None:
        """Have the main loop write something."""
        self._inbox.put(what)

    def _run(self) -> None:
        record = open_record(self.path)
        journal = Journal(record, NAME)
        if NAME not in record.event_counts():
            journal.begin_game(self.script.match, self._begun)
            self.script.play(OPENING[0])
            journal.write_events([self.script.told[-1]])
        self._ready.set()
        while not self._ending.is_set():
            with suppress(queue.Empty):
                asked = self._inbox.get(timeout=0.05)
                while self.stands.is_set() and not self._ending.is_set():
                    time.sleep(0.05)
                if isinstance(asked, Decision):
                    journal.write_note(asked.to_event(self.script.t))
                    self.script.feed.publish_event(asked.to_event(self.script.t).to_json())
                elif callable(asked):
                    asked(journal)
                    self.script.show()
        record.close_file()

    def rulings(self) -> list[str]:
        """What was ruled, as the record has it."""
        with read_record(self.path) as record:
            return [str(event["ruling"]) for event in record.read_events(NAME) if event["event"] == "ruling"]


@dataclass
class Tally:
    """What became of the rulings under one kind of trouble."""

    made: int = 0
    arrived: int = 0
    refused: int = 0
    """The arbiter was told at once that the hall does not take it."""
    shown: int = 0
    """Still in the queue, as not arrived."""
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    slowest_s: float = 0.0

    def line(self, trouble: str) -> str:
        """A line of the table."""
        bad = f", lost {self.lost}, doubled {self.doubled}" if self.lost or self.doubled else ""
        return (
            f"| {trouble} | {self.made} | {self.arrived} | {self.refused} | {self.shown} | {len(self.lost)}, "
            f"{len(self.doubled)} | {self.slowest_s:.1f} s |{bad}"
        )


def send(url: str, body: dict[str, object]) -> int:
    """The status of an answer; 0 for none."""
    asked = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urllib.request.urlopen(asked, timeout=TAKEN_S) as answer:  # noqa: S310  # our own address
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def matters(bench: Bench, names: set[str]) -> list[dict[str, Any]]:
    """The doubts of these boards that are in the queue."""
    with suppress(OSError):
        found = bench.get("api/v1/hall/matters")["matters"]
        return [one for one in found if one["board"] in names and one["kind"] == "doubt"]
    return []


def settle(bench: Bench, seats: list[Seat], names: set[str]) -> None:
    """Nothing of these boards waits any more: what was refused is ruled on again, and the boards go on."""

    def none_waits() -> bool:
        for one in matters(bench, names):
            if one["state"] != "ruled":
                where = f"{bench.url}api/v1/hall/matters/{one['id']}"
                if send(f"{where}/claim", {"version": one["version"], "who": "Anna"}) == 200:
                    send(f"{where}/rule", {"version": one["version"] + 1, "who": "Anna", "ruling": "said later"})
        time.sleep(0.5)
        return not matters(bench, names)

    for seat in seats:
        seat.script.waiting()
    with suppress(AssertionError):
        wait_until(none_waits, patience_s=ARRIVES_S)


def wave(bench: Bench, seats: list[Seat], trouble: AbstractContextManager[object], number: int, tally: Tally) -> None:
    """One ruling a board while something is wrong."""
    names, by_name = {seat.name for seat in seats}, {seat.name: seat for seat in seats}
    for seat in seats:
        seat.script.unclear()
    wait_until(lambda: len(matters(bench, names)) == len(seats), "not every board asks", patience_s=ARRIVES_S)
    claimed = []
    for one in matters(bench, names):
        where = f"{bench.url}api/v1/hall/matters/{one['id']}"
        assert send(f"{where}/claim", {"version": one["version"], "who": "Anna"}) == 200
        claimed.append((one["board"], where, one["version"] + 1))
    made: dict[str, str] = {}
    with trouble:
        for board, where, version in claimed:
            said = f"wave {number} at {board}"
            tally.made += 1
            if send(f"{where}/rule", {"version": version, "who": "Anna", "ruling": said}) == 200:
                made[board] = said
            else:
                tally.refused += 1
        time.sleep(LASTS_S)
    begun, open_ = time.monotonic(), dict(made)
    while open_ and time.monotonic() - begun < ARRIVES_S:
        open_ = {board: said for board, said in open_.items() if said not in by_name[board].rulings()}
        time.sleep(0.1)
    tally.slowest_s = max(tally.slowest_s, time.monotonic() - begun)
    queued = {one["board"] for one in matters(bench, names) if one["state"] == "ruled" or one["refused"]}
    tally.arrived += len(made) - len(open_)
    tally.shown += len(set(open_) & queued)
    for board, said in open_.items():
        if board not in queued:
            states = [one["state"] for one in bench.get(f"api/v1/hall/boards/{board}/rulings")["rulings"]]
            tally.lost.append(f"{said} ({', '.join(states)})")
    settle(bench, seats, names)
    tally.doubled += [said for board, said in made.items() if by_name[board].rulings().count(said) > 1]


Trouble = Callable[[list[Seat]], AbstractContextManager[object]]


@contextmanager
def between(begin: Callable[[], object], end: Callable[[], object]) -> Iterator[None]:
    """A trouble that something begins and something ends."""
    begin()
    try:
        yield
    finally:
        end()


def of_the_parts(bench: Bench, postgres: Postgres) -> Iterator[tuple[str, Trouble]]:
    """Broker and database."""
    broker, config = bench.broker, bench.broker._config
    good = config.read_text(encoding="utf-8")

    def broker_says(text: str) -> None:
        broker.kill()
        config.write_text(text, encoding="utf-8")
        broker.start()

    yield "broker gone", lambda _: between(broker.kill, broker.start)
    frozen = partial(os.kill)
    yield (
        "broker frozen",
        lambda _: between(lambda: frozen(broker.pid, signal.SIGSTOP), lambda: frozen(broker.pid, signal.SIGCONT)),
    )
    closed = good.replace("allow_anonymous true", "allow_anonymous false")
    yield "broker refuses", lambda _: between(lambda: broker_says(closed), lambda: broker_says(good))
    yield "database gone", lambda _: between(postgres.kill, postgres.start)
    yield (
        "database read-only",
        lambda _: between(lambda: read_only(postgres, "on"), lambda: read_only(postgres, "off")),
    )
    yield "hall killed", lambda _: between(lambda: None, bench.restart)


def of_the_boards(bench: Bench, folder: Path) -> Iterator[tuple[str, Trouble]]:
    """Boards away, standing still, with a wrong clock, another's name or another record."""

    def all_of(seats: list[Seat], what: Callable[[Seat], object]) -> Callable[[], None]:
        return lambda: [what(seat) for seat in seats] and None

    def another(seat: Seat, copy: bool, event: str) -> None:
        """The record of before, and of a fork an event that the hall never had."""
        seat.leave()
        if copy:
            for kept in seat.path.parent.glob("copy-*"):
                shutil.copy(kept, seat.path.parent / kept.name.removeprefix("copy-"))
        seat.come()
        if event:
            seat.write(lambda journal: journal.record.append_event(NAME, {"t": 9.0, "event": event}))

    def keep(seat: Seat) -> None:
        """A copy, and something after it that the hall stores."""
        seat.leave()
        for file in seat.path.parent.glob("games.sqlite3*"):
            shutil.copy(file, seat.path.parent / f"copy-{file.name}")
        seat.come()
        for event in ("paused", "resumed"):
            seat.write(lambda journal, event=event: journal.record.append_event(NAME, {"t": 5.0, "event": event}))
        time.sleep(0.2)

    @contextmanager
    def back(seats: list[Seat], event: str) -> Iterator[None]:
        all_of(seats, keep)()
        time.sleep(3)
        all_of(seats, lambda seat: another(seat, True, event))()
        time.sleep(4)
        yield

    @contextmanager
    def twins(seats: list[Seat]) -> Iterator[None]:
        begun = "2026-11-25T11:00:00+00:00"  # another game: of the same one a hall cannot tell who has written it
        others = [Seat(bench, seat.name, folder / f"twin-{time.time_ns()}", begun) for seat in seats]
        time.sleep(3)
        yield
        for other in others:
            other.leave()

    @contextmanager
    def clock(seats: list[Seat], by_s: float) -> Iterator[None]:
        """Boards that are started with a clock that is wrong."""
        off = [by_s]
        real = publisher.Publisher.__init__

        def begun(self: Any, *args: Any, **more: Any) -> None:
            real(self, *args, **more, clock=lambda: time.time() + off[0])

        with patch.object(publisher.Publisher, "__init__", begun):
            for seat in seats:
                seat.leave()
                seat.come()
        time.sleep(5)
        yield
        off[0] = 0.0

    yield "boards ended", lambda seats: between(all_of(seats, Seat.leave), all_of(seats, Seat.come))
    stand = lambda seats: all_of(seats, lambda seat: seat.stands.set())  # noqa: E731
    yield "boards' main loop stands", lambda seats: between(stand(seats), all_of(seats, lambda one: one.stands.clear()))
    yield "clock +10 min", lambda seats: clock(seats, 600.0)
    yield "clock -2 h", lambda seats: clock(seats, -7200.0)
    yield "two of one name", twins
    yield "copy taken back", lambda seats: back(seats, "")
    yield "fork", lambda seats: back(seats, "adjourned")


def run(bench: Bench, folder: Path, troubles: Iterator[tuple[str, Trouble]], asked: argparse.Namespace) -> bool:
    """Every trouble in its turn, with boards of its own; whether nothing was lost."""
    is_well = True
    for at, (name, trouble) in enumerate(troubles):
        if asked.only and name not in asked.only.split(","):
            continue
        tally, seats = Tally(), list[Seat]()
        for number in range(1, asked.boards + 1):
            board = f"{'-'.join(name.replace('+', '').replace(chr(39), '').split())}-{number}".lower()
            seats.append(Seat(bench, board, folder / str(at) / str(number)))
        for number in range(1, asked.waves + 1):
            wave(bench, seats, trouble(seats), number, tally)
        for seat in seats:
            seat.leave()
        print(tally.line(name), flush=True)
        is_well &= not tally.lost and not tally.doubled
    return is_well


def of_the_disk(disk: Path) -> Iterator[tuple[str, Trouble]]:
    """The hall's is full."""
    yield "disk full", lambda _: between(lambda: fill(disk), (disk / FILLING).unlink)


def main() -> None:
    """Measure, and say it in lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=20)
    parser.add_argument("--waves", type=int, default=5)
    parser.add_argument("--only", default="")
    asked, is_well = parser.parse_args(), True
    print("| trouble | rulings | arrived | refused at once | shown as not arrived | lost, doubled | slowest after it |")
    with tempfile.TemporaryDirectory(prefix="hall-rulings-") as name, ExitStack() as closing:
        folder, postgres = Path(name), Postgres()
        closing.callback(postgres.close)
        broker: Mosquitto = closing.enter_context(mosquitto(folder))
        bench = Bench(folder, broker, postgres.url)
        closing.callback(lambda: bench.close())  # noqa: PLW0108  # the one that runs then
        is_well &= run(bench, folder / "parts", of_the_parts(bench, postgres), asked)
        is_well &= run(bench, folder / "boards", of_the_boards(bench, folder), asked)
        if os.getuid() == 0:
            disk = closing.enter_context(small_disk(folder / "disk"))
            bench.close()
            bench = Bench(folder, broker, str(disk / "hall.sqlite3"))
            is_well &= run(bench, folder / "full", of_the_disk(disk), asked)
        else:
            print("disk full: needs root, for a disk of its own")
    raise SystemExit(0 if is_well else 1)


if __name__ == "__main__":
    main()
