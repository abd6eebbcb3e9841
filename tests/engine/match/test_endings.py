"""What an arbiter says of the end of a game: for one side, for all, of one on the board and of one of before."""

from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.game import Outcome
from engine.games import load
from engine.match.acts import EVERYBODY, Correct, Forfeit, Undo, list_endings
from engine.match.arbiter import apply_act, build_settled
from engine.match.state import Match, Phase
from tests.engine.match.test_arbiter import GAME, names, playing


@pytest.mark.parametrize(
    ("how", "result", "why"),
    [
        ("draw", "1/2-1/2", "agreement"),
        ("draw-ruling", "1/2-1/2", "ruling"),
        ("white", "0-1", "resigned"),
        ("white-time", "0-1", "time"),
        ("black-absence", "1-0", "absence"),
        ("black-rules", "1-0", "rules"),
        ("all-absence", "0-0", "absence"),
        ("all-rules", "0-0", "rules"),
        ("unfinished", "*", "unfinished"),
    ],
)
def test_an_arbiter_says_how_a_game_of_before_ended(how: str, result: str, why: str) -> None:
    known = list_endings(GAME.seats)
    assert how in known
    said = build_settled(how, GAME.seats, 1.0, known)
    assert (said.result, said.why) == (result, why)


def test_of_three_an_arbiter_says_who_won_or_that_nobody_did() -> None:
    seats = ("blue", "red", "green")
    known = list_endings(seats)
    results = {how: build_settled(how, seats, 1.0, known).result for how in known}
    assert (results["red-wins"], results["all-rules"], results["draw-ruling"]) == ("0-1-0", "0-0-0", "1/3-1/3-1/3")
    assert "red" not in known
    assert "red-time" not in known


@pytest.mark.parametrize(("name", "result"), [("camelot", "0-0"), ("tri-camelot", "0-0-0")])
def test_every_side_may_forfeit_and_that_is_taken_back_whole(name: str, result: str) -> None:
    game = load(name)
    match = Match(game, (game.start(),), phase=Phase.PLAYING, ready=True)
    over, events = apply_act(match, Forfeit(EVERYBODY, "absence", by="arbiter"), 3.0)
    assert (names(events), over.outcome, over.phase) == ("result", Outcome(result, "absence"), Phase.OVER)
    assert apply_act(over, Undo(), 4.0)[0].outcome is None
    with pytest.raises(InputError, match="Only one clock runs"):
        apply_act(match, Forfeit(EVERYBODY, "time"), 3.0)


def test_what_all_have_forfeited_stays_so_when_a_move_is_corrected() -> None:
    over, _ = apply_act(playing(), Forfeit(EVERYBODY, "rules"), 3.0)
    after, events = apply_act(over, Correct(1, "C6-C5"), 4.0)
    assert (names(events), after.outcome) == ("move move result", Outcome("0-0", "rules"))
