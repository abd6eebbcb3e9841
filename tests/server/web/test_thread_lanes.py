"""Threads for requests: an address has half of them; what is dear has its own, and is refused when those are taken."""

from __future__ import annotations

import asyncio
import threading

import pytest

from server.web.thread_lanes import OF_ONE_ADDRESS, Busy, ThreadLanes
from tests.patience import PATIENCE_S, wait_until


class _Held:
    """Work that lasts until it is let go, and how much of it is under way."""

    def __init__(self) -> None:
        self.running, self.most, self._lock, self._go = 0, 0, threading.Lock(), threading.Event()

    def __call__(self) -> tuple[int, None, None]:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        assert self._go.wait(PATIENCE_S)
        with self._lock:
            self.running -= 1
        return 200, None, None

    def let_go(self) -> None:
        self._go.set()


async def until(held: _Held, running: int) -> None:
    await asyncio.get_running_loop().run_in_executor(None, lambda: wait_until(lambda: held.running == running))


def test_one_address_has_half_of_the_threads_and_another_is_answered_meanwhile() -> None:
    async def crowd() -> int:
        lanes, held = ThreadLanes(), _Held()
        asked = [
            asyncio.create_task(lanes.run_in_lane("GET", "/", "192.0.2.1", held)) for _ in range(OF_ONE_ADDRESS + 3)
        ]
        await until(held, OF_ONE_ADDRESS)
        answer = await lanes.run_in_lane("GET", "/", "198.51.100.7", lambda: (200, None, None))
        assert answer[0] == 200
        held.let_go()
        await asyncio.gather(*asked)
        return held.most

    assert asyncio.run(crowd()) == OF_ONE_ADDRESS


def test_a_dear_export_more_than_there_are_threads_for_is_refused_at_once() -> None:
    async def crowd() -> None:
        lanes, held = ThreadLanes(), _Held()
        path = "/api/v1/games/camelot-0001/export.pdf"
        asked = [asyncio.create_task(lanes.run_in_lane("GET", path, f"192.0.{n}.1", held)) for n in range(3)]
        await until(held, 3)
        with pytest.raises(Busy):
            await lanes.run_in_lane("GET", path, "198.51.100.7", held)
        assert (await lanes.run_in_lane("GET", "/", "198.51.100.7", lambda: (200, None, None)))[0] == 200
        held.let_go()
        await asyncio.gather(*asked)

    asyncio.run(crowd())


def test_of_one_address_two_logins_wait_and_a_third_is_refused() -> None:
    async def crowd() -> None:
        lanes, held = ThreadLanes(), _Held()
        asked = [asyncio.create_task(lanes.run_in_lane("POST", "/login", "192.0.2.1", held)) for _ in range(2)]
        await until(held, 2)
        with pytest.raises(Busy):
            await lanes.run_in_lane("POST", "/login", "192.0.2.1", held)
        other = asyncio.create_task(lanes.run_in_lane("POST", "/login", "198.51.100.7", held))
        await until(held, 3)
        held.let_go()
        await asyncio.gather(*asked, other)

    asyncio.run(crowd())
