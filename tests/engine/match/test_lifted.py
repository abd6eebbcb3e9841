"""A piece in the air beside a hand: when it is said, and when it is over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.belief.decision import update_belief
from engine.belief.hypotheses import Hypothesis
from engine.belief.memory import Memory
from engine.belief.opinion import Opinion
from engine.belief.sight import InMotion, Sight
from engine.belief.verdicts import Covered, Doubtful, Played, Raised, Still, Verdict
from engine.explain.reasons import Reason
from engine.games import load
from engine.match.events import Event, Illegal, Lifted, Moved, Restored, Unclear
from engine.match.judging import Looked, State, apply_input
from engine.match.lifted import ABSENT_S, LIFT_S, SURELY_LIFTED, UNHELD_S
from engine.match.referee import apply_opinion
from engine.match.state import Match, Phase
from tests.engine.sights import GIVEN, cells, changed, line, move_named, seen

GAME = load("camelot", "wcf")
START = GAME.start()
PLAYING = Match(GAME, (START,), phase=Phase.PLAYING, ready=True)
F7 = GAME.board.index["F7"]
HAND = "B8 B9 C8 C9"


def beside_hand(changes: str, t: float, hand: str = HAND) -> Sight:
    return replace(seen(GAME, changed(GAME, START.placement, changes), t), hidden=tuple(cells(GAME, hand)))


def told(shown: list[Sight]) -> list[Event]:
    state, events = State(PLAYING), list[Event]()
    for sight in shown:
        follows = apply_input(state, Looked(sight.t, sight, 97))
        state = follows.state
        events += follows.events
    return events


def test_a_piece_that_is_put_back_is_no_longer_lifted_though_a_hand_rests_elsewhere() -> None:
    lifted, restored = told([beside_hand("F7-", 1.0), beside_hand("", 1.5)])
    assert isinstance(lifted, Lifted) and lifted.cell == "F7"
    assert isinstance(restored, Restored) and restored.t == 1.5


def test_under_a_hand_it_may_be_lifted_still() -> None:
    [lifted] = told([beside_hand("F7-", 1.0), beside_hand("F7-", 1.5, f"{HAND} F7"), beside_hand("F7-", 2.5)])
    assert isinstance(lifted, Lifted)


@pytest.mark.parametrize("hand", ["", HAND])
def test_a_hint_goes_out_where_no_hand_is_and_its_own_light_may_blind_the_camera(hand: str) -> None:
    """In a dark room its cells looked like nothing, which hands do too: it stood for as long as nobody played on."""
    state = apply_input(State(PLAYING), Looked(1.0, beside_hand("F7-", 1.0), 97)).state
    assert state.match.phase is Phase.LIFTED
    lit, board = cells(GAME, "F5 F7 E8 F8 G8"), changed(GAME, START.placement, "F7-F5")
    for step in range(11):
        t = 1.5 + step * UNHELD_S / 5
        glow = replace(seen(GAME, board, t, clear=2.0, unexplained=lit), clear=not hand)
        state = apply_input(state, Looked(t, replace(glow, hidden=tuple(cells(GAME, hand))), 97)).state
    assert state.match.phase is (Phase.LIFTED if hand else Phase.PLAYING)
    assert not state.match.moves


def test_that_it_stands_again_need_only_be_probable_for_a_while() -> None:
    """A hint is no ply: beside a hand that stays its cell is seldom seen quite clearly."""
    [lifted] = told([beside_hand("F7-", 1.0)])
    assert isinstance(lifted, Lifted)
    state = apply_input(State(PLAYING), Looked(1.0, beside_hand("F7-", 1.0), 97)).state
    faint = {F7: 4.0}

    def look(t: float) -> Sight:
        return replace(seen(GAME, START.placement, t, faint=faint), hidden=tuple(cells(GAME, HAND)))

    follows = apply_input(state, Looked(2.0, look(2.0), 97))
    assert follows.opinion is not None and isinstance(follows.opinion.verdict, Still) and not follows.events
    [restored] = apply_input(follows.state, Looked(2.5, look(2.5), 97)).events
    assert isinstance(restored, Restored)


def test_a_piece_that_is_gone_with_the_hand_is_not_put_back() -> None:
    """That nobody's piece vanishes makes it probable that all stands as before, but its cell plainly is empty."""
    gone = seen(GAME, changed(GAME, START.placement, "F7-"), faint={F7: 5.5})
    looks = [replace(gone, t=1.5 + n / 2, clear=True, stirred=n == 0, rested=n > 1, patient=n > 1) for n in range(8)]
    said = told([beside_hand("F7-", 1.0), *looks])
    assert isinstance(said[0], Lifted)
    assert not any(isinstance(event, Restored) for event in said)
    assert isinstance(said[-1], Unclear | Illegal)


def of_lift(chances: dict[Verdict, float], t: float, match: Match = PLAYING) -> tuple[Match, tuple[Event, ...]]:
    best = tuple((chance, Hypothesis(verdict, (), 0.0)) for verdict, chance in chances.items())
    hand = (1, 2, 3, round(100 * t))
    return apply_opinion(match, Opinion(Covered(hand, lifted=F7), 0.4, GIVEN, best=best), t, 97)


@pytest.mark.parametrize("other", [Still(), Raised(GAME.board.index["E6"])])
def test_a_piece_that_hardly_seems_lifted_must_seem_so_for_a_while(other: Verdict) -> None:
    """A fist over several pieces: one of their cells looks empty for a moment."""
    doubted = {Raised(F7): SURELY_LIFTED - 0.2, other: 0.2}
    match, events = of_lift(doubted, 1.0)
    assert not events
    match, events = of_lift(doubted, 1.0 + LIFT_S / 2, match)
    assert not events
    _, [lifted] = of_lift(doubted, 1.0 + LIFT_S, match)
    assert isinstance(lifted, Lifted)


def test_it_is_said_at_once_where_whatever_is_likely_begins_with_it() -> None:
    move = move_named(GAME, START, "F7-F5")
    _, [lifted] = of_lift({Raised(F7): SURELY_LIFTED - 0.2, Played((move,)): 0.25}, 1.0)
    assert isinstance(lifted, Lifted) and lifted.cell == "F7"


def test_a_piece_in_a_hand_beside_the_board_is_lit_at_once() -> None:
    """Nothing is over the board: without a hand in sight a misread cell would be as likely for a second."""
    gone = [replace(seen(GAME, changed(GAME, START.placement, "F7-"), t), clear=True) for t in (1.0, 1.2)]
    reach = beside_hand("", 0.5)
    assert told([reach, *gone]) == []
    [lifted] = told([reach, *(replace(sight, hand_beside=True) for sight in gone)])
    assert isinstance(lifted, Lifted) and (lifted.t, lifted.cell) == (1.0, "F7")


def test_a_piece_that_the_last_capture_may_have_taken_as_well_or_a_hand_holds_is_asked_about() -> None:
    positions, moves = line(GAME, "D6-D8 E10-D9 C6-E8-C8xE10xE12xC10xC12")
    longer = "C6-E8xC10xE10xE12xC10xC12"
    taken = set(move_named(GAME, positions[2], longer).taken) - set(moves[-1].taken)
    [cell] = [GAME.board.cells[cell] for cell in taken]
    sight = replace(seen(GAME, changed(GAME, positions[-1].placement, f"{cell}-")), clear=True, rested=True)
    opinion, _ = update_belief(GAME, positions, moves, sight, Memory(), InMotion())
    assert isinstance(opinion.verdict, Doubtful)
    assert opinion.reason.rule == "taken-or-held"
    assert longer in opinion.verdict.corrections


def without_hand(changes: str, t: float, *, beside: bool = False) -> Sight:
    bare = seen(GAME, changed(GAME, START.placement, changes), t)
    return replace(bare, clear=True, rested=True, patient=True, hand_beside=beside)


@pytest.mark.parametrize(
    ("then", "kind"), [("", Restored), ("F7-F8", Moved), ("F7- G7-G8", Illegal)], ids=["put back", "played", "another"]
)
def test_a_piece_that_no_hand_holds_for_long_is_asked_about(then: str, kind: type[Event]) -> None:
    """Taken off for good it was called lifted for as long as nobody played, and nobody was told that it was missed."""
    gone = [without_hand("F7-", t) for t in (1.5, 2.0, ABSENT_S, ABSENT_S + 2, ABSENT_S + 4, ABSENT_S + 6)]
    last = [without_hand(then, ABSENT_S + t) for t in (8, 9, 10)]
    lifted, asked, *after = told([beside_hand("F7-", 1.0), *gone, *last])
    assert isinstance(lifted, Lifted)
    assert isinstance(asked, Unclear) and asked.t == ABSENT_S + 4 and asked.differs == ("F7",)
    assert asked.options == ("no move",) and asked.because == Reason("piece-absent", ABSENT_S)
    assert [type(event) for event in after] == [kind]


def test_whoever_thinks_with_a_piece_in_a_hand_beside_the_board_is_not_asked() -> None:
    held = [without_hand("F7-", 1.5 + t, beside=True) for t in range(40)]
    [lifted] = told([beside_hand("F7-", 1.0), *held])
    assert isinstance(lifted, Lifted)
