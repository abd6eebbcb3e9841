"""Errors of the web interface as problem details (RFC 9457)."""

from __future__ import annotations

import json

from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from server.masking import masked

RETRY_AFTER_S = {429: 60, 503: 5}


class Problem(HTTPException):
    """A request that cannot be answered; `status` is the HTTP status, `detail` says what to do instead."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.code = status


def install(app: Flask) -> None:
    """Let every HTTP error of `app` answer application/problem+json."""
    app.register_error_handler(HTTPException, _answer)


def _answer(error: HTTPException) -> Response:
    status = error.code or 500
    body = {"type": "about:blank", "title": error.name, "status": status, "detail": masked(error.description or "")}
    response = Response(json.dumps(body) + "\n", status, content_type="application/problem+json")
    if status in RETRY_AFTER_S:
        response.headers["Retry-After"] = str(RETRY_AFTER_S[status])
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response
