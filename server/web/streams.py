"""Answers that stay open: events and pictures as they come, a bounded number of them at a time.

The streams live in the web server's own event loop: one waits there at the price of some kilobytes, not of a thread, so
that a hall may follow. A request for one is answered by Flask like any other, checks and all; what comes after the
headers is left in the request's environment, where the server finds it.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from flask import Response, g, request

from engine.outside import parse_number
from server.web.connections import network_of
from server.web.feed import Feed, Message
from server.web.problems import Problem

MOST_LISTENERS, LISTENERS_OF_ONE = 4000, 2000
"""A thousand spectators, and room for those that are dead and not yet noticed; each takes some 10 KB. One
account has half of them at most: a hall may follow with one, and leaves room for others."""
MOST_PICTURES, PICTURES_OF_ONE = 24, 8
"""Viewers of the moving picture, and how many of them with one account: each takes some 500 KB a second."""
STREAM_HEARTBEAT_S = 2.0
"""A silent listener gets a sign of life so frequently; it is also how a closed browser is noticed. A page that hears
nothing for twice as long says that it is old (server/static/js/line.js): raising it makes that later, lowering it makes
a thousand listeners dearer."""
GROUPS = 25
"""Of listeners, woken one after the other: 1,500 at once kept the loop from everybody else for 0.1 to 0.16 s."""
ALIVE = b"event: alive\ndata: {}\n\n"
STREAM = "referee.stream"
"""Key of a Stream in the environment of a request."""


class Stream:
    """What is sent after the headers; `end_stream` frees its place and may be called twice."""

    def __init__(self, chunks: AsyncIterator[bytes], places: Places, holder: str) -> None:
        self.chunks = chunks
        self._places: Places | None = places
        self._holder = holder

    def end_stream(self) -> None:
        """Nothing is sent any more."""
        places, self._places = self._places, None
        if places is not None:
            places.free_place(self._holder)


LEFT_BY_OTHERS = {False: 0.25, True: 0.125}
"""Share of the places that who has no account leaves to those who have one, and those leave to arbiters. More turns
spectators away earlier; with none an arbiter could be kept out of a game by four addresses."""


class Places:
    """A bounded number of places for streams of one kind, of which one holder has a part at most."""

    def __init__(self, most: int, of_one: int) -> None:
        self._most, self._of_one, self._lock = most, of_one, threading.Lock()
        self._held: Counter[str] = Counter()

    @property
    def taken_count(self) -> int:
        """How many are taken."""
        return self._held.total()

    def open_stream(self, chunks: AsyncIterator[bytes], content_type: str) -> Response:
        """The answer that goes on with `chunks`; who comes when all places are taken is asked to come back."""
        if request.method != "HEAD":
            account, stranger = g.get("account"), g.get("stranger", False)
            holder = account.name if account else f"at {network_of(request.remote_addr or '')}" if stranger else ""
            most = self._of_one if holder else self._most
            left = 0.0 if not holder or (account and account.role == "arbiter") else LEFT_BY_OTHERS[bool(account)]
            with self._lock:
                if self.taken_count >= self._most * (1 - left) or self._held[holder] >= most:
                    raise Problem(503, f"{most} streams are open already: close one")
                self._held[holder] += 1
            stands = g.get("stands")
            request.environ[STREAM] = Stream(_chunks_while_valid(stands, chunks) if stands else chunks, self, holder)
        return Response(content_type=content_type, headers={"Cache-Control": "no-store"})

    def free_place(self, holder: str) -> None:
        """One stream of that holder less."""
        with self._lock:
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder]


class Bell:
    """Wakes who waits in one event loop at news of one feed, and at every heartbeat; group by group, so that the loop
    looks after others in between."""

    def __init__(self, feed: Feed) -> None:
        self._loop = asyncio.get_running_loop()
        self._groups = [asyncio.Event() for _ in range(GROUPS)]
        self._due: deque[int] = deque()
        self._seats, self._beats = itertools.cycle(range(GROUPS)), itertools.cycle(range(GROUPS))
        feed.add_bell(self._ring_from_thread)
        self._ring_heartbeat()

    def assign_group(self) -> int:
        """The group of a new listener."""
        return next(self._seats)

    def group_event(self, seat: int) -> asyncio.Event:
        """What is set when that group is woken next."""
        return self._groups[seat]

    def _ring_from_thread(self) -> None:
        with suppress(RuntimeError):  # the loop has ended, and so have its listeners
            self._loop.call_soon_threadsafe(self._ring_all)

    def _ring_all(self) -> None:
        at_it, self._due = bool(self._due), deque(range(GROUPS))
        if not at_it:
            self._ring_next()

    def _ring_next(self) -> None:
        self._ring_group(self._due.popleft())
        if self._due:
            self._loop.call_soon(self._ring_next)

    def _ring_heartbeat(self) -> None:
        self._ring_group(next(self._beats))
        self._loop.call_later(STREAM_HEARTBEAT_S / GROUPS, self._ring_heartbeat)

    def _ring_group(self, group: int) -> None:
        self._groups[group].set()
        self._groups[group] = asyncio.Event()


class Streams:
    """The streams of one application."""

    def __init__(self) -> None:
        self.listeners, self.viewers = Places(MOST_LISTENERS, LISTENERS_OF_ONE), Places(MOST_PICTURES, PICTURES_OF_ONE)
        self._bells: dict[tuple[Feed, asyncio.AbstractEventLoop], Bell] = {}

    def stream_events(self, feed: Feed, last_id: int, *, snapshots: bool) -> Response:
        """Every event after `last_id`, as they come, and on request each new snapshot; ends when the feed closes.

        The sign of life is a comment; a request with `beats=1` gets an event, which a page can hear.
        """
        alive = ALIVE if request.args.get("beats") == "1" else b": alive\n\n"
        return self.listeners.open_stream(
            self._event_chunks(feed, last_id, 0 if snapshots else None, alive), "text/event-stream"
        )

    def stream_pictures(self, feed: Feed, least_s: float) -> Response:
        """The newest picture as they come, at most one every `least_s` seconds."""
        return self.viewers.open_stream(_picture_parts(feed, least_s), "multipart/x-mixed-replace; boundary=picture")

    async def _event_chunks(self, feed: Feed, last_id: int, version: int | None, alive: bytes) -> AsyncIterator[bytes]:
        # The browser learns at once that somebody answers.
        yield b": connected\n\n" + (ALIVE if alive is ALIVE else b"")
        bell = self._find_bell(feed)
        seat = bell.assign_group()
        while not feed.is_closed:
            rung = bell.group_event(seat)  # taken before looking: what comes in between rings it
            messages, last_id, version = feed.read_news(last_id, version)
            yield b"".join(_server_sent(message, feed.run) for message in messages) or alive
            await rung.wait()

    def _find_bell(self, feed: Feed) -> Bell:
        key = (feed, asyncio.get_running_loop())
        if key not in self._bells:
            self._bells[key] = Bell(feed)
        return self._bells[key]


def requested_event_id(feed: Feed, *, otherwise: int) -> int:
    """The number after which the request wants events: `otherwise` where it names none, and -1, which no event has,
    for one from another run of the program."""
    text = request.headers.get("Last-Event-ID", request.args.get("last_id", ""))
    run, _, number = text.rpartition("-")
    if not text:
        return otherwise
    found = parse_number(number) if run == feed.run else None
    return -1 if found is None else found


@functools.lru_cache(maxsize=64)
def _server_sent(message: Message, run: str) -> bytes:
    """The text of a message, made once for all listeners; ids carry the run of the program: old ones are known."""
    kind = "" if message.kind == "event" else f"event: {message.kind}\n"
    return f"id: {run}-{message.id}\n{kind}data: {message.text}\n\n".encode()


async def _chunks_while_valid(stands: Callable[[], bool], chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The chunks as long as who asked may have them, which is looked at with every heartbeat."""
    looked_s = time.monotonic()
    async for chunk in chunks:
        if time.monotonic() - looked_s >= STREAM_HEARTBEAT_S:
            looked_s = time.monotonic()
            if not stands():
                return
        yield chunk


async def _picture_parts(feed: Feed, least_s: float) -> AsyncIterator[bytes]:
    """The parts of a multipart answer with the boundary `picture`."""
    sent = 0
    while not feed.is_closed:
        number, jpeg = feed.newest_picture()
        if jpeg is not None and number != sent:
            sent = number
            yield b"--picture\r\nContent-Type: image/jpeg\r\n\r\n" + jpeg + b"\r\n"
        await asyncio.sleep(least_s)
