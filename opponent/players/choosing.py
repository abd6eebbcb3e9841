"""Which player finds the moves: by name, and by level."""

from __future__ import annotations

from engine.errors import InputError
from engine.game import Game, Move
from opponent.players import evaluation
from opponent.players.alphabeta_search import AlphaBeta
from opponent.players.deep import Deep, core_of
from opponent.players.montecarlo import MonteCarlo
from opponent.players.simple import GreedyPlayer, RandomPlayer
from opponent.players.thinking import Player, Task

PLAYER_NAMES = ("search", "playouts", "greedy", "random")


class Search:
    """The compiled search where the core has the game, else alpha-beta with an evaluation, else playouts."""

    def choose_move(self, task: Task) -> Move:
        """The move that the way for this game finds."""
        return find_strongest_player(task.game).choose_move(task)


def find_strongest_player(game: Game) -> Player:
    """The strongest player there is for a game."""
    core = core_of(game)
    if core is not None:
        return Deep(core)
    return MonteCarlo() if evaluation.find_evaluation(game) is None else AlphaBeta()


def create_player(name: str) -> Player:
    """The player of that name. InputError for an unknown one."""
    kinds: dict[str, type[Player]] = {
        "search": Search,
        "playouts": MonteCarlo,
        "greedy": GreedyPlayer,
        "random": RandomPlayer,
    }
    if name not in kinds:
        raise InputError(f"player {name!r}: not known, choose from {', '.join(PLAYER_NAMES)}")
    return kinds[name]()
