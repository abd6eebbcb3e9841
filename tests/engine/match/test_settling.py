"""How a game ended that was put away: what people may say of it, and what that comes to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import InputError
from engine.games import load
from engine.match.acts import Correct, NewGame, Resign, Settle
from engine.match.arbiter import apply_act
from engine.match.buttons import list_choices
from engine.match.events import Settled
from engine.match.settling import list_settlements
from engine.match.state import Match, Phase
from tests.engine.match.test_arbiter import playing


@pytest.mark.parametrize(
    ("how", "result", "why", "side"),
    [
        ("draw", "1/2-1/2", "agreement", None),
        ("white", "0-1", "resigned", "white"),
        ("black", "1-0", "resigned", "black"),
        ("unfinished", "*", "unfinished", None),
    ],
)
def test_how_the_game_before_ended_is_said_once_and_changes_nothing_else(
    how: str, result: str, why: str, side: str | None
) -> None:
    match, _ = apply_act(playing(), NewGame(), 1.0)
    after, events = apply_act(match, Settle(how, by="button"), 2.0)
    assert after == replace(match, before=None)
    assert events == (Settled(2.0, result, why, side, by="button"),)
    with pytest.raises(InputError, match="how the game before ended is known"):
        apply_act(after, Settle(how), 3.0)


def test_what_people_may_say_of_it_depends_on_the_seats() -> None:
    match, _ = apply_act(playing(), NewGame(), 1.0)
    with pytest.raises(InputError, match="choose from draw, white, black, unfinished"):
        apply_act(match, Settle("red"), 2.0)
    game = load("tri-camelot")
    three = Match(game, (game.start(),), phase=Phase.PLAYING, ready=True)
    assert list_settlements(three) == ("draw", "unfinished"), "who won is not said"
    for asked in (Correct(1, "F5-H7"), Resign("red"), NewGame()):
        three, _ = apply_act(three, asked, 1.0)
    match = replace(three, phase=Phase.PLAYING, ready=True)
    assert [one.said for one in list_choices(match)] == ["draw", "Blue resigned", "Green resigned", "not finished"]
    for side, result in (("blue", "0-0-1"), ("green", "1-0-0")):
        assert apply_act(match, Settle(side, by="button"), 3.0)[1] == (
            Settled(3.0, result, "resigned", side, by="button"),
        )
