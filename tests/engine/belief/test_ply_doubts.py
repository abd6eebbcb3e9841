"""What cells say against a ply is asked about: seen by one of two witnesses alone, seen beside its cell, or another
piece that came unseen; and nobody is accused of what such a ply may explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.belief.answer import AT_ONCE_S, DISPUTED_S, SOON_S
from engine.belief.candidates import change_between
from engine.belief.emission import Emission
from engine.belief.hypotheses import Hypothesis, LookHypotheses
from engine.belief.numbers import load_default_numbers
from engine.belief.ply_doubts import came_in_other_order, had_come_before_it_left, has_unexplained_piece
from engine.belief.sight import NO_LOOK, Sight
from engine.belief.verdicts import Doubtful, Played, Still, Verdict, Wrong
from engine.game import Game, Move, Position
from engine.games import load
from tests.engine.sights import cells, changed, explain, line, seen
from tests.engine.stand import stand

CAMELOT = load("camelot", "wcf")
POSITIONS, MOVES = line(CAMELOT, "E6-E5 F11-F12")
EMPTY, LIGHT, DARK = range(3)


def told(board: bytes, otherwise: dict[str, int], game: Game = CAMELOT, positions: Sequence[Position] = ()) -> Verdict:
    """What is said of a board at rest, of which one witness says `otherwise`."""
    index = game.board.index
    sight: Sight = replace(
        seen(game, board), rested=True, clear=True, otherwise=tuple((index[c], look) for c, look in otherwise.items())
    )
    return explain(game, positions or POSITIONS[:1], (), sight).verdict


START = POSITIONS[0].placement


@pytest.mark.parametrize("left", [EMPTY, NO_LOOK])
def test_a_ply_that_one_witness_sees_is_asked_about(left: int) -> None:
    verdict = told(START, {"E6": left, "E5": LIGHT})
    assert isinstance(verdict, Doubtful)
    assert verdict.options[0] == "E6-E5"


@pytest.mark.parametrize(
    "otherwise",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"E5": LIGHT}, id="half of a ply"),
        pytest.param({"E6": NO_LOOK, "E5": NO_LOOK}, id="no piece plainly came"),
        pytest.param({"E6": EMPTY, "E5": DARK}, id="a piece of the other side"),
        pytest.param({"E6": EMPTY, "E3": LIGHT}, id="no lawful ply"),
    ],
)
def test_what_is_no_ply_is_not_asked_about(otherwise: dict[str, int]) -> None:
    assert isinstance(told(START, otherwise), Still)


@pytest.mark.parametrize(
    ("given", "after_s"),
    [
        pytest.param({}, AT_ONCE_S, id="a quiet board"),
        pytest.param({"unsteady": True}, DISPUTED_S, id="much looks otherwise than before"),
        pytest.param({"otherwise": {"E5": NO_LOOK}}, DISPUTED_S, id="what came is no piece to one witness"),
        pytest.param({"otherwise": {"E6": NO_LOOK}}, AT_ONCE_S, id="a shadow where the piece left"),
        pytest.param({"otherwise": {"J5": NO_LOOK}}, AT_ONCE_S, id="no piece elsewhere"),
        pytest.param({"hidden": ["E6"]}, SOON_S, id="an arm lies where the piece left"),
        pytest.param({"hidden": ["J5"]}, AT_ONCE_S, id="an arm lies elsewhere"),
    ],
)
def test_a_ply_that_a_hand_may_be_holding_must_stand_for_longer(given: dict[str, Any], after_s: float) -> None:
    index = CAMELOT.board.index
    otherwise = given.get("otherwise", {})
    looked = replace(
        seen(CAMELOT, changed(CAMELOT, START, "E6-E5")),
        clear=True,
        otherwise=tuple((index[cell], look) for cell, look in otherwise.items()),
        unsteady=given.get("unsteady", False),
        hidden=tuple(index[cell] for cell in given.get("hidden", ())),
        rested="hidden" in given,
    )
    opinion = explain(CAMELOT, POSITIONS[:1], (), looked)
    assert isinstance(opinion.verdict, Played)
    assert opinion.after_s == after_s


@pytest.mark.parametrize(("off", "kind"), [(0.2, Played), (0.3, Doubtful)])
def test_a_piece_off_the_middle_is_asked_about_unless_it_is_sure_at_once(off: float, kind: type[Verdict]) -> None:
    index = CAMELOT.board.index
    sight = seen(CAMELOT, changed(CAMELOT, START, "E6-C8"), faint={index["C8"]: 5.0, index["E8"]: 0.5})
    offsets = [off if cell == index["C8"] else 0.0 for cell in range(len(START))]
    opinion = explain(CAMELOT, POSITIONS[:1], (), replace(sight, clear=True, offset_cells=offsets))
    assert 0.98 < opinion.probability < 0.995
    assert isinstance(opinion.verdict, kind)


def test_nobody_is_accused_of_the_second_ply_after_one_that_one_witness_sees() -> None:
    """White's step was not seen; Black's answer alone would be out of turn."""
    board = changed(CAMELOT, START, "F11-F12")
    accused = told(board, {})
    assert isinstance(accused, Wrong)
    assert accused.refusal.code == "not-yours"
    verdict = told(board, {"E6": NO_LOOK, "E5": LIGHT})
    assert isinstance(verdict, Doubtful)
    assert verdict.options[0] == "E6-E5 F11-F12"


def test_two_pieces_that_have_gone_elsewhere_are_plies_that_went_by_unseen() -> None:
    """Both of White's men have stepped, and what Black played between has been undone by Black's next ply."""
    game, position = stand("camelot wcf", "black", "WM E5 I5, BM J12, BN L9")
    board = changed(game, position.placement, "E5-E6 I5-I6")
    assert not isinstance(told(board, {}, game, (position,)), Wrong)
    one = told(changed(game, position.placement, "E5-E6"), {}, game, (position,))
    assert isinstance(one, Wrong)
    assert one.refusal.code == "not-yours"


def test_an_answer_to_a_ply_behind_a_cup_is_called_nothing() -> None:
    """White's man is gone from sight, and Black has stepped as it may after any step of it."""
    gone = changed(CAMELOT, START, "E6-")
    asked = told(changed(CAMELOT, gone, "F11-F12"), {})
    assert isinstance(asked, Doubtful)
    assert all(option.startswith("E6-") and option.endswith(" F11-F12") for option in asked.options)
    assert isinstance(told(changed(CAMELOT, gone, "F11-F14"), {}), Wrong), "no step that Black may take"
    assert isinstance(told(changed(CAMELOT, START, "F11-F12"), {}), Wrong), "nothing of White's is gone"


def after_step(at_target: float, beside: float) -> Sight:
    """E6-E5, where E5 looks white by so many nats and D5 beside it by so many; E6 is plainly empty."""
    placement = bytearray(START)
    placement[CAMELOT.board.index["E6"]] = 0
    sight = seen(CAMELOT, bytes(placement), patient=True)
    rows = [list(row) for row in sight.scores]
    for cell, nats in (("E5", at_target), ("D5", beside)):
        rows[CAMELOT.board.index[cell]][EMPTY] = -nats
        rows[CAMELOT.board.index[cell]][LIGHT] = 0.0
    return replace(sight, scores=rows, rested=True, clear=True)


def test_a_piece_that_its_cell_shows_is_said() -> None:
    opinion = explain(CAMELOT, POSITIONS[:1], (), after_step(8.0, -8.0))
    assert isinstance(opinion.verdict, Played)


def test_a_piece_that_the_next_cell_shows_as_plainly_is_asked_about() -> None:
    """Which of the two it stands on is a guess, though it has surely left its own cell."""
    opinion = explain(CAMELOT, POSITIONS[:1], (), after_step(6.0, 6.5))
    assert isinstance(opinion.verdict, Doubtful)


def test_a_ply_is_not_said_while_another_piece_has_come_from_nowhere() -> None:
    """Black's step to C12 came unseen, and the next black ply was taken for it."""
    now = line(CAMELOT, "E6-E5")
    played = changed(CAMELOT, now[0][-1].placement, "G11-G12")
    came = {"C12": DARK}
    sight = seen(CAMELOT, played, patient=True)
    rows = [list(row) for row in sight.scores]
    for name, look in came.items():
        rows[CAMELOT.board.index[name]][look] = rows[CAMELOT.board.index[name]][EMPTY] + 4.0
    opinion = explain(CAMELOT, *now, replace(sight, scores=rows, rested=True, clear=True))
    assert not isinstance(opinion.verdict, Played)


def test_a_long_capture_of_which_one_piece_has_gone_is_no_answer_to_choose() -> None:
    """Its piece and four of the five that it would take still stand: it was the first answer once, and recorded."""
    game = load("cam-3d")
    positions, moves = line(game, "1B3-2C4")
    board = changed(game, positions[-1].placement, "1B2-")
    verdict = explain(game, positions, moves, replace(seen(game, board, patient=True), rested=True, clear=True)).verdict
    assert isinstance(verdict, Doubtful)
    assert verdict.options[0] == "no move"
    assert not any("x3C3x1E3x" in option for option in verdict.options)


@pytest.mark.parametrize("plies", ["F7-F5 F10-F9 C6-C5", "C6-C5 F10-F9 F7-F5"])
def test_plies_that_the_board_was_seen_to_take_in_another_order_are_not_the_first(plies: str) -> None:
    """Each cell was seen to change by itself, those of F7-F5 first: two plies of one side may change places."""
    positions, moves = line(CAMELOT, plies)
    stood = [frozenset((cell,)) for cell in cells(CAMELOT, "F7 F5 F10 F9 C6 C5")]
    change = change_between(CAMELOT, positions[0].placement, positions[-1].placement)
    found = [Hypothesis(Played(moves), change, 0.0)]
    explaining = SimpleNamespace(game=CAMELOT, now=positions[0], acts=stood, found=found)
    assert came_in_other_order(cast(LookHypotheses, explaining), moves[:1]) == plies.startswith("C6")


@pytest.mark.parametrize(("from_box", "doubted"), [(True, True), (False, False)])
def test_a_later_ply_explains_a_piece_only_where_its_cell_is_empty(*, from_box: bool, doubted: bool) -> None:
    """A man from the box was learned with the plies before it, because I11-J12 could have brought it."""
    later = changed(CAMELOT, POSITIONS[-1].placement, "I11-J12")
    board, whole = bytearray(later), change_between(CAMELOT, START, later)
    if from_box:
        board[CAMELOT.board.index["I11"]] = START[CAMELOT.board.index["I11"]]
    look = Emission(CAMELOT, POSITIONS[0], seen(CAMELOT, bytes(board)), load_default_numbers())
    changes = [change_between(CAMELOT, START, POSITIONS[-1].placement), whole]
    assert has_unexplained_piece(CAMELOT, look, MOVES, changes) == doubted


@pytest.mark.parametrize(
    ("name", "plies", "gone"),
    [("camelot", "G7-H8 J11-K10 H7-J5 H11-H12", "H10"), ("tri-camelot", "F5-D3 C16-C18 H15-G16", "D5")],
)
def test_nobody_is_to_choose_a_ply_whose_piece_still_stands(name: str, plies: str, gone: str) -> None:
    """A man was knocked off, and plies of others that had not stirred were offered; one that is tapped is written."""
    game = load(name)
    positions, moves = line(game, plies)
    board = changed(game, positions[-1].placement, f"{gone}-")
    sight = replace(seen(game, board, patient=True), rested=True, clear=True, moving_s=6.0)
    verdict = explain(game, positions, moves, sight).verdict
    assert isinstance(verdict, Doubtful)
    chosen = [game.read(positions[-1], option.split()[0]) for option in verdict.options if option != "no move"]
    assert not any(isinstance(move, Move) and board[move.origin] for move in chosen)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_second_move_of_one_side_puts_nothing_right_by_itself(*, at_once: bool) -> None:
    """After F7-F8 the man of F6 goes to F7: it is as after F6-F8, which was written although nobody played it."""
    positions, moves = line(CAMELOT, "F7-F8")
    board = changed(CAMELOT, positions[-1].placement, "F6-F7")
    sight = replace(seen(CAMELOT, board, patient=not at_once), rested=True, clear=True)
    verdict = explain(CAMELOT, positions, moves, sight).verdict
    assert isinstance(verdict, Doubtful)
    assert verdict.corrections == ("F6-F8",)


@pytest.mark.parametrize(("put_back", "captor_stands"), [(True, False), (False, False), (True, True)])
def test_no_ply_leads_where_a_captured_man_was_put_back_before_it(*, put_back: bool, captor_stands: bool) -> None:
    """A captured man is put back, then its neighbour moves under the hand: it was said to have gone there. In Camblam
    the captor stands there, and whoever takes it in turn may take it off first: five films were silent after that."""
    (e5,) = cells(CAMELOT, "E5")
    stood = ((frozenset({e5}), frozenset()),) if put_back else ()
    base = [int(captor_stands and cell == e5) for cell in range(len(CAMELOT.board.cells))]
    explaining = SimpleNamespace(last=replace(MOVES[1], taken=(e5,)), stood=stood, seen=SimpleNamespace(base=base))
    was_put_back = put_back and not captor_stands
    assert had_come_before_it_left(cast(LookHypotheses, explaining), MOVES[0]) == was_put_back


CAM3D = load("cam-3d")
CAPTURED = "3C7-1E5x3C3x1E3x3C1x1A3x1C3x3C1"
CAPTURED_ALL = "3C7-3E5x1C3x1A3x3C1x1C3x3C3x1E3x3C1"


@pytest.mark.parametrize("odd", [0.0, 0.89])
def test_a_cell_like_nothing_known_is_not_empty_where_a_ply_leads_there(odd: float) -> None:
    """A man went up to a level on which none of his side had stood: the capture that takes him too was written."""
    positions, moves = line(CAM3D, "1C3-2D4")
    after = positions[-1]
    for text in (CAPTURED, "2C3-3C3"):
        after = CAM3D.play(after, cast(Move, CAM3D.read(after, text)))
    sight = replace(seen(CAM3D, after.placement, patient=True), rested=True, clear=True, afresh=True, moving_s=9.0)
    (came,) = cells(CAM3D, "3C3")
    scores, unexplained = [list(row) for row in sight.scores], [0.0] * len(sight.scores)
    scores[came], unexplained[came] = [0.0, -0.7, -0.8], odd
    verdict = explain(CAM3D, positions, moves, replace(sight, scores=scores, unexplained=unexplained)).verdict
    taken_all = Played((cast(Move, CAM3D.read(positions[-1], CAPTURED_ALL)),))
    if odd:
        assert isinstance(verdict, Doubtful)
        assert f"{CAPTURED} 2C3-3C3" in verdict.options
    else:
        assert verdict == taken_all
