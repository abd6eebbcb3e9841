"""What a reader knows of its level: all that was learned, and the last picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.view import Floats
from vision.ground import Picture
from vision.reading.appearance import Ints, LookTemplates
from vision.reading.floor import STRANGE, Flags, Floor, colour_density, measure_slopes
from vision.reading.footprint import Footprints

MEMORY_SD = 7.0
"""Standard deviation, in grey levels, of a sample of a piece that nobody touched about how it is remembered."""


class KnownCells:
    """Filled by `vision.reading.level.Reader`. Arrays are indexed by cell, pieces and looks are numbers, 0 for none."""

    centres_xy: Floats
    prints: Footprints
    """Where the pieces appear on the board plane, from where the camera stands."""
    floor: Floor
    stack: LookTemplates
    """Templates of all pieces in all places of a cell."""
    look_table: Ints
    """Piece -> its look."""
    look_count: int
    pieces: Ints
    """(cells,) what stood there when the board was last understood."""
    patches: Picture
    """(cells, PATCH_H, PATCH_W, 3) the last picture, in the light in which the board is known."""
    base: Flags
    """(PATCH_SIZE,) which samples of a patch lie in the base of a piece."""
    around: Flags
    """(PATCH_H, PATCH_W) which lie beside it, on the floor."""
    found: Ints
    """(cells, looks) which template of `stack` explained each look best."""
    memory_wins: Flags
    """(cells,) whether what stands there is taken for the very piece that stood there before."""
    _memory: Picture
    _memory_ok: Flags
    _at: Ints

    def memory_of(self, c: int) -> tuple[Picture, Flags]:
        """How the patch of `c` looked when its content was last accepted (H, W, 3), and what of it counts (H, W)."""
        return self._memory[c], self._memory_ok[c]

    def stands_at(self, c: int) -> int:
        """Where in the stack the template is that fits the remembered piece in `c`."""
        return int(self._at[c])

    def layer_of(
        self, c: int, label: int, *, remembered: bool
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Likelihood and solidity (PATCH_SIZE + 1; the last is "outside") of the piece in `c` as a layer."""
        if not remembered:
            at = int(self.found[c, label])
            return (
                np.append(self.stack.patch_likelihood(self.patches[c], slice(at, at + 1))[0], np.float32(0)),
                np.append(self.stack.solid[at], np.float32(0)),
            )
        at = int(self._at[c])
        memory = self._memory[c]
        edges = measure_slopes(memory)
        sharp = (
            0.95 * colour_density(self.patches[c], memory, (MEMORY_SD * self.floor.exposure) ** 2 + (0.5 * edges) ** 2)
            + 0.05 * STRANGE
        )
        general = self.stack.patch_likelihood(self.patches[c], slice(at, at + 1))[0]
        likelihood = np.where(self._memory_ok[c].ravel(), sharp.ravel(), general)
        return (np.append(likelihood, np.float32(0)), np.append(self.stack.solid[at], np.float32(0)))
