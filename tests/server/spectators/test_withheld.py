"""What is left out of what is told to those who are not helped."""

from __future__ import annotations

import re
from pathlib import Path

import engine
from engine.explain.rules_alone import RULES_ALONE
from engine.match.events import DueDeed, DueStep, Partial
from server.spectators.withheld import event_for_spectators, event_without_hints


def test_where_a_chain_goes_on_is_told_to_nobody_who_is_not_helped() -> None:
    off, on = DueStep(DueDeed.REMOVE, "D10"), DueStep(DueDeed.GO_ON, "B11")
    on_the_way = Partial(1.0, "D7-D9xB11", (on, off), ("B11",), "D7", "D9").to_json()
    told = {"t": 1.0, "event": "partial", "notation": "", "todo": ["go on"]}
    assert event_without_hints(on_the_way) == told
    either = Partial(1.0, "D7", (off, DueStep(DueDeed.GO_ON, "B11", or_else=True)), ("B11", "D9"), "D7", "D9")
    assert event_without_hints(either.to_json()) == told
    alone = {"event": "partial", "notation": "D7", "todo": ["go on to B11"]}  # of a program that says no values
    assert event_without_hints(alone) == {"event": "partial", "notation": "", "todo": ["go on"]}
    at_its_end = Partial(1.0, "D7-D9xB11", (off,)).to_json()
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
