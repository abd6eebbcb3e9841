"""What a teacher says of a move: what it gave away and to which reply, and what it threatens."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.game import Game, Move, Position, Refusal
from opponent.engines.client import Engine, Trouble
from opponent.review.worth import DECIDED, WorthLine, clamp_score, compare_with_best, find_best_line
from opponent.vocabulary import Limits

WEAK = 60
"""Hundredths of a man that a move has to give away to be spoken of; less blames moves that are as good as the best."""


@dataclass(frozen=True, slots=True)
class WeakMove:
    """A move that gave something away: what was better, by how much, and the reply that shows it.

    `takes`: pieces that the reply captures; `loses`: the game is lost after it, `missed`: a win was to be had instead.
    """

    move: str
    better: str
    cost: int
    reply: str
    takes: int
    loses: bool
    missed: bool


@dataclass(frozen=True, slots=True)
class Threat:
    """What the side that has just moved would do if it moved once more."""

    move: str
    takes: int
    wins: bool


def find_weakness(
    engine: Engine, game: Game, position: Position, move: Move, limits: Limits
) -> WeakMove | Trouble | None:
    """Why a move was weak; None if it was not."""
    found = compare_with_best(engine, game, position, move, limits)
    if found is None or isinstance(found, Trouble):
        return found
    if found.worth_lost < WEAK:
        return None
    after = game.play(position, move)
    reply = _find_reply(engine, game, after, found.made, limits)
    if isinstance(reply, Trouble):
        return reply
    answer = game.read(after, reply) if reply else None
    return WeakMove(
        move=found.made.text,
        better=found.best.text,
        cost=found.worth_lost,
        reply=reply,
        takes=len(answer.taken) if isinstance(answer, Move) else 0,
        loses=found.made.score <= -DECIDED,
        missed=found.best.is_win,
    )


def _find_reply(engine: Engine, game: Game, after: Position, made: WorthLine, limits: Limits) -> str | Trouble:
    """What answers a move: as its line says, or looked for where the line ends with it; "" if the game is over."""
    if made.onward:
        return made.onward[0]
    if game.outcome(after) is not None:
        return ""
    found = find_best_line(engine, game, after, limits)
    return found if isinstance(found, Trouble) else found.text if found else ""


def find_threat(engine: Engine, game: Game, position: Position, seat: int, limits: Limits) -> Threat | Trouble | None:
    """What `seat` threatens although another is to move: a capture or a win that is not to be had by waiting."""
    again = replace(position, seat=seat)
    if game.outcome(position) is not None or game.outcome(again) is not None or not game.moves(again):
        return None
    found = find_best_line(engine, game, again, limits)
    if found is None or isinstance(found, Trouble):
        return found
    if not (found.move.taken or found.is_win) or isinstance(game.read(again, found.text), Refusal):
        return None
    gained = _measure_gain(engine, game, position, found, limits)
    if isinstance(gained, Trouble):
        return gained
    return Threat(found.text, len(found.move.taken), wins=found.is_win) if gained >= WEAK else None


def _measure_gain(engine: Engine, game: Game, position: Position, found: WorthLine, limits: Limits) -> int | Trouble:
    """What the move would win, compared with what the other side does about it; of three seats all of it counts."""
    if len(game.seats) > 2:
        return WEAK
    other = find_best_line(engine, game, position, limits)
    if isinstance(other, Trouble):
        return other
    return 0 if other is None else clamp_score(found.score) + clamp_score(other.score)
