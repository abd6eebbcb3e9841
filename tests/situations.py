"""Every situation that a game can be in, as people meet it: what is true, and how it ends by itself.

What is seen in each, on every page and the display, is for its drawing; what people can do is in engine.match.arbiter.
docs/situations.md is made of this, and a test walks all of it in every language.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.match.state import Phase


@dataclass(frozen=True, slots=True)
class Situation:
    """One row: the phase that it is, what is true in it, and how it ends if nobody asks for anything."""

    name: str
    phase: Phase
    holds: str
    ends: str


SITUATIONS = (
    Situation("start", Phase.PLAYING, "The start position stands; no ply was made.", "The first move is made."),
    Situation("playing", Phase.PLAYING, "The board shows the last position.", "A move is made, or a piece lifted."),
    Situation("lifted", Phase.LIFTED, "A piece of the side to move is in the air.", "It is put down."),
    Situation(
        "wrong",
        Phase.TROUBLE,
        "What stands is surely no lawful move.",
        "The last position stands again, or a lawful move.",
    ),
    Situation("partial", Phase.PARTIAL, "A lawful move is under way.", "What is left to do is done, or put back."),
    Situation(
        "unclear",
        Phase.UNCLEAR,
        "Several moves fit about equally.",
        "The pieces are put where only one fits, or back.",
    ),
    Situation(
        "unexplained",
        Phase.UNCLEAR,
        "Nothing explains what stands, and it is not surely wrong.",
        "The pieces are put in the middle of their cells, or back.",
    ),
    Situation(
        "missed",
        Phase.UNCLEAR,
        "A piece has been off its square for fifteen seconds, and no hand is near that may hold it.",
        "It stands there again, or is played.",
    ),
    Situation(
        "given_up",
        Phase.UNCLEAR,
        "All pieces of a side were taken off by hand within half a minute.",
        "The pieces are put back, or those of the other side are taken off too.",
    ),
    Situation(
        "wrongly_set_up",
        Phase.SETUP,
        "The expected position does not stand yet.",
        "Every piece stands on its cell.",
    ),
    Situation("blind", Phase.BLIND, "Board or camera was moved.", "The board is found again."),
    Situation("paused", Phase.PAUSED, "Nothing is judged.", "Never: somebody says that the game goes on."),
    Situation(
        "time_lost",
        Phase.PAUSED,
        "The computer slept, its date was set, or the service was not running, while a game clock ran.",
        "Never: somebody says whether the time counts, or that the game goes on.",
    ),
    Situation(
        "adjourned",
        Phase.ADJOURNED,
        "The game was put away.",
        "Never: somebody says that the game goes on, or begins another.",
    ),
    Situation("over", Phase.OVER, "The game has a result.", "The start position stands: a new game."),
    Situation(
        "put_up_again",
        Phase.PLAYING,
        "The start position stands again, and the game under way was put away.",
        "The new game goes on; the old one stays not finished.",
    ),
)
