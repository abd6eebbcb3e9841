"""What is compressed on its way: pages always, answers to programs where they are large; only to who takes it so."""

from __future__ import annotations

import gzip

import pytest
from flask import Flask, Response

from server.web import squeezed
from server.web.squeezed import LEAST, LEAST_OF_API


@pytest.mark.parametrize(
    ("path", "size", "takes", "is_squeezed"),
    [
        ("/page", LEAST, "gzip", True),
        ("/page", LEAST, "", False),
        ("/page", LEAST - 1, "gzip", False),
        ("/api/v1/hall/boards", LEAST_OF_API, "gzip", True),
        ("/api/v1/hall/boards", LEAST_OF_API, "", False),
        ("/api/v1/hall/boards", LEAST_OF_API - 1, "gzip", False),
    ],
)
def test_large_answers_are_compressed_for_who_takes_them_so(
    path: str, size: int, takes: str, is_squeezed: bool
) -> None:
    app, text = Flask(__name__), "x" * size
    squeezed.install_compression(app)
    app.add_url_rule(path, view_func=lambda: Response(text, mimetype="application/json"))
    answer = app.test_client().get(path, headers={"Accept-Encoding": takes})
    assert answer.content_encoding == ("gzip" if is_squeezed else None)
    assert (gzip.decompress(answer.data) if is_squeezed else answer.data) == text.encode()


def test_what_is_streamed_to_a_program_stays_a_stream() -> None:
    app = Flask(__name__)
    squeezed.install_compression(app)
    app.add_url_rule("/api/x", view_func=lambda: Response(iter(["x" * LEAST_OF_API]), mimetype="application/json"))
    assert app.test_client().get("/api/x", headers={"Accept-Encoding": "gzip"}).content_encoding is None
