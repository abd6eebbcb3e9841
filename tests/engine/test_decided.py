"""What decided: every opinion and every wait says by which rule, and the figures are those of the look."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import pytest

from engine.acts import Correct
from engine.arbiter import act
from engine.events import Result
from engine.game import Game
from engine.games import load
from engine.losses import FITS, UNLAWFUL
from engine.match import Phase
from engine.reasons import RULES, Reason
from engine.referee import CONFIRM_S, DOUBT_S, new_match, step, waits
from engine.sight import Sight
from engine.verdicts import Covered, Doubtful, Played, Still, Wrong
from engine.witness import GAP, HOPELESS, PLAIN_GAP, SURE_GAP, Clarity, Opinion, explain
from tests.engine.sights import GIVEN, cells, changed, seen

GAME = load("camelot", "wcf")
START = GAME.start().placement


def opinion_of(sight: Sight, game: Game = GAME) -> Opinion:
    return explain(game, (game.start(),), (), sight)


def stepped(changes: str, **how: object) -> Sight:
    return seen(GAME, changed(GAME, START, changes), **how)  # type: ignore[arg-type]  # named as there


def hidden_at(sight: Sight, names: str) -> Sight:
    return replace(sight, hidden=cells(GAME, names))


CASES = {
    "all as before": (seen(GAME, START), Still, Reason("gap-to-next", 16.0, SURE_GAP)),
    "a plain move": (stepped("F7-F5"), Played, Reason("gap-to-next", 16.0, PLAIN_GAP)),
    "a faint move": (
        stepped("F7-F8", faint={GAME.board.index["F8"]: 0.9}),
        Played,
        Reason("gap-to-next", 2.9, GAP),
    ),
    "a piece too far": (stepped("F7-F3"), Wrong, Reason("cost-of-best", 16.0, UNLAWFUL)),
    "nothing fits well": (
        stepped("F7-F3", faint={GAME.board.index["F3"]: 2.3}),
        Doubtful,
        Reason("cost-of-best", 4.3, FITS),
    ),
    "a hand": (seen(GAME, START, strange=range(20, 27)), Covered, Reason("hand-over-board", 7, 2)),
    "a piece too far, and a hand over the board": (
        hidden_at(stepped("F7-F3"), "A5 A6"),
        Covered,
        Reason("cells-not-seen", 2, 0),
    ),
}


@pytest.mark.parametrize(("sight", "verdict", "reason"), CASES.values(), ids=list(CASES))
def test_the_rule_the_figure_and_the_limit(sight: Sight, verdict: type, reason: Reason) -> None:
    opinion = opinion_of(sight)
    assert isinstance(opinion.verdict, verdict)
    assert opinion.reason == reason


def test_a_move_without_any_rival_leads_by_a_finite_figure() -> None:
    assert 0 < (opinion_of(stepped("F7-F5", clear=1000.0)).reason.measured or 0) <= HOPELESS


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
        strange=chance.sample(range(len(placement)), chance.choice([0, 0, 1, 5])),
        patient=chance.random() < 0.5,
    )
    opinion = opinion_of(sight)
    assert json.loads(json.dumps(opinion.reason.to_json(), allow_nan=False))["rule"] in RULES
    match, _ = step(new_match(GAME), opinion, 1.0, 97)
    assert not [why for why in waits(match, opinion, 1.0) if "{" in why.sentence]


def test_what_is_held_back_says_how_long_and_for_what() -> None:
    doubt = Opinion(Doubtful(("a", "b")), 0.5, reason=Reason("gap-to-next", 1.0, GAP))
    match, _ = step(replace(new_match(GAME), phase=Phase.PLAYING), doubt, 10.0, 97)
    assert waits(match, doubt, 10.5) == (Reason("seen-for", 0.5, DOUBT_S), doubt.reason)
    match, events = step(match, doubt, 10.0 + DOUBT_S, 97)
    assert events[0].because == doubt.reason
    assert waits(match, doubt, 10.0 + DOUBT_S) == ()
    move = Opinion(Played((GAME.moves(GAME.start())[0],)), 0.9, Clarity.FITS, reason=GIVEN)
    match, _ = step(replace(new_match(GAME), phase=Phase.PLAYING), move, 20.0, 97)
    assert waits(match, move, 20.0)[0] == Reason("seen-for", 0.0, CONFIRM_S)


def test_a_hand_holds_back_for_as_long_as_it_is_there() -> None:
    opinion = opinion_of(seen(GAME, START, strange=range(20, 27)))
    match, _ = step(replace(new_match(GAME), phase=Phase.PLAYING), opinion, 1.0, 97)
    assert waits(match, opinion, 60.0) == (opinion.reason,)
    assert waits(replace(match, phase=Phase.PAUSED), opinion, 60.0) == ()


def test_a_person_needs_no_figures() -> None:
    match = replace(new_match(GAME), phase=Phase.PLAYING)
    _, events = act(match, Correct(1, "F7-F5"), 1.0)
    assert events[0].to_json()["reason"] == {"rule": "person-said", "measured": None, "limit": None}


def test_numbers_are_finite_and_short() -> None:
    assert Reason("gap-to-next", math.inf, 1 / 3).to_json() == {"rule": "gap-to-next", "measured": None, "limit": 0.333}
    assert Reason("gap-to-next", 0.31, 0.04).sentence == "The best explanation leads the next one by 0.31, limit 0.04."
    with pytest.raises(ValueError, match="no rule 'moon'"):
        Reason("moon")


def test_the_reason_of_a_result_is_its_own() -> None:
    assert Result(1.0, "1-0", "castle").to_json()["reason"] == "castle"
