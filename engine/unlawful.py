"""Saying what is unlawful on a board that no lawful play explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from engine.candidates import Candidate
from engine.game import Game, Position, Refusal
from engine.losses import Losses
from engine.series import BEGUN_CELLS, can_be_followed
from engine.verdicts import Played, Wrong
from engine.why import difference, why_placement


def wrong_play(game: Game, now: Position, losses: Losses, listed: Sequence[Candidate]) -> Wrong:
    """What is unlawful on the board: the attempt of one piece, if need be after a ply that was not seen at rest."""
    changed = tuple(losses.clearly_changed())
    seen = losses.placement(now.placement, changed)
    if len(changed) >= BEGUN_CELLS and isinstance(difference(game, now, seen), Refusal):
        after = _after_a_ply(game, now, losses, listed)
        if after is not None:
            return after
    return Wrong(changed, why_placement(game, now, seen))


def _after_a_ply(game: Game, now: Position, losses: Losses, listed: Sequence[Candidate]) -> Wrong | None:
    """An attempt after the one of the plies `listed` that leaves least unexplained; None unless all break one rule.

    All cells are as the ply says, but where it ended may stand a piece that was put on it. That cell must be seen.
    """
    changed = losses.clearly_changed()
    seen, least = losses.placement(now.placement, changed), len(changed) - 1
    found: dict[str, Wrong] = {}
    for candidate in listed:
        if not can_be_followed(candidate):
            continue
        left = losses.left_by(candidate)
        stands = not any(
            (cell in left and not (look and seen[cell])) or (look and losses.silent(cell))
            for cell, look in candidate.change
        )
        if not stands or len(left) > least or not any(seen[cell] for cell in left):
            continue
        if len(left) < least:
            found.clear()
            least = len(left)
        move = cast(Played, candidate.verdict).moves[0]
        after = game.play(now, move)
        refusal = why_placement(game, after, losses.placement(after.placement, left))
        said = f"After {game.write(now, move)}: {refusal.message}"
        ply = tuple(cell for cell in changed if cell not in left)
        found.setdefault(refusal.code, Wrong(left, replace(refusal, message=said), ply))
    return next(iter(found.values())) if len(found) == 1 else None
