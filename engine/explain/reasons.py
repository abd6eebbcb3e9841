"""What decided: the rule, the figure that was measured and the limit that it was held against.

Every opinion, every wait and every event that judges carries one. The table is the only place where rules get names:
later ways of seeing and judging add theirs here, and nothing else knows what the figures mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

FIGURE_DECIMALS = 3
SHOWN_DECIMALS = 2
"""What pages show of a figure at most."""
AT_LEAST = frozenset({"same-position", "sure", "not-sure", "unlawful", "as-before", "another-board", "seen-for"})
"""Rules by which what is measured must reach the limit."""

RULES: Mapping[str, str] = {
    # The camera, before anything is read.
    "board-lost": "The board is not where it was; the referee is looking for it.",
    "cells-not-seen": "Hands are moving or resting over {measured} cells that matter.",
    "not-set-up": "{measured} cells are not as they should be.",
    "another-board": "The lines of the board are not where the profile has them (fit {measured}, {limit} needed): it "
    "may be the profile of another board, or the camera was moved.",
    "sides-exchanged": "The sides are swapped: turn the board round, or mark its corners again, as the camera may see "
    'it turned round. If White plays the darker pieces, write white = "darker" in the profile.',
    # What one look shows.
    "hand-over-board": "Something other than a piece covers {measured} cells: perhaps a hand.",
    # What explains the look.
    "same-position": "It is {measured} % likely that this position was reached, and {limit} % is needed; several "
    "moves lead to it.",
    "too-many-lines": "More series of moves would fit than can be searched.",
    "piece-fell": "A piece seems to have fallen.",
    "capture-begun": "A capture may have begun.",
    "taken-or-held": "The piece that is gone may be in a hand, or the last move may have taken it as well.",
    "piece-absent": "A piece has been off its square for {measured} s, and no hand is near: put it back, or play it.",
    "none-left": "Something seems to have come to the board although no piece has left its cell.",
    "not-explained": "{measured} cells have changed, and nothing known explains it: plies may have been missed.",
    "one-witness": "A move that {measured} cells show is seen in only one of two ways.",
    "unshown": "{measured} of the moves that explain the board leave nothing to see: something else may have happened.",
    "sure": "This is {measured} % likely; {limit} % is needed.",
    "not-sure": "The likeliest explanation is {measured} % likely; {limit} % is needed.",
    "unlawful": "It is {measured} % likely that something illegal stands there; {limit} % is needed.",
    "as-before": "It is {measured} % likely that nothing was played; {limit} % is needed.",
    # Why nothing is seen.
    "cannot-see-no-picture": "The camera gives no picture.",
    "cannot-see-frozen": "The camera shows the same picture again and again.",
    "cannot-see-dark": "It is too dark to see the board.",
    "cannot-see-noise": "The picture is too noisy to tell the pieces.",
    "cannot-see-shake": "The picture shakes.",
    "cannot-see-blur": "The picture is not sharp.",
    "cannot-see-covered": "Something covers the board or the camera, or the light on it is moving.",
    "cannot-see-turned": "The picture is turned, mirrored or of another shape.",
    "cannot-see-moved": "The board is not where it was.",
    "cannot-see-small": "The farthest cells are too small in the picture to tell what stands there.",
    "cannot-see-slow": "The camera sends too few pictures.",
    "cannot-see-behind": "This machine is too slow for the camera.",
    # What the referee waits for, and what people say.
    "seen-for": "This has been seen for {measured} s; {limit} s are needed.",
    "after-trouble": "{measured} moves together would explain the board after something unlawful.",
    "said-otherwise": "Somebody has said that what seems to stand there was not played.",
    "person-said": "A person said so.",
}
"""Rule -> what it says to people. Shares are in per cent, times in seconds, lengths in cells, all else in nats."""


@dataclass(frozen=True, slots=True)
class Reason:
    """`rule` is one of RULES. Numbers are rounded; one that is not finite is left out. ValueError: no such rule."""

    rule: str
    measured: float | None = None
    limit: float | None = None

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"no rule {self.rule!r} in engine.explain.reasons")
        object.__setattr__(self, "limit", _round_number(self.limit))
        object.__setattr__(self, "measured", _round_beside(self.measured, self.limit))

    @property
    def is_met(self) -> bool:
        """Whether what it demands is reached: then it holds nothing back."""
        known = self.measured is not None and self.limit is not None
        return known and self.rule in AT_LEAST and float(self.measured or 0.0) >= float(self.limit or 0.0)

    def to_json(self) -> dict[str, object]:
        """{"rule", "measured", "limit"}; a figure that there is none of is null."""
        return {"rule": self.rule, "measured": self.measured, "limit": self.limit}

    @property
    def english_sentence(self) -> str:
        """The same in English."""
        return RULES[self.rule].format(measured=_format_figure(self.measured), limit=_format_figure(self.limit))


def read_reason(value: object) -> Reason | None:
    """The reason that a JSON object says; None for none, or one of a rule that is not known here."""
    if not isinstance(value, Mapping) or value.get("rule") not in RULES:
        return None
    figures = (value.get(name) for name in ("measured", "limit"))
    return Reason(str(value["rule"]), *(number if isinstance(number, int | float) else None for number in figures))


def per_cent(share: float) -> float:
    """A share as the sentences give it."""
    return 100.0 * share


def _round_number(number: float | None) -> float | None:
    return None if number is None or not math.isfinite(number) else round(float(number), FIGURE_DECIMALS)


def _round_beside(number: float | None, limit: float | None) -> float | None:
    """The number rounded, but never onto its limit or past it: 97.996 of 98 is not 98 of 98."""
    rounded = _round_number(number)
    if number is None or rounded is None or limit is None:
        return rounded
    unit, shown = 10.0**SHOWN_DECIMALS, round(rounded, SHOWN_DECIMALS)
    if number < limit <= max(rounded, shown):
        return math.floor(number * unit) / unit
    if number > limit >= min(rounded, shown):
        return math.ceil(number * unit) / unit
    return rounded


def _format_figure(number: float | None) -> str:
    return "?" if number is None else f"{number:g}"
