"""The search of the compiled core, told what places are worth; what plays where there is a core."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from engine.camblam.mechanism import Camblam
from engine.camelot.family import FamilyGame
from engine.game import Game, Move, Position, Result, result_of
from opponent.core.compiled import CompiledGame, load_core
from opponent.core.tables import pack_camblam, pack_family
from opponent.players.evaluation import build_camblam_tables, build_family_tables, measure_castle_ways
from opponent.players.thinking import Info, Task, ignore_info

THREAT, LINK, TEMPO, RACE = 15, 2, 10, 6
"""Hundredths of a man: for a piece that can be jumped, for a friend to canter over, for the move, and for each step
that one of the two foremost pieces is nearer to the castle. More makes the search chase that."""
LINE_SHOWN = 6
"""Moves of the best line that are written; each takes a listing in Python."""


def new_core(game: Game) -> CompiledGame | None:
    """The game in a compiled core that remembers nothing yet, None where it is not."""
    if isinstance(game, FamilyGame):
        return load_core(
            pack_family(game, measure_castle_ways(game)),
            tuple(chain.from_iterable(build_family_tables(game))),
            (THREAT, LINK, TEMPO, RACE),
        )
    if isinstance(game, Camblam):
        return load_core(
            pack_camblam(game, game.readings), tuple(chain.from_iterable(build_camblam_tables(game))), (0, 0, TEMPO, 0)
        )
    return None


def core_of(game: Game) -> CompiledGame | None:
    """The game in the compiled core that all who ask share, None where it is not."""
    return _share_core(game) if isinstance(game, FamilyGame | Camblam) else None


@lru_cache(maxsize=16)
def _share_core(game: FamilyGame | Camblam) -> CompiledGame | None:
    return new_core(game)


class Deep:
    """Finds moves with the core of one game."""

    def __init__(self, core: CompiledGame) -> None:
        self._core = core

    def choose_move(self, task: Task) -> Move:
        """The best move within the limits."""
        limits = task.limits

        def report_progress(depth: int, score: int, nodes: int, seconds: float, line: list[Result]) -> None:
            if task.say is ignore_info:  # writing the line takes longer than a shallow search
                return
            task.say(Info(depth, score, nodes, seconds, format_results(task.game, task.position, line[:LINE_SHOWN])))

        best = self._core.search(
            task.history,
            task.stop,
            report_progress,
            nodes=limits.nodes,
            seconds=task.time_limit_s(),
            depth=limits.depth,
            noise=task.noise,
            seed=task.seed,
            among=frozenset(result_of(move) for move in task.among),
        )
        return move_of(task.game, task.position, best)


def move_of(game: Game, position: Position, result: Result) -> Move:
    """The lawful move with that result."""
    return next(move for move in game.moves(position) if result_of(move) == result)


def format_results(game: Game, position: Position, line: list[Result]) -> tuple[str, ...]:
    """Results in a row as notation."""
    texts = []
    for result in line:
        move = move_of(game, position, result)
        texts.append(game.write(position, move))
        position = game.play(position, move)
    return tuple(texts)
