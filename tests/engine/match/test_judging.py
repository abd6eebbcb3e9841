"""Looks at a start that is in doubt: they remember each other until the doubt is settled, and say nothing after it."""

from __future__ import annotations

from dataclasses import replace

from engine.games import load
from engine.match.judging import Looked, State, apply_input
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
