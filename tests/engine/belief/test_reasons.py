"""What decided: every opinion and every wait says by which rule, and the figures are those of the look."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import pytest

from engine.belief.opinion import Opinion
from engine.belief.sight import Sight
from engine.belief.verdicts import Covered, Doubtful, Played, Raised, Still, Wrong
from engine.explain.reasons import RULES, Reason
from engine.game import Game
from engine.games import load
from engine.match.acts import Correct
from engine.match.arbiter import apply_act
from engine.match.events import Result
from engine.match.referee import DOUBT_S, apply_opinion, list_wait_reasons, new_match
from engine.match.state import Phase
from tests.engine.sights import GIVEN, cells, changed, explain, seen

GAME = load("camelot", "wcf")
START = GAME.start().placement


def opinion_of(sight: Sight, game: Game = GAME) -> Opinion:
    return explain(game, (game.start(),), (), sight)


def stepped(changes: str, **how: object) -> Sight:
    return seen(GAME, changed(GAME, START, changes), **how)  # type: ignore[arg-type]  # named as there


def hidden_at(sight: Sight, names: str) -> Sight:
    return replace(sight, hidden=cells(GAME, names))


CASES = {
    "all as before": (seen(GAME, START), Still, "as-before"),
    "a plain move": (stepped("F7-F5"), Played, "sure"),
    "a faint move": (stepped("F7-F8", faint={GAME.board.index["F8"]: -2.0}), Doubtful, "not-sure"),
    "a piece too far": (replace(stepped("F7-F3"), rested=True, clear=True), Wrong, "unlawful"),
    "a piece in the air": (stepped("F7-"), Raised, "sure"),
    "a piece too far, and a hand over the board": (hidden_at(stepped("F7-F3"), "A5 A6"), Covered, "cells-not-seen"),
    "another board": (stepped("F7-F3 E7-E3 D6-D2 G7-G3 H7-H3 J6-J2"), Doubtful, "not-explained"),
}


@pytest.mark.parametrize(("sight", "verdict", "rule"), CASES.values(), ids=list(CASES))
def test_the_rule_that_decided(sight: Sight, verdict: type, rule: str) -> None:
    opinion = opinion_of(sight)
    assert isinstance(opinion.verdict, verdict)
    assert opinion.reason.rule == rule


def test_figures_are_finite_however_clear_a_look_is() -> None:
    assert 99 < (opinion_of(stepped("F7-F5", clear=1000.0)).reason.measured or 0) <= 100


@pytest.mark.parametrize("seed", range(40))
def test_every_opinion_says_why_whatever_is_seen(seed: int) -> None:
    """Boards on which pieces were moved about at random, read with any noise, clear or covered."""
    chance = random.Random(seed)
    placement = list(START)
    for _ in range(chance.randint(0, 6)):
        one, other = chance.sample(range(len(placement)), 2)
        placement[one], placement[other] = placement[other], placement[one]
    sight = seen(
        GAME,
        bytes(placement),
        noise=chance.choice([0.0, 1.0, 4.0]),
        seed=seed,
        clear=chance.choice([2.0, 6.0, 14.0]),
        unexplained=chance.sample(range(len(placement)), chance.choice([0, 0, 1, 5])),
        patient=chance.random() < 0.5,
    )
    opinion = opinion_of(sight)
    assert json.loads(json.dumps(opinion.reason.to_json(), allow_nan=False))["rule"] in RULES
    match, _ = apply_opinion(new_match(GAME), opinion, 1.0, 97)
    assert not [why for why in list_wait_reasons(match, opinion, 1.0) if "{" in why.english_sentence]


def test_what_is_held_back_says_how_long_and_for_what() -> None:
    doubt = Opinion(Doubtful(("a", "b")), 0.5, Reason("not-sure", 50.0, 98.0))
    match, _ = apply_opinion(replace(new_match(GAME), phase=Phase.PLAYING), doubt, 10.0, 97)
    assert list_wait_reasons(match, doubt, 10.5) == (Reason("seen-for", 0.5, DOUBT_S), doubt.reason)
    match, events = apply_opinion(match, doubt, 10.0 + DOUBT_S, 97)
    assert events[0].because == doubt.reason
    assert list_wait_reasons(match, doubt, 10.0 + DOUBT_S) == ()
    move = Opinion(Played((GAME.moves(GAME.start())[0],)), 0.985, GIVEN, 0.4)
    match, _ = apply_opinion(replace(new_match(GAME), phase=Phase.PLAYING), move, 20.0, 97)
    assert list_wait_reasons(match, move, 20.0)[0] == Reason("seen-for", 0.0, 0.4)


def test_a_hand_holds_back_for_as_long_as_it_is_there() -> None:
    opinion = opinion_of(hidden_at(stepped("G10-"), "A5 A6"))
    match, _ = apply_opinion(replace(new_match(GAME), phase=Phase.PLAYING), opinion, 1.0, 97)
    assert list_wait_reasons(match, opinion, 60.0) == (opinion.reason,)
    assert list_wait_reasons(replace(match, phase=Phase.PAUSED), opinion, 60.0) == ()


def test_a_person_needs_no_figures() -> None:
    match = replace(new_match(GAME), phase=Phase.PLAYING)
    _, events = apply_act(match, Correct(1, "F7-F5"), 1.0)
    assert events[0].to_json()["reason"] == {"rule": "person-said", "measured": None, "limit": None}


def test_numbers_are_finite_and_short() -> None:
    assert Reason("sure", math.inf, 1 / 3).to_json() == {"rule": "sure", "measured": None, "limit": 0.333}
    assert Reason("sure", 98.31, 98.0).english_sentence == "This is 98.31 % likely; 98 % is needed."
    with pytest.raises(ValueError, match="no rule 'moon'"):
        Reason("moon")


def test_the_reason_of_a_result_is_its_own() -> None:
    assert Result(1.0, "1-0", "castle").to_json()["reason"] == "castle"


@pytest.mark.parametrize(
    ("measured", "limit", "shown"),
    [(97.96, 98.0, 97.96), (97.9996, 98.0, 97.99), (97.997, 98.0, 97.99), (98.0, 98.0, 98.0), (98.001, 98.0, 98.01)],
)
def test_no_figure_is_rounded_onto_what_is_needed(measured: float, limit: float, shown: float) -> None:
    reason = Reason("as-before", measured, limit)
    assert (reason.measured, reason.is_met) == (shown, measured >= limit)


def test_a_demand_that_is_met_is_not_waited_for() -> None:
    match = new_match(GAME)
    for reason, left in ((Reason("sure", 99.5, 98.0), []), (Reason("not-sure", 90.0, 98.0), ["not-sure"])):
        opinion = Opinion(Doubtful(()), 0.9, reason)
        waits = list_wait_reasons(match, opinion, match.since + DOUBT_S / 2)
        assert [wait.rule for wait in waits] == ["seen-for", *left]
        assert not [wait for wait in waits if wait.is_met]
