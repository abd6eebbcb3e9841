"""Alpha-beta in Python, for every game with an evaluation: what plays where the compiled core does not.

Every position has a score for each seat, and who is to move chooses by its own ("max^n"). Of two players the scores are
opposite, so that lines can be left out.
"""

from __future__ import annotations

import zlib

from engine.game import Move, Position
from opponent.players import evaluation
from opponent.players.simple import WON, rate_move
from opponent.players.thinking import Budget, Info, Task

DEEPEST = 40
EXTENSION = 6
"""Plies of captures beyond the depth: fewer misjudge exchanges, more cost time."""


class SpentError(Exception):
    """The budget is used up."""


class AlphaBeta:
    """Iterative deepening with the best move of each position remembered and tried first."""

    def choose_move(self, task: Task) -> Move:
        """The best move of the last depth that was looked at whole, or of the first moves of the next."""
        search = _Search(task)
        moves = sorted(task.candidate_moves(), key=lambda move: rate_move(task.game, task.position, move), reverse=True)
        best = moves[0]
        for depth in range(1, min(DEEPEST if task.limits.depth is None else max(1, task.limits.depth), DEEPEST) + 1):
            if len(moves) == 1 and not task.among:
                break
            try:
                best, score = search.search_root(moves, depth, best)
            except SpentError:
                return search.best or best
            line = (task.game.write(task.position, best),)
            task.say(Info(depth, score, search.budget.nodes, search.budget.elapsed_s, line))
            if abs(score) >= WON - DEEPEST:
                break
        return best


class _Search:
    """One task's memory: positions on the way, best moves, nodes."""

    def __init__(self, task: Task) -> None:
        self.game = task.game
        self.budget = Budget(task)
        self.best: Move | None = None
        worth = evaluation.find_evaluation(task.game)
        if worth is None:
            raise ValueError(f"{task.game.name} has no evaluation")
        self._worth = worth
        self._noise, self._seed = task.noise, task.seed
        self._position = task.position
        self._way = [*task.history[:-1], task.position]
        self._tried_first: dict[Position, Move] = {}

    def search_root(self, moves: list[Move], depth: int, first: Move) -> tuple[Move, int]:
        """The best of `moves` to `depth`, `first` before the others. SpentError when the budget ends before."""
        alpha, self.best = -WON * 2, None
        for move in [first, *(move for move in moves if move is not first)]:
            score = self._score_position(self.game.play(self._position, move), depth - 1, alpha, 1)[self._position.seat]
            if score > alpha:
                alpha, self.best = score, move
        return self.best or first, alpha

    def _score_position(self, position: Position, depth: int, least: int, ply: int) -> tuple[int, ...]:
        """What each seat gets. `least` is what who moved before has already: of two, less need not be known exactly."""
        if self.budget.count_node():
            raise SpentError
        seats = len(self.game.seats)
        if position in self._way:
            return (0,) * seats
        outcome = self.game.outcome(position)
        if outcome is not None:
            decided = {"1": WON - ply, "0": ply - WON}
            return tuple(decided.get(share, 0) for share in outcome.result.split("-"))
        moves = self.game.moves(position)
        if depth <= 0 and (depth <= -EXTENSION or not all(move.taken for move in moves)):
            return self._evaluate_position(position)
        return self._search_moves(position, self._order_moves(position, moves), depth, least, ply)

    def _evaluate_position(self, position: Position) -> tuple[int, ...]:
        """The worth of a position, seen as exactly as the task wants; the same each time."""
        worth = self._worth(position)
        wrong = 0
        if self._noise:
            wrong = zlib.crc32(position.placement, self._seed) % (2 * self._noise + 1) - self._noise
        own = self._position.seat
        return tuple(
            evaluation.measure_lead(worth, seat) + (wrong if seat == own else -wrong // (len(worth) - 1))
            for seat in range(len(worth))
        )

    def _order_moves(self, position: Position, moves: tuple[Move, ...]) -> list[Move]:
        first = self._tried_first.get(position)
        return sorted(moves, key=lambda move: (move != first, -len(move.taken)))

    def _search_moves(self, position: Position, moves: list[Move], depth: int, least: int, ply: int) -> tuple[int, ...]:
        best: tuple[int, ...] = ()
        most, seat = -WON * 2, position.seat
        self._way.append(position)
        try:
            for move in moves:
                found = self._score_position(self.game.play(position, move), depth - 1, most, ply + 1)
                if found[seat] > most:
                    best, most = found, found[seat]
                    self._tried_first[position] = move
                if len(found) == 2 and -most <= least:
                    break
        finally:
            self._way.pop()
        return best
