"""Answers that stay open: events and pictures as they come, a bounded number of them at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from flask import Response

from server.feed import Message
from server.problems import Problem

MOST_STREAMS = 24
"""Each holds a thread of the web server."""


class Streams:
    """Opens streams until there are MOST_STREAMS; who comes then is asked to come back."""

    def __init__(self) -> None:
        self._free = threading.BoundedSemaphore(MOST_STREAMS)

    def open(self, chunks: Iterator[bytes], content_type: str) -> Response:
        """The answer that sends `chunks`; its place is free again when it is closed."""
        if not self._free.acquire(blocking=False):
            raise Problem(503, f"{MOST_STREAMS} streams are open already: close one")
        response = Response(chunks, content_type=content_type, headers={"Cache-Control": "no-store"})
        response.call_on_close(self._free.release)
        return response


def server_sent(messages: Iterator[Message], run: str) -> Iterator[bytes]:
    """The text of an event stream; ids carry the run of the program, so that old ones are known."""
    yield b": connected\n\n"  # the browser learns at once that somebody answers
    for message in messages:
        if message.kind == "alive":
            yield b": alive\n\n"
        elif message.kind == "event":
            yield f"id: {run}-{message.id}\ndata: {message.text}\n\n".encode()
        else:
            yield f"id: {run}-{message.id}\nevent: {message.kind}\ndata: {message.text}\n\n".encode()


def parts(pictures: Iterator[bytes]) -> Iterator[bytes]:
    """The parts of a multipart answer with the boundary `picture`."""
    for jpeg in pictures:
        yield b"--picture\r\nContent-Type: image/jpeg\r\n\r\n" + jpeg + b"\r\n"
