"""Pages are sent compressed to whoever takes them so, and weigh a third. What programs ask for stays as it is."""

from __future__ import annotations

import gzip
from functools import lru_cache

from flask import Flask, Response, request

SQUEEZED_TYPES = frozenset({"text/html", "text/css", "text/javascript", "application/json", "image/svg+xml"})
LEAST = 700
"""Bytes; below them nothing is won, as a packet of the network holds twice as many."""
LEVEL = 6
REMEMBERED = 64
"""Answers whose compressed form is remembered: scripts and style sheets, which are the same for everybody."""


def install(app: Flask) -> None:
    """Let `app` compress its answers. Streams are no texts of this kind and stay as they are."""

    @app.after_request
    def squeeze(response: Response) -> Response:
        if response.mimetype not in SQUEEZED_TYPES or response.status_code != 200 or request.path.startswith("/api/"):
            return response
        response.vary.add("Accept-Encoding")
        if not request.accept_encodings["gzip"] or request.method != "GET" or response.content_encoding:
            return response
        response.direct_passthrough = False  # a file of the program: small, and read once
        data = response.get_data()
        if len(data) >= LEAST:
            response.set_data(_squeezed(data))
            response.content_encoding = "gzip"
            tag, _ = response.get_etag()
            if tag:
                response.set_etag(tag, weak=True)
        return response


@lru_cache(maxsize=REMEMBERED)
def _squeezed(data: bytes) -> bytes:
    return gzip.compress(data, LEVEL, mtime=0)
