"""How well the pieces that should stand on a board fall into its cells where it is taken to lie in a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from calibration.find_side import cells_shown, colour_agreement, group_likelihood
from calibration.lattice import edge_energy
from calibration.view import View, rectangle_corners
from engine.board import Board

EXCHANGED_ERRORS = 6.0
"""Where the dark pieces are lighter than the light ones by more standard errors, sides stand in each other's places,
and that is never it: pieces change no colour, but a mirror image of what should stand there, turned by half, led by 250
nats in six films by another renderer. Four drawn boards have 15 to 22 then, and as much the other way where they lie.
Raising it turns boards on which a mirror image stands, lowering it loses boards whose light pieces lie in a shadow."""
Agreement = Callable[[Sequence[View]], float]
"""Of a view a level: how much better what should stand there explains the picture than chance does, in nats."""

MOST_COLOUR = 20.0
"""Nats that the colours of light and dark pieces say at most. Lowering it leaves the side open of start positions that
are alike from both, raising it lets colours under a coloured lamp outweigh where the pieces are."""


def agreement_with(board: Board, image: npt.NDArray[np.uint8], looks: Sequence[str]) -> Agreement:
    """The agreement of `image` with `looks`, the look that each cell is believed to show, "empty" for none.

    Cells that should look alike are compared with each other in this picture alone, so the light does not matter; that
    light pieces are lighter than dark ones tells one side from the other where both are set up alike.
    """
    alike = ["empty"] * len(looks)
    energies: dict[int, npt.NDArray[np.float32]] = {}

    def agreement_of(views: Sequence[View]) -> float:
        pitch = float(np.median([view.pitch_px(rectangle_corners(board.size_wh)) for view in views]))
        size = round(np.log2(max(pitch, 1.0)) * 2)
        if size not in energies:
            energies[size] = edge_energy(image, pitch)
        cells = cells_shown(board, views, image, energies[size], looks)
        errors = colour_agreement(cells, looks)
        if errors < -EXCHANGED_ERRORS:
            return -np.inf
        return (
            group_likelihood(cells, looks)
            - group_likelihood(cells, alike)
            + float(np.copysign(min(errors**2 / 2, MOST_COLOUR), errors))
        )

    return agreement_of
