"""Two players to measure others by: one plays anything, the other what looks best after one move."""

from __future__ import annotations

import random

from engine.game import Game, Move, Position
from opponent.players import evaluation
from opponent.players.thinking import Task

WON = 1_000_000


class RandomPlayer:
    """Any lawful move."""

    def choose_move(self, task: Task) -> Move:
        """One of them, by the seed of the task and how long the game is."""
        return _seeded_random(task).choice(task.candidate_moves())


class GreedyPlayer:
    """Wins if it can, else takes the most, else comes nearest to the castle; looks one move ahead."""

    def choose_move(self, task: Task) -> Move:
        """The move with the best placement after it, one of the best by chance."""
        moves = task.candidate_moves()
        scores = [rate_move(task.game, task.position, move) for move in moves]
        best = max(scores)
        return _seeded_random(task).choice([move for move, score in zip(moves, scores, strict=True) if score == best])


def rate_move(game: Game, position: Position, move: Move) -> int:
    """How good the position after `move` looks to who made it."""
    following = game.play(position, move)
    outcome = game.outcome(following)
    if outcome is not None:
        share = outcome.result.split("-")[position.seat]
        return {"1": WON, "0": -WON}.get(share, 0)
    worth = evaluation.find_evaluation(game)
    if worth is None:
        return len(move.taken)
    return evaluation.measure_lead(worth(following), position.seat)


def _seeded_random(task: Task) -> random.Random:
    return random.Random(task.seed * 100_003 + len(task.history))
