"""What empty, light and dark look like in this very picture: each cell is compared with its fellows in the same light.

All but a few of the cells hold what is believed of them, so the picture itself shows how each look appears on each
floor. Where few cells of a kind are left (the last men of an endgame), earlier pictures of them count as well, shifted
by what all cells together have shifted since.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from vision.taught.features import FEATURES, Features

Ints = npt.NDArray[np.int64]
LookTable = npt.NDArray[np.float32]
"""(cells, looks) nats against the best look of each cell, 0 for that."""
Kind = tuple[int, int]
"""A look, and the kind of floor that it stands on."""
Contrasts = Mapping[int, Features]
"""By look, how the features of its cells differ from those of empty ones."""

PAST_FELLOWS = 2.0
"""The past counts as so many fellows in the present picture. More is steadier in endgames, less follows a lamp sooner.
Chosen on two photographed games by cells misread: 0.5 to 8 differ by a tenth of them."""
VARIANCE_RIDGE = 0.15
"""Added to the variance of each feature: nothing is known more exactly than that. With 0.5 a third more cells of
photographed games were misread; with 0 a few alike cells make the rest impossible."""
CLIP = 6.0
"""No cell's feature counts as further than this from its kind when the spread is learned: some are mislabelled."""
SPREAD_FOLLOWS = 0.5
"""Share of the present picture in the learned spread."""
FEWEST_FELLOWS = 2
"""Fellows that a kind needs before it is known at all."""
OTHER_FLOOR_WEIGHT = 0.4
"""Weight of what is known of a look on another floor only."""
TEMPER = 0.4
"""Nats a unit of squared distance over two. Features are not independent: with 1 what is read with 99 % is wrong three
times in a hundred. Fitted on changed cells of ten sources (0.3 to 0.6 in nine of them, higher in the cleanest)."""
MOST_LOOK_NATS = 8.0
"""No cell says more than this by its looks: one in some thousands is mislabelled, shaded or half covered."""
ODD_AT, ODD_WIDTH = 14.0, 3.0
"""Half the squared distance to the nearest look at which a cell is as likely something else, and how sharply it turns:
pieces and floors stay under 8 in 99 of 100 cells of photographed games, hands and sleeves are at 20 and more."""


class LooksByFloor:
    """The looks as they appear on each floor of one level.

    Mutable: `learn_features` takes the last picture for true.
    """

    def __init__(self, floor: Ints, looks: int) -> None:
        """`floor` (cells,) numbers the kinds of floor from 0; `looks` counts the looks, empty among them."""
        self._floor, self._looks, self._floors = floor, looks, int(floor.max()) + 1
        self._known: dict[Kind, npt.NDArray[np.float32]] = {}
        self._met: set[Kind] = set()
        """Those of which a cell was seen; what the others look like is borrowed."""
        self._own = np.full((len(floor), FEATURES), np.nan, np.float32)
        """(cells, FEATURES) how each cell looked when it was last known to be empty: printed ones are like no other."""
        self._spread: npt.NDArray[np.float64] | None = None
        self._shift = np.zeros(FEATURES, np.float32)

    def compare_features(
        self, features: Features, believed: Ints, clear: npt.NDArray[np.bool_], lent: Contrasts
    ) -> tuple[LookTable, LookTable]:
        """(cells, looks) nats by look, and (cells,) the probability that a cell is none of them.

        `believed` (cells,) are the looks that are thought to stand there, `clear` the cells that are seen, `lent` what
        looks that were never seen here are like elsewhere in the picture.
        """
        means, self._shift = self._mean_features(features, believed, clear)
        spread = self._spread_of(features, believed, clear, means)
        self._add_lent(means, lent)
        inverse = np.linalg.inv(spread + VARIANCE_RIDGE * np.eye(FEATURES))
        half = np.full((len(features), self._looks), np.inf)
        met = self._met | self._list_kinds(believed, clear)
        for (look, floor), mean in means.items():
            at = np.flatnonzero(self._floor == floor)
            weight = 1.0 if (look, floor) in met else OTHER_FLOOR_WEIGHT
            half[at, look] = weight * _half_square(features[at] - mean, inverse)
        own = ~np.isnan(self._own[:, 0])
        half[own, 0] = np.minimum(half[own, 0], _half_square(features[own] - self._own[own] - self._shift, inverse))
        best = half.min(axis=1)
        odd = 1 / (1 + np.exp(-np.clip((best - ODD_AT) / ODD_WIDTH, -30, 30)))
        table = np.maximum(-TEMPER * (half - best[:, None]), -MOST_LOOK_NATS)
        return table.astype(np.float32), odd.astype(np.float32)

    def measure_contrasts(self, features: Features, believed: Ints, clear: npt.NDArray[np.bool_]) -> Contrasts:
        """How the looks that were seen here differ from an empty cell, in this picture's light."""
        means, _ = self._mean_features(features, believed, clear)
        met = self._met | self._list_kinds(believed, clear)
        apart: dict[int, list[Features]] = {}
        for look, floor in sorted(met):
            if look and {(look, floor), (0, floor)} <= means.keys():
                apart.setdefault(look, []).append(means[look, floor] - means[0, floor])
        return {look: np.asarray(np.mean(found, axis=0), np.float32) for look, found in apart.items()}

    @property
    def known_looks(self) -> npt.NDArray[np.bool_]:
        """(looks,) of which it is known on some floor what they look like."""
        return np.isin(np.arange(self._looks), [look for look, _ in self._known])

    def learn_features(self, features: Features, looks: Ints, clear: npt.NDArray[np.bool_]) -> None:
        """The picture that shows `features` holds these `looks` where it is `clear`."""
        means, shift = self._mean_features(features, looks, clear)
        spread = self._spread_of(features, looks, clear, means)
        self._known, self._spread = means, spread
        self._met |= self._list_kinds(looks, clear)
        self._own += shift
        empty = clear & (looks == 0)
        self._own[empty] = features[empty]

    def _list_kinds(self, looks: Ints, clear: npt.NDArray[np.bool_]) -> set[Kind]:
        """The kinds that cells of this picture show."""
        return set(zip(looks[clear].tolist(), self._floor[clear].tolist(), strict=True))

    def _mean_features(
        self, features: Features, looks: Ints, clear: npt.NDArray[np.bool_]
    ) -> tuple[dict[Kind, npt.NDArray[np.float32]], npt.NDArray[np.float32]]:
        """The typical features of each kind, in this picture's light, and how far all have shifted since the last."""
        known = np.zeros(len(features), bool)
        then = np.zeros_like(features)
        for (look, floor), mean in self._known.items():
            here = clear & (looks == look) & (self._floor == floor)
            known |= here
            then[here] = mean
        shift = np.zeros(FEATURES, np.float32)
        if known.sum() >= FEATURES:
            shift = np.median(features[known] - then[known], axis=0).astype(np.float32)
        out: dict[Kind, npt.NDArray[np.float32]] = {}
        for look in range(self._looks):
            for floor in range(self._floors):
                fellows = features[clear & (looks == look) & (self._floor == floor)]
                now = _blend_mean(fellows, self._known.get((look, floor)), shift)
                if now is not None:
                    out[look, floor] = now
        for look in range(self._looks):
            self._borrow_means(out, look, features[clear & (looks == look)])
        return out, shift

    def _borrow_means(self, means: dict[Kind, Features], look: int, alone: Features) -> None:
        """What a look is like on floors where it is not known: as on the others, or as its only cell."""
        others = [means[look, floor] for floor in range(self._floors) if (look, floor) in means]
        if not others and len(alone):
            others = [np.asarray(np.median(alone, axis=0), np.float32)]
        for floor in range(self._floors):
            if others and (look, floor) not in means:
                means[look, floor] = np.asarray(np.mean(others, axis=0), np.float32)

    def _add_lent(self, means: dict[Kind, Features], lent: Contrasts) -> None:
        """What a look that was never seen here is like: as far from each floor as it is elsewhere."""
        seen = {look for look, _ in means}
        for look, contrast in lent.items():
            for floor in range(self._floors):
                if look not in seen and (0, floor) in means:
                    means[look, floor] = means[0, floor] + contrast

    def _spread_of(
        self,
        features: Features,
        looks: Ints,
        clear: npt.NDArray[np.bool_],
        means: dict[Kind, npt.NDArray[np.float32]],
    ) -> npt.NDArray[np.float64]:
        """The covariance of cells around their kind's mean."""
        seen = [cell for cell in np.flatnonzero(clear).tolist() if (int(looks[cell]), int(self._floor[cell])) in means]
        if not seen:
            return np.eye(FEATURES) if self._spread is None else self._spread
        typical = np.array([means[int(looks[cell]), int(self._floor[cell])] for cell in seen])
        rest = np.clip(features[seen] - typical, -CLIP, CLIP).astype(np.float64)
        now = rest.T @ rest / len(rest)
        return np.asarray(now if self._spread is None else self._spread + SPREAD_FOLLOWS * (now - self._spread))


def _blend_mean(fellows: Features, before: Features | None, shift: Features) -> Features | None:
    """What a kind looks like by its `fellows` in this picture and by what it was `before`; None for too few."""
    if before is None:
        return np.asarray(np.median(fellows, axis=0), np.float32) if len(fellows) >= FEWEST_FELLOWS else None
    share = len(fellows) / (len(fellows) + PAST_FELLOWS)
    now = np.median(fellows, axis=0) if len(fellows) else np.zeros(FEATURES, np.float32)
    return np.asarray(share * now + (1 - share) * (before + shift), np.float32)


def _half_square(off: npt.NDArray[np.float32], inverse: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    return np.asarray(0.5 * np.einsum("ij,jk,ik->i", off, inverse, off))
