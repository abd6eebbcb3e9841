"""Where the board lies after the camera was moved: searched in a still picture, under the pieces that should stand."""

from __future__ import annotations

import math

from calibration.agreement import agreement_with
from calibration.relocate import Relocated, farthest_px, relocate
from vision.ground import Image
from vision.reading.eyes import Eyes
from vision.sight.seeing import Seen
from vision.watch.second_witness import has_moved_since
from vision.watch.story import Story

STAYED_PX = 0.7
"""What moved less than this did not move: noise alone moves corners by 0.2 px."""


class BoardSearch:
    """The search, and when it was made last where nobody knew that the board had moved. Mutable."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._searched_t = -math.inf

    def found(self, eyes: Eyes, image: Image) -> Relocated | None:
        """Where the board is in `image`; None where that is not sure."""
        looks = [self._story.match.game.looks[look] for look in self._story.expected]
        return relocate(eyes.board, eyes.views, image, agreement_with(eyes.board, image, looks))

    def found_after_all(self, seen: Seen, eyes: Eyes, image: Image) -> Relocated | None:
        """Where a board that nothing explains is, once for each rest: it takes a second. None where it is believed."""
        searched, self._searched_t = self._searched_t, seen.t
        if not has_moved_since(seen, searched):
            return None
        place = self.found(eyes, image)
        return place if place is not None and not stayed(place, eyes) else None


def stayed(place: Relocated, eyes: Eyes) -> bool:
    """Whether a place is the one where the board is believed to be."""
    return farthest_px(place.views, eyes.views) < STAYED_PX
