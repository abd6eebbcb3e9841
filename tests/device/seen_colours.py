"""How different two LED colours look: CIEDE2000, by four kinds of eyes, in a dim and in a bright room.

LEDs are linear: twice the number is twice the light. Formulas: Sharma, Wu, Dalal, "The CIEDE2000 color-difference
formula" (2005); Vienot, Brettel, Mollon (1999) for protan and deutan eyes, Brettel's tritan plane simplified as in
Machado, Oliveira, Fernandes (2009) at full severity.
"""

from __future__ import annotations

import math

Linear = tuple[float, float, float]
"""Red, green, blue light; 1 is an LED at full."""

ROOMS = {"dim": 0.02, "bright": 0.25}
"""White light that a diffuser throws back, where an LED at full white has 1: a lamp in the evening, a window by day."""
EYES: dict[str, tuple[Linear, Linear, Linear]] = {
    "all cones": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
    "tritan": ((1.25553, -0.07675, -0.17878), (-0.07841, 0.93081, 0.14760), (0.00473, 0.69137, 0.30390)),
}
XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE_XYZ = (0.95047, 1.0, 1.08883)


def difference(one: tuple[int, int, int], other: tuple[int, int, int], eyes: str, room: str) -> float:
    """CIEDE2000 between two LEDs as sent, 0 to 255, as those eyes see them in that room."""
    return ciede2000(_lab(one, eyes, room), _lab(other, eyes, room))


def _lab(sent: tuple[int, int, int], eyes: str, room: str) -> Linear:
    light = [channel / 255 + ROOMS[room] for channel in sent]
    light = [max(0.0, sum(a * b for a, b in zip(row, light, strict=True))) for row in EYES[eyes]]
    xyz = [sum(a * b for a, b in zip(row, light, strict=True)) for row in XYZ]
    fx, fy, fz = (_cube_root(value / white) for value, white in zip(xyz, WHITE_XYZ, strict=True))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _cube_root(value: float) -> float:
    return value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def ciede2000(one: Linear, other: Linear) -> float:
    """The difference of two CIE L*a*b* colours."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_c = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean_c**7 / (mean_c**7 + 25**7)))
    c1, c2 = math.hypot((1 + g) * a1, b1), math.hypot((1 + g) * a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, (1 + g) * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = h2 - h1
    turn = 0.0 if not c1 * c2 else turn - 360 if turn > 180 else turn + 360 if turn < -180 else turn
    delta_h = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn) / 2)
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    mean_h = h1 + h2 if not c1 * c2 else (h1 + h2) / 2
    if c1 * c2 and abs(h1 - h2) > 180:
        mean_h += 180 if mean_h < 180 else -180
    t = (
        1
        - 0.17 * _cos(mean_h - 30)
        + 0.24 * _cos(2 * mean_h)
        + 0.32 * _cos(3 * mean_h + 6)
        - 0.2 * _cos(4 * mean_h - 63)
    )
    s_l = 1 + 0.015 * (mean_l - 50) ** 2 / math.sqrt(20 + (mean_l - 50) ** 2)
    s_c, s_h = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    around = 30 * math.exp(-(((mean_h - 275) / 25) ** 2))
    r_t = -2 * math.sqrt(mean_c**7 / (mean_c**7 + 25**7)) * math.sin(math.radians(2 * around))
    dl, dc, dh = (l2 - l1) / s_l, (c2 - c1) / s_c, delta_h / s_h
    return math.sqrt(dl * dl + dc * dc + dh * dh + r_t * dc * dh)


def _cos(degrees: float) -> float:
    return math.cos(math.radians(degrees))
