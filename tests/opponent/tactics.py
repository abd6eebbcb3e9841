"""Positions of Camelot with one best move, and whether it is found in a second: `python -m tests.opponent.tactics`.

`--find` looks for such positions in games that two levels play, and writes them: each has a best move that is worth at
least 150 hundredths of a man more than any other to a search of 250,000 nodes, and that a look at the captures of the
move itself (the greedy player) does not find.
"""

from __future__ import annotations

import sys
from pathlib import Path

from engine import games
from engine.game import Game, Move, Position, result_of
from opponent.contest.openings import draw_opening
from opponent.players.deep import core_of
from opponent.players.simple import GreedyPlayer
from opponent.players.thinking import Info, Task
from opponent.vocabulary import Limits, read_position, write_position

TABLE = Path(__file__).parents[1] / "data" / "positions" / "camelot-tactics.txt"
DEEP, QUICK = 250_000, 2_500
MARGIN = 150
SECOND_MS = 1000
WANTED = 24


def best(game: Game, position: Position, limits: Limits, among: tuple[Move, ...] = ()) -> tuple[Move, int]:
    """The best move, of `among` if given, and its worth."""
    core = core_of(game)
    if core is None:
        raise SystemExit("no compiled core: run `pip install -e .` where a compiler is")
    said: list[Info] = []
    from_ = frozenset(result_of(move) for move in among or game.moves(position))

    def told(depth: int, score: int, nodes: int, seconds: float, line: object) -> None:
        said.append(Info(depth, score, nodes, seconds))

    found = core.search(
        [position],
        bytearray(1),
        told,
        nodes=limits.nodes,
        seconds=None if limits.movetime_ms is None else limits.movetime_ms / 1000,
        among=from_,
    )
    move = next(move for move in game.moves(position) if result_of(move) == found)
    return move, said[-1].score if said else 0


def alone(game: Game, position: Position, nodes: int) -> Move | None:
    """The move that is better than every other by MARGIN; None if none is."""
    first, score = best(game, position, Limits(nodes=nodes))
    others = tuple(move for move in game.moves(position) if result_of(move) != result_of(first))
    if not others or len(others) < 3:
        return None
    return first if score - best(game, position, Limits(nodes=nodes), others)[1] >= MARGIN else None


def rows() -> list[tuple[Position, str]]:
    """The positions of the table, each with its best move."""
    game = games.load("camelot", "wcf")
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            *words, move = line.split()
            found.append((read_position(game, words), move))
    return found


def find() -> None:
    """Writes positions as they come, a line each."""
    game = games.load("camelot", "wcf")
    found, number = 0, 0
    while found < WANTED:
        number += 1
        position = game.start()
        for move in draw_opening(game, 8, number):
            position = game.play(position, move)
        for _ in range(40):
            if game.outcome(position) is not None or found >= WANTED:
                break
            if alone(game, position, QUICK) is not None:
                only = alone(game, position, DEEP)
                task = Task(game, (position,))
                if only is not None and result_of(GreedyPlayer().choose_move(task)) != result_of(only):
                    print(write_position(game, position), game.write(position, only), flush=True)
                    found += 1
            position = game.play(position, best(game, position, Limits(nodes=800 + 20 * number))[0])


def main() -> None:
    """Prints each position that is not solved in a second, and how many are."""
    if "--find" in sys.argv:
        find()
        return
    game, solved = games.load("camelot", "wcf"), 0
    for position, text in rows():
        wanted = game.read(position, text)
        found = best(game, position, Limits(movetime_ms=SECOND_MS))[0]
        right = isinstance(wanted, Move) and result_of(found) == result_of(wanted)
        solved += right
        if not right:
            print(f"{write_position(game, position)}: {game.write(position, found)}, best is {text}")
    print(f"{solved} of {len(rows())} solved in {SECOND_MS / 1000:g} s each")


if __name__ == "__main__":
    main()
