"""How soon a hall says that something is wrong, and how soon it is calm again, each in turn.

    python -m tests.bench.bench_hall_faults [--times 3]

With a real broker, a real hall and real boards. Said is what the page and programs are told: `/healthz`, or the
troubles of the board.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from server.board.hall_link.publisher import Publisher
from server.mqtt.broker import broker_of
from tests.patience import wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import Listener, Mosquitto, Postgres, free_port, mosquitto, start_hall
from tests.server.script import NAME, OPENING

Said = Callable[[], bool]
HEARD_S = 3.0
"""A board is left in peace for so long before anything is done to it."""


def certificate(folder: Path, days: float) -> None:
    """One for 127.0.0.1 that is good until so many days from now."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hall")])
    until = datetime.now(UTC) + timedelta(days=days)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(until - timedelta(days=400))
        .not_valid_after(until)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, secret))
    (folder / "cert.pem").write_bytes(made.public_bytes(pem))


class Bench:
    """A hall on PostgreSQL, and one board at it."""

    def __init__(self, folder: Path, broker: Mosquitto, database: str) -> None:
        self.folder, self.broker, self._database = folder, broker, database
        self.process, self.url = start_hall(broker, database, log=folder / "hall.log")

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=2) as answer:  # noqa: S310  # our own address
            return json.load(answer)

    def faulty(self, what: str) -> bool:
        """Whether the hall says that this is wrong with itself."""
        with suppress(OSError):
            return what in self.get("healthz")["faults"]
        return False

    def troubled(self, what: str, board: str = "table-1") -> bool:
        """Whether it says that this is wrong with a board."""
        with suppress(OSError):
            return what in self.get(f"api/v1/hall/boards/{board}")["troubles"]
        return False

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()

    def restart(self) -> None:
        """Killed, and started again at another address."""
        self.close()
        self.process, self.url = start_hall(self.broker, self._database, log=self.folder / "hall.log")


@contextmanager
def board(bench: Bench, folder: Path, clock: Callable[[], float] = time.time) -> Iterator[Table]:
    """table-1, with the record of that folder."""
    folder.mkdir(exist_ok=True)
    table = Table(folder)
    publisher = Publisher(broker_of(bench.broker.url), "table-1", table.path, table.script.feed, NAME, clock=clock)
    publisher.start()
    try:
        yield table
    finally:
        publisher.stop_publishing()
        table.record.close_file()


def timed(begin: Callable[[], object], said: Said, end: Callable[[], object], calm: Said) -> tuple[float, float]:
    """Seconds until it is said, and after the end until it is not any more."""
    at = time.monotonic()
    begin()
    wait_until(said, patience_s=60)
    until_said = time.monotonic() - at
    end()
    at = time.monotonic()
    wait_until(calm, patience_s=60)
    return until_said, time.monotonic() - at


def read_only(postgres: Postgres, value: str) -> None:
    """Whether the database may only be read: `on`, `off`."""
    import psycopg  # noqa: PLC0415  # of this trouble alone

    with psycopg.connect(postgres.url, autocommit=True) as line:
        line.execute("SET default_transaction_read_only = off")
        line.execute(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
        line.execute("SELECT pg_reload_conf()")


FILLING = "filling"


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of 24 MB; needs root."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def fill(disk: Path) -> None:
    """Leave no byte of it."""
    with (disk / FILLING).open("wb", buffering=0) as file, suppress(OSError):
        for size in (65536, 512, 1):
            with suppress(OSError):
                while file.write(bytes(size)) == size:
                    pass


def of_the_hall(bench: Bench, postgres: Postgres) -> Iterator[tuple[str, tuple[float, float]]]:
    """The broker gone, frozen, and refusing; the database gone and frozen."""
    config, good = bench.broker._config, bench.broker._config.read_text(encoding="utf-8")

    def broker_is(said: bool) -> Said:
        return lambda: bench.faulty("broker") == said

    def database_is(said: bool) -> Said:
        return lambda: bench.faulty("database") == said

    def refuse(text: str) -> None:
        bench.broker.kill()
        config.write_text(text, encoding="utf-8")
        bench.broker.start()

    yield "broker gone", timed(bench.broker.kill, broker_is(True), bench.broker.start, broker_is(False))
    stop, go = (lambda: os.kill(bench.broker.pid, signal.SIGSTOP)), (lambda: os.kill(bench.broker.pid, signal.SIGCONT))
    yield "broker frozen", timed(stop, broker_is(True), go, broker_is(False))
    closed = good.replace("allow_anonymous true", "allow_anonymous false")
    yield (
        "broker refuses",
        timed(lambda: refuse(closed), broker_is(True), lambda: refuse(good), broker_is(False)),
    )
    yield "database gone", timed(postgres.kill, database_is(True), postgres.start, database_is(False))
    alter = partial(read_only, postgres)
    yield (
        "database read-only",
        timed(lambda: alter("on"), database_is(True), lambda: alter("off"), database_is(False)),
    )


def of_a_disk(folder: Path, broker: Mosquitto) -> Iterator[tuple[str, tuple[float, float]]]:
    """One that is full under a hall on SQLite, and has room again."""
    with small_disk(folder / "disk") as disk:
        bench = Bench(folder, broker, str(disk / "hall.sqlite3"))
        wait_until(lambda: not bench.faulty("broker"))
        time.sleep(HEARD_S)
        try:
            yield (
                "disk full",
                timed(
                    lambda: fill(disk),
                    lambda: bench.faulty("database"),
                    (disk / FILLING).unlink,
                    lambda: not bench.faulty("database"),
                ),
            )
        finally:
            bench.close()


def of_a_board(bench: Bench, folder: Path) -> Iterator[tuple[str, tuple[float, float]]]:
    """Frozen, dead, another clock, a copy taken back, a fork, and a second one of the name."""

    def is_(what: str, said: bool) -> Said:
        return lambda: bench.troubled(what) == said

    off = [0.0]
    with board(bench, folder / "one", lambda: time.time() + off[0]) as table:
        wait_until(lambda: bench.get("api/v1/hall/boards")["boards"])
        for notation in OPENING[len(table.record.read_events(NAME)) - 1 : 1]:
            table.play(notation)
        time.sleep(HEARD_S)
        for name, seconds in (("clock +10 min", 600.0), ("clock -2 h", -7200.0)):

            def set_clock(seconds: float) -> None:
                off[0] = seconds

            yield (
                name,
                timed(lambda s=seconds: set_clock(s), is_("clock", True), lambda: set_clock(0.0), is_("clock", False)),
            )  # type: ignore[misc]
        with ExitStack() as second:
            begin = lambda: second.enter_context(board(bench, folder / f"two-{time.time_ns()}"))  # noqa: E731
            yield "two of one name", timed(begin, is_("twins", True), second.close, is_("twins", False))
        time.sleep(HEARD_S)
    copy = folder / f"copy-{time.time_ns()}"
    shutil.copytree(folder / "one", copy)
    with board(bench, folder / "one") as table:
        for notation in OPENING[:1]:
            table.script.play(notation)
        table.record.append_event(NAME, {"t": 5.0, "event": "paused"})
        table.script.feed.publish_event({"event": "paused"})
        time.sleep(HEARD_S)
    with ExitStack() as closing, ExitStack() as back:
        begin = lambda: closing.enter_context(board(bench, copy))  # noqa: E731
        mend = lambda: (closing.close(), back.enter_context(board(bench, folder / "one")))  # noqa: E731
        yield "copy taken back", timed(begin, is_("shorter", True), mend, is_("shorter", False))
    with ExitStack() as closing, ExitStack() as back:

        def fork() -> None:
            table = closing.enter_context(board(bench, copy))
            table.record.append_event(NAME, {"t": 6.0, "event": "resumed"})
            table.script.feed.publish_event({"event": "resumed"})

        mend = lambda: (closing.close(), back.enter_context(board(bench, folder / "one")))  # noqa: E731
        yield "fork", timed(fork, is_("chain", True), mend, is_("chain", False))


def of_a_program(bench: Bench, folder: Path) -> Iterator[tuple[str, tuple[float, float]]]:
    """A board's program that is frozen, and one that is killed."""
    (folder / "dead").mkdir(exist_ok=True)

    def begun() -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "tests.bench.hall_boards",
            str(folder / "dead"),
            bench.broker.url,
            "9",
            "9",
            "1",
            "600",
        ]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        process.stdin.write("begin\n")
        return process

    def is_(said: bool) -> Said:
        return lambda: (bench.troubled("silent", "table-9") or bench.troubled("offline", "table-9")) == said

    running = [begun()]
    wait_until(lambda: any(one["board"] == "table-9" for one in bench.get("api/v1/hall/boards")["boards"]))
    time.sleep(HEARD_S)
    stop, go = (lambda: running[0].send_signal(signal.SIGSTOP)), (lambda: running[0].send_signal(signal.SIGCONT))
    yield "board frozen", timed(stop, is_(True), go, is_(False))
    kill = lambda: (running[0].kill(), running[0].communicate())  # noqa: E731
    again = lambda: running.__setitem__(0, begun())  # noqa: E731
    yield "board dead", timed(kill, is_(True), again, is_(False))
    running[0].kill()
    running[0].communicate()


def of_a_version(bench: Bench) -> Iterator[tuple[str, tuple[float, float]]]:
    """A board whose version is newer than the hall's."""
    said = {"board": "table-8", "camera": "ok", "lights": "", "fit": 90, "records": {}, "heat": 41}
    listener = Listener(bench.broker)

    def put(version: str) -> None:
        listener.client.publish("camelot/table-8/available", "online", qos=1, retain=True)
        body = json.dumps(said | {"version": version})
        listener.client.publish("camelot/table-8/health", body, qos=1, retain=True)

    yield (
        "newer version",
        timed(
            lambda: put("99.1"),
            lambda: bench.troubled("newer", "table-8"),
            lambda: put("0.0.1"),
            lambda: not bench.troubled("newer", "table-8"),
        ),
    )
    assert bench.get("api/v1/hall/boards/table-8")["health"]["heat"] == said["heat"], "what is not known is kept"
    listener.close()


def of_a_certificate(folder: Path, database: str) -> Iterator[tuple[str, tuple[float, float]]]:
    """One of the broker that has run out, and the good one again."""
    certificate(folder, 300)
    good = {name: (folder / name).read_bytes() for name in ("cert.pem", "key.pem")}
    port = free_port()
    more = f"allow_anonymous true\nlistener {port} 127.0.0.1\ncertfile {folder}/cert.pem\nkeyfile {folder}/key.pem"
    with mosquitto(folder, more) as broker:
        url = f"mqtts://localhost:{port}/camelot?ca={folder}/cert.pem"
        command = [sys.executable, "-m", "server", "hall", "--broker", url, "--database", database, "--port", "0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout is not None
        bench = Bench.__new__(Bench)
        bench.url = process.stdout.readline().split("at ")[1].split("hall ")[0]
        wait_until(lambda: not bench.faulty("broker"))

        def put(is_good: bool) -> None:
            broker.kill()
            certificate(folder, -1)
            for file, content in good.items() if is_good else ():
                (folder / file).write_bytes(content)
            broker.start()

        try:
            yield (
                "certificate run out",
                timed(
                    lambda: put(False),
                    lambda: bench.faulty("broker"),
                    lambda: put(True),
                    lambda: not bench.faulty("broker"),
                ),
            )
        finally:
            process.kill()
            process.communicate()


def main() -> None:
    """Measure, and say it in lines."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--times", type=int, default=3)
    found: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as name, ExitStack() as closing:
        folder, postgres = Path(name), Postgres()
        closing.callback(postgres.close)
        broker = closing.enter_context(mosquitto(folder))
        bench = Bench(folder, broker, postgres.url)
        closing.callback(bench.close)
        wait_until(lambda: not bench.faulty("broker"))
        for _ in range(asked.parse_args().times):
            new = folder / str(time.time_ns())
            new.mkdir()
            parts: tuple[Iterator[tuple[str, tuple[float, float]]], ...] = (
                of_the_hall(bench, postgres),
                of_a_program(bench, folder),
                of_a_version(bench),
            )
            if os.getuid() == 0:
                parts = (*parts, of_a_disk(new, broker))
            for part in (*parts, of_a_certificate(new, str(new / "tls.sqlite3")), of_a_board(bench, folder)):
                for trouble, times in part:
                    found.setdefault(trouble, []).append(times)
                    print(f"{trouble}: said after {times[0]:.1f} s, calm after {times[1]:.1f} s", flush=True)
    for trouble, rows in found.items():
        said, calm = zip(*rows, strict=True)
        print(
            f"| {trouble} | {statistics.median(said):.1f} s, worst {max(said):.1f} s "
            f"| {statistics.median(calm):.1f} s, worst {max(calm):.1f} s |"
        )


if __name__ == "__main__":
    main()
