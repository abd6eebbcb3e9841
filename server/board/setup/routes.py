"""The set-up page's questions: `/api/v1/setup...`. What is saved reaches the game through its inbox only."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from flask import Blueprint, Response, jsonify, request

from calibration.solve import MARKED_FIT
from engine.errors import InputError
from engine.game import Game
from server.board.setup.find import CORNER_COUNT, Corners, Finder, FoundBoard, SetupPicture, corner_names, corners_of
from server.board.setup.way_round import AsksWayRound
from server.web.feed import Feed
from server.web.problems import Problem

FARTHEST_PX = 1e5


class Keeping(AsksWayRound, Protocol):
    """What keeps what was found out."""

    def keep_board(self, found: FoundBoard) -> str:
        """The board is there; where that is kept."""


class KeepingOfGame(Keeping, Protocol):
    """The same while a game is refereed: it has its profile."""

    def name_looks(self, game: Game) -> Game:
        """The `game`, its looks named as the pieces of this board look."""


def create_setup_routes(finder: Finder, now: Callable[[], list[list[list[float]]]], keeping: Keeping) -> Blueprint:
    """The blueprint; `now` are the corners in use, none where none are known."""
    routes = Blueprint("setup", __name__, url_prefix="/api/v1/setup")

    @routes.get("")
    def state() -> Response:
        names = corner_names(finder.sought_board())
        known = {"size": finder.size_wh(), "names": names, "corners": now() or None, "good_fit": MARKED_FIT}
        return jsonify(known | {"asks_way_round": finder.first_side() if keeping.asks_way_round() else None})

    @routes.post("/find")
    def find() -> Response:
        levels = len(corner_names(finder.sought_board()))
        corners = _read_body({"corners"}).get("corners")
        try:
            found = finder.find_board(None if corners is None else _read_corners(corners, levels))
            return jsonify(found.to_json())
        except InputError as error:
            raise Problem(422, error) from error

    @routes.post("/diagnosis")
    def diagnosis() -> Response:
        _read_body(set())
        return jsonify(finder.diagnose_failure().to_json())

    @routes.post("/save")
    def keep() -> Response:
        body = _read_body({"number", "force"})
        number = body.get("number")
        if not isinstance(number, int):
            raise Problem(422, "number: the one of the place that is to be saved")
        found = finder.require_answer(number)
        if found.poorest_fit < MARKED_FIT and body.get("force") is not True:
            text = "fit {fit} is under {least}: move the corners, or save it all the same"
            raise Problem(422, text, fit=found.poorest_fit, least=MARKED_FIT)
        try:
            return jsonify({"saved": keeping.keep_board(found)})
        except InputError as error:
            raise Problem(500, error) from error

    @routes.post("/way-round")
    def way_round() -> Response:
        mirrored = _read_body({"mirrored"}).get("mirrored")
        if not isinstance(mirrored, bool):
            raise Problem(422, "mirrored: true or false")
        try:
            keeping.say_way_round(mirrored=mirrored)
        except InputError as error:
            raise Problem(500, error) from error
        return jsonify({"mirrored": mirrored})

    return routes


def create_live_setup_routes(feed: Feed, keeping: KeepingOfGame | None) -> Blueprint:
    """The blueprint for a game that goes on: the board is looked for in the feed's newest frame."""

    def newest_picture() -> SetupPicture:
        now = feed.current_state
        match, image = now.match, now.image
        if match is None or image is None:
            raise Problem(503, "there is no picture from the camera yet: ask again in a moment")
        return SetupPicture(kept.name_looks(match.game), match.position, image)

    kept = keeping or _Nowhere()
    return create_setup_routes(
        Finder(newest_picture), lambda: [corners_of(view) for view in feed.current_state.views], kept
    )


class _Nowhere:
    """Keeps nothing."""

    def keep_board(self, found: FoundBoard) -> str:
        raise Problem(409, "this referee has no profile in which fit {fit} could be kept", fit=found.poorest_fit)

    def name_looks(self, game: Game) -> Game:
        return game

    def asks_way_round(self) -> bool:
        return False

    def say_way_round(self, *, mirrored: bool) -> None:  # as Keeping has it
        raise Problem(409, "this referee has no profile, so it cannot keep whether the picture is mirrored")


def _read_body(known: set[str]) -> Mapping[str, Any]:
    body = request.get_json(silent=True)
    if not isinstance(body, dict) or set(body) - known - {"by"}:
        raise Problem(422, f"the body must be one JSON object with no other keys than {', '.join(sorted(known))}")
    return body


def _read_corners(given: object, levels: int) -> list[Corners]:
    """Four corners for each level."""
    if not isinstance(given, list) or len(given) != levels:
        raise Problem(422, f"corners: a list of {levels}, one for each level")
    return [_read_four_corners(level) for level in given]


def _read_four_corners(given: object) -> Corners:
    if not isinstance(given, list) or len(given) != CORNER_COUNT:
        raise Problem(422, "corners: four [x, y] a level")
    out = []
    for corner in given:
        if not isinstance(corner, list) or len(corner) != 2 or not all(_is_pixel(part) for part in corner):
            raise Problem(422, "corners: each is [x, y] in pixels of the picture")
        out.append((float(corner[0]), float(corner[1])))
    return tuple(out)


def _is_pixel(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and abs(value) < FARTHEST_PX  # type: ignore[arg-type]  # it is a number
