"""A game is ended, and the one before it settled, with two buttons and the display."""

from __future__ import annotations

from dataclasses import replace

from device.text import compose_text, hides_question
from engine.belief.verdicts import Doubtful, PutUpAgain, Still
from engine.match.acts import Act, Adjourn, Correct, Pause, StandsSo
from engine.match.arbiter import apply_act
from engine.match.buttons import find_button_act, find_shown_choice, list_choices
from engine.match.events import SetUp, Unclear
from engine.match.state import Match, Phase
from tests.engine.match.test_referee import long_seen, playing


def press(match: Match, *buttons: str) -> tuple[Match, list[str], Act | None]:
    """The match after some presses, what was said, and what the last of them asked for."""
    said: list[str] = []
    asked = None
    for button in buttons:
        asked = find_button_act(button, match)
        if asked is not None:
            match, events = apply_act(match, asked, 1.0)
            said += [event.name for event in events]
    return match, said, asked


def test_in_a_pause_each_choice_is_shown_in_turn_and_the_one_that_is_shown_is_taken() -> None:
    match, _ = apply_act(playing(), Pause(), 1.0)
    assert find_shown_choice(match) is None
    shown = []
    for _ in range(5):
        match, said, _ = press(match, "hint")
        assert said == []
        choice = find_shown_choice(match)
        assert choice is not None
        shown.append(choice.said)
    assert shown == ["draw", "White resigns", "Black resigns", "new game", "draw"]
    match, said, _ = press(match, "hint", "hint", "confirm")
    assert said == ["left", "result"]
    assert match.outcome is not None
    assert (match.outcome.result, match.offered) == ("1-0", 0)


def test_confirm_alone_ends_no_game() -> None:
    match, _ = apply_act(playing(), Pause(), 1.0)
    after, said, asked = press(match, "confirm", "confirm")
    assert (after, said, asked) == (match, [], None)
    resumed, said, _ = press(match, "hint", "hint", "pause", "confirm")
    assert said == ["resumed"]
    assert (resumed.phase, find_shown_choice(resumed)) == (Phase.PLAYING, None)


def test_a_game_that_is_over_is_followed_by_another_with_buttons_alone() -> None:
    over, _, _ = press(apply_act(playing(), Pause(), 1.0)[0], "hint", "confirm")
    assert over.phase is Phase.OVER
    assert press(over, "confirm")[1:] == ([], None)
    asked, _, _ = press(over, "hint")
    assert compose_text(asked) == ("1/2-1/2", "new game?")
    begun, said, _ = press(asked, "confirm")
    assert said == ["new-game"]
    assert (begun.phase, begun.moves, find_shown_choice(begun)) == (Phase.SETUP, (), None)
    asked, _, _ = press(begun, "hint")
    assert compose_text(asked) == ("Set up", "camera is wrong?")
    _, said, vouched = press(asked, "confirm")
    assert (said, vouched) == (["stands-so"], StandsSo(by="button"))
    ready, _ = long_seen(asked, Still())
    assert (ready.phase, ready.offered) == (Phase.PLAYING, 0)  # the offer was about what is over


def test_after_a_game_that_was_put_away_another_is_begun_with_buttons_alone() -> None:
    adjourned, _ = apply_act(playing(), Adjourn(), 1.0)
    assert press(adjourned, "confirm")[1:] == ([], None)
    asked, _, _ = press(adjourned, "hint")
    assert compose_text(asked) == ("Adjourned", "new game?")
    begun, said, _ = press(asked, "confirm")
    assert (begun.phase, begun.moves, said) == (Phase.SETUP, (), ["new-game"])


def test_how_the_last_game_ended_is_said_with_buttons_until_the_new_one_is_played() -> None:
    begun, _ = long_seen(playing(), PutUpAgain(cleared=True))
    assert [choice.said for choice in list_choices(begun)] == [
        "draw",
        "White resigned",
        "Black resigned",
        "not finished",
    ]
    after, said, _ = press(begun, "hint", "hint", "hint", "confirm")
    assert said == ["settled"]
    assert (after.before, list_choices(after)) == (None, ())
    assert find_button_act("hint", after) is None


def test_what_the_last_move_may_have_been_instead_is_shown_and_confirmed_by_the_button() -> None:
    match, [asked] = long_seen(playing(), Doubtful((), corrections=("J11-J9",)))
    assert isinstance(asked, Unclear)
    assert (asked.options, asked.to_json()["corrections"]) == ((), ["J11-J9"])
    assert compose_text(match) == ("Which move?", "J11-J9")
    assert find_button_act("confirm", match) == Correct(len(match.moves), "J11-J9", by="button")


def test_what_confirm_takes_of_a_board_that_one_ply_explains_is_on_the_display() -> None:
    resumed = replace(playing(), phase=Phase.SETUP, note=SetUp(1.0, ("E7", "F8"), ("E7-F8", "D6-F8")))
    assert find_button_act("confirm", resumed) == Correct(3, "E7-F8", by="button")
    assert compose_text(resumed) == ("Was this played?", "E7-F8 D6-F8")
    assert not hides_question(resumed)
