"""Whether a camera's pictures are mirrored: who knows it, and what becomes of a profile whose pictures are.

A board and a start position with a left half like its right one look the same in a mirror; a game watched so is lawful
from its first move to its last, and written down with A for L. Where no pixel tells, somebody at the board is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from calibration.find_side import shows_mirror
from calibration.profile import Profile, WayRound
from calibration.solve import Solution
from calibration.view import mirror_view
from engine.game import Game, looks_at_start
from vision.modes import MIRRORED_BEFORE, file_of, unmirrored_source


class AsksWayRound(Protocol):
    """Who asks whether the pictures are mirrored, where that is not known."""

    def asks_way_round(self) -> bool:
        """Whether it is still to be said."""

    def say_way_round(self, *, mirrored: bool) -> None:
        """Somebody at the board has looked."""


def find_way_round(game: Game, solutions: Sequence[Solution]) -> WayRound | None:
    """Who tells that the picture in which a board of `game` was found so is not mirrored; None where nobody does."""
    if all(solution.by == "markers" for solution in solutions):
        return WayRound.MARKERS
    looks = looks_at_start(game)
    return WayRound.PIECES if shows_mirror(game.board, looks) else None


def other_way_round(source: str) -> str:
    """The same source with its pictures mirrored against what they were."""
    return unmirrored_source(source) if source.startswith(MIRRORED_BEFORE) else MIRRORED_BEFORE + source


def is_same_camera(one: str, other: str) -> bool:
    """Whether two sources open the same, whatever size and way round they ask of it."""
    return Path(file_of(one)).resolve() == Path(file_of(other)).resolve()


def match_way_round(source: str, profile: Profile) -> tuple[str, Profile]:
    """A camera that is named beside a profile of it, and the profile that fits its pictures.

    Where the profile says mirrored they are; where the name alone does, the profile was made of a mirrored picture.
    """
    named, known = (each.startswith(MIRRORED_BEFORE) for each in (source, profile.source))
    if not source or named == known or not is_same_camera(source, profile.source):
        return source, profile
    return (source, mirror_profile(profile)) if named else (MIRRORED_BEFORE + source, profile)


def mirror_profile(profile: Profile) -> Profile:
    """The profile of the same board and camera with the pictures the other way round."""
    return replace(
        profile,
        views=tuple(mirror_view(view) for view in profile.views),
        source=other_way_round(profile.source) if profile.source else "",
        reference=other_way_round(profile.reference) if profile.reference else "",
        way_round=WayRound.SAID,
    )
