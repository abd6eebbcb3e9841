"""The smallest `camref/1` packet that brings a strip from what it shows to what it shall show.

| packet  | body                                          | best for                          |
|---------|-----------------------------------------------|-----------------------------------|
| SPOTS   | (rgb n led*n)..., LEDs 0 to 255               | a few scattered LEDs: a hint      |
| FRAME   | first(2) rgb...                               | neighbouring LEDs, many colours   |
| PALETTE | n rgb*n, a nibble for each LED of the strip   | whole pictures of up to 16 colours|
"""

from __future__ import annotations

from device.codec import PacketKind
from device.link import Caps

PALETTE_COLOURS = 16
SPOT_LEDS = 256
CAN_PALETTE, CAN_SPOTS = 1, 2
"""Bits of `Caps.features`."""

Body = tuple[PacketKind, bytes]


def smallest_packet(shown: bytes | None, wanted: bytes, caps: Caps) -> Body | None:
    """Kind and body of the packet, None when nothing changed. Three bytes an LED; `shown` None while it is unknown."""
    colours = [wanted[at : at + 3] for at in range(0, len(wanted), 3)]
    old = [None] * len(colours) if shown is None else [shown[at : at + 3] for at in range(0, len(shown), 3)]
    changed = [led for led, colour in enumerate(colours) if colour != old[led]]
    if not changed:
        return None
    bodies = [_frame_packet(colours, changed)]
    if caps.features & CAN_PALETTE:
        bodies += _palette_packets(colours)
    if caps.features & CAN_SPOTS and changed[-1] < SPOT_LEDS:
        bodies += _spots_packets(colours, changed)
    return min(bodies, key=lambda body: len(body[1]))


def _frame_packet(colours: list[bytes], changed: list[int]) -> Body:
    first, last = changed[0], changed[-1]
    return PacketKind.FRAME, first.to_bytes(2, "big") + b"".join(colours[first : last + 1])


def _palette_packets(colours: list[bytes]) -> list[Body]:
    palette = sorted(set(colours))
    if len(palette) > PALETTE_COLOURS:
        return []
    nibbles = [palette.index(colour) for colour in colours]
    pairs = zip(nibbles[::2], [*nibbles[1::2], 0], strict=False)
    return [
        (PacketKind.PALETTE, bytes((len(palette),)) + b"".join(palette) + bytes(high << 4 | low for high, low in pairs))
    ]


def _spots_packets(colours: list[bytes], changed: list[int]) -> list[Body]:
    groups: dict[bytes, list[int]] = {}
    for led in changed:
        groups.setdefault(colours[led], []).append(led)
    if any(len(leds) >= SPOT_LEDS for leds in groups.values()):
        return []
    return [(PacketKind.SPOTS, b"".join(colour + bytes((len(leds), *leds)) for colour, leds in groups.items()))]
