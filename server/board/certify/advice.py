"""What would make a table better, the worst first, from what its pictures are like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from server.board.certify.quality import Measured
from vision.sight.watchdog import DARK_LEVELS, NOISY_LEVELS, SHAKY_PX

GOOD_CELL_PX = 16.0
"""Under 10 pixels the referee says that cells are too small; with half as many again pieces are read well."""
GOOD_ANGLE_DEG, FLATTEST_DEG = 35.0, 20.0
"""Under the first the rendered games of docs/developing/benchmarks.md lose plies; at the second pieces hide each other
wholly."""
GOOD_RATE, SLOWEST = 5.0, 2.0
GOOD_LIGHT = 60.0
GOOD_EVENNESS, MOST_UNEVEN = 2.5, 6.0
LITTLE_GLARE, MUCH_GLARE = 0.01, 0.1
SHARP_CELLS, BLURRED_CELLS = 0.2, 0.5
"""Pieces are 0.6 cell wide: edges as wide as half a cell leave nothing of them."""
CLEAR_LEVELS, FAINT_LEVELS = 30.0, 6.0
"""Pieces of the colour of the board differ by the second from it, and are told by their shadows alone."""
QUIET_LEVELS, STEADY_PX = 4.0, 0.6


@dataclass(frozen=True)
class Advice:
    """`key` is one of ADVICE_SENTENCES; `badness` is 0 at `limit`, where all is well, and 1 where nothing is seen."""

    key: str
    measured: float
    limit: float
    badness: float
    what: str = ""
    """The look of pieces that it is about."""


ADVICE_SENTENCES: Mapping[str, str] = {
    "cell": "The smallest cells are {measured} pixels across ({limit} are good): put the camera nearer or higher, or "
    "choose a larger picture.",
    "angle": "The camera looks from {measured}° above the table ({limit}° are good): put it higher, so that pieces "
    "hide each other less.",
    "rate": "The camera gives {measured} pictures a second ({limit} are good): put on more light, or choose a smaller "
    "picture.",
    "light": "The board is dark, at {measured} of 255 ({limit} are good): put on more light.",
    "uneven": "One part of the board is {measured} times as bright as another ({limit} at most is good): put the lamp "
    "farther away or above the middle of the board.",
    "glare": "{measured} % of the board is in glare ({limit} % at most is good): move the lamp aside, or lay a dull "
    "cloth where it is reflected.",
    "blur": "Edges are {measured} cells wide ({limit} are good): focus the camera, or clean its lens.",
    "contrast": "Pieces that look {what} differ from the board by {measured} levels ({limit} are good): put on more "
    "even light, or take another board, cloth or set of pieces.",
    "alike": "Pieces that look {what} differ by {measured} levels ({limit} are good): put on more even light, or take "
    "other pieces.",
    "noise": "The picture is noisy, by {measured} levels ({limit} are good): put on more light.",
    "shake": "The picture shakes by {measured} pixels ({limit} are good): put the camera on firm ground.",
}
"""What each says; the languages have them all."""


def list_advice(measured: Measured) -> tuple[Advice, ...]:
    """All that could be better, the worst first."""
    contrast = "alike" if " " in measured.faintest else "contrast"
    found = [
        _advise_if_low("cell", measured.cell_px, GOOD_CELL_PX, 6.0),
        _advise_if_low("angle", measured.angle_deg, GOOD_ANGLE_DEG, FLATTEST_DEG),
        _advise_if_low("rate", measured.rate, GOOD_RATE, SLOWEST),
        _advise_if_low("light", measured.light, GOOD_LIGHT, DARK_LEVELS),
        _advise_if_high("uneven", measured.uneven, GOOD_EVENNESS, MOST_UNEVEN),
        _advise_if_high("glare", 100 * measured.glare, 100 * LITTLE_GLARE, 100 * MUCH_GLARE),
        _advise_if_high("blur", measured.blur_cells, SHARP_CELLS, BLURRED_CELLS),
        _advise_if_low(contrast, measured.contrast, CLEAR_LEVELS, FAINT_LEVELS, measured.faintest),
        _advise_if_high("noise", measured.noise, QUIET_LEVELS, NOISY_LEVELS),
        _advise_if_high("shake", measured.shake_px, STEADY_PX, SHAKY_PX),
    ]
    return tuple(sorted((one for one in found if one.badness > 0), key=lambda one: -one.badness))


def _advise_if_low(key: str, measured: float, good: float, useless: float, what: str = "") -> Advice:
    """Too little of something; a figure of 0 was not measured."""
    return Advice(key, measured, good, (good - measured) / (good - useless) if measured > 0 else 0.0, what)


def _advise_if_high(key: str, measured: float, good: float, useless: float) -> Advice:
    return Advice(key, measured, good, (measured - good) / (useless - good))
