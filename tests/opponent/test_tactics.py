"""Positions of Camelot with one best move: lawful, and found by the nodes that a slow machine looks at in a second."""

from __future__ import annotations

from engine import games
from engine.game import Move, result_of
from opponent.vocabulary import Limits
from tests.opponent.tactics import best, rows

LEAST, SHARE = 20, 0.8
NODES = Limits(nodes=100_000)


def test_the_table_is_lawful_and_four_of_five_are_solved() -> None:
    game, solved = games.load("camelot", "wcf"), 0
    table = rows()
    assert len({position for position, _ in table}) == len(table) >= LEAST
    for position, text in table:
        wanted = game.read(position, text)
        assert isinstance(wanted, Move), text
        solved += result_of(best(game, position, NODES)[0]) == result_of(wanted)
    assert solved >= SHARE * len(table), solved
