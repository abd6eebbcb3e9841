"""All floods at once against a game that is watched live: how soon the arbiter's page answers, how late frames are.

Where attacker and attacked share few processors, the attacker's work alone makes the page slow. So the same is measured
once more while a process does nothing but use as much of a processor as the floods did, and asks for nothing.

The referee is the real program with a camera in the network and accounts; the floods are a process of their own, the
arbiter is this one:

    python -m tests.bench.attack_floods [seconds]

The page is asked from the first connection of the floods on: while thousands are opened, and after that. So is a login
with the arbiter's password, who was in before from where he sits, and a stream of the game until it says something.
Strangers hold what streams they get, from four addresses, and guess the arbiter's password from eight others. Exit 1
where the arbiter is once refused anything.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from server.web.access.accounts import Accounts, add_key, create_account, write_accounts
from server.web.site import allow_connections
from tests.programs import started
from tests.server.past import NAME, fill

SESSION = Path(__file__).parents[1] / "data" / "sessions" / "camelot_a"
PASSWORD = "correct horse"  # noqa: S105  # of accounts that live for one run
FPS = 8
ASKED_EVERY_S = 0.2
LAG = re.compile(r"^referee_frame_(?:lag|age)_seconds (\S+)", re.M)
READY_S = 10.0
"""After the page is there: the first looks at the board are over by then."""
RUSH_S = 25.0
"""Of floods in which ten thousand connections are begun."""
SETTLED_S = 5.0
"""After the floods: their connections are closed by then."""
BURNT_S = 0.02
GUESSES = 10_000
"""Wrong passwords, if there is time for so many."""
LOGIN_EVERY_S, STREAM_EVERY_S = 2.0, 1.0
SITE = "https://club.example.org"
"""May show the board in a frame: so strangers may follow, as spectators do."""


class Film(BaseHTTPRequestHandler):
    """The first pictures of the recording again and again, as a camera in the network sends them."""

    pictures = tuple(path.read_bytes() for path in sorted(SESSION.glob("frame_*.jpg"))[:3])

    def do_GET(self) -> None:  # as the base class names it
        """Send until nobody listens."""
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
        self.end_headers()
        with suppress(OSError):
            for picture in itertools.cycle(self.pictures[1:2]):
                self.wfile.write(b"--next\r\nContent-Type: image/jpeg\r\n")
                self.wfile.write(f"Content-Length: {len(picture)}\r\n\r\n".encode() + picture + b"\r\n")
                time.sleep(1 / FPS)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def asked(where: tuple[str, int], path: str, key: str, source: str = "127.0.0.1") -> tuple[int, bytes, float]:
    """Status, body and seconds of a request on a connection of its own."""
    begun = time.monotonic()
    connection = http.client.HTTPConnection(*where, timeout=30, source_address=(source, 0))
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}", "Accept": "text/html"})
        answer = connection.getresponse()
        return answer.status, answer.read(), time.monotonic() - begun
    finally:
        connection.close()


def forever(act: Callable[[], object], most: int | None, pause_s: float) -> None:
    """Do it again and again, at most so many times."""
    for number in itertools.count():
        if most is None or number < most:
            with suppress(OSError):
                act()
        time.sleep(pause_s)


def flood(where: tuple[str, int], keys: dict[str, str]) -> None:
    """Every flood of docs/serving.md, each from an address of its own, until the end of the process."""
    allow_connections()
    connect = lambda number: socket.create_connection(where, 5, (f"127.0.0.{number}", 0))  # noqa: E731
    held: list[socket.socket] = []
    guessed = itertools.count(1)

    def say(number: int, text: str) -> None:
        held.append(connect(number))
        held[-1].sendall(text.encode())

    def uploads() -> None:
        say(2, "POST /api/v1/camera/frames?phone=a HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\n")
        held[-1].sendall(b"Content-Length: 900000\r\n\r\n\xff")

    def idle() -> None:
        say(3, "")

    def streams() -> None:
        key = f"Authorization: Bearer {keys['spectator']}\r\n"
        say(4, f"GET /api/v1/spectator/events HTTP/1.1\r\nHost: localhost\r\n{key}\r\n")

    def post(number: int, body: bytes) -> None:
        connection = http.client.HTTPConnection(*where, timeout=5, source_address=(f"127.0.0.{number}", 0))
        with suppress(OSError, http.client.HTTPException):
            connection.request("POST", "/login", body, {"Content-Type": "application/json"})
            connection.getresponse().read()
        connection.close()

    def strangers() -> None:
        say(random.randrange(10, 14), "GET /api/v1/spectator/events HTTP/1.1\r\nHost: localhost\r\n\r\n")

    def passwords() -> None:
        post(5, json.dumps({"name": "player", "password": PASSWORD}).encode())

    def guesses() -> None:
        number = next(guessed)
        post(20 + number % 8, json.dumps({"name": "arbiter", "password": f"guess {number}"}).encode())
        if number == GUESSES:
            print("guessed", flush=True)

    def exports() -> None:
        with suppress(OSError, http.client.HTTPException):
            asked(where, f"/games/{NAME}/export.gif", keys["player"], "127.0.0.6")

    def nested() -> None:
        post(7, b"[" * 16000)

    kinds: list[tuple[Callable[[], object], int | None, int, float]] = [
        (uploads, 400, 1, 0.05),
        (idle, 6200, 1, 0.001),
        (streams, 4000, 1, 0.001),
        (strangers, 4000, 1, 0.001),
        (passwords, None, 24, 0.0),
        (guesses, GUESSES // 16, 16, 0.0),
        (exports, None, 8, 0.0),
        (nested, None, 4, 0.02),
    ]
    only = os.environ.get("FLOODS", "").split()
    for act, most, threads, pause_s in kinds:
        if only and act.__name__ not in only:
            continue
        for _ in range(threads):
            threading.Thread(target=forever, args=(act, most, pause_s), daemon=True).start()
    print("begun", flush=True)  # the other process waits for it
    sys.stdin.readline()
    os._exit(0)


def main(seconds: float) -> int:
    """Print figures without floods, and with them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        accounts, keys = Accounts(), {}
        for role in ("arbiter", "player", "spectator"):
            account, keys[role] = add_key(create_account(role, role, PASSWORD))
            accounts = accounts.with_account(account)
        write_accounts(folder / "accounts.json", accounts)
        fill(folder / "games.sqlite3", chain=True)
        camera = ThreadingHTTPServer(("127.0.0.1", 0), Film)
        threading.Thread(target=camera.serve_forever, daemon=True).start()
        command = [sys.executable, "-m", "server", "serve", "--profile", str(SESSION / "profile.toml"), "--new"]
        command += ["--camera", f"http://127.0.0.1:{camera.server_port}/video", "--port", "0"]
        command += ["--record", str(folder / "games.sqlite3"), "--accounts", str(folder / "accounts.json")]
        command += ["--embed-on", SITE]
        with started(command, stdout=subprocess.PIPE, text=True) as referee:
            assert referee.stdout is not None
            url = urlsplit(referee.stdout.readline().split("page is at ")[1].split()[0])
            where = (str(url.hostname), int(url.port or 0))
            time.sleep(READY_S)
            print("quiet:", measured(where, keys, seconds / 4), flush=True)
            flooding = [sys.executable, "-m", __spec__.name, "flood", json.dumps([where, keys])]
            with started(flooding, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as floods:
                assert floods.stdout is not None
                floods.stdout.readline()
                spent_s, begun = spent(floods.pid), time.monotonic()
                print(f"first {RUSH_S:.0f} s of floods:", measured(where, keys, RUSH_S), flush=True)
                print("floods, all there:", measured(where, keys, seconds), flush=True)
                share = (spent(floods.pid) - spent_s) / (time.monotonic() - begun)
            with started([sys.executable, "-m", __spec__.name, "burn", str(share)]):
                time.sleep(SETTLED_S)
                print(f"burner of {share:.2f}:", measured(where, keys, seconds / 2), flush=True)
        camera.shutdown()
    return 0 if sum(REFUSED) == 0 else 1


def spent(pid: int) -> float:
    """Seconds of a processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def burn(share: float) -> None:
    """Use that share of a processor until ended."""
    while True:
        end = time.process_time() + share * BURNT_S
        begun = time.monotonic()
        while time.process_time() < end:
            sum(range(1000))
        time.sleep(max(0.0, BURNT_S - (time.monotonic() - begun)))


@dataclass
class Served:
    """How soon something was answered, in ms, and how frequently it was refused."""

    what: str
    took_ms: list[float] = field(default_factory=list)
    refused: int = 0

    def ask(self, act: Callable[[], bool]) -> None:
        """Have it done once."""
        begun = time.monotonic()
        try:
            done = act()
        except (OSError, http.client.HTTPException):
            done = False
        self.took_ms.append(1000 * (time.monotonic() - begun))
        self.refused += not done

    def __str__(self) -> str:
        p50, p99 = np.percentile(self.took_ms, [50, 99])
        times = f"ms p50 {p50:.0f} p99 {p99:.0f} most {max(self.took_ms):.0f}"
        return f"{self.what} {len(self.took_ms)} times, {self.refused} refused, {times}"


def logged_in(where: tuple[str, int]) -> bool:
    """Whether the arbiter's password lets in."""
    connection = http.client.HTTPConnection(*where, timeout=30)
    body = json.dumps({"name": "arbiter", "password": PASSWORD})
    connection.request("POST", "/login", body, {"Content-Type": "application/json"})
    status = connection.getresponse().status
    connection.close()
    return status == 200


def stream_says(where: tuple[str, int], key: str) -> bool:
    """Whether a stream of the game begins to say something."""
    connection = http.client.HTTPConnection(*where, timeout=30)
    connection.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {key}"})
    answer = connection.getresponse()
    first = answer.read(1)
    connection.close()
    return answer.status == 200 and bool(first)


REFUSED: list[int] = []
"""Of each measurement."""


def measured(where: tuple[str, int], keys: dict[str, str], seconds: float) -> str:
    """How the arbiter is answered for so long, and how late frames are."""
    page, login, stream = Served("page"), Served("login"), Served("stream")
    key, lags, begun = keys["arbiter"], list[float](), time.monotonic()
    while time.monotonic() < begun + seconds:
        page.ask(lambda: asked(where, "/arbiter", key)[0] == 200)
        if time.monotonic() - begun >= LOGIN_EVERY_S * len(login.took_ms):
            login.ask(lambda: logged_in(where))
        if time.monotonic() - begun >= STREAM_EVERY_S * len(stream.took_ms):
            stream.ask(lambda: stream_says(where, key))
        _, text, _ = asked(where, "/metrics", key)
        lags += [1000 * float(said) for said in LAG.findall(text.decode())]
        time.sleep(ASKED_EVERY_S)
    REFUSED.append(page.refused + login.refused + stream.refused)
    late50, late99 = np.percentile(lags, [50, 99])
    return (
        f"load {os.getloadavg()[0]:.1f}; {page}; {login}; {stream}; "
        f"frames late or old by ms p50 {late50:.0f} p99 {late99:.0f} most {max(lags):.0f}"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["burn"]:
        burn(float(sys.argv[2]))
    elif sys.argv[1:2] == ["flood"]:
        address, given = json.loads(sys.argv[2])
        flood((address[0], address[1]), given)
    else:
        sys.exit(main(float((sys.argv[1:2] or ["60"])[0])))
