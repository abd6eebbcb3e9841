"""Where the board lies if it is not where it is believed: searched in a still picture, under the pieces on it.

That is asked after the camera was moved, and before a game whose profile was made before that.
"""

from __future__ import annotations

import math
from dataclasses import replace

from calibration.agreement import agreement_with
from calibration.profile import Profile
from calibration.relocate import Relocated, farthest_px, relocate_board
from vision.ground import Image
from vision.sight.seeing import Seeing, SeenBoard
from vision.watch.second_witness import has_moved_since
from vision.watch.story import Story

STAYED_PX = 0.7
"""What moved less than this did not move: noise alone moves corners by 0.2 px."""
FALLEN_FIT = 10
"""By so much less than in the profile the lines of the board must agree, before a game, to be looked for elsewhere. A
board a tenth of a cell from where the profile has it has lost 16 and more. Raising it begins games beside the cells,
lowering it takes a second to look for boards whose lines a piece hides."""


class BoardSearch:
    """The search, and when it was made last where nobody knew that the board had moved. Mutable."""

    def __init__(self, story: Story, profile: Profile) -> None:
        self._story, self._profile = story, profile
        self._searched_t = -math.inf

    def find_board(self, seeing: Seeing, image: Image) -> Relocated | None:
        """Where the board is in `image`; None where that is not sure."""
        names = self._profile.white.name_looks(self._story.match.game).looks
        looks = [names[look] for look in self._story.expected_looks]
        return relocate_board(seeing.board, seeing.resting_views, image, agreement_with(seeing.board, image, looks))

    def find_after_all(self, seen: SeenBoard, seeing: Seeing, image: Image) -> Relocated | None:
        """Where a board that nothing explains is, once for each rest: it takes a second. None where it is believed."""
        searched, self._searched_t = self._searched_t, seen.t
        if not has_moved_since(seen, searched):
            return None
        place = self.find_board(seeing, image)
        return place if place is not None and not has_stayed(place, seeing) else None

    def find_at_start(
        self, fit: int, profile: Profile, seen: SeenBoard, seeing: Seeing, image: Image
    ) -> Profile | None:
        """The profile for where the board is, if its lines agree much less (`fit`) than when `profile` was made."""
        place = self.find_after_all(seen, seeing, image) if fit < min(profile.fits) - FALLEN_FIT else None
        return None if place is None else replace(profile, views=place.views, fits=(place.fit,) * len(place.views))


def has_stayed(place: Relocated, seeing: Seeing) -> bool:
    """Whether a place is the one where the board is believed to be."""
    return farthest_px(place.views, seeing.resting_views) < STAYED_PX
