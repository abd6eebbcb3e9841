"""What is left out of what is told to those who are not helped."""

from __future__ import annotations

import re
from pathlib import Path

import engine
from engine.explain.rules_alone import RULES_ALONE
from server.spectators.withheld import event_for_spectators, event_without_hints


def test_where_a_chain_goes_on_is_told_to_nobody_who_is_not_helped() -> None:
    event = {"event": "partial", "notation": "D7-D9xB11", "todo": ["go on to B11", "remove D10"]}
    on_the_way = event | {"targets": ["B11"], "from": "D7", "at": "D9"}
    assert event_without_hints(on_the_way) == {"event": "partial", "notation": "", "todo": ["go on"]}
    either = on_the_way | {"todo": ["remove D10", "or go on to B11"], "targets": ["B11", "D9"]}
    assert event_without_hints(either) == {"event": "partial", "notation": "", "todo": ["go on"]}
    at_its_end = event | {"todo": ["remove D10"]}
    assert event_without_hints(at_its_end) == at_its_end


def test_a_refusal_is_told_without_the_pieces_that_would_follow_the_rule() -> None:
    event = {
        "event": "illegal",
        "code": "must-jump",
        "message": "A piece that can jump must: E8 can.",
        "text": "A piece that can jump must: {cells} can.",
        "values": {"cells": "E8"},
        "instead": ["E8xE10"],
    }
    told = event_without_hints(event)
    assert "E8" not in str(told)
    assert told["message"] == "A piece that can jump must."
    assert told["instead"] == []
    assert event_without_hints(event | {"code": "ko"})["message"] == "That is not a lawful move.", "a game from outside"
    assert "account" not in event_for_spectators(event | {"account": "Ann"})


def test_every_rule_that_refuses_a_move_has_a_sentence_of_its_own() -> None:
    sources = [path.read_text() for path in Path(engine.__file__).parent.rglob("*.py")]
    codes = {code for source in sources for code in re.findall(r'build_refusal\(\s*"([a-z-]+)"', source)}
    assert codes - {"number", "result"} == set(RULES_ALONE)
