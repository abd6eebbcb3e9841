"""The computer at the board: its move is told and lit, carried out by people, and checked as every move is."""

from __future__ import annotations

import queue
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from device.lights import PALETTES, draw_match
from engine import games
from engine.errors import InputError
from engine.explain.entrusted import EntrustedView
from engine.game import Move, Outcome
from engine.match.acts import Resign, SetPosition, Undo
from engine.match.arbiter import apply_act
from engine.match.clock import create_clock, parse_control
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from engine.text.positions import to_json
from opponent.vocabulary import Limits
from server.board.computer.carrying import CarryingState
from server.board.computer.companions import Companions
from server.board.computer.opponents import (
    COMPUTER_LEVELS,
    MOST_HISTORY,
    EngineAdvice,
    History,
    Opponents,
    SetComputer,
    describe_advice,
    find_awaited_move,
    seat_computer,
)
from server.spectators.broadcast import Broadcast
from server.spectators.withheld import snapshot_without_hints
from server.web.feed import Feed
from tests.patience import PATIENCE_S

OURS = (sys.executable, "-m", "server", "engine", "--level", "2")
TINY = str(Path(__file__).parents[3] / "opponent" / "tiny_engine.py")


def playing(name: str = "camelot") -> Match:
    return replace(new_match(games.load(name)), phase=Phase.PLAYING)


def answer(match: Match, command: tuple[str, ...]) -> EngineAdvice:
    said: queue.Queue[EngineAdvice] = queue.Queue()
    opponents = Opponents(match.game, {match.position.seat: command}, said.put, Limits(movetime_ms=200))
    opponents.ask_move(match, 0.0)
    opponents.ask_move(match, 0.0)
    found = said.get(timeout=PATIENCE_S)
    opponents.stop_engines()
    assert said.empty(), "asked once for a position"
    return found


def test_an_engine_is_asked_when_its_turn_comes_and_its_move_is_lit() -> None:
    match = playing()
    advice = answer(match, OURS)
    move = find_awaited_move(advice, match)
    assert move is not None and move in match.game.moves(match.position)
    told = describe_advice(advice, match)
    assert told is not None and (told["side"], told["played"], told["trouble"]) == ("white", "", "")
    for mode in ("training", "tournament"):
        frame = draw_match(match, mode, advice=EntrustedView(move))
        assert frame.rgb[move.origin] == PALETTES["standard"]["start"] and move.origin in frame.blink
        assert all(frame.rgb[cell] == PALETTES["standard"]["target"] for cell in move.path[1:])


def test_what_was_made_in_its_place_is_told() -> None:
    match = playing()
    advice = answer(match, OURS)
    for move in match.game.moves(match.position):
        after = replace(
            match, positions=(*match.positions, match.game.play(match.position, move)), moves=(*match.moves, move)
        )
        told = describe_advice(advice, after)
        assert find_awaited_move(advice, after) is None
        if move == advice.move:
            assert told is None
        else:
            assert told is not None and told["played"] == match.game.write(match.position, move)
            assert describe_advice(advice, replace(after, outcome=Outcome("0-1", "resigned"))) is None
            stands = SetPosition(to_json(match.game, replace(after.position, seat=0)), stands=True)
            settled, _ = apply_act(after, stands, 1.0)
            settled, carrying = replace(settled, phase=Phase.PLAYING), CarryingState()
            carrying.follow_match(advice, after, 1.0, helps=True)
            assert carrying.carried_at(1.0).astray is not None
            carrying.follow_match(advice, settled, 2.0, helps=True)
            assert (describe_advice(advice, settled), carrying.carried_at(2.0).astray) == (None, None)


@pytest.mark.parametrize("how", ["end", "flood", "lie", "end-at-once"])
def test_a_bad_engine_is_told_and_touches_nothing(how: str) -> None:
    match = playing("camette")
    advice = answer(match, (sys.executable, TINY, how))
    assert advice.move is None and advice.trouble
    told = describe_advice(advice, match)
    assert told is not None and told["trouble"] == advice.trouble
    assert find_awaited_move(advice, match) is None


def test_what_another_board_played_is_lit_and_told_whether_or_not_players_are_helped() -> None:
    match = playing()
    move = match.game.moves(match.position)[0]
    for far in (False, True):
        found = EngineAdvice(0, match.position, move, far=far)
        assert (find_awaited_move(found, match, helps=False) == move) == far
        assert find_awaited_move(found, match) == move
        told = snapshot_without_hints({"advice": describe_advice(found, match)})["advice"]
        assert (told is not None) == far
    opponents = Opponents(match.game, {}, print, Limits(movetime_ms=1), elsewhere=[1])
    assert opponents.is_away_seat(1) and not opponents.is_away_seat(0)
    opponents.stop_engines()


def test_spectators_and_tournaments_are_told_no_advice() -> None:
    snapshot = {"phase": "playing", "note": None, "advice": {"move": "D6-D5"}, "leds": {"D6": "start"}}
    assert snapshot_without_hints(snapshot)["advice"] is None
    spectators = Feed()
    Broadcast(spectators, 0.0).hold_snapshot(1.0, snapshot)
    assert "D6" not in str(spectators.newest_snapshot)


def test_a_side_is_given_to_the_computer_and_back() -> None:
    match, said = playing(), queue.Queue[EngineAdvice]()
    opponents = Opponents(match.game, {}, said.put, Limits(movetime_ms=200), lambda level: OURS)
    opponents.ask_move(match, 0.0)
    seat_computer(opponents, match.game, SetComputer("white", 2, by="page"), helps=True)
    opponents.ask_move(match, 0.0)
    assert said.get(timeout=PATIENCE_S).move in match.game.moves(match.position)
    seat_computer(opponents, match.game, SetComputer("white", None, by="page"), helps=True)
    assert not opponents.is_away_seat(0)
    opponents.ask_move(match, 0.0)
    opponents.stop_engines()
    assert said.empty()


def test_another_level_is_another_engine() -> None:
    """The one before is ended, and the position is asked for again."""
    match, said = playing("camette"), queue.Queue[EngineAdvice]()
    commands = {1: (sys.executable, TINY, "end"), 2: OURS}
    commands |= dict.fromkeys(set(COMPUTER_LEVELS) - set(commands), ())
    opponents = Opponents(match.game, {1: OURS}, said.put, Limits(movetime_ms=200), lambda level: commands[level])
    assert opponents.describe_levels() == {"black": 2}, "seated at the start"
    for level, moves in ((1, False), (2, True)):
        seat_computer(opponents, match.game, SetComputer("white", level, by="page"), helps=True)
        opponents.ask_move(match, 0.0)
        assert (said.get(timeout=PATIENCE_S).move is not None) == moves
    opponents.stop_engines()


def test_in_a_tournament_no_side_is_given_to_the_computer() -> None:
    match = playing()
    opponents = Opponents(match.game, {}, print, Limits(movetime_ms=200), lambda level: OURS)
    with pytest.raises(InputError, match="does not play in a tournament"):
        seat_computer(opponents, match.game, SetComputer("white", 2, by="arbiter"), helps=False)
    assert not opponents.is_away_seat(0)
    opponents.stop_engines()


def gone_on(match: Match, plies: int) -> Match:
    for _ in range(plies):
        move = match.game.moves(match.position)[0]
        after = match.game.play(match.position, move)
        match = replace(match, positions=(*match.positions, after), moves=(*match.moves, move))
    return match


@pytest.mark.parametrize(
    ("computers", "played", "plies"),
    [((1,), 2, 2), ((1,), 1, 1), ((), 2, 1), ((0,), 3, 2), ((0,), 1, 1), ((0, 1), 4, 1)],
)
def test_taking_back_against_the_computer_goes_on_to_where_a_person_is_to_move(
    computers: tuple[int, ...], played: int, plies: int
) -> None:
    match = gone_on(playing(), played)
    companions = Companions(Opponents(match.game, dict.fromkeys(computers, OURS), print, Limits(movetime_ms=1)))
    for by in ("button", "page", "player"):
        assert companions.interpret_act(Undo(by=by), match, helps=True) == Undo(plies, by=by)
    assert companions.interpret_act(Undo(by="arbiter"), match, helps=True) == Undo(by="arbiter")
    assert companions.interpret_act(Undo(by="page"), match, helps=False) == Undo(by="page")
    companions.close()


def test_against_the_computer_a_resignation_is_taken_back_without_a_move() -> None:
    match = gone_on(playing(), 2)
    companions = Companions(Opponents(match.game, {1: OURS}, print, Limits(movetime_ms=1)))
    assert companions.describe_state(match, 0.0)["takes_back"] == 2
    over, _ = apply_act(match, Resign("white"), 1.0)
    assert companions.interpret_act(Undo(by="page"), over, helps=True) == Undo(by="page")
    assert companions.describe_state(over, 0.0)["takes_back"] == 1
    companions.close()


def test_of_three_all_that_computers_answered_is_taken_back() -> None:
    match = gone_on(playing("tri-camelot"), 3)
    companions = Companions(Opponents(match.game, {1: OURS, 2: OURS}, print, Limits(movetime_ms=1)))
    assert companions.interpret_act(Undo(by="button"), match, helps=True) == Undo(3, by="button")
    companions.close()


def test_a_move_that_was_made_instead_of_the_computers_is_taken_back_alone() -> None:
    match = gone_on(playing(), 1)
    companions = Companions(Opponents(match.game, {1: OURS}, print, Limits(movetime_ms=1)))
    meant, made = match.game.moves(match.position)[1], gone_on(match, 1)
    companions.handle_item(EngineAdvice(1, match.position, meant), match, helps=True, t=0.0)
    assert companions.interpret_act(Undo(by="page"), made, helps=True) == Undo(by="page")
    companions.close()


def after(match: Match, *texts: str) -> Match:
    for text in texts:
        move = match.game.read(match.position, text)
        assert isinstance(move, Move)
        following = match.game.play(match.position, move)
        match = replace(match, positions=(*match.positions, following), moves=(*match.moves, move))
    return match


def listening(tmp_path: Path, match: Match, t: float) -> list[str]:
    """What an engine was told that writes down all it hears, and is asked once."""
    heard, said = tmp_path / "heard", queue.Queue[EngineAdvice]()
    script = tmp_path / "listening.sh"
    script.write_text(f"#!/bin/sh\ntee -a {heard} | {sys.executable} {TINY}\n", encoding="utf-8")
    script.chmod(0o755)
    opponents = Opponents(match.game, {match.position.seat: (str(script),)}, said.put, Limits(movetime_ms=50))
    opponents.ask_move(match, t)
    assert said.get(timeout=PATIENCE_S).move is not None
    opponents.stop_engines()
    return heard.read_text(encoding="utf-8").splitlines()


def test_an_engine_is_told_how_the_game_came_here_and_its_time(tmp_path: Path) -> None:
    match = after(playing("camette"), "B3-A3", "B5-A5", "A3-B3", "A5-B5")
    heard = listening(tmp_path, match, 0.0)
    assert "position startpos moves B3-A3 B5-A5 A3-B3 A5-B5" in heard and "go movetime 50" in heard
    heard.clear()
    control = parse_control("5m+3s")
    clock = replace(create_clock(control, 2), left_s=(100.0, 200.0), since=10.0)
    heard = listening(tmp_path, replace(match, clocks=(clock,)), 20.0)
    assert heard[-2:] == ["go movetime 30000 p1time 85000 p2time 200000 p1inc 3000 p2inc 3000", "quit"]


def test_an_engine_is_told_what_came_after_a_ruling_against_the_rules() -> None:
    game, history = games.load("camette"), History(games.load("camette"))
    match = after(playing("camette"), "B3-A3")
    ruled = game.overrule(match.position, "B5-B3")
    assert ruled is not None
    stood = game.play(match.position, ruled)
    match = replace(match, positions=(*match.positions, stood), moves=(*match.moves, ruled))
    assert history.build_line(match.positions, match.moves) == (stood, ())
    match = after(match, "C2xA4")
    for _ in range(2):
        assert history.build_line(match.positions, match.moves) == (stood, ("C2xA4",))


def test_of_a_very_long_game_an_engine_is_told_the_end() -> None:
    there, back = ("B3-A3", "B5-A5", "A3-B3", "A5-B5"), 3_000
    once = after(playing("camette"), *there)
    positions, moves = once.positions[:1] + once.positions[1:] * back, once.moves * back
    start, texts = History(once.game).build_line(positions, moves)
    assert start in once.positions and 3_000 < len(texts) < len(moves)
    assert sum(map(len, texts)) + len(texts) <= MOST_HISTORY
