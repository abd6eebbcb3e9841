"""The profile: the one file a board owner has. A person can read it, edit it and send it.

TOML; an unknown key is an error, because a misspelt one would be silently ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from calibration.door import MOST_TABLES, read_text
from calibration.doubts import cells_in_picture
from calibration.markers import MarkerPlaces
from calibration.view import Lens, View
from engine import games
from engine.board import Board
from engine.errors import InputError
from engine.game import Game
from engine.outside import parse_toml

PROFILE_KEYS = {
    "": {"game", "rules", "white", "reference", "reference_position", "camera", "plane", "marker", "lights"},
    "camera": {"source", "guarded", "way_round", "size", "focal_px", "k1"},
    "plane": {"corners_px", "fit"},
    "marker": {"id", "corners"},
    "lights": {"port", "protocol", "map", "baud", "palette"},
}

LEAST_IN_PICTURE = 0.25
"""Share of a level's cells that must lie in the picture: with fewer nothing can be learned of how the board looks. A
board that is half out of it is followed until it is put right, and that is said."""


class WayRound(Enum):
    """Who knows that a camera's pictures are not mirrored: most start positions look the same in a mirror."""

    MARKERS = "markers"
    """Printed ones, which are found in no mirrored picture."""
    PIECES = "pieces"
    """The start position of the game is another one in a mirror."""
    SAID = "said"
    """Somebody at the board."""


class WhitePieces(Enum):
    """Which of two sides is White, or plays first: a camera tells them apart by their brightness."""

    LIGHTER = "lighter"
    DARKER = "darker"

    def name_looks(self, game: Game) -> Game:
        """The `game`, its looks named as its pieces look then; games whose looks are colours stay as they are."""
        if self is WhitePieces.LIGHTER or "light" not in game.looks:
            return game
        named, other = copy(game), {"light": "dark", "dark": "light"}
        named.looks = tuple(other.get(look, look) for look in game.looks)
        return named


@dataclass(frozen=True)
class Profile:
    """A board as one camera sees it. `views` has one View a level; `fits` their scores when calibrated."""

    game: str
    views: tuple[View, ...]
    fits: tuple[int, ...]
    source: str = ""
    rules: str | None = None
    reference: str = ""
    """A picture of a known position from the same place, for reading single pictures."""
    reference_position: str = ""
    """File with the position (JSON) in it; "" for the start position."""
    markers: MarkerPlaces = field(default_factory=dict)
    lights: Mapping[str, str] = field(default_factory=dict)
    guarded: bool = False
    """Whether a visitor of the set-up page named the source: then it may lead to where `cameras-at` lets it only."""
    way_round: WayRound | None = None
    """How it is known that the pictures are not mirrored; None where it is not."""
    white: WhitePieces = WhitePieces.LIGHTER
    """Whether White plays the lighter or the darker pieces."""

    @property
    def board(self) -> Board:
        """The board of the profile's game."""
        return games.load(self.game).board

    @property
    def size_wh(self) -> tuple[int, int]:
        """Size of the pictures that it was calibrated on."""
        return self.views[0].lens.size_wh


WAY_ON = "put it right, or move the file away and set the board up anew with `referee serve` or `referee calibrate`"
"""What to do about a profile that was cut off, or changed by hand."""


def load_profile(path: Path) -> Profile:
    """Read a profile. InputError names the file and what is wrong in it."""
    try:
        said = read_text(path, MOST_TABLES)
    except OSError as error:
        advice = (
            "make one with `referee calibrate`, or start `referee serve` without it: its page makes yours, of a second "
            "board in other folders, which XDG_CONFIG_HOME and XDG_DATA_HOME name"
        )
        raise InputError(f"profile {path}: {error.strerror}; {advice}") from error
    except InputError as error:
        raise InputError(f"profile {error}") from None
    if not said.strip():
        raise InputError(f"profile {path}: is empty; {WAY_ON}")
    try:
        return _parse_profile(parse_toml(said, str(path)))
    except (KeyError, TypeError, ValueError, IndexError) as error:  # of which InputError is one
        detail = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"profile {path}: {detail.removeprefix(f'{path}: ')}; {WAY_ON}") from error


def _parse_profile(data: dict[str, object]) -> Profile:
    _check_keys("", data)
    name = data["game"]
    if not isinstance(name, str):
        raise InputError("game must be a name in quotes")
    board = games.load(name).board
    camera = _get_table(data, "camera")
    _check_keys("camera", camera)
    lens = _parse_lens(camera)
    planes = data["plane"]
    levels = max(board.levels) + 1
    if not isinstance(planes, list) or len(planes) != levels:
        raise InputError(f"{levels} [[plane]] expected, one a level of {name}")
    views, fits = [], []
    for number, plane in enumerate(planes):
        _check_keys("plane", plane)
        corners = plane["corners_px"]
        if not isinstance(corners, list) or len(corners) != 4:
            raise InputError(f"plane {number + 1}: corners_px must be four [x, y]")
        pixels = tuple((x, y) for x, y in (_parse_numbers(c, 2, f"plane {number + 1}: corners_px") for c in corners))
        view = View(lens, board.size_wh, pixels)
        view.projection_matrix  # noqa: B018  # computing it is the check that the corners show a board
        if cells_in_picture(board, view, number).mean() < LEAST_IN_PICTURE:
            raise InputError(f"plane {number + 1}: most of the board lies outside the picture")
        views.append(view)
        fits.append(int(plane.get("fit", 0)))
    return Profile(
        game=name,
        views=tuple(views),
        fits=tuple(fits),
        source=str(camera.get("source", "")),
        guarded=camera.get("guarded") is True,
        way_round=WayRound(camera["way_round"]) if "way_round" in camera else None,
        white=parse_white(data.get("white", WhitePieces.LIGHTER.value)),
        rules=str(data["rules"]) if "rules" in data else None,
        reference=str(data.get("reference", "")),
        reference_position=str(data.get("reference_position", "")),
        markers=_parse_markers(data.get("marker", [])),
        lights=_parse_lights(data),
    )


def parse_white(said: object) -> WhitePieces:
    """Which pieces White plays. InputError names what may be said."""
    try:
        return WhitePieces(said)
    except ValueError:
        raise InputError('white must be "lighter" or "darker"') from None


def _parse_lens(camera: dict[str, object]) -> Lens:
    w, h = (int(n) for n in _parse_numbers(camera["size"], 2, "camera.size"))
    if not (16 <= w <= 20000 and 16 <= h <= 20000):
        raise InputError("camera.size is no picture size")
    focal, k1 = _parse_numbers([camera["focal_px"], camera.get("k1", 0.0)], 2, "camera.focal_px, k1")
    if focal < 1 or abs(k1) > 1:  # what is computed of a fraction of a pixel are no numbers any more
        raise InputError("camera.focal_px must be 1 or more and k1 between -1 and 1")
    return Lens((w, h), focal, k1)


def _parse_markers(rows: object) -> MarkerPlaces:
    out = {}
    for row in rows if isinstance(rows, list) else []:
        _check_keys("marker", row)
        corners = tuple((x, y) for x, y in (_parse_numbers(c, 2, "marker.corners") for c in row["corners"]))
        if len(corners) != 4:
            raise InputError(f"marker {row['id']}: corners must be four [x, y], in cells")
        out[int(row["id"])] = corners
    return out


def _parse_lights(data: dict[str, object]) -> dict[str, str]:
    if "lights" not in data:
        return {}
    lights = _get_table(data, "lights")
    _check_keys("lights", lights)
    return {key: str(value) for key, value in lights.items()}


def _get_table(data: dict[str, object], key: str) -> dict[str, object]:
    value = data[key]
    if not isinstance(value, dict):
        raise InputError(f"[{key}] must be a table")
    return value


def _parse_numbers(value: object, count: int, where: str) -> list[float]:
    if (
        not isinstance(value, list)
        or len(value) != count
        or not all(isinstance(n, int | float) and not isinstance(n, bool) and abs(n) < 1e6 for n in value)
    ):
        raise InputError(f"{where}: {count} numbers expected")
    return [float(n) for n in value]


def _check_keys(where: str, table: object) -> None:
    if not isinstance(table, dict):
        raise InputError(f"[{where}] must be a table")
    for key in table:
        if key not in PROFILE_KEYS[where]:
            inside = f" in [{where}]" if where else ""
            raise InputError(f"unknown key {key!r}{inside}; known are {', '.join(sorted(PROFILE_KEYS[where]))}")


def dump_profile(profile: Profile) -> str:
    """The profile as TOML with a word on each part."""
    lens = profile.views[0].lens
    lines = [
        "# A board as one camera sees it; made by the set-up page or `referee calibrate`, to be read and edited.",
        f"game = {_quote_text(profile.game)}",
    ]
    if profile.rules:
        lines.append(f"rules = {_quote_text(profile.rules)}")
    if profile.white is not WhitePieces.LIGHTER:
        lines.append(f'white = "{profile.white.value}"  # whether White plays the lighter or the darker pieces')
    if profile.reference:
        lines.append(
            f"reference = {_quote_text(profile.reference)}  # a picture of a known position, for `referee read`"
        )
    if profile.reference_position:
        lines.append(f"reference_position = {_quote_text(profile.reference_position)}")
    lines += [
        "",
        "[camera]",
        f"source = {_quote_text(profile.source)}",
        *(["guarded = true  # named on the set-up page"] if profile.guarded else []),
        *(
            [f'way_round = "{profile.way_round.value}"  # who knows that the pictures are not mirrored']
            if profile.way_round
            else []
        ),
        f"size = [{lens.size_wh[0]}, {lens.size_wh[1]}]",
        f"focal_px = {lens.focal_px:.2f}",
        f"k1 = {lens.k1:.5f}  # radial distortion of the lens, 0 for none",
    ]
    for view, fit in zip(profile.views, profile.fits, strict=True):
        corners = ", ".join(f"[{x:.2f}, {y:.2f}]" for x, y in view.corners_px)
        lines += [
            "",
            "[[plane]]  # one a level",
            "# pixels of the bounding rectangle: A1, last file/rank 1, last file/last rank, A/last rank",
            f"corners_px = [{corners}]",
            f"fit = {fit}",
        ]
    for number, places in profile.markers.items():
        corners = ", ".join(f"[{x:.3f}, {y:.3f}]" for x, y in places)
        lines += ["", "[[marker]]  # corners in cells, upper left first, clockwise, as White sees it"]
        lines += [f"id = {number}", f"corners = [{corners}]"]
    if profile.lights:
        lines += ["", "[lights]", *(f"{key} = {_quote_text(value)}" for key, value in profile.lights.items())]
    return "\n".join(lines) + "\n"


def _quote_text(text: str) -> str:
    """A TOML basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " else f"\\u{ord(c):04x}" for c in escaped) + '"'
