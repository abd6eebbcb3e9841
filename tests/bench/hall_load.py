"""A hall under load, and under blows: N simulated boards, a real broker, a real hall, a real database.

    python -m tests.bench.hall_load --boards 200 --rate 20 --seconds 600 [--postgresql] [--blows broker,hall,...]

Each blow kills its part with -9 and starts it again. "cut" freezes the broker for 3 s, "dead" for longer than anybody
takes it for alive, "minute" for 60; "mischief" sends what was heard before again: doubled, in another order, from an
hour ago. At the end every record is compared with the database. `--halls 5` makes five such halls at once, each with
boards, broker and database of its own: five times the blows in the same time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from server.hall.desk.database import open_database
from server.hall.desk.ledger import Ledger
from server.record.store import read_record
from tests.patience import wait_until
from tests.server.hall.parts import Listener, Mosquitto, Postgres, free_port, mosquitto, start_hall

DATABASE = "database"
"""A blow for PostgreSQL alone: SQLite dies with the hall."""
BLOWS = ("broker", "hall", DATABASE, "boards", "mischief", "cut", "dead", "minute")
FROZEN_S = {"cut": 3.0, "dead": 20.0, "minute": 60.0}
"""How long nothing goes over the wire, and no connection ends. Boards wait 5 s for what they sent to be confirmed, hall
and broker 15 s for any sign of life: after 20 s each has given up, and nothing is added in the 40 that follow."""
PAUSE_S = 1.0
"""How long a killed part is away."""
RECOVERY_S = 120.0
"""What has not come after this long will never come."""
IN_A_PROCESS = 50
"""Simulated boards: each has some nine open files, and the MQTT client counts to 1,024 (select)."""
OPENING = threading.Lock()
"""Alembic brings one database at a time up to date in a program; runs beside each other take turns."""
HEARD = 500
"""Messages that mischief has at hand."""

Key = tuple[str, str, int]


@dataclass
class Figures:
    """What a run has shown."""

    events: int = 0
    lost: int = 0
    doubled: int = 0
    latencies_ms: list[float] = field(default_factory=list)
    recoveries_s: dict[str, list[float]] = field(default_factory=dict)
    memory_mb: list[float] = field(default_factory=list)
    spent_ms: dict[str, float] = field(default_factory=dict)
    """Part -> its processor time an event, of a run without blows."""
    played_s: float = 0.0

    def add(self, other: Figures) -> None:
        """Those of another run beside."""
        self.events += other.events
        self.lost += other.lost
        self.doubled += other.doubled
        self.latencies_ms += other.latencies_ms
        self.memory_mb += other.memory_mb
        self.spent_ms |= other.spent_ms
        self.played_s = max(self.played_s, other.played_s)
        for blow, times in other.recoveries_s.items():
            self.recoveries_s.setdefault(blow, []).extend(times)

    def line(self) -> str:
        """In a line, for people."""
        late = sorted(self.latencies_ms)
        p99 = late[int(0.99 * len(late))] if late else float("nan")
        said = [f"{self.events} events in {self.played_s:.0f} s, {self.lost} lost, {self.doubled} doubled"]
        said += [f"to the page: median {statistics.median(late):.0f} ms, p99 {p99:.0f} ms, worst {late[-1]:.0f} ms"]
        said += [f"hall {self.memory_mb[0]:.0f} to {self.memory_mb[-1]:.0f} MB"] if self.memory_mb else []
        spent = ", ".join(f"{part} {ms:.2f} ms" for part, ms in self.spent_ms.items())
        said += [f"processor an event: {spent}"] if spent else []
        said += [
            f"{blow}: {len(times)} blows, recovered in {statistics.median(times):.1f} s, worst {max(times):.1f} s"
            for blow, times in self.recoveries_s.items()
        ]
        return "; ".join(said)


class Run:
    """The parts of one run, and what is seen of them."""

    def __init__(
        self,
        folder: Path,
        broker: Mosquitto,
        postgres: Postgres | None,
        boards: int,
        more: Sequence[str] = (),
        together: int = 1,
    ) -> None:
        """`more` are options of the halls, of which so many share the database and the broker."""
        self.folder, self.broker, self.postgres, self.count, self._more = folder, broker, postgres, boards, more
        self.database = postgres.url if postgres else str(folder / "hall.sqlite3")
        self.pages = [free_port() for _ in range(together)]
        self.seen: dict[Key, float] = {}
        self._ending = False
        self.urls: dict[int, str] = {}
        self.boards: list[subprocess.Popen[str]] = []
        self.halls = dict(map(self._started, range(together)))
        for number in range(together):
            threading.Thread(target=self._follow, args=[self.urls[number]], daemon=True).start()

    def _started(self, number: int) -> tuple[int, subprocess.Popen[str]]:
        arguments = ("--port", str(self.pages[number]), *self._more)
        process, url = start_hall(self.broker, self.database, *arguments, log=self.folder / "hall.log")
        self.urls[number] = url
        return number, process

    def kill_hall(self) -> int:
        """One of them, by chance, with -9; which."""
        number = random.choice(sorted(self.halls))
        self.halls[number].kill()
        self.halls[number].communicate()
        return number

    def start_hall(self, number: int) -> None:
        """Start it again, under the same port."""
        self.halls |= [self._started(number)]

    def start_boards(self, rate: float, seconds: float) -> None:
        """Start them, or start them again with the records that they have."""
        self.boards = []
        for first in range(1, self.count + 1, IN_A_PROCESS):
            last = min(self.count, first + IN_A_PROCESS - 1)
            share = rate * (last - first + 1) / self.count
            arguments = [self.folder, self.broker.url, first, last, share, seconds]
            command = [sys.executable, "-m", "tests.bench.hall_boards", *map(str, arguments)]
            with (self.folder / "boards.log").open("a") as errors:
                process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, bufsize=1
                )
            self.boards.append(process)
        assert self.said() == ["ready"] * len(self.boards), (self.folder / "boards.log").read_text()
        for process in self.boards:
            assert process.stdin is not None
            process.stdin.write("begin\n")

    def said(self) -> list[str]:
        """The next word of each process with boards."""
        return [process.stdout.readline().split()[0] for process in self.boards if process.stdout is not None]

    def kill_boards(self) -> None:
        """All of them, with -9."""
        for process in self.boards:
            process.kill()
            process.communicate()

    def committed(self) -> dict[Key, float]:
        """Every event that is in a record, and when its writing began; 0 where the board was killed before it said."""
        found: dict[Key, float] = {}
        for path in self.folder.glob("table-*.sqlite3"):
            with read_record(path) as record:
                for game, events in record.event_counts().items():
                    found |= {(path.stem, game, n): 0.0 for n in range(1, events + 1)}
        for file in self.folder.glob("*.times"):
            for line in file.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):
                    board, game, sequence, begun = line.split()
                    found[board, game, int(sequence)] = float(begun)
        return found

    def stored(self) -> dict[tuple[str, str], int]:
        """Every game in a hall -> how many of its events are stored."""
        url = self.urls[random.choice(sorted(self.urls))]
        with urllib.request.urlopen(f"{url}api/v1/hall/games", timeout=30) as answer:  # noqa: S310
            rows = json.load(answer)["games"]
        return {(row["board"], row["name"]): row["events"] for row in rows}

    def catches_up(self) -> float:
        """Seconds until all that is committed now is stored."""
        begun, wanted = time.monotonic(), {}
        for board, game, sequence in self.committed():
            wanted[board, game] = max(sequence, wanted.get((board, game), 0))

        def has_all() -> bool:
            with suppress(OSError):
                stored = self.stored()
                return all(stored.get(key, 0) >= events for key, events in wanted.items())
            return False

        wait_until(has_all, f"{self.folder}: the hall lacks events", RECOVERY_S)
        return time.monotonic() - begun

    def memory_mb(self) -> float:
        """Of the first hall."""
        with suppress(OSError, StopIteration, ValueError):
            lines = Path(f"/proc/{self.halls[0].pid}/status").read_text(encoding="utf-8").splitlines()
            return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024
        return 0.0

    def spent_s(self) -> dict[str, float]:
        """Part -> processor time since it began, of those whose processes are its own."""
        parts = {
            "boards": [board.pid for board in self.boards],
            "broker": [self.broker.pid],
            "hall": [hall.pid for hall in self.halls.values()],
        }
        return {part: sum(map(processor_s, pids)) for part, pids in parts.items()}

    def _follow(self, url: str) -> None:
        """As a page does: hear what was stored, and note when."""
        while not self._ending:
            with suppress(OSError), urllib.request.urlopen(f"{url}api/v1/hall/events", timeout=30) as stream:  # noqa: S310
                for line in stream:
                    if line.startswith(b"data: {"):
                        now = time.time()
                        for board, game, sequence in json.loads(line[6:]).get("stored", ()):
                            self.seen.setdefault((board, game, sequence), now)
            time.sleep(0.05)

    def close(self) -> None:
        """End what runs."""
        self._ending = True
        self.kill_boards()
        for hall in self.halls.values():
            hall.kill()
            hall.communicate()


def processor_s(pid: int) -> float:
    """What a process has had of the processors, in its own code and in the system's."""
    words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def strike(run: Run, blow: str, heard: Listener, rate: float, seconds: float) -> None:
    """One blow, after which everything runs again."""
    if blow == "broker":
        run.broker.kill()
        time.sleep(PAUSE_S)
        run.broker.start()
    elif blow == "hall":
        number = run.kill_hall()
        time.sleep(PAUSE_S)
        run.start_hall(number)
    elif blow == "database":
        assert run.postgres is not None
        run.postgres.kill()
        time.sleep(PAUSE_S)
        run.postgres.start()
    elif blow == "boards":
        run.kill_boards()
        run.start_boards(rate, seconds)
    elif blow in FROZEN_S:
        run.broker.freeze(FROZEN_S[blow])
    else:
        old = random.sample(heard.heard[-HEARD:], min(len(heard.heard), HEARD) // 2) * 2
        for topic, body in old:
            heard.client.publish(topic, body, qos=1)


def load(
    boards: int,
    rate: float,
    seconds: float,
    postgresql: bool = False,
    blows: Sequence[str] = (),
    times: int = 1,
    together: int = 1,
) -> Figures:
    """One run in a folder of its own, of so many halls `together` on one database and one broker. AssertionError, and
    the folder stays, if anything is lost or doubled."""
    folder, figures = Path(tempfile.mkdtemp(prefix="hall-load-")), Figures()
    with ExitStack() as closing:
        postgres = Postgres() if postgresql else None
        if postgres:
            closing.callback(postgres.close)
        broker = closing.enter_context(mosquitto(folder))
        run = Run(folder, broker, postgres, boards, together=together)
        closing.callback(run.close)
        run.start_boards(rate, seconds)
        before = run.spent_s()
        begun, due = time.monotonic(), [blow for _ in range(times) for blow in blows if postgresql or blow != DATABASE]
        heard = Listener(broker, "camelot/+/events") if due else None
        if heard:
            closing.callback(heard.close)
        for number, blow in enumerate(due, start=1):
            time.sleep(max(0.0, begun + number * seconds / (len(due) + 1) - time.monotonic()))
            assert heard is not None
            strike(run, blow, heard, rate, max(1.0, seconds - (time.monotonic() - begun)))
            figures.recoveries_s.setdefault(blow, []).append(run.catches_up())
        while time.monotonic() - begun < seconds:
            figures.memory_mb.append(run.memory_mb())
            time.sleep(min(1.0, max(0.0, seconds - (time.monotonic() - begun))))
        assert set(run.said()) == {"done"}
        figures.played_s = time.monotonic() - begun
        run.catches_up()
        figures.memory_mb.append(run.memory_mb())
        spent = run.spent_s()
        compare(run, figures)
        if not due:
            figures.spent_ms = {part: 1000 * (spent[part] - before[part]) / figures.events for part in spent}
    assert (figures.lost, figures.doubled) == (0, 0), f"{folder}: {figures.line()}"
    shutil.rmtree(folder)
    return figures


def compare(run: Run, figures: Figures) -> None:
    """Every record with what the database has of it, event by event, in order."""
    committed = run.committed()
    with OPENING:
        engine = open_database(run.database)
    ledger = Ledger(engine)
    games = {key[:2] for key in committed}
    assert games == set(ledger.stored_games()), "the hall has games that no board has"
    for board, game in games:
        with read_record(run.folder / f"{board}.sqlite3") as record:
            own = [(number, head) for number, _, _, head in record.read_links(game, 0, 1_000_000)]
        stored = [(link.sequence, link.hash) for link in ledger.read_links(board, game)]
        figures.events += len(own)
        figures.lost += len(set(own) - set(stored))
        figures.doubled += len(stored) - len(set(stored))
        assert stored == own, f"{board} {game}: other events, or another order"
    engine.dispose()
    both = [(seen, begun) for key, seen in run.seen.items() if (begun := committed.get(key, 0.0))]
    figures.latencies_ms = [1000 * (seen - begun) for seen, begun in both]


def main() -> None:
    """Run once, and say the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=200)
    parser.add_argument("--rate", type=float, default=20.0, help="events a second, all boards together")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--blows", default="", help=f"of {','.join(BLOWS)}")
    parser.add_argument("--times", type=int, default=1, help="rounds of blows")
    parser.add_argument("--halls", type=int, default=1, help="how many of them at once")
    parser.add_argument("--together", type=int, default=1, help="how many halls share one database and one broker")
    asked = parser.parse_args()
    blows = [blow for blow in asked.blows.split(",") if blow]
    assert set(blows) <= set(BLOWS), f"blows are {', '.join(BLOWS)}"
    said = (asked.boards, asked.rate, asked.seconds, asked.postgresql, blows, asked.times, asked.together)
    figures = Figures()
    with ThreadPoolExecutor(asked.halls) as pool:
        for run in [pool.submit(load, *said) for _ in range(asked.halls)]:
            figures.add(run.result())
    print(figures.line())


if __name__ == "__main__":
    main()
