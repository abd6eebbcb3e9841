"""The meshes of what a scene holds, where it stands: both renderers draw these."""

from __future__ import annotations

import numpy as np

from tests.render import solids
from tests.render.scene import THICKNESS, Cup, Floats, Hand, Setting, Standing

LYING: Floats = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])
"""Turns what stands onto its side."""
LYING_HEIGHT = 0.28
"""Of the axis of a piece that lies, over the board, in cells at scale 1."""


def placed(setting: Setting, one: Standing) -> solids.Solid:
    """The mesh of a piece where it stands (or lies)."""
    solid, turn = solids.piece(one.kind, setting.shape, setting.scale), _turned(one.turn_deg)
    if one.toppled:
        return solid.moved(turn @ LYING, np.array(one.xyz) + np.array([0, 0, LYING_HEIGHT * setting.scale]))
    return solid.moved(turn, np.array(one.xyz))


def cup_solid(cup: Cup) -> solids.Solid:
    """The mesh of a mug in its place."""
    return solids.mug(cup.height).moved(_turned(cup.turn_deg), np.array([*cup.xy, -THICKNESS]))


def hand_solids(hand: Hand) -> tuple[solids.Solid, solids.Solid]:
    """The meshes (skin, sleeve) of a hand in its place."""
    skin, sleeve = solids.hand()
    turn, tip = _turned(hand.from_deg), np.array(hand.tip_xyz)
    return skin.moved(turn, tip), sleeve.moved(turn, tip)


def _turned(degrees: float) -> Floats:
    """The 3x3 rotation about the upright axis."""
    turn = np.radians(degrees)
    return np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1.0]])
