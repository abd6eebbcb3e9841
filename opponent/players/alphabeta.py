"""Alpha-beta in Python, for every game with an evaluation: what plays where the compiled core does not.

Scores are those of the player who is to move at the root; of three, the others are taken to play against it together.
"""

from __future__ import annotations

import zlib

from engine.game import Move, Position
from opponent.players import evaluation
from opponent.players.simple import WON, after
from opponent.players.thinking import Budget, Info, Task

DEEPEST = 40
EXTENSION = 6
"""Plies of captures beyond the depth: fewer misjudge exchanges, more cost time."""


class SpentError(Exception):
    """The budget is used up."""


class AlphaBeta:
    """Iterative deepening with the best move of each position remembered and tried first."""

    def choose(self, task: Task) -> Move:
        """The best move of the last depth that was looked at whole, or of the first moves of the next."""
        search = _Search(task)
        moves = sorted(task.moves(), key=lambda move: after(task.game, task.position, move), reverse=True)
        best = moves[0]
        for depth in range(1, min(DEEPEST if task.limits.depth is None else max(1, task.limits.depth), DEEPEST) + 1):
            if len(moves) == 1 and not task.among:
                break
            try:
                best, score = search.root(moves, depth, best)
            except SpentError:
                return search.best or best
            line = (task.game.write(task.position, best),)
            task.say(Info(depth, score, search.budget.nodes, search.budget.seconds, line))
            if abs(score) >= WON - DEEPEST:
                break
        return best


class _Search:
    """One task's memory: positions on the way, best moves, nodes."""

    def __init__(self, task: Task) -> None:
        self.game = task.game
        self.budget = Budget(task)
        self.best: Move | None = None
        worth = evaluation.of(task.game)
        if worth is None:
            raise ValueError(f"{task.game.name} has no evaluation")
        self._worth = worth
        self._noise, self._seed = task.noise, task.seed
        self._position, self._seat = task.position, task.position.seat
        self._way = [*task.history[:-1], task.position]
        self._tried_first: dict[Position, Move] = {}

    def root(self, moves: list[Move], depth: int, first: Move) -> tuple[Move, int]:
        """The best of `moves` to `depth`, `first` before the others. SpentError when the budget ends before."""
        alpha, self.best = -WON * 2, None
        for move in [first, *(move for move in moves if move is not first)]:
            score = self._value(self.game.play(self._position, move), depth - 1, alpha, WON * 2, 1)
            if score > alpha:
                alpha, self.best = score, move
        return self.best or first, alpha

    def _value(self, position: Position, depth: int, alpha: int, beta: int, ply: int) -> int:
        if self.budget.spent():
            raise SpentError
        if position in self._way:
            return 0
        outcome = self.game.outcome(position)
        if outcome is not None:
            share = outcome.result.split("-")[self._seat]
            return {"1": WON - ply, "0": ply - WON}.get(share, 0)
        moves = self.game.moves(position)
        if depth <= 0 and (depth <= -EXTENSION or not all(move.taken for move in moves)):
            return self._seen(position)
        return self._best(position, self._ordered(position, moves), depth, alpha, beta, ply)

    def _seen(self, position: Position) -> int:
        """The worth of a position, seen as exactly as the task wants; the same each time."""
        score = evaluation.lead(self._worth(position), self._seat)
        if not self._noise:
            return score
        return score + zlib.crc32(position.placement, self._seed) % (2 * self._noise + 1) - self._noise

    def _ordered(self, position: Position, moves: tuple[Move, ...]) -> list[Move]:
        first = self._tried_first.get(position)
        return sorted(moves, key=lambda move: (move != first, -len(move.taken)))

    def _best(self, position: Position, moves: list[Move], depth: int, alpha: int, beta: int, ply: int) -> int:
        own = position.seat == self._seat
        best: int | None = None
        self._way.append(position)
        try:
            for move in moves:
                score = self._value(self.game.play(position, move), depth - 1, alpha, beta, ply + 1)
                if best is None or (score > best if own else score < best):
                    best = score
                    self._tried_first[position] = move
                alpha, beta = (max(alpha, score), beta) if own else (alpha, min(beta, score))
                if alpha >= beta:
                    break
        finally:
            self._way.pop()
        return best or 0
