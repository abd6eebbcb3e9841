"""What may trouble a board, and who has to do with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

NOT_CONNECTED, SILENT, TWINS, CHAIN, SHORTER, MISSING, WRONG_CLOCK = (
    *("offline", "silent", "twins", "chain", "shorter", "missing", "clock"),
)
"""Not connected; connected, but nothing is heard; two programs speak as this board; its record is not the one that was
stored; it is, but goes less far, as a copy that was taken back does; it has events that are not stored; its clock is
wrong."""
CHANGED_LATER = "changed-later"
"""It says another result than the next round of its tournament was paired with."""
CONTRADICTED = "contradicted"
"""Its game has ended otherwise than an arbiter had said before; what the arbiter said counts."""
DISPUTED = (CHANGED_LATER, CONTRADICTED)
"""The board says another result than counts, and nobody has decided so."""
NEWER = "newer"
"""It runs a newer version than the hall, and may say what the hall does not show."""
BOARD_TROUBLES = (
    *(NOT_CONNECTED, SILENT, TWINS, CHAIN, SHORTER, MISSING, WRONG_CLOCK, *DISPUTED),
    *("cannot-see", "doubt", "refused", "flag", "lights", NEWER),
)
"""What an arbiter may have to go for, the most urgent first: `doubt` is a question of the referee, `refused` a move."""
HOLD_RESULTS = (TWINS, CHAIN, SHORTER, WRONG_CLOCK)
"""What a record says while it has one of these is not taken for a result until an arbiter has looked at it."""
REPORTED = frozenset({"cannot-see", "doubt", "refused", "flag"})
"""What a board itself tells the arbiters of, with its state."""
WHILE_PLAYED = (NOT_CONNECTED, SILENT)
"""Somebody has to go for these only where a game is played: boards are switched off in the evening."""
OF_ONE_GAME = (MISSING, *DISPUTED, "doubt", "refused", "flag")
"""Each of these is of one game alone: in the next game it is another trouble, and two games may have it at once."""
NAMED_GAMES = (CHAIN, SHORTER, MISSING, *DISPUTED)
"""What the hall itself finds of a game, which is not always the one that is played now (GameTrouble)."""
FOR_ARBITERS = (*HOLD_RESULTS, *WHILE_PLAYED, MISSING, *DISPUTED, "cannot-see", "doubt", "refused", "flag")
"""Of the troubles of a board those that somebody has to rule on or go for."""


OF_WHO_IS_HERE = (*WHILE_PLAYED, TWINS, MISSING, "cannot-see", "doubt", "refused", "flag")
"""What nobody has to go for any more once a board has left the hall. What its record or a result is in doubt for is
still to be decided."""


OF_WHO_IS_AWAY = (CHAIN, SHORTER, *DISPUTED)
"""What a board that has left the hall is still in trouble for: its record, and results that differ."""


class GameTrouble(NamedTuple):
    """A trouble of NAMED_GAMES, and the game that has it."""

    kind: str
    game: str


def find_reported_troubles(state: Mapping[str, Any], health: Mapping[str, Any]) -> Iterator[str]:
    """The troubles that a board itself tells of."""
    phase, clocks = state.get("phase"), state.get("clocks") or {}
    if state.get("cannot_see") is not None or health.get("camera", "ok") != "ok" or phase == "blind":
        yield "cannot-see"
    if phase == "unclear":
        yield "doubt"
    if phase == "trouble":
        yield "refused"
    if not state.get("result") and any(left <= 0 for left in clocks.get("left", {}).values()):
        yield "flag"
    if health.get("lights"):
        yield "lights"


def select_for_arbiters(state: Mapping[str, Any], troubles: Collection[str]) -> set[str]:
    """Of the troubles of a board those that are a matter for the arbiters."""
    is_played = not state.get("result") and bool(state.get("ply"))
    return {one for one in troubles if one in FOR_ARBITERS and (is_played or one not in WHILE_PLAYED)}
