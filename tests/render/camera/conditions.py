"""The conditions under which a film is taken: all that a camera, its table and its room do, as numbers."""

from __future__ import annotations

from dataclasses import dataclass

STRENGTHS = ("ordinary", "hard", "beyond")
"""Everything must work in ordinary conditions; hard ones are their double; beyond them people must be told."""
DISTURBANCES: tuple[str, ...] = ("clean", "noise")
"""What a film can suffer from, one kind at a time; "everything" draws all of them together."""


@dataclass(frozen=True)
class Conditions:
    """Of one film. The defaults are a good webcam by day on a table that nobody touches."""

    fps: float = 8.0
    quiet_s: float = 1.25
    """How long a picture without hands is held."""
    hands_s: float = 0.25
    """How long hands rest in each of their poses."""
    noise_sd: float = 2.0
    """Grey levels, of each pixel."""
    flicker: float = 0.008
    """Standard deviation of the part by which a whole picture is brighter or darker than the last."""


def drawn(disturbance: str, strength: str, seed: int) -> Conditions:
    """The conditions of a film that suffers from `disturbance`, drawn from the ranges of `strength`."""
    if disturbance == "noise":
        return Conditions(noise_sd={"ordinary": 5.0, "hard": 9.0, "beyond": 18.0}[strength])
    return Conditions()
