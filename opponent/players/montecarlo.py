"""Monte-Carlo tree search (UCT): the way for games that bring rules and no evaluation, of any number of players."""

from __future__ import annotations

import math
import random

from engine.game import Game, Move, Outcome, Position
from opponent.players.thinking import Budget, Info, Task

CURIOSITY = 1.0
"""Weight of what was tried seldom: more looks wider, less deeper."""
LONGEST_PLAYOUT = 200
"""Plies after which a game played at random is a draw."""
PLAYOUTS = 800
"""For a task without limits."""
SAY_EVERY = 200


class _Node:
    """A position that was met: for each move what came of it."""

    def __init__(self, game: Game, position: Position, chance: random.Random) -> None:
        self.position = position
        self.outcome = game.outcome(position)
        self.untried = [] if self.outcome else list(game.moves(position))
        chance.shuffle(self.untried)
        self.children: list[tuple[Move, _Node]] = []
        self.visits = 0
        self.reward = [0.0] * len(game.seats)

    def select_child(self) -> tuple[Move, _Node]:
        """The child that is worth another look: what it won, and how little it was tried."""
        seat, log = self.position.seat, math.log(self.visits)
        return max(
            self.children,
            key=lambda child: child[1].reward[seat] / child[1].visits + CURIOSITY * math.sqrt(log / child[1].visits),
        )


class MonteCarlo:
    """Plays positions out at random, more often those that went well."""

    def choose_move(self, task: Task) -> Move:
        """The move that was tried most."""
        game, chance = task.game, random.Random(task.seed * 100_003 + len(task.history))
        root, budget = _Node(game, task.position, chance), Budget(task)
        root.untried = [move for move in root.untried if not task.among or move in task.among]
        unlimited = task.limits.nodes is None and task.time_limit_s() is None
        while not (budget.count_node() or (unlimited and budget.nodes > PLAYOUTS)):
            if not root.untried and len(root.children) == 1 and not task.among:
                break
            _run_playout(game, root, chance)
            if budget.nodes % SAY_EVERY == 0:
                task.say(_build_info(game, root, budget))
        if not root.children:
            return root.untried[0]
        task.say(_build_info(game, root, budget))
        return max(root.children, key=lambda child: child[1].visits)[0]


def _run_playout(game: Game, root: _Node, chance: random.Random) -> None:
    """Down the tree, one node more, a game at random from there, and its result to all on the way."""
    node, way = root, [root]
    while not node.untried and node.children:
        node = node.select_child()[1]
        way.append(node)
    if node.untried:
        move = node.untried.pop()
        child = _Node(game, game.play(node.position, move), chance)
        node.children.append((move, child))
        way.append(child)
    rewards = share_points(_play_out(game, way[-1], chance), len(game.seats))
    for met in way:
        met.visits += 1
        met.reward = [had + got for had, got in zip(met.reward, rewards, strict=True)]


def _play_out(game: Game, node: _Node, chance: random.Random) -> Outcome | None:
    position, outcome = node.position, node.outcome
    for _ in range(LONGEST_PLAYOUT):
        if outcome is not None:
            return outcome
        position = game.play(position, chance.choice(game.moves(position)))
        outcome = game.outcome(position)
    return outcome


def share_points(outcome: Outcome | None, seats: int) -> list[float]:
    """What each seat gets: 1 for a win; equal parts of a draw, or of a game without an end."""
    if outcome is None or "/" in outcome.result:
        return [1 / seats] * seats
    return [float(share) for share in outcome.result.split("-")]


def _build_info(game: Game, root: _Node, budget: Budget) -> Info:
    """`score`: how much more than an equal share the most tried move wins, 100 for all."""
    move, child = max(root.children, key=lambda child: child[1].visits)
    won = child.reward[root.position.seat] / child.visits
    score = round(200 * won - 100)
    return Info(1, score, budget.nodes, budget.elapsed_s, (game.write(root.position, move),))
