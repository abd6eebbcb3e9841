"""Help for who learns: asked beside the game, lit in three colours, and never in a tournament."""

from __future__ import annotations

import queue
import sys
from dataclasses import replace

import pytest

from device.lights import PALETTES, RANKS, draw_match
from engine import games
from engine.errors import InputError
from engine.game import Move, Outcome
from engine.match.events import Lifted
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.computer.companions import Companions
from server.board.computer.tutor import SwitchTutor, Tutor, TutorAnswer
from server.spectators.broadcast import Broadcast
from server.spectators.withheld import snapshot_without_hints
from server.web.feed import Feed
from tests.engine.stand import stand
from tests.patience import PATIENCE_S

OURS = (sys.executable, "-m", "server", "engine")


def playing(name: str = "camelot") -> Match:
    return replace(new_match(games.load(name)), phase=Phase.PLAYING)


def people(seat: int) -> bool:
    return False


def made(match: Match, text: str) -> Match:
    move = match.game.read(match.position, text)
    assert isinstance(move, Move)
    after = match.game.play(match.position, move)
    return replace(match, positions=(*match.positions, after), moves=(*match.moves, move))


def answered(match: Match, best: bool, teach: bool) -> Tutor:
    """A tutor that has answered about the position, and is closed."""
    said: queue.Queue[TutorAnswer] = queue.Queue()
    tutor = Tutor(match.game, OURS, said.put)
    tutor.switch_help(SwitchTutor(best, teach, by="page"))
    tutor.ask_position(match, people)
    tutor.ask_position(match, people)
    tutor.store_answer(said.get(timeout=PATIENCE_S), match)
    tutor.stop_engine()
    assert said.empty(), "asked once for a position"
    return tutor


def test_the_best_three_are_told_and_lit_in_their_colours() -> None:
    match = playing()
    tutor = answered(match, best=True, teach=False)
    marked = tutor.best_moves(match)
    assert len(marked) == 3
    told = tutor.describe_state(match)["moves"]
    assert isinstance(told, list) and [row["from"] for row in told] == [
        match.game.board.cells[move.origin] for move in marked
    ]
    frame, colours = draw_match(match, best=marked), PALETTES["standard"]
    assert frame.rgb[marked[0].origin] == frame.rgb[marked[0].target] == colours["best"]
    lit = {colours[name] for name in RANKS} & set(frame.rgb)
    assert colours["best"] in lit and not frame.blink & {marked[0].origin, marked[0].target}


def test_of_a_piece_in_the_air_only_its_own_moves_are_lit() -> None:
    match = playing()
    moves = match.game.moves(match.position)
    first, other = moves[0], next(move for move in moves if move.origin != moves[0].origin)
    cell = match.game.board.cells[first.origin]
    lifted = replace(match, phase=Phase.LIFTED, note=Lifted(0, cell, ()))
    frame, colours = draw_match(lifted, best=(first, other)), PALETTES["standard"]
    assert frame.rgb[first.target] == colours["best"] and frame.rgb[first.origin] == colours["start"]
    assert colours["second"] not in frame.rgb


def test_in_a_tournament_nothing_is_asked_lit_or_told() -> None:
    match = playing()
    asked: list[Match] = []

    class Counting(Tutor):
        def ask_position(self, match: Match, computer: object) -> None:
            asked.append(match)

    tutor = Counting(match.game, OURS, lambda answer: None)
    companions = Companions(None, tutor)
    with pytest.raises(InputError, match="nobody is helped"):
        companions.handle_item(SwitchTutor(True, True, by="arbiter"), match, helps=False, t=0.0)
    companions.handle_item(SwitchTutor(True, True, by="arbiter"), match, helps=True, t=0.0)
    companions.ask_engines(match, helps=False, t=0.0)
    assert not asked and companions.best_moves(match, helps=False) == ()
    companions.close()
    best = match.game.moves(match.position)[:3]
    assert draw_match(match, "tournament", best=best) == draw_match(match, "tournament")
    told = answered(match, best=True, teach=True).describe_state(match)
    shown = {"phase": "playing", "note": None, "tutor": told, "leds": {}}
    assert snapshot_without_hints(shown)["tutor"] is None
    spectators = Feed()
    Broadcast(spectators, 0.0).hold_snapshot(1.0, shown)
    assert told["moves"] and '"move"' not in str(spectators.newest_snapshot)


def test_a_weak_move_is_explained_until_its_side_has_moved_again() -> None:
    game, position = stand("camelot", "white", "WM E7, WM C4, WM D4, BM E9, BM J13, BM K13")
    match = made(replace(playing(), game=game, positions=(position,)), "E7-E8")
    tutor = answered(match, best=False, teach=True)
    weak = tutor.describe_state(match)["weak"]
    assert isinstance(weak, dict) and (weak["move"], weak["side"], weak["takes"]) == ("E7-E8", "white", 1)
    replied = made(match, "E9xE7")
    assert tutor.describe_state(replied)["weak"] == weak
    over = replace(match, outcome=Outcome("0-1", "resigned"))
    assert tutor.describe_state(over)["weak"] is None and tutor.describe_state(over)["threat"] is None
    assert tutor.describe_state(made(replied, "C4-C5"))["weak"] is None
    assert tutor.describe_state(replace(match, positions=match.positions[:1], moves=()))["weak"] is None


def test_what_the_last_move_threatens_is_said() -> None:
    game, position = stand("camelot", "white", "WN E5, WM E7, WM C4, BM E9, BM J13, BM K13")
    match = made(replace(playing(), game=game, positions=(position,)), "E5-E6")
    threat = answered(match, best=False, teach=True).describe_state(match)["threat"]
    assert isinstance(threat, dict) and (threat["side"], threat["takes"]) == ("white", 1)


@pytest.mark.parametrize("command", [("/no/such/engine",), (sys.executable, "-c", "pass")])
def test_a_tutor_that_fails_says_so_and_touches_nothing(command: tuple[str, ...]) -> None:
    match = playing()
    said: queue.Queue[TutorAnswer] = queue.Queue()
    tutor = Tutor(match.game, command, said.put)
    tutor.switch_help(SwitchTutor(True, True, by="page"))
    tutor.ask_position(match, people)
    tutor.store_answer(said.get(timeout=PATIENCE_S), match)
    assert tutor.describe_state(match)["trouble"] and tutor.best_moves(match) == ()
    tutor.stop_engine()


def test_an_answer_about_another_position_is_forgotten() -> None:
    match = playing()
    tutor = Tutor(match.game, OURS, lambda answer: None)
    tutor.store_answer(TutorAnswer(3, match.position, trouble="late"), match)
    assert tutor.describe_state(match)["trouble"] == ""
    tutor.stop_engine()
