"""Colours that can stand together are told apart by every eye: CIEDE2000 on the light that LEDs give."""

from __future__ import annotations

from itertools import combinations

import pytest

from device.ledmap import led_colour
from device.lights import DARK, PALETTES, STANDARD
from tests.device.seen_colours import EYES, ROOMS, ciede2000, difference

TOGETHER = (
    ("turn", "last"),
    ("target", "forced"),
    ("start", "best", "second", "third"),
    ("start", "target", "forced"),
    ("start", "target", "wrong"),
    ("start", "target", "last"),
    ("won", "last"),
)
"""What the drawings of device.lights put on one board."""
LEAST = 20.0


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize(("palette", "eyes"), [(STANDARD, "all cones"), *(("colour-blind", eyes) for eyes in EYES)])
def test_states_that_stand_together_differ(palette: str, eyes: str, room: str) -> None:
    lights = {name: led_colour(colour) for name, colour in PALETTES[palette].items()} | {"unlit": DARK}
    pairs = {pair for names in TOGETHER for pair in combinations(names, 2)} | {(name, "unlit") for name in lights}
    close = {
        pair: round(found, 1)
        for pair in pairs
        if pair[0] != pair[1] and (found := difference(lights[pair[0]], lights[pair[1]], eyes, room)) < LEAST
    }
    assert close == {}


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ],
)
def test_the_formula_gives_what_its_authors_print(
    one: tuple[float, float, float], other: tuple[float, float, float], wanted: float
) -> None:
    """Sharma, Wu, Dalal (2005), table 1."""
    assert ciede2000(one, other) == pytest.approx(wanted, abs=1e-4)
