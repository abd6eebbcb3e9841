"""What an engine thinks that moves are worth: the best few of a position, and one beside the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.game import Game, Move, Position, result_of
from opponent.engines.client import Engine, Trouble
from opponent.vocabulary import LONGEST_LINE, Limits, read_info

DECIDED = 900_000
"""A score from here up is a win that was seen, and below its negative a loss."""
MOST_SAID = 1_000
"""Hundredths of a man: what a decided game counts as, so that what it cost is a number people can read."""


@dataclass(frozen=True, slots=True)
class WorthLine:
    """A move with its worth for who makes it, in hundredths of a man, and how the game may go on after it."""

    move: Move
    text: str
    score: int
    onward: tuple[str, ...] = ()

    @property
    def is_win(self) -> bool:
        """Whether a win was seen."""
        return self.score >= DECIDED


def clamp_score(score: int) -> int:
    """The score, within MOST_SAID both ways."""
    return max(-MOST_SAID, min(MOST_SAID, score))


def find_best_line(
    engine: Engine, game: Game, position: Position, limits: Limits, among: Sequence[Move] = ()
) -> WorthLine | Trouble | None:
    """The best move of a position, or of `among`; None where the engine says no score."""
    asked = among or game.moves(position)  # named all, a move that is alone is looked at too
    texts = [game.write(position, move) for move in asked]
    fits = sum(map(len, texts)) + len(texts) < LONGEST_LINE // 2
    if among and not fits:
        return None
    reply = engine.find_move(position, (), position, limits, texts if fits else ())
    if isinstance(reply, Trouble):
        return reply
    if among and result_of(reply.move) not in {result_of(move) for move in among}:
        return Trouble("unlawful", f"{engine.name}: chose {reply.text[:40]}, which it was not asked about")
    said = read_info(reply.info)
    if said is None:
        return None
    score, onward = said
    text = game.write(position, reply.move)
    return WorthLine(reply.move, text, score, onward[1:] if onward[:1] == (text,) else ())


def list_best_lines(
    engine: Engine, game: Game, position: Position, limits: Limits, count: int
) -> tuple[WorthLine, ...] | Trouble:
    """The best moves, the best first; fewer where there are fewer, none where the engine says no scores."""
    found: list[WorthLine] = []
    left = list(game.moves(position))
    while left and len(found) < count:
        next_best = find_best_line(engine, game, position, limits, left)
        if isinstance(next_best, Trouble):
            return next_best
        if next_best is None:
            break
        found.append(next_best)
        left = [move for move in left if result_of(move) != result_of(next_best.move)]
    return tuple(sorted(found, key=lambda one: -one.score))


@dataclass(frozen=True, slots=True)
class MoveComparison:
    """A move that was made, beside the best there was."""

    best: WorthLine
    made: WorthLine

    @property
    def worth_lost(self) -> int:
        """What it gave away, in hundredths of a man; 0 for the best."""
        return max(0, clamp_score(self.best.score) - clamp_score(self.made.score))


def compare_with_best(
    engine: Engine, game: Game, position: Position, move: Move, limits: Limits
) -> MoveComparison | Trouble | None:
    """What a move was worth; None where the engine says no scores."""
    top = find_best_line(engine, game, position, limits)
    if top is None or isinstance(top, Trouble):
        return top
    if result_of(top.move) == result_of(move):
        return MoveComparison(top, top)
    made = find_best_line(engine, game, position, limits, (move,))
    return made if made is None or isinstance(made, Trouble) else MoveComparison(top, made)
