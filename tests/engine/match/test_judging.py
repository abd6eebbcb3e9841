"""Looks in doubt: those at a start remember each other until it is settled; those in a game are asked about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games import load
from engine.match.events import Event, Illegal, SetUp, Unclear
from engine.match.judging import Blind, Consequence, Looked, NotSetUp, State, apply_input
from engine.match.state import Match, Phase
from tests.engine.sights import changed, seen

GAME = load("camelot", "wcf")
START = GAME.start()


def look(state: State, changes: str, t: float, *, in_doubt: bool) -> State:
    sight = replace(seen(GAME, changed(GAME, START.placement, changes), t), clear=True)
    return apply_input(state, Looked(t, sight, 97, in_doubt=in_doubt)).state


def test_looks_in_doubt_are_remembered_until_it_is_settled() -> None:
    """What has changed one after another was done one after another, and is no single unlawful deed."""
    state = State(Match(GAME, (START,), phase=Phase.SETUP))
    state = look(state, "I7-", 1.0, in_doubt=True)
    state = look(state, "I7- E10-", 2.0, in_doubt=True)
    both = [GAME.board.index[cell] for cell in ("I7", "E10")]
    assert state.memory.count_acts(both) == 2
    settled = look(replace(state, match=replace(state.match, phase=Phase.PLAYING, ready=True)), "", 3.0, in_doubt=False)
    assert settled.memory.acts == ()
    assert look(settled, "I7- E10-", 4.0, in_doubt=False).memory.count_acts(both) == 1


@pytest.mark.parametrize(("nats", "options"), [(0.2, ()), (1.5, ("E7-E8",))])
def test_a_ply_that_seems_to_go_on_from_a_start_in_doubt_is_asked_about(nats: float, options: tuple[str, ...]) -> None:
    """A cell that shines is named at every look; who plays on is asked whether that was the ply, where it is likely."""
    state, board = State(Match(GAME, (START,), phase=Phase.SETUP)), GAME.board
    faint = dict.fromkeys((board.index[cell] for cell in ("E7", "F7")), nats)  # which of the two men stepped
    sight = replace(seen(GAME, changed(GAME, START.placement, "E7-E8"), 1.0, faint=faint), clear=True, rested=True)
    state = apply_input(state, Looked(1.0, sight, 97, in_doubt=True)).state
    named = apply_input(state, NotSetUp(1.1, (board.index["J11"],), fit=97))
    (said,) = named.events
    assert isinstance(said, SetUp) and (said.wrong, said.options) == (("J11",), options)
    played = replace(named.state.match, positions=(START, START), moves=GAME.moves(START)[:1])
    later = apply_input(replace(named.state, match=played), NotSetUp(1.2, (board.index["J10"],), fit=97))
    assert [event.options for event in later.events if isinstance(event, SetUp)] == [()], "it was about another ply"


def test_a_start_in_doubt_waits_for_the_cells_that_seem_wrong_and_for_no_demand_that_is_met() -> None:
    state = State(Match(GAME, (START,), phase=Phase.SETUP))
    named = apply_input(state, NotSetUp(1.0, (GAME.board.index["J11"],), fit=97))
    sight = replace(seen(GAME, START.placement, 1.1), clear=True, rested=True)
    looked = apply_input(named.state, Looked(1.1, sight, 97, in_doubt=True))
    assert looked.opinion is not None and looked.opinion.reason.is_met
    assert looked.waits == named.waits


def see_spells(spells: int, *, hand: bool) -> list[Event]:
    """What is said of spells of doubt of 1.5 seconds each, every four seconds, with a hand between."""
    state, said = State(Match(GAME, (START,), phase=Phase.PLAYING, ready=True)), list[Event]()
    for spell in range(spells):
        for step in range(7):
            t = 10.0 + 4 * spell + 0.25 * step
            # Which of two men stepped to E8 is not seen.
            faint = dict.fromkeys((GAME.board.index[cell] for cell in ("E7", "F7")), 0.2)
            doubt = seen(GAME, changed(GAME, START.placement, "E7-E8"), t, faint=faint)
            hidden = (GAME.board.index["A5"],) if hand else ()
            result = apply_input(state, Looked(t, replace(doubt, clear=not hand, hidden=hidden), 97))
            state, said = result.state, [*said, *result.events]
        look = seen(GAME, changed(GAME, START.placement, "E7-E8"), 12.0 + 4 * spell)
        result = apply_input(state, Looked(look.t, replace(look, clear=False, hidden=tuple(range(60, 90))), 97))
        state, said = result.state, [*said, *result.events]
    return [one for one in said if isinstance(one, Unclear)]


def test_doubt_in_several_spells_is_asked_about() -> None:
    """Whoever plays on every two seconds is asked as well: each ply is another doubt, and none lasts for long."""
    assert not see_spells(1, hand=False)
    assert see_spells(3, hand=False)
    assert not see_spells(3, hand=True)


def show(state: State, changes: str, t: float, covered: str = "") -> Consequence:
    """A look at a board at rest without a hand; over the cell `covered` something lies that is no piece."""
    cell = [GAME.board.index[covered]] if covered else []
    faint = dict.fromkeys(cell, -6.0)
    sight = seen(GAME, changed(GAME, START.placement, changes), t, faint=faint, unexplained=cell)
    return apply_input(state, Looked(t, replace(sight, clear=True, rested=True, patient=True), 97))


def test_a_man_that_is_taken_off_under_a_cup_is_missed() -> None:
    """The cup looked a little like an empty cell: that it was empty afterwards was no news, to the end of the game."""
    state = show(State(Match(GAME, (START,), phase=Phase.PLAYING, ready=True)), "", 1.0).state
    for t in (4.0, 5.0):
        under = show(state, "", t, covered="H10")
        state = under.state
        assert not under.events
    assert not show(state, "", 8.0).events, "it was put over the man and taken away again"
    after_hand = replace(state, memory=replace(state.memory, visited=True))
    (said,) = show(show(after_hand, "H10-", 8.0).state, "H10-", 10.0).events
    assert isinstance(said, Illegal) and said.cells == ("H10",)


@pytest.mark.parametrize(("cause", "named"), [("dark", True), ("frozen", True), ("noise", False)])
def test_what_is_gone_after_nothing_was_seen_is_judged_as_after_a_hand(cause: str, named: bool) -> None:
    state = show(State(Match(GAME, (START,), phase=Phase.PLAYING, ready=True)), "", 1.0).state
    assert not state.memory.visited
    blind = apply_input(state, Blind(5.0, cause)).state
    assert blind.memory.visited == named


def test_of_two_pieces_that_may_have_gone_the_one_that_went_before_the_ply_is_named() -> None:
    """A man is taken off, and then another one makes a ply that both could have made."""
    state, said = State(Match(GAME, (START,), phase=Phase.PLAYING, ready=True)), list[Event]()
    for step in range(32):
        stands = changed(GAME, START.placement, "E6-" if step < 16 else "E6- F7-F5")
        sight = replace(seen(GAME, stands, step / 2), clear=True, rested=step % 16 > 1, patient=step % 16 > 3)
        result = apply_input(state, Looked(sight.t, sight, 97))
        state, said = result.state, [*said, *result.events]
    (refused,) = [event for event in said if isinstance(event, Illegal)]
    assert refused.cells == ("E6",)
    assert refused.message.startswith("After F7-F5: E6 was emptied")


def test_what_was_set_up_wrongly_is_not_right_because_a_hand_hides_it() -> None:
    """Two plies had been played before the board was ready; a hand over their cells made it `ready`."""
    state, e9 = State(Match(GAME, (START,), phase=Phase.SETUP)), GAME.board.index["E9"]
    state = look(look(state, "E10-E9", 1.0, in_doubt=False), "E10-E9", 3.0, in_doubt=False)
    assert isinstance(state.match.note, SetUp) and set(state.match.note.wrong) == {"E9", "E10"}
    beside = replace(seen(GAME, START.placement, 4.0), hidden=frozenset({e9}))
    assert not apply_input(state, Looked(4.0, beside, 97)).state.match.ready
    assert look(state, "", 6.0, in_doubt=False).match.ready
