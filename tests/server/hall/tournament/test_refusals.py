"""What a tournament refuses is said in the language of who asks for it."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from engine.sentences import Sentence
from server.languages import load_languages
from tests.server.hall.tournament.test_without_library import client

__all__ = ["client"]  # a fixture


@pytest.mark.parametrize(
    ("asked", "body", "said"),
    [
        ("pair", {"round": 3}, "Runde 3: 0 Runden sind ausgelost: Sehen Sie noch einmal nach"),
        ("players", {"players": "Carl; x"}, "players: Zeile 1: rating 'x': eine Zahl, oder nichts"),
        ("bye", {"number": 9, "round": 1, "worth": "half"}, "Spieler 9: open hat die Nummern 1 bis 2"),
        ("result", {"round": 1, "table": 1, "result": "1-0"}, "Tisch 1 von Runde 1: Den gibt es nicht"),
    ],
)
def test_a_refusal_is_in_the_language_of_who_asks(
    client: FlaskClient, asked: str, body: dict[str, object], said: str
) -> None:
    """What is wrong with a line of a list, too: a refusal within a refusal."""
    made = {"name": "open", "rounds": 3, "players": "A; 2000\nB; 1900"}
    assert client.post("/api/v1/hall/tournaments", json=made).status_code == 200
    answer = client.post(f"/api/v1/hall/tournaments/open/{asked}", json=body, headers={"Accept-Language": "de"})
    assert (answer.status_code, answer.get_json()["detail"]) == (422, said)


def test_a_refusal_names_who_has_a_board_in_that_language_too() -> None:
    holder = Sentence("table {table} of {tournament}, round {round}", {"table": 4, "tournament": "rr", "round": 1})
    text = "board {board}: {holder} has it and no result yet: say that result, or give one of the two another board"
    said = load_languages()["de"].translate_text(text, board="table-2", holder=holder)
    assert said.startswith("Brett table-2: Tisch 4 von rr, Runde 1, hat es")
