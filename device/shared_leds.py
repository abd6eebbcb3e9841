"""Cells that share LEDs, as at the corners of a lattice: lit one group after another, so that none can be mistaken.

Between two lit cells lies one that has all of its LEDs lit as well, and an LED between a target and a start has one
colour only: of 2,530 pieces lifted on Camelot's corner map 2,104 lit a cell that nobody meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from device.ledmap import LedMap
from device.lights import DARK, LedFrame, Rgb

Style = tuple[Rgb, bool]
"""A colour, and whether it blinks."""


def split_into_turns(frame: LedFrame, leds: LedMap) -> LedFrame:
    """The frame, with turns where its cells could be mistaken at once: in each turn every lit cell has all of its LEDs
    in its own style, and no other cell has all of them lit. What blinks comes first, for it wants a hand."""
    if all(len(owners) < 2 for owners in leds.owners):
        return frame
    leds_of = _leds_of(leds)
    style = {cell: (rgb, cell in frame.blink) for cell, rgb in enumerate(frame.rgb) if rgb != DARK and cell in leds_of}
    turns: list[set[int]] = []
    for group in _group_connected(style, leds_of):
        for part in [group] if _is_unambiguous(group, style, leds_of) else [{cell} for cell in sorted(group)]:
            turn = next((turn for turn in turns if _is_unambiguous(turn | part, style, leds_of)), None)
            if turn is None:
                turns.append(set(part))
            else:
                turn |= part
    return replace(frame, turns=tuple(map(frozenset, turns))) if len(turns) > 1 else frame


def _leds_of(leds: LedMap) -> dict[int, set[int]]:
    """Of each cell that has any."""
    found: dict[int, set[int]] = {}
    for led, owners in enumerate(leds.owners):
        for cell in owners:
            found.setdefault(cell, set()).add(led)
    return found


def _group_connected(style: Mapping[int, Style], leds_of: Mapping[int, set[int]]) -> list[set[int]]:
    """Cells of one style that hang together by LEDs they share, blinking ones first."""
    groups: list[set[int]] = []
    for cell in style:
        near = [
            group
            for group in groups
            if any(style[one] == style[cell] and leds_of[one] & leds_of[cell] for one in group)
        ]
        groups = [group for group in groups if group not in near] + [{cell}.union(*near)]
    return sorted(groups, key=lambda group: (not style[min(group)][1], min(group)))


def _is_unambiguous(lit: set[int], style: Mapping[int, Style], leds_of: Mapping[int, set[int]]) -> bool:
    """Whether each of these can be told when they alone are lit, and no other looks as if it were."""
    shows: dict[int, Style] = {}
    for cell in lit:
        for led in leds_of[cell]:
            if shows.setdefault(led, style[cell]) != style[cell]:
                return False
    return not any(mine <= shows.keys() for cell, mine in leds_of.items() if cell not in lit)
