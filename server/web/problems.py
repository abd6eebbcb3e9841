"""Errors of the web interface: problem details (RFC 9457) for programs, a page with the menu for people."""

from __future__ import annotations

import json
from collections.abc import Callable

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException

from engine.errors import Worded
from engine.outside import parse_number
from server.masking import mask_passwords

NOTHING_YET = 204
"""Status of what the camera will show in a moment: an error would stand in the console of every page just opened."""

RETRY_AFTER_S = {429: 60, 503: 5}
NO_WHOLE_NUMBER = "{name}: give a whole number from {least} to {most}"
LARGEST_ASKED = 10**9
"""The largest number in an address: no game has so many events. Raising it lets in what no database can be asked for,
lowering it refuses events that there might be."""
UNTRUSTED = frozenset({400, 408, 413, 421})
"""Statuses after which nothing of the request is believed: who sent it gets no page."""


class Problem(HTTPException):
    """A request that cannot be answered; `status` is the HTTP status, `detail` says what to do instead: a text with
    values for its {names}, or the error whose text that is."""

    def __init__(self, status: int, detail: str | Worded, **values: object) -> None:
        self.worded = detail if isinstance(detail, Worded) else Worded(detail, **values)
        super().__init__(str(self.worded))
        self.code = status


def install_error_handler(app: Flask, say: Callable[[Worded], str]) -> None:
    """Let every HTTP error of `app` answer application/problem+json; `say` says it in the language of who asked."""

    def answer_error(error: HTTPException) -> Response:
        return _build_answer(error, say(error.worded) if isinstance(error, Problem) else error.description or "")

    app.register_error_handler(HTTPException, answer_error)


def _build_answer(error: HTTPException, detail: str) -> Response:
    status, detail = error.code or 500, mask_passwords(detail)
    if wants_page() and status not in UNTRUSTED:
        said = detail if isinstance(error, Problem) else ""  # others speak of servers and URLs
        return _add_headers(Response(render_template("problem.html", status=status, detail=said), status))
    body = {"type": "about:blank", "title": error.name, "status": status, "detail": detail}
    return _add_headers(Response(json.dumps(body) + "\n", status, content_type="application/problem+json"))


def read_query_number(name: str, otherwise: int, least: int = 0, most: int = LARGEST_ASKED) -> int:
    """The whole number that the address of a request gives, `otherwise` where it gives none; a Problem for anything
    else."""
    text = request.args.get(name, "")
    number = parse_number(text) if text else otherwise
    if number is None or (text and not least <= number <= most):
        raise Problem(422, NO_WHOLE_NUMBER, name=name, least=least, most=most)
    return number


def wants_page() -> bool:
    """Whether somebody looks at a page, who is better served by one than by a problem."""
    accepted = request.accept_mimetypes
    rather = accepted["text/html"] > accepted["application/json"]  # a program that takes anything gets the problem
    return request.method == "GET" and not request.path.startswith("/api/") and rather


def _add_headers(response: Response) -> Response:
    status = response.status_code
    if status in RETRY_AFTER_S:
        response.headers["Retry-After"] = str(RETRY_AFTER_S[status])
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response
