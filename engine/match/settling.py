"""How people may say that a game ended which was put away or is over, and what that comes to."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import InputError
from engine.game import (
    BY_RULING,
    FORFEITS,
    FORFEITS_OF_ALL,
    RESIGNED,
    drawn_result,
    has_pieces,
    lost_by_all,
    result_text,
)
from engine.match.acts import AS_DRAWN, AS_UNFINISHED, EVERYBODY, WINS
from engine.match.events import Settled
from engine.match.state import Match


def list_settlements(match: Match) -> tuple[str, ...]:
    """What people may say of a game that was put away: drawn, which of two sides has resigned, or not finished. Of
    three, who has resigned settles nothing before one of them is out."""
    playing = _list_playing(match)
    return (AS_DRAWN, *(playing if len(playing) == 2 else ()), AS_UNFINISHED)


def list_endings(match: Match) -> tuple[str, ...]:
    """What an arbiter may say of a game that is over or was put away: what all may, and `white-time`, `all-absence`,
    `draw-ruling`. Of three, who has won by a ruling: who lost does not say who won."""
    seats = match.game.seats
    of_sides = tuple(f"{seat}-{why}" for seat in seats for why in (FORFEITS if len(seats) == 2 else (WINS,)))
    return (
        *list_settlements(match),
        f"{AS_DRAWN}-{BY_RULING}",
        *of_sides,
        *(f"{EVERYBODY}-{w}" for w in FORFEITS_OF_ALL),
    )


def build_settled(how: str, match: Match, t: float, known: Sequence[str] = ()) -> Settled:
    """What it comes to that `match` ended so. InputError for what is none of `known`, by default what all may say."""
    seats = match.game.seats
    known = known or list_settlements(match)
    if how not in known:
        raise InputError(f"settle: choose from {', '.join(known)}")
    if how == AS_UNFINISHED:
        return Settled(t, "*", AS_UNFINISHED)
    who, _, why = how.partition("-")
    if who == AS_DRAWN:
        return Settled(t, drawn_result(match.game, match.position), why or "agreement")
    if who == EVERYBODY:
        return Settled(t, lost_by_all(len(seats)), why)
    if why == WINS:
        return Settled(t, result_text(len(seats), seats.index(who)), BY_RULING)
    winner = next(side for side in _list_playing(match) if side != who)
    return Settled(t, result_text(len(seats), seats.index(winner)), why or RESIGNED, who)


def _list_playing(match: Match) -> tuple[str, ...]:
    """The sides that could lose: of three those that are still in the game."""
    seats = match.game.seats
    return seats if len(seats) == 2 else tuple(s for s in seats if has_pieces(match.game, match.position, s))
