"""A ply that was said while its piece was still in a hand is put right when the piece stands elsewhere."""

from __future__ import annotations

from dataclasses import replace

from engine.belief.decision import update_belief
from engine.belief.memory import Memory
from engine.belief.sight import InMotion
from engine.belief.verdicts import Doubtful, Played, Verdict, Wrong
from engine.games import load
from engine.match.events import Illegal, Moved
from engine.match.judging import JUST_SAID_S, Looked, State, apply_input
from engine.match.referee import new_match
from tests.engine.sights import changed, line, seen

CAMELOT = load("camelot", "wcf")
POSITIONS, MOVES = line(CAMELOT, "E6-E5")


def believed(board: bytes, *, just_said: bool) -> Verdict:
    """What is said of a board at rest after E6-E5 was said."""
    sight = replace(seen(CAMELOT, board), rested=True, clear=True)
    return update_belief(CAMELOT, POSITIONS, MOVES, sight, Memory(), InMotion(), just_said=just_said)[0].verdict


def test_the_piece_stands_where_it_might_have_gone_as_well() -> None:
    board = changed(CAMELOT, POSITIONS[-1].placement, "E5-D5")
    verdict = believed(board, just_said=True)
    assert isinstance(verdict, Played)
    assert verdict.replaces == 1
    assert CAMELOT.write(POSITIONS[0], verdict.moves[0]) == "E6-D5"


def test_later_it_is_a_second_move_of_one_side() -> None:
    verdict = believed(changed(CAMELOT, POSITIONS[-1].placement, "E5-D5"), just_said=False)
    assert isinstance(verdict, Wrong)
    assert verdict.refusal.code == "not-yours"


def test_where_it_could_not_have_gone_nothing_is_put_right() -> None:
    assert isinstance(believed(changed(CAMELOT, POSITIONS[-1].placement, "E5-E3"), just_said=True), Wrong)


def test_for_some_seconds_the_record_is_put_right_and_then_the_move_is_refused() -> None:
    elsewhere = changed(CAMELOT, POSITIONS[-1].placement, "E5-D5")
    for late_s, kind in ((1.0, Moved), (JUST_SAID_S + 2.0, Illegal)):
        state = State(new_match(CAMELOT))
        told = []
        boards = (POSITIONS[0].placement, POSITIONS[1].placement, elsewhere)
        for t, board in zip((1.0, 5.0, 5.0 + late_s), boards, strict=True):
            for wait_s in (0.0, 0.2, 0.4):  # an accusation needs a second look
                sight = replace(seen(CAMELOT, board), t=t + wait_s, rested=True, clear=True, moving_s=1.0)
                outcome = apply_input(state, Looked(t + wait_s, sight, 100))
                state = outcome.state
                told += outcome.events
        assert isinstance(told[-1], kind)
        last = [event for event in told if isinstance(event, Moved)][-1]
        assert (last.notation, last.corrected) == (("E6-D5", True) if kind is Moved else ("E6-E5", False))


def test_an_answer_that_puts_the_last_ply_right_is_asked_about() -> None:
    """The piece stands between the cell where it was said and another where it may have gone."""
    e5, d5 = (CAMELOT.board.index[cell] for cell in ("E5", "D5"))
    board = changed(CAMELOT, POSITIONS[-1].placement, "E5-D5")
    sight = replace(seen(CAMELOT, board, faint={d5: 1.5, e5: 1.5}), rested=True, clear=True)
    opinion, _ = update_belief(CAMELOT, POSITIONS, MOVES, sight, Memory(), InMotion(), just_said=True)
    assert isinstance(opinion.verdict, Doubtful)
    assert opinion.verdict.corrections == ("E6-D5",)
    assert "no move" in opinion.verdict.options
