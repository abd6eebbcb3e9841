"""What a change of a tournament may be asked with: each fault is refused with the field and what it must be."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from server.hall.pages.bodies import LONGEST_ASKED, MOST_COUNTED, body_of, count_of, text_of
from server.web.problems import Problem

APP = Flask(__name__)


def asked(body: object, *fields: str) -> dict[str, Any]:
    with APP.test_request_context(json=body, method="POST"):
        return body_of(*fields)


def test_only_known_fields_are_taken() -> None:
    assert asked({"name": "Open", "by": "Doe"}, "name") == {"name": "Open", "by": "Doe"}
    for body in ([], "x", None):
        with pytest.raises(Problem, match=r"body: an empty object, \{\}"):
            asked(body)
    with pytest.raises(Problem, match="body: 'round' is not known here: an object with name, board"):
        asked({"round": 1}, "name", "board")


def test_a_text_is_trimmed_and_bounded() -> None:
    assert text_of({"name": "  Open "}, "name") == "Open"
    assert text_of({}, "name") == ""
    for wrong in (3, None, "x" * (LONGEST_ASKED + 1)):
        with pytest.raises(Problem, match=f"name: a text of at most {LONGEST_ASKED} characters"):
            text_of({"name": wrong}, "name")


@pytest.mark.parametrize("wrong", [0, -1, True, "1", 1.0, None, MOST_COUNTED + 1])
def test_a_count_is_a_whole_number_from_1_on(wrong: object) -> None:
    assert count_of({"round": 1}, "round") == 1
    with pytest.raises(Problem, match="round: a whole number from 1 on"):
        count_of({"round": wrong}, "round")
