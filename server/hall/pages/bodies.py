"""What a change of a tournament is asked with: one JSON object of texts and counts."""

from __future__ import annotations

from typing import Any

from flask import request

from server.web.problems import Problem

LONGEST_ASKED = 400
MOST_COUNTED = 100_000


def body_of(*fields: str) -> dict[str, Any]:
    """The object that was sent, without other fields than these."""
    body = request.get_json(silent=True)
    wanted = f"an object with {', '.join(fields)}" if fields else "an empty object, {}"
    if not isinstance(body, dict):
        raise Problem(422, f"body: {wanted}")
    if strange := sorted(set(body) - {*fields, "by"}):
        raise Problem(422, f"body: {strange[0][:40]!r} is not known here: {wanted}")
    return body


def text_of(body: dict[str, Any], field: str, longest: int = LONGEST_ASKED) -> str:
    """A text, "" where none is given."""
    text = body.get(field, "")
    if not isinstance(text, str) or len(text) > longest:
        raise Problem(422, f"{field}: a text of at most {longest} characters")
    return text.strip() if longest == LONGEST_ASKED else text


def count_of(body: dict[str, Any], field: str) -> int:
    """A whole number from 1 on."""
    count = body.get(field)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 < count <= MOST_COUNTED:
        raise Problem(422, f"{field}: a whole number from 1 on")
    return count
