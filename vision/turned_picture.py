"""Is a picture one that was seen before, turned or mirrored? Much reduced pictures tell, whatever stands on the board.

A board looks much the same from all sides; the table around it and the way in which it recedes do not.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.ground import Image, Picture

REDUCED_WH = (96, 72)
LIKE_TURNED = 0.7
"""Correlation with a turned picture from which it may be that one. Raising it misses turned pictures with an arm in
them, lowering it holds pictures of another table for turned ones. In 444 pictures of drawn games, hands among them, and
22 photographs from straight above, upright ones had 0.69 with any turned one at most; with the lead below, 95 % of the
drawn ones were known when they were turned, those under arms not, and 78 % of the photographs."""
LEAD_TURNED = 0.1
"""By so much it must be more like the turned picture than like the one before. In the drawn pictures turned ones led by
0.18 and more, and upright ones were behind by 0.17 and more. Raising it misses boards that fill a picture taken from
above, lowering it believes noise."""
RENEWED_S = 10.0
"""So old the picture may be that others are held against: pieces and light change. Raising it loses turned pictures at
dusk, lowering it takes a picture for usual in which somebody is just turning the phone."""


class TurnedPicture:
    """Remembers how the picture usually looks, and tells when one is that, turned or mirrored. Mutable."""

    def __init__(self) -> None:
        self._usual: Picture | None = None
        self._turned: list[Picture] = []
        self._since = 0.0

    def is_turned(self, t: float, grey: Image, *, board_found: bool) -> bool:
        """Whether the picture of `t` is the usual one turned or mirrored; else it may be the usual one from now on."""
        now = cv2.resize(grey, REDUCED_WH, interpolation=cv2.INTER_AREA).astype(np.float32)
        shape = _normalise(now)
        if self._usual is not None:
            turned = max(float((shape * other).sum()) for other in self._turned)
            if turned > LIKE_TURNED and turned - float((shape * self._usual).sum()) > LEAD_TURNED:
                return True
        if self._usual is None or (board_found and t - self._since > RENEWED_S):
            self._usual, self._since = shape, t
            self._turned = [_normalise(other) for other in _list_turned(now)]
        return False


def _list_turned(picture: Picture) -> list[Picture]:
    """The picture upside down, mirrored both ways, and lying on either side: squeezed into the same size, cut off to
    fill it, or whole between black bars, as programs on phones do it."""
    found = [picture[::-1, ::-1], picture[:, ::-1], picture[::-1]]
    width, height = REDUCED_WH
    upright = np.ascontiguousarray(picture.T)
    for lying in map(np.ascontiguousarray, (upright[::-1], upright[:, ::-1], upright, upright[::-1, ::-1])):
        found.append(_resize(lying, width, height))
        kept = height * height // width
        above = (lying.shape[0] - kept) // 2
        found.append(_resize(lying[above : above + kept], width, height))
        barred, narrow = np.zeros((height, width), np.float32), height * height // width
        left = (width - narrow) // 2
        barred[:, left : left + narrow] = _resize(lying, narrow, height)
        found.append(barred)
    return found


def _resize(picture: Picture, width: int, height: int) -> Picture:
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.float32)


def _normalise(picture: Picture) -> Picture:
    """Without mean and of length 1, so that the sum of a product of two is their correlation."""
    apart = picture - picture.mean()
    return np.asarray(apart / max(float(np.linalg.norm(apart)), 1e-6), np.float32)
