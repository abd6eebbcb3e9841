"""Thousands of spectators at the delayed files of a hall, through nginx, while boards play: waits, and nothing early.

    python -m tests.bench.bench_hall_spectators [--spectators 10000] [--boards 20] [--rate 4] [--seconds 120]

Each spectator holds a connection and asks every few seconds whether its board has changed, as the page /watch does,
then for the new end of the game's file. Every event that any of them receives is compared with when it was written at
its board. All run on one machine: the spectators' own work is in the waits.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from server.hall.proxy_site import nginx_site
from tests.bench.hall_load import Run
from tests.patience import wait_until
from tests.server.hall.parts import free_port, mosquitto, nginx

ASKS_EVERY_S = 10.0
"""As static/js/watch.js does."""
OPENED_A_SECOND = 500
WAITS_S = 30.0
"""What was not answered so long after the end counts as lost."""
NUMBER = re.compile(rb'"sequence":(\d+),')


@dataclass
class Seen:
    """What all spectators saw together."""

    waits_ms: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    received: int = 0
    out_of_order: int = 0
    first: dict[tuple[str, str, int], float] = field(default_factory=dict)
    """Board, game, number of the event -> when the first spectator had it: if that was not early, none was."""
    early: int = 0
    checks: int = 0

    def line(self) -> str:
        """In a line, for people."""
        waits = sorted(self.waits_ms)
        at = {share: waits[int(share * (len(waits) - 1))] for share in (0.5, 0.99, 1.0)}
        return (
            f"{len(waits)} answers, median {at[0.5]:.0f} ms, p99 {at[0.99]:.0f} ms, worst {at[1.0]:.0f} ms, "
            f"{len(self.failures)} failed; {self.received} events received, {len(self.first)} different ones, "
            f"{self.early} early of {self.checks} checked, {self.out_of_order} out of order"
        )


class Spectator(asyncio.Protocol):
    """One connection, and what it has of one board's games. Lean: ten thousand of these share one thread."""

    def __init__(self, board: str, seen: Seen, end_s: float) -> None:
        self._board, self._seen, self._end_s = board, seen, end_s
        self._loop = asyncio.get_running_loop()
        self.over = self._loop.create_future()
        self._buffer, self._asked, self._asked_s = bytearray(), "", 0.0
        self._tag, self._have, self._last = "", dict[str, int](), dict[str, int]()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._look()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.over.done():
            self._seen.failures.append(f"the line broke: {error}")
            self.over.set_result(None)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if (at := self._buffer.find(b"\r\n\r\n")) < 0:
            return
        head = bytes(self._buffer[:at]).decode()
        status = int(head[9:12])
        length = int(_field(head, "Content-Length") or 0) if status != 304 else 0
        if len(self._buffer) < at + 4 + length:
            return
        body = bytes(self._buffer[at + 4 :])
        self._buffer.clear()
        self._seen.waits_ms.append(1000 * (time.monotonic() - self._asked_s))
        self._answered(status, head, body)

    def _look(self) -> None:
        if time.monotonic() >= self._end_s:
            self.over.set_result(None)
            assert self._transport is not None
            self._transport.close()
            return
        self._ask(f"{self._board}/now.json", f"If-None-Match: {self._tag}\r\n" if self._tag else "")

    def _ask(self, name: str, more: str) -> None:
        assert self._transport is not None
        self._asked, self._asked_s = name, time.monotonic()
        self._transport.write(f"GET /live/{name} HTTP/1.1\r\nHost: 127.0.0.1\r\n{more}\r\n".encode())

    def _answered(self, status: int, head: str, body: bytes) -> None:
        if status == 200:
            self._tag = _field(head, "ETag")
            now = json.loads(body)
            have, name = self._have.get(now["file"], 0), now["file"]
            if now["size"] > have:
                self._ask(name, f"Range: bytes={have}-\r\n")
                return
        elif status == 206:
            self._read(self._asked, body)
        elif status != 304:
            self._seen.failures.append(f"{status} for {self._asked}")
        self._loop.call_later(ASKS_EVERY_S * random.uniform(0.75, 1.25), self._look)

    def _read(self, name: str, body: bytes) -> None:
        now, whole = time.time(), body.rfind(b"\n") + 1
        self._have[name] = self._have.get(name, 0) + whole
        board, game = name.removesuffix(".jsonl").split("/")
        for found in NUMBER.finditer(body, 0, whole):
            number = int(found[1])
            self._seen.received += 1
            self._seen.out_of_order += number != self._last.get(name, 0) + 1
            self._last[name] = number
            self._seen.first.setdefault((board, game, number), now)


def _field(head: str, name: str) -> str:
    found = re.search(rf"(?im)^{name}: *(\S+)", head)
    return found[1] if found else ""


async def crowd(port: int, boards: int, spectators: int, seconds: float, seen: Seen) -> None:
    """All of them, until the time is over; what was not answered by then is a failure."""
    loop, begin = asyncio.get_running_loop(), time.monotonic()
    end = begin + spectators / OPENED_A_SECOND + seconds
    everybody = []
    for number in range(spectators):
        await asyncio.sleep(begin + number / OPENED_A_SECOND - time.monotonic())
        one = Spectator(f"table-{1 + number % boards}", seen, end)
        await loop.create_connection(lambda one=one: one, "127.0.0.1", port)  # type: ignore[misc]
        everybody.append(one)
    _, waiting = await asyncio.wait([one.over for one in everybody], timeout=end - time.monotonic() + WAITS_S)
    seen.failures += ["not answered"] * len(waiting)


def watch(spectators: int, boards: int, rate: float, seconds: float, delay_s: float) -> Seen:
    """One run in a folder of its own; AssertionError if an event was early, out of order or not answered."""
    seen = Seen()
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="hall-watch-")))
        folder.chmod(0o755)
        broker = closing.enter_context(mosquitto(folder))
        live, port = folder / "live", free_port()
        run = Run(folder, broker, None, boards, ("--spectators", str(live), "--delay", str(delay_s / 60)))
        closing.callback(run.close)
        site = nginx_site("localhost", f"127.0.0.1:{port}", live, run.urls[0].rstrip("/"), cache=folder / "cache")
        closing.enter_context(nginx(folder, site, port))
        run.start_boards(rate, spectators / OPENED_A_SECOND + seconds)
        wait_until(lambda: len([*live.glob("*/now.json")]) == boards, "nothing is told to spectators")
        asyncio.run(crowd(port, boards, spectators, seconds, seen))
        begun = run.committed()
        for key, at in seen.first.items():
            if written := begun.get(key, 0.0):
                seen.checks += 1
                seen.early += at < written + delay_s
    assert not seen.early, seen.line()
    assert not seen.out_of_order, seen.line()
    assert not seen.failures, f"{seen.line()}: {seen.failures[:3]}"
    return seen


def main() -> None:
    """Run once, and say the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, default=10_000)
    parser.add_argument("--boards", type=int, default=20)
    parser.add_argument("--rate", type=float, default=4.0, help="events a second, all boards together")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--delay", type=float, default=20.0, help="seconds")
    asked = parser.parse_args()
    print(watch(asked.spectators, asked.boards, asked.rate, asked.seconds, asked.delay).line())


if __name__ == "__main__":
    main()
