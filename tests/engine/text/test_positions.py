"""Positions as JSON: known positions with all their results, and every fault named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import games
from engine.errors import InputError
from engine.game import Game
from engine.text import positions

FOLDER = Path(__file__).parents[2] / "data" / "positions"

# Listed by another program. `results` are lawful under every reading of the rules, `extra` only under readings that
# are not the rule set's own. The second reading, where there is one, gives `results` (and `extra`) and nothing else.
FILES = [
    ("camelot_wcf", "camelot", "wcf", "wcf"),
    ("camelot_brainking", "camelot", "brainking", "brainking,charge_must_capture=on"),
    ("tri_camelot", "tri-camelot", "wcf", "wcf"),
    ("cam3d", "cam-3d", "wcf", "wcf,castle_entry_ends_jumps=off"),
]

START = {"game": "camelot", "to_move": "white", "cells": {"C6": "WN", "C11": "BN"}}

FAULTS = [
    ([], "no JSON object"),
    ({}, 'give "game"'),
    ({"game": 7}, 'give "game"'),
    ({**START, "game": "chess"}, "'chess'"),
    ({**START, "rules": "parker"}, "'parker'"),
    ({**START, "rules": ["wcf"]}, "['wcf']"),
    ({**START, "rules": "wcf,colour=red"}, "'colour'"),
    ({**START, "rules": "wcf,castle_move_limit=-1"}, "castle_move_limit=-1"),
    ({**START, "rules": "wcf,charge_must_capture=maybe"}, "on, off"),
    ({**START, "to_move": "red"}, "'red'"),
    ({**START, "to_move": ["white"]}, "'white'"),
    ({**START, "cells": {"A1": "WN"}}, "'A1'"),
    ({**START, "cells": {"C6": "WQ"}}, "'WQ'"),
    ({**START, "cells": {"C6": ""}}, "''"),
    ({**START, "cells": {"C6": ["WN"]}}, "['WN']"),
    ({**START, "cells": "C6 WN"}, '"cells"'),
    ({"game": "camette", "cells": dict.fromkeys(("A3", "B3", "C3", "D3", "E3"), "BM")}, "black has 5 pieces"),
    ({**START, "turn": 1}, "'turn'"),
    ({**START, "": 1}, "''"),
    ({**START, "castle_moves": 2}, "castle_moves"),
    ({**START, "castle_moves": {"red": 2}}, "'red'"),
    ({**START, "castle_moves": {"white": True}}, "True"),
    ({**START, "castle_moves": {"white": -1}}, "-1"),
    ({**START, "castle_moves": {"white": 10**400}}, "white"),
]


def listed(game: Game, data: dict[str, object]) -> set[tuple[str, ...]]:
    """(from, to, captured by name...) of every result."""
    _, position = positions.from_json({**data, "rules": game.rules}, game)
    cell = game.board.cells
    return {(cell[a], cell[b], *sorted(cell[c] for c in taken)) for a, b, taken, _ in game.results(position)}


@pytest.mark.parametrize(("file", "name", "rules", "reading"), FILES)
def test_known_positions_have_the_results_that_are_known(file: str, name: str, rules: str, reading: str) -> None:
    for line in (FOLDER / f"{file}.jsonl").read_text().splitlines():
        known = json.loads(line)
        must = {(a, b, *sorted(taken)) for a, b, taken in known["results"]}
        may = {(a, b, *sorted(taken)) for a, b, taken in known["extra"]}
        found = listed(games.load(name, rules), known["position"])
        assert must <= found, known["id"]
        assert not found & may, known["id"]
        assert must <= listed(games.load(name, reading), known["position"]) <= must | may, known["id"]


@pytest.mark.parametrize(("data", "named"), FAULTS, ids=[named for _, named in FAULTS])
def test_each_fault_of_a_position_is_named_in_a_line(data: object, named: str) -> None:
    with pytest.raises(InputError) as error:
        positions.from_json(data)
    assert named in str(error.value)
    assert "\n" not in str(error.value)


def test_what_may_be_left_out() -> None:
    game, position = positions.from_json({"game": "camelot", "cells": {"C6": "WN"}})
    assert (game.rules, position.seat, position.memory) == ("brainking", 0, (0, 0))


def test_asked_game_and_rules_fill_gaps_and_must_agree() -> None:
    assert positions.game_of({"cells": {}}, "camelot", "wcf").rules == "wcf"
    for name, rules in (("cam-3d", None), (None, "brainking")):
        with pytest.raises(InputError, match="change one of them"):
            positions.game_of({"game": "camelot", "rules": "wcf"}, name, rules)


def test_castle_moves_are_kept() -> None:
    data = {**START, "rules": "wcf", "castle_moves": {"black": 1}}
    game, position = positions.from_json(data)
    assert position.memory == (0, 1)
    assert positions.to_json(game, position)["castle_moves"] == {"white": 0, "black": 1}


@pytest.mark.parametrize(("said", "turn"), [("blue", "red"), ("red", "red"), ("green", "green")])
def test_of_who_must_pass_the_next_is_to_move(said: str, turn: str) -> None:
    """Set up with blue to move, who has nothing left, the game was not over, and nobody could go on."""
    data = {"game": "tri-camelot", "to_move": said, "cells": {"F15": "GN", "I10": "GM", "B17": "RN", "H7": "RM"}}
    game, position = positions.from_json(data)
    assert game.seats[position.seat] == turn
    assert game.moves(position)
