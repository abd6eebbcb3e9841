"""Figures of the compiled core: `python -m tests.opponent.bench` lists positions a second and counts deep."""

from __future__ import annotations

from statistics import median
from time import process_time

from engine import games
from opponent.players.deep import core_of
from tests.engine.bench import POSITIONS, midgame
from tests.opponent.drawn import GAMES

PASSES, ROUNDS = 50, 5
DEPTH = 4


def main() -> None:
    """One line a game and rule set for listing, one for counting."""
    for name in GAMES:
        for rules in games.find(name).rule_sets:
            game = games.load(name, rules)
            core = core_of(game)
            if core is None:
                raise SystemExit("no compiled core: run `pip install -e .` where a compiler is")
            positions = midgame(game)
            seconds = []
            for _ in range(ROUNDS):
                begun = process_time()
                core.listed(positions, PASSES)
                seconds.append(process_time() - begun)
            print(f"{name} {rules}: {POSITIONS * PASSES / median(seconds):.0f} positions/s listed", flush=True)
            begun = process_time()
            count = core.perft(game.start(), DEPTH)
            print(f"{name} {rules}: {count} lines of {DEPTH} moves in {process_time() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
