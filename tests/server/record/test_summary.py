"""What the events of a game say about it in one line, whoever wrote them."""

from __future__ import annotations

import pytest

from server.record.summary import Summary


def summed(*events: dict[str, object]) -> Summary:
    one = Summary("camelot-0001")
    for number, event in enumerate(events, start=1):
        one = one.after_event(event, f"hash {number}")
    return one


BEGIN: dict[str, object] = {"event": "begin", "game": "camelot", "rules": "wcf", "begun": "2026-11-24T10:00:00Z"}
MOVES: list[dict[str, object]] = [{"event": "move", "ply": number} for number in (1, 2, 3)]
WON: dict[str, object] = {"event": "result", "result": "1-0"}


def test_a_game_has_the_plies_and_the_result_of_its_newest_events() -> None:
    one = summed(BEGIN, *MOVES, WON)
    assert (one.game, one.rules, one.plies, one.result, one.events, one.head) == (
        "camelot",
        "wcf",
        3,
        "1-0",
        5,
        "hash 5",
    )
    assert one.is_over


@pytest.mark.parametrize("event", [MOVES[2], {"event": "takeback", "plies": 1}, {"event": "position"}])
def test_a_game_goes_on_after_its_result(event: dict[str, object]) -> None:
    assert not summed(BEGIN, *MOVES, WON, event).is_over


def test_plies_that_are_taken_back_are_not_counted_and_never_fewer_than_none() -> None:
    assert summed(BEGIN, *MOVES, {"event": "takeback", "plies": 2}).plies == 1
    assert summed(BEGIN, *MOVES, {"event": "takeback", "plies": 9}).plies == 0


def test_names_are_told_and_what_somebody_made_of_the_file_tells_none() -> None:
    said = {"players": {"white": "Änne", "black": "Bo"}, "event": "Open"}
    known = summed(BEGIN, {"event": "details", "details": said}).known()
    assert (known["players"], known["event"], known["arbiter"]) == ("Änne – Bo", "Open", "")
    for details in ("", "{", "[]", "[" * 100_000, '{"players": 3}'):
        assert Summary("x", details=details).known()["players"] == ""
