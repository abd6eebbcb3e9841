"""The real parts of a hall, each in a folder of its own: Mosquitto on a free port, killed and started again at will."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from tests.patience import PATIENCE_S, wait_until
from tests.programs import started

CONFIG = """\
listener {port} 127.0.0.1
persistence false
max_inflight_messages 1000
max_queued_messages 20000
max_queued_bytes 33554432
{more}
"""


GIVEN: set[int] = set()
"""Ports that this program has given away: several halls that are started at once must not be given the same."""


def free_port() -> int:
    """One that the system gives to no connection of its own accord: parts that were killed come back to theirs."""
    while True:
        port = random.randrange(20_000, 30_000)
        if port in GIVEN:
            continue
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            GIVEN.add(port)
            return port


def is_open(port: int) -> bool:
    with socket.socket() as trying:
        trying.settimeout(1)
        return trying.connect_ex(("127.0.0.1", port)) == 0


class Mosquitto:
    """A broker on 127.0.0.1. It keeps nothing on the disk: what it knew is lost when it is killed."""

    def __init__(self, folder: Path, more: str = "allow_anonymous true") -> None:
        self.port = free_port()
        self._config = folder / "mosquitto.conf"
        user = f"user {Path.home().owner()}\n"
        self._config.write_text(user + CONFIG.format(port=self.port, more=more), encoding="utf-8")
        self._log = folder / "mosquitto.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}/camelot"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(["mosquitto", "-c", self._config], stdout=log, stderr=log)
        wait_until(lambda: is_open(self.port), self._log.read_text(encoding="utf-8"))

    def kill(self) -> None:
        """As a power cut would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def freeze(self, seconds: float) -> None:
        """As a cut network does: nobody is answered, and no connection ends."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def mosquitto(folder: Path, more: str = "allow_anonymous true") -> Iterator[Mosquitto]:
    broker = Mosquitto(folder, more)
    try:
        yield broker
    finally:
        broker.kill()


PG_BIN = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1:]


class Postgres:
    """A database server in a folder of its own, on a free port; its own superuser when the tests are run by root."""

    def __init__(self) -> None:
        assert PG_BIN, "PostgreSQL is missing: sudo apt-get install postgresql"
        self._folder = Path(tempfile.mkdtemp(prefix="hall-pg-", dir="/tmp"))  # where its user may go
        self._user = "postgres" if os.getuid() == 0 else None
        if self._user:
            shutil.chown(self._folder, self._user)
        self.port = free_port()
        data = self._folder / "data"
        asked = [PG_BIN[0] / "initdb", "-D", data, "-U", "referee", "-A", "trust", "--no-sync", "-E", "UTF8"]
        subprocess.run(asked, user=self._user, check=True, capture_output=True, cwd="/")
        self._data = data
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://referee@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        where = ["-D", self._data, "-p", str(self.port), "-k", self._folder, "-c", "listen_addresses=127.0.0.1"]
        with (self._folder / "log").open("ab") as log:
            self.process = subprocess.Popen([PG_BIN[0] / "postgres", *where], user=self._user, cwd="/", stderr=log)
        ready = [PG_BIN[0] / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        wait_until(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL")

    def kill(self) -> None:
        """As a power cut would; its helpers notice, and end before the next start."""
        self.process.kill()
        self.process.wait()
        time.sleep(0.5)

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self._folder)


NGINX = """\
daemon off;
user {user};
worker_processes 1;
worker_rlimit_nofile 20000;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 15000; }}
http {{
    access_log off;
    keepalive_timeout 300s;
    keepalive_requests 100000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


@contextmanager
def nginx(folder: Path, site: str, port: int) -> Iterator[None]:
    """nginx with a site that listens on that port, all its files in the folder."""
    (folder / "site.conf").write_text(site, encoding="utf-8")
    config = folder / "nginx.conf"
    config.write_text(NGINX.format(folder=folder, user=Path.home().owner()), encoding="utf-8")
    with started(["nginx", "-p", folder, "-c", config, "-e", folder / "nginx.log"]) as process:
        try:
            wait_until(lambda: is_open(port), f"nginx: {folder}/nginx.log")
            yield
        finally:  # killed outright it would leave its workers behind
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


@contextmanager
def hall(broker: Mosquitto, database: str, *more: str) -> Iterator[str]:
    """`referee hall` as a program; the address of its page. It ends as by Ctrl-C."""
    process, url = start_hall(broker, database, *more)
    try:
        yield url
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()


def start_hall(
    broker: Mosquitto, database: str, *more: str, log: Path | None = None
) -> tuple[subprocess.Popen[str], str]:
    """The program, and the address of its page."""
    command = [sys.executable, "-m", "server", "hall", "--broker", broker.url, "--database", database]
    whole = [*command, *(more if "--port" in more else ("--port", "0", *more))]
    with (log or Path(os.devnull)).open("a") as errors:
        process = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://\S+/(?=hall)", line)
    assert found, f"said only: {line}"
    return process, found[0]


class Listener:
    """Somebody who hears everything under a topic, retained messages too."""

    def __init__(self, broker: Mosquitto, topic: str = "#") -> None:
        self.heard: list[tuple[str, bytes]] = []
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.reconnect_delay_set(0.05, 0.2)
        self.client.on_message = lambda _client, _data, message: self.heard.append((message.topic, message.payload))
        self.client.on_connect = lambda client, *_: client.subscribe(topic, qos=1)
        ready: list[bool] = []
        self.client.on_subscribe = lambda *_: ready.append(True)
        self.client.connect("127.0.0.1", broker.port, clean_start=True)
        self.client.loop_start()
        wait_until(lambda: ready)

    def on(self, ending: str) -> list[bytes]:
        """Payloads on topics that end so."""
        return [body for topic, body in list(self.heard) if topic.endswith(ending)]

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


class Line:
    """A line to a port that can be cut: connections end, and no new one comes through until it is mended."""

    def __init__(self, port: int) -> None:
        self.port, self._to, self._cut = free_port(), port, False
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}/camelot"

    def cut(self) -> None:
        self._cut = True
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._cut = False

    def close(self) -> None:
        self.cut()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                try:
                    far = None if self._cut else socket.create_connection(("127.0.0.1", self._to))
                except OSError:  # the broker itself is away
                    far = None
                if far is None:
                    near.close()
                    continue
                self._open |= {near, far}
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._open.discard(one)
        one.close()  # the other way's thread closes the other
