"""A sentence is its English, and says what it was made of; an event says both."""

from __future__ import annotations

import copy
import json

from engine import games
from engine.errors import InputError
from engine.game import Refusal, build_refusal
from engine.match.events import Illegal
from engine.sentences import Sentence, template_of


def test_a_sentence_is_its_english() -> None:
    said = Sentence("There is no piece on {cell}.", {"cell": "E5"})
    assert said == "There is no piece on E5."
    assert json.dumps(said) == '"There is no piece on E5."'
    assert template_of(copy.deepcopy(said)) == {"text": "There is no piece on {cell}.", "values": {"cell": "E5"}}


def test_without_values_the_text_is_the_sentence() -> None:
    assert Sentence("{no} values") == "{no} values"
    assert template_of(Sentence("{no} values")) == template_of("plain") == {}


def test_what_stands_beside_a_message_fills_its_text_also_where_a_value_is_a_sentence() -> None:
    why = build_refusal("no-piece", "There is no piece on {cell}.", cell="E5").message
    said = json.loads(json.dumps(template_of(Sentence("After {moves}: {why}", {"moves": "E6-E7", "why": why}))))
    assert said["text"].format(**said["values"]) == "After E6-E7: There is no piece on E5."
    assert said["parts"] == {"why": {"text": "There is no piece on {cell}.", "values": {"cell": "E5"}}}


def test_an_event_says_the_text_and_the_values_of_its_message() -> None:
    game = games.load("camelot")
    refused = game.read(game.start(), "A1-A2")
    assert isinstance(refused, Refusal)
    told = Illegal(1.0, (), refused.code, refused.message, refused.instead).to_json()
    assert told["message"] == "The board has no cell A1."
    assert (told["text"], told["values"]) == ("The board has no cell {cell}.", {"cell": "A1"})
    assert list(Illegal(1.0, (), "ko", "Ko.", ()).to_json()) == ["t", "event", "cells", "code", "message", "instead"]


def test_what_another_error_says_is_a_value() -> None:
    error = InputError("{where}: {fault}", where="a file", fault=InputError("no {what}", what="moves"))
    assert str(error) == "a file: no moves"
    assert template_of(error.said)["parts"] == {"fault": {"text": "no {what}", "values": {"what": "moves"}}}
