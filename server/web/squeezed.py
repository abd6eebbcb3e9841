"""Pages are sent compressed to whoever takes them so, and weigh a third; answers to programs where they are large."""

from __future__ import annotations

import gzip
from functools import lru_cache

from flask import Flask, Response, request

SQUEEZED_TYPES = frozenset({"text/html", "text/css", "text/javascript", "application/json", "image/svg+xml"})
LEAST = 700
"""Bytes; below them nothing is won, as a packet of the network holds twice as many."""
LEAST_OF_API = 16_000
"""Bytes of an answer to a program, or to a script, from which it is compressed: a hall's 200 boards are 130 KB, and 20
compressed, in 3 ms. Higher fills the hall's Wi-Fi when many pages are opened at once; lower works for small answers."""
LEVEL = 6
REMEMBERED = 64
"""Answers whose compressed form is remembered: scripts and style sheets, which are the same for everybody."""


def install_compression(app: Flask) -> None:
    """Let `app` compress its answers. Streams are no texts of this kind and stay as they are."""

    @app.after_request
    def squeeze(response: Response) -> Response:
        if response.mimetype not in SQUEEZED_TYPES or response.status_code != 200:
            return response
        is_api = request.path.startswith("/api/")
        if is_api and (response.is_streamed or (response.content_length or 0) < LEAST_OF_API):
            return response
        response.vary.add("Accept-Encoding")
        if not request.accept_encodings["gzip"] or request.method != "GET" or response.content_encoding:
            return response
        response.direct_passthrough = False  # a file of the program: small, and read once
        data = response.get_data()
        if len(data) >= LEAST:
            response.set_data(_compress_data(data) if is_api else _squeezed(data))
            response.content_encoding = "gzip"
            tag, _ = response.get_etag()
            if tag:
                response.set_etag(tag, weak=True)
        return response


def _compress_data(data: bytes) -> bytes:
    return gzip.compress(data, LEVEL, mtime=0)


_squeezed = lru_cache(maxsize=REMEMBERED)(_compress_data)
