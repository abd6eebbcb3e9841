"""Figures of the engine: `python -m tests.engine.bench` lists positions a second and counts the deep perft rows."""

from __future__ import annotations

import random
from statistics import median
from time import process_time

from engine import games
from engine.game import Game, Position
from engine.perft import perft
from tests.engine.perft_table import rows

POSITIONS, PASSES = 300, 5


def midgame(game: Game, seed: int = 1) -> list[Position]:
    """Positions after 6 to 40 random moves, each of another game."""
    chance = random.Random(seed)
    found: list[Position] = []
    while len(found) < POSITIONS:
        position = game.start()
        for _ in range(chance.randint(6, 40)):
            moves = game.moves(position)
            if not moves:
                break
            position = game.play(position, chance.choice(moves))
        if game.results(position):
            found.append(position)
    return found


def main() -> None:
    """Prints one line a game and one a deep count; an assertion fails where a count is wrong."""
    for name in games.names():
        for rules in games.find(name).rule_sets:
            game = games.load(name, rules)
            positions = midgame(game)
            seconds = []
            for _ in range(PASSES):
                begun = process_time()
                results = sum(len(game.results(position)) for position in positions)
                seconds.append(process_time() - begun)
            speed = POSITIONS / median(seconds)
            print(f"{name} {rules}: {speed:.0f} positions/s of {results / POSITIONS:.0f} results", flush=True)
    for row in rows():
        if row.depth > 2:
            game = games.load(row.game, row.rules)
            begun = process_time()
            assert perft(game, game.start(), row.depth, paths=row.paths) == row.count, row
            print(f"{row}: {process_time() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
