"""The camera's picture for the pages, with the grid over it and what the camera believes of each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from calibration.view import View
from engine.board import Board
from engine.game import Game
from server.web.feed import Feed
from vision.frames import Frame
from vision.reading.level import Reading
from vision.reading.scene import COVERED
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.watcher import Watcher

PICTURE_EVERY_S = 0.2
"""The page's camera picture is renewed five times a second at most."""
UNWATCHED_EVERY_S = 1.0
"""So old it may be where nobody looks, so that who opens the page sees something at once, also of a recording that
stands still. Less costs time for nobody, more shows a newcomer what is over."""
PICTURE_WIDTH = 960
PICTURE_QUALITY = 80


class CameraView:
    """Writes to `feed` what is new. Mutable; belongs to the main loop."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._pictured = -1.0
        self._views: Sequence[View] = ()
        self._believed: Reading | None = None

    def update_picture(self, watcher: Watcher | ParallelWatcher, frame: Frame) -> None:
        """Renew the page's camera picture, seldom if nobody looks at it, and the grid over it when it has moved."""
        views = watcher.views
        self._feed.update_image(frame.image)
        if views is not self._views:
            self._views = views
            self._feed.update_views(views, watcher.profile.size_wh, project_outlines(watcher.match.game.board, views))
        if frame.t - self._pictured < (PICTURE_EVERY_S if self._feed.picture_wanted else UNWATCHED_EVERY_S):
            return
        self._pictured = frame.t
        image = frame.image
        if image.shape[1] > PICTURE_WIDTH:
            scale = PICTURE_WIDTH / image.shape[1]
            image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, PICTURE_QUALITY])
        if ok:
            self._feed.update_picture(data.tobytes())
        self._publish_beliefs(watcher)

    def _publish_beliefs(self, watcher: Watcher | ParallelWatcher) -> None:
        """Tell what the last reading believes of each cell, beside what the rules expect there."""
        reading, match = watcher.reading, watcher.match
        if reading is None or reading is self._believed:
            return
        self._believed, game = reading, match.game
        expected = {
            cell: {"expected": game.looks[game.look_of[piece]]}
            for cell, piece in zip(game.board.cells, match.position.placement, strict=True)
        }
        self._feed.update_beliefs(
            {cell: said | expected[cell] for cell, said in describe_beliefs(game, reading).items()}
        )


def project_outlines(board: Board, views: Sequence[View]) -> Mapping[str, list[tuple[float, float]]]:
    """Every cell's corners in pixels; `views` has one view a level."""
    out = {}
    for cell, (name, level) in enumerate(zip(board.cells, board.levels, strict=True)):
        corners = np.array(board.centres_xy[cell]) + np.array(board.outline_xy)
        out[name] = [(round(float(x), 1), round(float(y), 1)) for x, y in views[level].project_points(corners)]
    return out


def describe_beliefs(game: Game, reading: Reading) -> dict[str, dict[str, object]]:
    """Each cell's look, the chance of it against the other looks, and whether something hides the cell."""
    chances = np.exp(reading.scores - reading.scores.max(axis=1, keepdims=True))
    sure = chances[np.arange(len(chances)), reading.looks] / chances.sum(axis=1)
    return {
        cell: {
            "look": game.looks[int(reading.looks[c])],
            "confidence": round(float(sure[c]), 3),
            "hidden": bool(reading.unexplained[c] > COVERED),
        }
        for c, cell in enumerate(game.board.cells)
    }
