"""The web server: one thread with an event loop holds every connection, a few more threads run Flask.

Who connects slowly, sends slowly, reads slowly or not at all holds a few kilobytes here and never a thread: a request
is read whole before Flask sees it, its answer is taken whole from Flask before it is sent, streams live in the loop.
"""

from __future__ import annotations

import asyncio
import errno
import io
import json
import logging
import resource
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import uvicorn
from flask import Flask
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, HTTPScope
from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.errors import InputError
from server.web.arrivals import Arrival, Arrivals
from server.web.connections import Connections
from server.web.guard import BEFORE_BODY, GO_ON, install_before_body, larger_body
from server.web.problems import RETRY_AFTER_S
from server.web.proxy import ROOT_AROUND, Mounts, PlaceOnSite
from server.web.streams import STREAM, Stream
from server.web.thread_lanes import Busy, ThreadLanes

REQUEST_S = 10.0
"""How long a request may take to arrive."""
LEFT_UNREAD_S = 5.0
"""So long what is left of a body is taken and thrown away that is not read: who is still sending when the connection is
closed gets no answer to read, but an error. Raising it lets somebody keep a connection busy for longer, lowering it
leaves large pictures by a slow network without their answer."""
IDLE_S = 15
"""How long a connection may wait for its next request."""
UNREAD_S = 30.0
"""How long the other side may take nothing before the system closes the connection: three heartbeats and patience."""
MOST_CONNECTIONS = 6000
BEHIND_PROXY = "BEHIND_PROXY"
"""Key of the application's configuration: the address of a proxy that connects for all."""
PREFIX_HEADER = b"x-forwarded-prefix"
SPARE_FILES = 256
"""File descriptors left for camera, record and pictures."""
SHUTDOWN_S, LAST_WORD_S = 1, 2
"""How long answers under way may take at the end, and how long it takes at most until those who wait still have been
told that there is none, and their connections are closed."""
TAKE_TURNS_S = 0.001
"""How long a thread of this program may go on while another waits to run Python. A page passes from loop to thread and
back and waits so long for each thread that is at work, looking at a frame or drawing an export: with three of them
Python's own 5 ms made a page take 200 to 350 ms, this takes 50, and they do as much as before. Lower, threads do little
but take turns; higher, pages wait again."""
LARGE_AT_ONCE = 4
"""Requests of the longer kind that are read at a time: one phone sends one picture after the other."""
PIECE = 64 * 1024
"""Bytes handed to a connection at a time."""

Header = tuple[bytes, bytes]
BUSY = json.dumps({"title": "Service Unavailable", "status": 503, "detail": "others are served first"}).encode()
BUSY_HEADERS: list[Header] = [
    (b"content-type", b"application/problem+json"),
    (b"content-length", str(len(BUSY)).encode()),
    (b"retry-after", str(RETRY_AFTER_S[503]).encode()),
]


@dataclass(frozen=True)
class Tls:
    """Files of a certificate (with its chain) and of its key, both PEM."""

    cert: str
    key: str


class Site:
    """A running web server: `url`, and `stop_server` to end it. Close the feeds first, so that open streams end."""

    def __init__(self, app: Flask, listening: socket.socket, tls: Tls | None = None) -> None:
        host, port = listening.getsockname()[:2]
        self.url = f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}/"
        sys.setswitchinterval(TAKE_TURNS_S)
        listening.setsockopt(
            socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(UNREAD_S * 1000)
        )  # also of those accepted
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # below are the mistakes of those who ask
        crowd = Connections(most_connections, str(app.config.get(BEHIND_PROXY, "")))
        self._bridge = Bridge(app)
        config = uvicorn.Config(
            self._bridge,
            http=Connection,
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=IDLE_S,
            timeout_graceful_shutdown=SHUTDOWN_S + LAST_WORD_S,
            ssl_certfile=tls.cert if tls else None,
            ssl_keyfile=tls.key if tls else None,
        )
        config.load()
        self._server = Server(config, listening, crowd, self._bridge.end_requests)
        self._thread = threading.Thread(target=self._server.run, args=([],), name="web", daemon=True)
        self._thread.start()

    def mount_application(self, path: str, app: Flask) -> None:
        """Answer what is below `path` by another application from now on."""
        self._bridge.mount_application(path, app)

    def stop_server(self) -> None:
        """Stop answering."""
        self._server.should_exit = True
        self._thread.join()


class Server(uvicorn.Server):
    """Lets its connections in itself, by turns of their addresses."""

    def __init__(
        self, config: uvicorn.Config, listening: socket.socket, crowd: Connections, end_requests: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._end_requests = end_requests
        make = partial(Connection, crowd, config=config, server_state=self.server_state, app_state={})
        self._arrivals = Arrivals(listening, crowd, make, config.ssl, REQUEST_S)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self._arrivals.start_accepting()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Nobody comes any more, and those who are here are answered, or told in the end that they are not."""
        self._arrivals.stop_accepting()
        asyncio.get_running_loop().call_later(SHUTDOWN_S, self._end_requests)
        await super().shutdown(sockets)


class Connection(H11Protocol):
    """Gives up who connects and then sends no whole request in time, and who is one too many."""

    _late: asyncio.TimerHandle | None = None

    def __init__(self, crowd: Connections, arrival: Arrival, **named: Any) -> None:
        super().__init__(**named)
        self._crowd, self._arrival, self.network = crowd, arrival, ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the base class
        """A new connection."""
        super().connection_made(transport)
        self._crowd.replace_guest(self._arrival, self)
        if self.network:
            self._await_request()
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """A part of a request."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._crowd.mark_busy(self)
        if self._late is None and (self.cycle is None or self.cycle.response_complete):
            self._await_request()

    def on_response_complete(self) -> None:
        """An answer has been sent; what else was asked in the meantime is begun."""
        super().on_response_complete()
        if self.network and self.cycle.response_complete:
            self._crowd.mark_waiting(self)

    def close_now(self) -> None:
        """Make way."""
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to wait for any more."""
        if self._late is not None:
            self._late.cancel()
        self._crowd.remove_guest(self)
        super().connection_lost(exc)

    def _await_request(self) -> None:
        """From the first byte on, the headers are awaited for REQUEST_S; the body has its own limit in Bridge."""
        self._late = self.loop.call_later(REQUEST_S, self._close_if_late, self.cycle)

    def _close_if_late(self, before: object) -> None:
        self._late = None
        if self.cycle is before:
            self.transport.abort()


class Bridge:
    """Asks Flask in a thread for each request, and sends what it answers."""

    def __init__(self, app: Flask) -> None:
        install_before_body(app)  # after all checks of its own: what they let pass may send its body
        self._mounts, self._proxy = Mounts(app), str(app.config.get(BEHIND_PROXY, ""))
        self._largest = int(app.config["MAX_CONTENT_LENGTH"])
        self._large_ones = asyncio.Semaphore(LARGE_AT_ONCE)
        self._lanes = ThreadLanes(self._proxy)
        self._ended = asyncio.Event()

    def end_requests(self) -> None:
        """Whoever waits for an answer is told that there is none, and streams end. In the loop of the server."""
        self._ended.set()

    def mount_application(self, path: str, app: Flask) -> None:
        """Answer what is below `path` by another application."""
        install_before_body(app)
        self._mounts.add_application(path, app)

    async def __call__(self, scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """One request of uvicorn's."""
        place = self._mounts.find_application(scope["path"], self._proxy_prefix(scope))
        largest = larger_body(place.path)[1] or self._largest
        if largest > self._largest and not await self._may_send_body(scope, place, receive, send):
            return
        try:
            async with asyncio.timeout(REQUEST_S), self._large_ones if largest > self._largest else nullcontext():
                body, is_left = await _read_body(receive, 0 if _announced_length(scope) > largest else largest + 1)
        except (TimeoutError, ConnectionError):
            await _send_response(send, 408, [(b"connection", b"close")], b"")
            return
        environ = _build_environ(scope, place, body)
        status, headers, content = await self._ask_in_lane(scope, place, environ)
        stream: Stream | None = environ.get(STREAM)
        try:
            if is_left:
                headers.append((b"connection", b"close"))  # for the rest of the body nobody waits for long
            if stream is None or status != 200:
                await _send_response(send, status, headers, content, receive if is_left else None)
            else:
                await _send_stream(send, receive, headers, stream, self._ended)
        finally:
            if stream is not None:
                stream.end_stream()

    def _proxy_prefix(self, scope: HTTPScope) -> str:
        """The path that the proxy in front says it has taken off; nobody else is believed."""
        if not self._proxy or (scope["client"] or ("", 0))[0] != self._proxy:
            return ""
        return next((value.decode("latin-1") for name, value in scope["headers"] if name == PREFIX_HEADER), "")

    async def _may_send_body(
        self, scope: HTTPScope, place: PlaceOnSite, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> bool:
        """Whether who asks may send a large body at all: it is asked before the body is read, and answered if not."""
        environ = _build_environ(scope, place, b"") | {"CONTENT_LENGTH": "0", BEFORE_BODY: True}
        status, headers, content = await self._ask_in_lane(scope, place, environ)
        if status != GO_ON:
            await _send_response(send, status, [*headers, (b"connection", b"close")], content, receive)
        return status == GO_ON

    async def _ask_in_lane(
        self, scope: HTTPScope, place: PlaceOnSite, environ: dict[str, Any]
    ) -> tuple[int, list[Header], bytes]:
        """What Flask answers, or that it is asked too much, or for too long at the end."""
        address, ask = (scope["client"] or ("", 0))[0], partial(_ask_application, place.app, environ)
        asked = asyncio.ensure_future(self._lanes.run_in_lane(scope["method"], place.path, address, ask))
        tasks = {asked, asyncio.ensure_future(self._ended.wait())}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return asked.result() if asked.done() else (503, [*BUSY_HEADERS, (b"connection", b"close")], BUSY)
        except Busy:
            return 503, BUSY_HEADERS, BUSY
        finally:
            for task in tasks:
                task.cancel()


def most_connections() -> int:
    """As many as the system lets this program have."""
    return max(1, min(MOST_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - SPARE_FILES))


def allow_connections() -> None:
    """Raise this program's own limit of open files as far as it needs and may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _ask_application(app: Flask, environ: dict[str, Any]) -> tuple[int, list[Header], bytes]:
    """The application's whole answer: status, headers and content."""
    said: list[tuple[int, list[Header]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], _: object = None) -> Any:
        coded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        said.append((int(status.split(" ", 1)[0]), coded))

    answer = app(environ, start_response)
    try:
        content = b"".join(answer)
    finally:
        getattr(answer, "close", lambda: None)()
    return *said[-1], content


def _announced_length(scope: HTTPScope) -> int:
    """How many bytes of a body the headers announce, 0 where they say nothing."""
    return next((int(value) for name, value in scope["headers"] if name == b"content-length"), 0)


async def _read_body(receive: ASGIReceiveCallable, enough: int) -> tuple[bytes, bool]:
    """The request's body, or a beginning of `enough` bytes, and whether there is more of it."""
    body, is_left = b"", True
    while is_left and len(body) < enough:
        message = await receive()
        if message["type"] != "http.request":
            raise ConnectionError("the other side has gone")
        body += message.get("body", b"")
        is_left = message.get("more_body", False)
    return body, is_left


async def _discard_body(receive: ASGIReceiveCallable) -> None:
    """Take what is left of a body that comes within LEFT_UNREAD_S, and keep nothing of it."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LEFT_UNREAD_S):
            while (message := await receive())["type"] == "http.request" and message.get("more_body", False):
                pass


async def _send_response(
    send: ASGISendCallable,
    status: int,
    headers: list[Header],
    content: bytes,
    left: ASGIReceiveCallable | None = None,
) -> None:
    """Send an answer; what is `left` of the body is taken afterwards, for a connection that is closed on somebody who
    still sends looks to him as if the line had broken."""
    await send({"type": "http.response.start", "status": status, "headers": headers, "trailers": False})
    for at in range(0, len(content), PIECE):
        await send({"type": "http.response.body", "body": content[at : at + PIECE], "more_body": True})
    if left is not None:
        await _discard_body(left)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_stream(
    send: ASGISendCallable,
    receive: ASGIReceiveCallable,
    headers: list[Header],
    stream: Stream,
    ended: asyncio.Event,
) -> None:
    """Send a stream until it ends, the server has `ended`, or nobody is there any more."""
    headers = [(name, value) for name, value in headers if name != b"content-length"]
    await send({"type": "http.response.start", "status": 200, "headers": headers, "trailers": False})

    async def send_chunks() -> None:
        async for chunk in stream.chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})

    gone = asyncio.ensure_future(receive())
    tasks = {asyncio.ensure_future(send_chunks()), gone, asyncio.ensure_future(ended.wait())}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
    if gone not in done:
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _build_environ(scope: HTTPScope, place: PlaceOnSite, body: bytes) -> dict[str, Any]:
    """The request as WSGI has it (PEP 3333)."""
    server, client = scope["server"] or ("localhost", 80), scope["client"] or ("", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": place.root,
        "PATH_INFO": place.path.encode().decode("latin-1"),
        ROOT_AROUND: place.home,
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REQUEST_URI": (scope["raw_path"] or b"").decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        if b"_" in name or name == b"transfer-encoding":
            continue  # the first would look like another one, which a proxy has checked; the body is whole by now
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"
        said = value.decode("latin-1")
        environ[key] = f"{environ[key]},{said}" if key in environ else said
    environ.setdefault("CONTENT_LENGTH", str(len(body)))
    return environ


def create_listener(host: str, port: int) -> socket.socket:
    """The socket of the page, port 0 for a free one; InputError when it cannot be had. Nothing is answered yet."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = "another program uses it" if error.errno == errno.EADDRINUSE else error.strerror
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise InputError(f"web page on {host}: this computer has no such address") from error
        raise InputError(f"web page on {host}:{port}: {reason}: choose another with --port") from error
