"""What a question offers is an answer that is taken as it is offered: by the arbiter's act, by a page, by a button."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.belief.opinion import NO_MOVE, format_moves
from engine.belief.verdicts import Played
from engine.errors import InputError
from engine.game import Move
from engine.games import load, names
from engine.match.acts import Correct
from engine.match.arbiter import apply_act
from engine.match.buttons import find_button_act
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.events import Event, Moved, SetUp, Unclear
from engine.match.judging import Asked, Looked, State, apply_input
from engine.match.state import Match, Phase
from engine.text.records import typed_move
from tests.engine.match.test_referee import long_seen, playing
from tests.engine.sights import line, seen

GAME = load("camelot", "wcf")


def drawn_line(match: Match, plies: int, seed: int) -> tuple[Match, tuple[Move, ...]]:
    """A match some plies into a game, and as many plies that may have been played since."""
    chance, positions, moves = random.Random(seed), [match.position], list[Move]()
    for _ in range(8 + plies):
        lawful = match.game.moves(positions[-1])
        if not lawful:
            break
        moves.append(chance.choice(lawful))
        positions.append(match.game.play(positions[-1], moves[-1]))
    stood = replace(match, positions=tuple(positions[:-plies]), moves=tuple(moves[:-plies]))
    return stood, tuple(moves[-plies:])


def ask(match: Match, *options: str, corrections: tuple[str, ...] = ()) -> Match:
    return replace(match, phase=Phase.UNCLEAR, note=Unclear(0.0, options, corrections=corrections))


@pytest.mark.parametrize("plies", [1, 2, 3])
@pytest.mark.parametrize("name", names())
def test_plies_that_are_offered_are_all_played(name: str, plies: int) -> None:
    game = load(name)
    begun = with_clock(Match(game, (game.start(),), phase=Phase.PLAYING, ready=True), parse_control("5m"))
    for seed in range(5):
        match, since = drawn_line(replace(begun, clocks=()), plies, seed)
        offered = format_moves(game, match.position, since)
        for asked in (ask(match, offered), replace(match, phase=Phase.SETUP, note=SetUp(0.0, (), (offered,)))):
            answer = Correct(len(match.moves) + 1, typed_move(offered), by="button")
            assert find_button_act("confirm", asked) == answer, "a page sends what the button means"
            after, events = apply_act(asked, answer, 1.0)
            assert after.moves == (*match.moves, *since)
            assert [(one.ply, one.corrected) for one in events if isinstance(one, Moved)] == [
                (len(match.moves) + ply, False) for ply in range(1, plies + 1)
            ]
    match, since = drawn_line(replace(begun, clocks=()), plies, 0)
    clocked = replace(ask(match, "-"), clocks=begun.clocks * len(match.positions))
    after, _ = apply_act(clocked, Correct(len(match.moves) + 1, format_moves(game, match.position, since)), 9.0)
    assert len(after.clocks) == len(after.positions)


def test_that_nothing_was_played_is_an_answer() -> None:
    asked = ask(playing(), "F7-F5", NO_MOVE)
    after, events = apply_act(asked, Correct(3, typed_move(NO_MOVE)), 1.0)
    assert (after.phase, after.note, after.positions, events) == (Phase.SETUP, None, asked.positions, ())
    for other in (ask(playing(), "F7-F5"), playing(), playing(Phase.PAUSED)):
        with pytest.raises(InputError, match="is no move"):
            apply_act(other, Correct(3, NO_MOVE), 1.0)
    with pytest.raises(InputError, match="is no move"):
        apply_act(asked, Correct(2, NO_MOVE), 1.0)


def test_plies_that_replace_the_last_are_offered_in_its_place() -> None:
    _, since = line(GAME, "J6-K6 G10-G9 F7-F5 C11-C10")
    asked, events = long_seen(playing(Phase.TROUBLE), Played(since[1:], replaces=1))
    (said,) = events
    assert isinstance(said, Unclear)
    assert (said.options, said.corrections) == ((), ("G10-G9 F7-F5 C11-C10",))
    answer = find_button_act("confirm", asked)
    assert answer == Correct(2, "G10-G9 F7-F5 C11-C10", by="button")
    after, events = apply_act(asked, answer, 1.0)
    assert after.moves == since
    assert [(one.ply, one.corrected) for one in events if isinstance(one, Moved)] == [(2, True), (3, False), (4, False)]


@pytest.mark.parametrize(
    ("ply", "typed", "why"),
    [
        (4, "G10-G9 G10-G9", "“2. Black” was not G10-G9 G10-G9: "),
        (1, "J6-K6 J11-H9", "“1. White” was not J6-K6 J11-H9: 'J6-K6 J11-H9' is no move: "),
        (1, "e5 d4", "“1. White” was not E5 D4: 'E5 D4' is no move: "),
        (4, "G10 - G7", "“2. Black” was not G10-G7: "),
    ],
)
def test_what_cannot_be_played_whole_is_not_played_in_part(ply: int, typed: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        apply_act(playing(notations="J6-K6 J11-H9 F7-F5"), Correct(ply, typed_move(typed)), 1.0)
    assert str(error.value).startswith(why)


def offered_in_play(name: str, seed: int) -> list[tuple[State, Unclear]]:
    """Questions that are asked of boards some plies on, where some cells are hardly told from others."""
    game, chance = load(name), random.Random(seed)
    match = Match(game, (game.start(),), phase=Phase.PLAYING, ready=True)
    match, since = drawn_line(match, 1 + seed % 3, seed)
    position = match.position
    for move in since:
        position = game.play(position, move)
    changed = [c for c, p in enumerate(position.placement) if p != match.position.placement[c]]
    faint = {cell: chance.choice((0.2, 1.0, 14.0)) for cell in changed}
    state, out = State(match), list[tuple[State, Unclear]]()
    for step in range(30):
        sight = replace(
            seen(game, position.placement, step / 2, faint=faint), clear=True, rested=True, patient=step > 9
        )
        result = apply_input(state, Looked(sight.t, sight, 97))
        state, said = result.state, list[Event](result.events)
        out += [(state, one) for one in said if isinstance(one, Unclear)]
    return out


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["camelot", "tri-camelot", "cam", "camblam"])
def test_whatever_a_look_offers_is_taken(name: str) -> None:
    asked, several = 0, 0
    for seed in range(6):
        for state, question in offered_in_play(name, seed):
            played = len(state.match.moves)
            offers = [(played + 1, one) for one in question.options] + [(played, one) for one in question.corrections]
            for ply, offer in offers:
                after = apply_input(state, Asked(60.0, Correct(ply, typed_move(offer)))).state.match
                assert len(after.moves) == ply - 1 + (0 if offer == NO_MOVE else len(offer.split()))
                several += " " in offer and offer != NO_MOVE
            asked += 1
    assert asked and several, "nothing was asked"
