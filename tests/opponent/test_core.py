"""The compiled core gives the same answers as the rules in Python, in every game of the family and under every switch.

`make bench-core` compares 10,000 positions a game and rule set, and counts deeper.
"""

from __future__ import annotations

import os
import random

import pytest

from engine import games
from engine.game import Game, Move, Position
from engine.perft import perft
from opponent.core.compiled import CompiledGame
from opponent.players.deep import core_of
from tests.engine.perft_table import rows
from tests.opponent.drawn import GAMES, crowded, lines, rule_sets, scattered

POSITIONS = int(os.environ.get("CORE_POSITIONS", "60"))
"""For each game and rule set."""
SWITCHED = 6
"""Rule sets with switches set at random, for each named one."""
SMALL = 40
"""Results of a position up to which Python counts two plies as well."""
DEEP = [("camelot", 3), ("tri-camelot", 4), ("cam-3d", 3), ("camette", 5), ("chivalry", 3)]


def core(game: Game) -> CompiledGame:
    found = core_of(game)
    assert found is not None, f"no compiled core for {game.name} {game.rules}"
    return found


def winner(game: Game, position: Position) -> int | None:
    outcome = game.outcome(position)
    if outcome is None:
        return None
    return outcome.result.split("-").index("1") if "/" not in outcome.result else -1


def compare(game: Game, position: Position) -> int:
    """Asserts that all answers are the same; how many results there are."""
    found = core(game).results(position)
    assert len(found) == len(set(found)), (game.rules, position)
    assert set(found) == set(game.results(position)), (game.rules, position)
    assert core(game).find_winner(position) == winner(game, position), (game.rules, position)
    return len(found)


@pytest.mark.parametrize("name", GAMES)
def test_results_and_outcomes_are_the_same_under_all_switches(name: str) -> None:
    chance = random.Random(20)
    compared = 0
    for rules in rule_sets(name, chance, SWITCHED):
        game = games.load(name, rules)
        compared_here = 0
        while compared_here < POSITIONS:
            for position in lines(game, chance):
                compared_here += 1
                if 0 < compare(game, position) <= SMALL and compared_here % 10 == 0:
                    # what is played, whose turn it is then and who is passed over
                    assert core(game).perft(position, 2) == perft(game, position, 2), (rules, position)
        compared += compared_here
    print(f"{name}: {compared} positions compared")


def after(game: Game, *moves: str) -> Position:
    position = game.start()
    for text in moves:
        move = game.read(position, text)
        assert isinstance(move, Move), move
        position = game.play(position, move)
    return position


CHAINS = "2D2-3C3 3B7-2C8 1B2-2A3 3D7-2E6 1B3-2C4 2E6-3E6 2A3-1B3 2C8-1C7"
"""Eight plies of Cam 3-D that lead to thousands of different chains of jumps."""


def test_there_is_room_for_as_many_chains_as_a_board_of_26_directions_has() -> None:
    game = games.load("cam-3d")
    position = after(game, *CHAINS.split())
    assert compare(game, position) == 600
    best = core(game).search([position], bytearray(1), lambda *_: None, nodes=300)
    assert best in game.results(position)
    assert compare(game, list(crowded(game, random.Random(4)))[-1]) > 1_000


@pytest.mark.parametrize(("name", "depth"), DEEP)
def test_counts_are_those_of_the_tables(name: str, depth: int) -> None:
    table = {row.rules: row.count for row in rows() if row.game == name and row.depth == depth and not row.paths}
    assert table
    for rules, count in table.items():
        game = games.load(name, rules)
        assert core(game).perft(game.start(), depth) == count


def test_a_position_that_is_none_is_refused() -> None:
    game = games.load("camette")
    for position in (Position(b"\1", 0), Position(b"\xff" * 23, 0), Position(bytes(23), 7)):
        with pytest.raises(ValueError, match=r"not a position|no such piece"):
            core(game).results(position)


def test_searching_names_a_lawful_result_within_its_nodes() -> None:
    for name in GAMES:
        game = games.load(name)
        told: list[int] = []
        best = core(game).search(
            [game.start()], bytearray(1), lambda *said, told=told: told.append(said[2]), nodes=3000
        )
        assert best in game.results(game.start())
        assert told and max(told) <= 3000


def test_the_move_that_wins_is_found() -> None:
    game = games.load("cam-3d")
    position = game.play(
        game.start(), next(m for m in game.moves(game.start()) if game.write(game.start(), m) == "2B3-2B4")
    )
    best = core(game).search([position], bytearray(1), lambda *_: None, nodes=5000)
    move = next(m for m in game.moves(position) if (m.origin, m.target) == best[:2] and set(m.taken) == set(best[2]))
    outcome = game.outcome(game.play(position, move))
    assert outcome is not None and outcome.result == "0-1"


FIRST_DEPTH = 50_000
"""Nodes after which the first depth looks at no exchange any more, as opponent/core/core.h has it."""


@pytest.mark.parametrize("name", [name for name in GAMES if len(games.load(name).seats) == 2])
def test_the_first_depth_ends_on_any_position(name: str) -> None:
    """Where all can take each other in many ways an exchange has millions of lines; nobody could be answered before."""
    game, chance, most = games.load(name), random.Random(1), 0
    for _ in range(POSITIONS):
        position = scattered(game, chance, len(game.board.cells))
        if game.outcome(position) is None and game.results(position):
            nodes: list[int] = []
            core(game).search([position], bytearray(1), lambda *told, n=nodes: n.append(told[2]), depth=1)
            most = max([most, *nodes])
    assert most < 1.2 * FIRST_DEPTH
    if name == "camblam":
        assert most > FIRST_DEPTH, "none of them was crowded"
