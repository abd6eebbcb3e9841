"""How far a cell has come from its bare floor towards what a piece would make of it: 0 nothing stands there, 1 a piece.

Only the base of a piece is asked, where the cell itself is seen, and only the typical colours there: what stands behind
it, a shine or a shadow beside it, which sway a whole score, hardly touch that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.reading.appearance import Ints
from vision.reading.floor import Flags
from vision.reading.level import Reader
from vision.reading.outlines import visible_samples
from vision.sight.leaning import TALLER, clear_of_others

LEAST_CLEAR = 0.4
"""Share of a base over which nothing can lean, from which that part may say that nothing stands there. A piece covers
all of its base, also the half that is turned away from its neighbour. Higher refuses right boards on which a king leans
far; lower asks a rim that a piece off the middle of its cell hardly touches."""
LEAST_SEEN = 0.3
"""Share of a base that must be seen to say anything of it."""
FEW_SAMPLES = 4
"""Of so few pieces of a kind the typical one owes too much to the very one that may be missing: other kinds of its look
are asked instead."""
FAINT_EDGE = 1.0
"""Grey levels squared under which a piece and the floor do not differ."""


@dataclass(frozen=True)
class ShareTowardsLook:
    """(cells, looks): which share of the way to that look the base has gone, and how far off that way it is, both as
    parts of the way. nan where the base is hidden and for looks of which nothing is known."""

    share: npt.NDArray[np.float64]
    aside: npt.NDArray[np.float64]
    clear: npt.NDArray[np.float64]
    """(cells, looks): how far the part of an empty cell's base over which no piece of another cell can lean is from its
    bare floor, whichever way, as a part of the way to that look. nan for cells in which something should stand, and
    where little of the base is clear, or all of it."""
    lone: Flags
    """(cells,): no piece of another cell can lean over any of it."""
    darker: Flags
    """(cells, looks): that look is darker there than the bare floor, as a shadow is."""

    def distance_from_bare(self) -> npt.NDArray[np.float64]:
        """(cells, looks): how far the base is from its bare floor, whichever way."""
        return np.hypot(self.share, self.aside)


def measure_towards(reader: Reader, pieces: Ints, floor: npt.NDArray[np.float32]) -> ShareTowardsLook:
    """What the picture that `reader` was made from shows, over a `floor` as vision.reading.floor has its colours."""
    base = reader.base.reshape(reader.patches.shape[1:3])
    off = (reader.patches - floor[reader.prints.sample_at])[:, base]
    bare = floor[reader.prints.sample_at][:, base]
    front = visible_samples(reader.prints, pieces, reader.outlines)[:, base]
    means = {piece: template.mean[base] for piece, template in reader.templates.items()}
    darker = np.zeros((len(pieces), reader.look_count), bool)

    def measure_way(c: int, seen: Flags) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        share, aside = np.full((2, reader.look_count), np.nan)
        for look in range(1, reader.look_count):
            for piece in _kinds_to_compare(reader, pieces, int(pieces[c]), look):
                way = (means[piece] - bare[c])[seen]
                length = float((way * way).sum()) + FAINT_EDGE
                part = float((off[c][seen] * way).sum()) / length
                rest = off[c][seen] - part * way
                if np.isnan(share[look]) or abs(part - 1) < abs(share[look] - 1):
                    share[look], aside[look] = part, np.sqrt(float((rest * rest).sum()) / length)
                    darker[c, look] = bool(way.mean() < 0)
        return share, aside

    share, aside = np.full((2, len(pieces), reader.look_count), np.nan)
    for c in np.flatnonzero(front.mean(axis=1) >= LEAST_SEEN).tolist():
        share[c], aside[c] = measure_way(c, front[c])
    apart, lone = np.full_like(share, np.nan), np.ones(len(pieces), bool)
    for taller in TALLER:
        clear = clear_of_others(reader, pieces, taller) & front
        lone &= clear.all(axis=1)
        leant_over = (pieces == 0) & ~clear.all(axis=1) & (clear.mean(axis=1) >= LEAST_CLEAR)
        for c in np.flatnonzero(leant_over).tolist():
            apart[c] = np.fmin(apart[c], np.hypot(*measure_way(c, clear[c])))
    return ShareTowardsLook(share, aside, apart, lone, darker)


def _kinds_to_compare(reader: Reader, pieces: Ints, own: int, look: int) -> list[int]:
    """The pieces of a look to compare a cell with in which `own` should stand."""
    kinds = [piece for piece in reader.templates if reader.look_of[piece] == look]
    others = [piece for piece in kinds if piece != own]
    return others if others and own and int((pieces == own).sum()) < FEW_SAMPLES else kinds
