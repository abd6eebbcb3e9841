"""What a refusal shows: lawful movements of the very position, for every rule that refuses and in every game."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

import engine
from engine import games
from engine.explain.demonstration import Step, StepKind, build_demonstration
from engine.explain.why import why_placement
from engine.game import Game, Move, Position, Refusal
from tests.engine.explain.test_why import FAR, PLACEMENTS, changed
from tests.engine.stand import stand

DUTIES = {"must-jump", "must-jump-out", "must-capture-after-canter", "must-continue", "must-leave-castle"}
"""Rules that demand something: what they demand is what is shown."""
WRITTEN = [
    ("not-yours", "E6-E7", "WM E5, BM E6"),
    ("no-piece", "E9-E10", "WM E5"),
    ("occupied", "E5-E6", "WM E5 E6"),
    ("off-board", "E5-Z99", "WM E5"),
    ("unreadable", "hello", "WM E5"),
    ("right-hand-castle", "F1-G1", "WM F1"),
]


def check(game: Game, position: Position, tried: list[int], refusal: Refusal) -> list[Move]:
    """Every movement that is shown is a lawful move of this position, from its first leg to what it takes."""
    steps = build_demonstration(game, position, tried, refusal.instead)
    assert steps[0] == Step(StepKind.TRIED, tuple(tried), position.placement)
    assert len(steps) > 1, refusal
    moves = []
    for notation, group in groupby((step for step in steps if step.notation), lambda step: step.notation):
        shown = list(group)
        move = game.read(position, notation)
        assert isinstance(move, Move), (notation, move)
        legs = [step.cells for step in shown if step.deed is StepKind.LEG]
        assert legs == [pair for pair in zip(move.path, move.path[1:], strict=False) if pair[0] != pair[1]]
        assert [step.cells for step in shown if step.deed is StepKind.TAKE] == ([move.taken] if move.taken else [])
        assert shown[-1].placement == game.play(position, move).placement
        moves.append(move)
    assert moves or (steps[-1].deed is StepKind.MAY and steps[-1].cells)
    return moves


@pytest.mark.parametrize(("what", "changes", "pieces", "code"), PLACEMENTS, ids=[row[0] for row in PLACEMENTS])
def test_what_stands_on_the_board(what: str, changes: str, pieces: str, code: str) -> None:
    game, position = stand("camelot wcf", "white", pieces + FAR)
    placement = changed(game, position, changes)
    tried = [cell for cell, piece in enumerate(placement) if piece != position.placement[cell]]
    refusal = why_placement(game, position, placement)
    moves = check(game, position, tried, refusal)
    if refusal.code in DUTIES:
        assert moves and {game.write(position, move) for move in moves} <= set(refusal.instead)
        assert refusal.code == "must-leave-castle" or all(move.taken for move in moves)


@pytest.mark.parametrize(("code", "text", "pieces"), WRITTEN, ids=[row[0] for row in WRITTEN])
def test_what_was_written(code: str, text: str, pieces: str) -> None:
    game, position = stand("camelot wcf", "white", pieces + FAR)
    refusal = game.read(position, text)
    assert isinstance(refusal, Refusal)
    named = [game.board.index[cell] for cell in re.findall(r"[A-L]\d+", text) if cell in game.board.index]
    check(game, position, named, refusal)


def test_a_game_that_is_over_shows_what_ended_it() -> None:
    game, position = stand("camelot wcf", "black", "WM F16 G16, BM E6 E8")
    assert game.outcome(position) is not None
    steps = build_demonstration(game, position, [])
    assert [game.board.cells[cell] for cell in steps[-1].cells] == ["F16", "G16"]


@pytest.mark.parametrize("name", games.names())
def test_every_game_shows_why(name: str) -> None:
    """Pieces put on cells near and far in the course of games: whatever the rule, something lawful is shown."""
    for rules in games.find(name).rule_sets:
        game = games.load(name, rules)
        chance, position = np.random.default_rng(7), game.start()
        for _ in range(25):
            moves = game.moves(position)
            if not moves:
                break
            for _ in range(6):
                tried = _attempt(game, position, chance)
                placement = bytearray(position.placement)
                placement[tried[1]], placement[tried[0]] = placement[tried[0]], 0
                if bytes(placement) not in {game.play(position, move).placement for move in moves}:
                    check(game, position, sorted(tried), why_placement(game, position, bytes(placement)))
            position = game.play(position, moves[int(chance.integers(len(moves)))])


def _attempt(game: Game, position: Position, chance: np.random.Generator) -> tuple[int, int]:
    occupied = [cell for cell, piece in enumerate(position.placement) if piece]
    origin = int(chance.choice(occupied))
    near = [cell for cell in (*game.board.steps[origin], *game.board.leaps[origin]) if cell >= 0]
    return origin, int(chance.choice(near if chance.random() < 0.8 else range(len(position.placement))))


def test_castle_moves_that_are_used_up() -> None:
    game, position = stand("camelot wcf", "white", "WM F16 E5" + FAR)
    position = replace(position, memory=tuple(2 for _ in position.memory))
    refusal = game.read(position, "F16-G16")
    assert isinstance(refusal, Refusal) and refusal.code == "castle-moves-used"
    check(game, position, [game.board.index["F16"]], refusal)


def test_every_code_that_is_shown() -> None:
    """The others are met by the games' own runs above, or by what is written; two are said of records."""
    shown = {code for *_, code in PLACEMENTS} | {code for code, *_ in WRITTEN} | {"castle-moves-used"}
    folder = Path(engine.__file__).parent
    source = "".join(path.read_text() for path in folder.rglob("*.py"))
    known = set(re.findall(r'build_refusal\(\s*"([a-z-]+)"', source))
    assert known - shown == {
        "ambiguous",
        "blocked",
        "check",
        "ends-where-it-began",
        "game-over",
        "number",
        "out-of-range",
        "result",
    }  # a record says "number" and "result"
