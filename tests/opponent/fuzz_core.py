"""The compiled core against the rules in Python, built with the address and undefined-behaviour sanitizers.

`python -m tests.opponent.fuzz_core --positions 100000` takes an hour of a core. Positions of all games, their rule sets
and switches set at random: pieces anywhere (`drawn`), pieces crowded so that chains of jumps branch (`crowded`),
and lines of play from both. Each is listed and judged by both, and searched by the core for a moment.
What differs is printed and ends it; so does what a sanitizer finds.
"""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from engine import games
from engine.game import Game, Position
from opponent.players.deep import core_of
from tests.opponent.drawn import GAMES, crowded, lines, rule_sets
from tests.opponent.test_core import compare

ROOT = Path(__file__).parents[2]
CORE = ROOT / "opponent" / "core"
BUILT = ROOT / "build" / "sanitized"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g", "-O1"]
SWITCHED = 12
"""Rule sets with switches set at random, for each named one."""
AT_ONCE = 400
"""Positions under a rule set before another is drawn; more draws fewer rule sets, each of which is loaded for half a
second."""
SCATTERED = 20
"""Positions that are drawn, with what play makes of them, for each that is crowded step by step."""
SEARCHED = 40
"""Of so many positions one is searched too."""
SEARCH_NODES = 300


def build() -> Path:
    """The core with the sanitizers in it, made anew where its sources are newer."""
    sources = sorted(CORE.glob("*.c"))
    built = BUILT / "_compiled.so"
    newest = max(file.stat().st_mtime for file in (*sources, *CORE.glob("*.h")))
    if not built.exists() or built.stat().st_mtime < newest:
        BUILT.mkdir(parents=True, exist_ok=True)
        compiler = ["gcc", "-shared", "-fPIC", "-std=gnu11", *SANITIZERS, f"-I{sysconfig.get_path('include')}"]
        subprocess.run([*compiler, *map(str, sources), "-o", str(built)], check=True)
    return built


def sanitized_environment() -> dict[str, str]:
    """What Python must be started with, which was not built with the sanitizer: its library first, leaks its own."""
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    options = "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1"
    return {
        **os.environ,
        "LD_PRELOAD": library.stdout.strip(),
        "ASAN_OPTIONS": options,
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "FUZZED_CORE": str(build()),
    }


def use(built: Path) -> None:
    """From now on the core is that file."""
    spec = importlib.util.spec_from_file_location("opponent.core._compiled", built)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{built}: cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["opponent.core._compiled"] = module


def positions(game: Game, chance: random.Random) -> Iterator[Position]:
    """Without an end: any, and crowded ones."""
    while True:
        for _ in range(SCATTERED):
            yield from lines(game, chance)
        yield from crowded(game, chance)


def search(game: Game, position: Position, chance: random.Random) -> None:
    """Searches for a moment, and asserts that what is found is lawful."""
    core = core_of(game)
    lawful = game.results(position)
    if core is None or not lawful:
        return
    stop = bytearray(1)
    found = core.search(
        [position],
        stop,
        lambda *said: None,
        nodes=SEARCH_NODES,
        noise=chance.choice((0, 6)),
        seed=chance.randrange(99),
    )
    assert found in lawful, (game.name, game.rules, position, found)


def fuzz(count: int, seed: int) -> None:
    """Compare so many positions; AssertionError where something differs."""
    chance, done, most, begun = random.Random(seed), 0, 0, time.monotonic()
    while done < count:
        for name in GAMES:
            sets = tuple(rule_sets(name, chance, SWITCHED))
            game = games.load(name, chance.choice(sets))
            for position in islice(positions(game, chance), min(AT_ONCE, count - done)):
                most = max(most, compare(game, position))
                if done % SEARCHED == 0:
                    search(game, position, chance)
                done += 1
        click.echo(f"{done} positions, none differs; at most {most} results; {time.monotonic() - begun:.0f} s")


@click.command()
@click.option("--positions", "count", default=100_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--plain", is_flag=True, help="The core as it is installed, without sanitizers.")
def command(count: int, seed: int, plain: bool) -> None:
    """Compare the core with the rules in Python."""
    built = os.environ.get("FUZZED_CORE")
    if plain or built:
        if built:
            use(Path(built))
        fuzz(count, seed)
        return
    asked = [sys.executable, "-m", "tests.opponent.fuzz_core", "--positions", str(count), "--seed", str(seed)]
    sys.exit(subprocess.run(asked, check=False, env=sanitized_environment(), cwd=ROOT).returncode)


if __name__ == "__main__":
    command()
