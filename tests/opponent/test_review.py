"""What moves are worth: the best few, weak ones beside better ones, threats, and the moves that decided a game."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import games
from engine.game import Game, Move, Position, result_of
from opponent.engines.client import Engine, Trouble
from opponent.players.deep import core_of
from opponent.players.thinking import Info, Task
from opponent.review.judgement import find_deciders, judge_course
from opponent.review.lessons import Threat, WeakMove, find_threat, find_weakness
from opponent.review.worth import DECIDED, list_best_lines
from opponent.vocabulary import Limits, read_info
from tests.engine.stand import stand

OURS = (sys.executable, "-m", "server", "engine")
TINY = (sys.executable, str(Path(__file__).with_name("tiny_engine.py")))
NODES = Limits(nodes=20_000)


@pytest.fixture(scope="module")
def process() -> Iterator[Engine]:
    engine = Engine(OURS)
    yield engine
    engine.close()


def asked(process: Engine, game: Game) -> Engine:
    assert process.prepare_game(game) is None
    return process


def read(game: Game, position: Position, text: str) -> Move:
    move = game.read(position, text)
    assert isinstance(move, Move)
    return move


@pytest.mark.parametrize("name", ["camelot", "camblam", "tri-camelot", "cam-3d"])
def test_the_best_three_are_lawful_and_different_and_the_first_is_the_best(process: Engine, name: str) -> None:
    game = games.load(name)
    found = list_best_lines(asked(process, game), game, game.start(), NODES, 3)
    assert not isinstance(found, Trouble)
    assert len({result_of(line.move) for line in found}) == 3
    assert all(isinstance(game.read(game.start(), line.text), Move) for line in found)
    assert [line.score for line in found] == sorted((line.score for line in found), reverse=True)


def test_there_are_as_many_best_moves_as_moves_and_a_win_is_first(process: Engine) -> None:
    game, position = stand("camette", "white", "WM B6, WN A3, BM E3, BN E4")
    found = list_best_lines(asked(process, game), game, position, NODES, 500)
    assert not isinstance(found, Trouble)
    assert len(found) == len(game.moves(position)) and found[0].is_win
    assert game.outcome(game.play(position, found[0].move)) is not None


def test_a_move_that_lets_a_piece_be_taken_is_called_weak_and_says_by_what(process: Engine) -> None:
    game, position = stand("camelot", "white", "WM E7, WM C4, WM D4, BM E9, BM J13, BM K13")
    found = find_weakness(asked(process, game), game, position, read(game, position, "E7-E8"), NODES)
    assert isinstance(found, WeakMove)
    assert found.takes == 1 and found.reply.startswith("E9xE7") and found.better != "E7-E8"
    assert find_weakness(process, game, position, read(game, position, found.better), NODES) is None


def test_a_win_that_was_missed_is_said(process: Engine) -> None:
    game, position = stand("camelot", "white", "WM F16, WM F15, BM F1, BM F2, BN A5")
    found = find_weakness(asked(process, game), game, position, read(game, position, "F15-E14"), NODES)
    assert isinstance(found, WeakMove) and found.missed and found.better == "F15-G16"


def test_what_would_be_taken_next_is_a_threat_and_what_is_covered_is_none(process: Engine) -> None:
    game, position = stand("camelot", "black", "WM E7, WM C4, WM D4, BM E8, BM J13, BM K13, BM E9")
    assert find_threat(asked(process, game), game, position, 0, NODES) is None
    game, position = stand("camelot", "black", "WN E6, WM E7, WM C4, BM E9, BM J13, BM K13")
    found = find_threat(process, game, position, 0, NODES)
    assert isinstance(found, Threat) and found.takes == 1 and not found.wins


def test_a_whole_game_is_judged_and_the_move_that_gave_most_away_decided_it(process: Engine) -> None:
    game, position = stand("camelot", "white", "WM E7, WM C4, WM D4, BM E9, BM J13, BM K13")
    stands, moves = [position], []
    for text in ("C4-C5", "J13-J12", "E7-E8", "E9xE7"):
        moves.append(read(game, stands[-1], text))
        stands.append(game.play(stands[-1], moves[-1]))
    judged = judge_course(asked(process, game), game, stands, moves, NODES)
    assert not isinstance(judged, Trouble)
    assert [one.ply for one in judged] == [1, 2, 3, 4]
    worst = max(judged, key=lambda one: one.cost)
    assert worst.move == "E7-E8" and worst in find_deciders(judged)
    assert judged[3].made < judged[0].made, "for White, whose man was taken"


def test_an_engine_that_says_no_scores_gives_no_judgement() -> None:
    game = games.load("camette")
    engine = Engine(TINY)
    assert engine.prepare_game(game) is None
    assert list_best_lines(engine, game, game.start(), NODES, 3) == ()
    move = game.moves(game.start())[0]
    assert judge_course(engine, game, [game.start()], [move], NODES) == ()
    engine.close()


def test_moves_to_choose_from_are_kept_to_by_search_in_c_and_said_even_if_one_is_alone() -> None:
    game = games.load("camelot")
    core = core_of(game)
    assert core is not None
    position = game.start()
    for move in game.moves(position)[::20]:
        said: list[int] = []
        found = core.search(
            [position],
            bytearray(1),
            lambda depth, score, nodes, seconds, line: said.append(score),  # noqa: B023
            nodes=2000,
            among=frozenset({result_of(move)}),
        )
        assert found == result_of(move) and said


def test_scores_of_info_lines_are_read_and_strange_ones_are_none() -> None:
    line = Info(3, -12, 10, 0.1, ("E6-C4", "E11-C13")).format_line()
    assert read_info(line) == (-12, ("E6-C4", "E11-C13"))
    for strange in (
        "info depth 3",
        "info depth 3 score",
        "info depth 3 score cp",
        "info score mate 3",
        "info score cp ½",
    ):
        assert read_info(strange) is None
    assert read_info(f"info score cp {DECIDED}") == (DECIDED, ())
    assert Task(games.load("camelot"), ()).among == ()
