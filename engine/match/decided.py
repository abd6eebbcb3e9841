"""What a wish was decided on, and what has happened since: one that comes too late is refused.

Two people, two tabs, a double click, an old page, a phone that slept: each wish is granted once, on what was seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.match.acts import Act, Correct
from engine.match.state import Match, Phase


@dataclass(frozen=True, slots=True)
class DecidedOn:
    """The game, how many plies it had, and the number of the state (Match.number) that somebody saw.

    `state` is 0 where it is not known: then anything that has changed since the service began is too much.
    """

    game: str
    ply: int
    state: int = 0


@dataclass(frozen=True, slots=True)
class SinceDecided:
    """What has happened since: `what` is one of SINCE. `move` is the last move, where one was made."""

    what: str
    move: str | None = None


SINCE: Mapping[str, str] = {
    "new-game": "another game has begun since",
    "played": "{move} was played since",
    "taken-back": "moves were taken back since",
    "over": "the game has ended since",
    "rest": "the game was paused or adjourned since",
    "changed": "the game has changed since",
    "named": "somebody else has changed the same of players and event since",
    "answered": "the question was answered since, or the board shows something else",
}
"""Why a wish comes too late, in words."""


def find_change_since(match: Match, name: str, seen: DecidedOn, asked: Act | None) -> SinceDecided | None:
    """What has happened since `seen` that the wish did not know; None if that is nothing.

    `name` is the game on the board. A wish that is no act (None) is about the game, whatever was played meanwhile.
    """
    if seen.game != name:
        return SinceDecided("new-game")
    if asked is None:
        return None
    if isinstance(asked, Correct) and _answers_open_ply(match, asked):
        return None
    played = len(match.moves)
    if played > seen.ply:
        return SinceDecided("played", match.game.write(match.positions[-2], match.moves[-1]))
    if played < seen.ply:
        return SinceDecided("taken-back")
    if seen.state < match.course:
        return SinceDecided("over" if match.phase is Phase.OVER else "rest" if match.is_resting else "changed")
    answers = isinstance(asked, Correct) and asked.ply > played
    return SinceDecided("answered") if answers and seen.state < match.number else None


def _answers_open_ply(match: Match, asked: Correct) -> bool:
    """Whether a wish says which move a ply was of which that is still asked: play goes on beside that question."""
    return any(ply == asked.ply and asked.notation in options for ply, options in match.list_undecided())
