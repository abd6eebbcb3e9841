"""What is believed of the board, how surely, and what decided it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.belief.hypotheses import Hypothesis
from engine.belief.verdicts import Verdict
from engine.explain.reasons import Reason
from engine.game import Game, Move, Position, Refusal


@dataclass(frozen=True, slots=True)
class Opinion:
    """A verdict with its probability, how long it must stand before it is acted on, and what decided it."""

    verdict: Verdict
    probability: float
    reason: Reason
    after_s: float = 0.0
    settled: bool = False
    """Whether it is known what stands in every cell that is seen."""
    best: tuple[tuple[float, Hypothesis], ...] = ()
    """The likeliest explanations with their probabilities."""


def format_moves(game: Game, position: Position, moves: Sequence[Move]) -> str:
    """Moves one after another, as notation."""
    out = []
    for move in moves:
        out.append(game.write(position, move))
        position = game.play(position, move)
    return " ".join(out)


NO_MOVE = "no move"
"""The answer to a question that nothing was played."""


def read_moves(game: Game, position: Position, text: str) -> tuple[Move, ...] | Refusal:
    """The moves that `format_moves` has written, or the one that somebody wrote with blanks in it."""
    whole = game.read(position, text)
    if isinstance(whole, Move):
        return (whole,)
    moves = list[Move]()
    for word in text.split():
        found = game.read(position, word)
        if isinstance(found, Refusal):
            return found if moves else whole
        moves.append(found)
        position = game.play(position, found)
    return tuple(moves) or whole
