"""What a camera looks at: a board on a table, pieces, a light, perhaps a hand and a cup. All values, no pixels.

World coordinates are the board's own: 1 = one cell, x along the files, y along the ranks, z up, the playing face of
the first level at z = 0. Further levels lie side by side on the same table, so that every cell can be seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from engine.board import Board

Floats = npt.NDArray[np.float64]
Bgr = tuple[float, float, float]

MARGIN, WIDE_MARGIN = 0.75, 2.3
"""From the bounding rectangle of the cells to the rim; wide where the markers find no free corner among the cells."""
MARKER, MARKER_INSET = 1.6, 0.2
"""Side of a marker's black square, and its distance from the edges of the bounding rectangle."""
RIM = 0.24
THICKNESS = 0.4
"""Height of the playing face above the table."""
LEVEL_GAP = 1.6
"""Free table between two levels of a board in several levels."""


@dataclass(frozen=True)
class Camera:
    """A pinhole with OpenCV's lens distortion. `matrix` has three rows of three, `dist` is (k1, k2, p1, p2, k3)."""

    size_wh: tuple[int, int]
    matrix: tuple[tuple[float, float, float], ...]
    dist: tuple[float, ...]
    rvec: tuple[float, float, float]
    tvec: tuple[float, float, float]

    @cached_property
    def rotation(self) -> Floats:
        """3x3, world to camera."""
        return np.asarray(cv2.Rodrigues(np.array(self.rvec))[0], float)

    @cached_property
    def position(self) -> Floats:
        """Where the camera is, in the world."""
        return np.asarray(-self.rotation.T @ np.array(self.tvec), float)

    def project(self, points_xyz: Floats) -> Floats:
        """World points (N, 3) -> pixels (N, 2)."""
        points = np.asarray(points_xyz, float).reshape(-1, 1, 3)
        pixels, _ = cv2.projectPoints(
            points, np.array(self.rvec), np.array(self.tvec), np.array(self.matrix), np.array(self.dist)
        )
        return np.asarray(pixels[:, 0], float)

    def on_plane(self, pixels: Floats, z: float = 0.0) -> Floats:
        """Pixels (N, 2) -> world points (N, 2) on the plane at height z; nan above the horizon."""
        return self.reached(self.rays(pixels), z)

    def rays(self, pixels: Floats) -> Floats:
        """Pixels (N, 2) -> directions (N, 3) in the world, from the camera."""
        return self.turned_rays(_undistorted(pixels, self.matrix, self.dist))

    def rows_of_rays(self, rows: tuple[int, int], fine: int) -> Floats:
        """The same from all fine pixels of some rows, each pixel in `fine` x `fine` of them."""
        return self.turned_rays(_undistorted_rows(self.size_wh[0] * fine, rows, fine, self.matrix, self.dist))

    def turned_rays(self, flat: Floats) -> Floats:
        """Directions (N, 3) in the world of places (N, 2) in the plane at depth 1 before the camera."""
        return np.asarray(np.column_stack([flat, np.ones(len(flat))]) @ self.rotation, float)

    def reached(self, rays: Floats, z: float) -> Floats:
        """Where directions (N, 3) meet the plane at height z, (N, 2); nan above the horizon."""
        depth = np.where(rays[:, 2] < -1e-6, (z - self.position[2]) / np.minimum(rays[:, 2], -1e-6), np.nan)
        return np.asarray(self.position[:2] + rays[:, :2] * depth[:, None], float)

    def turned(self, turn_rad: Floats, shift: Floats) -> Camera:
        """The camera after a bump: turned a little and shifted, in its own axes."""
        matrix = cv2.Rodrigues(np.asarray(turn_rad, float))[0] @ self.rotation
        moved = np.array(self.tvec) + shift
        rvec = cv2.Rodrigues(matrix)[0][:, 0]
        return replace(self, rvec=tuple(map(float, rvec)), tvec=tuple(map(float, moved)))


def _undistorted(pixels: Floats, matrix: tuple[tuple[float, ...], ...], dist: tuple[float, ...]) -> Floats:
    """Pixels (N, 2) -> where they lie in the plane at depth 1 before the camera."""
    points = np.ascontiguousarray(pixels, float).reshape(-1, 1, 2)
    return np.asarray(cv2.undistortPoints(points, np.array(matrix), np.array(dist))[:, 0], float)


@lru_cache(maxsize=130)
def _undistorted_rows(
    width: int, rows: tuple[int, int], fine: int, matrix: tuple[tuple[float, ...], ...], dist: tuple[float, ...]
) -> Floats:
    """The same of rows of fine pixels, kept for about a picture: a camera that was moved keeps its lens."""
    xs, ys = np.meshgrid((np.arange(width) + 0.5) / fine - 0.5, (np.arange(*rows) + 0.5) / fine - 0.5)
    return _undistorted(np.column_stack([xs.ravel(), ys.ravel()]), matrix, dist)


@dataclass(frozen=True)
class Light:
    """One main light from a direction, and light from all around. Strengths are factors on the named light's own."""

    towards: tuple[float, float, float]
    """Unit vector from the board to the main light."""
    main_bgr: Bgr
    around_bgr: Bgr
    softness: float
    """Half-shadow: 0 hard, 1 very soft."""
    slope: tuple[float, float] = (0.0, 0.0)
    """Relative fall-off of the main light per cell along x and y."""
    main: float = 1.0
    around: float = 1.0
    gain: float = 1.0


@dataclass(frozen=True)
class Standing:
    """One piece: `xyz` is the middle of its base; `toppled` lies on its side; `turn_deg` about its own axis."""

    name: str
    code: str
    look: str
    kind: str
    xyz: tuple[float, float, float]
    turn_deg: float = 0.0
    toppled: bool = False


@dataclass(frozen=True)
class Hand:
    """A right hand above `tip_xyz`, its arm coming from the direction `from_deg` (on the table, as seen from above)."""

    tip_xyz: tuple[float, float, float]
    from_deg: float
    skin: Bgr
    sleeve: Bgr
    blur_px: float = 0.0
    blur_deg: float = 0.0


@dataclass(frozen=True)
class Cup:
    """A mug standing on the table."""

    xy: tuple[float, float]
    bgr: Bgr
    turn_deg: float = 0.0
    height: float = 4.2


@dataclass(frozen=True)
class Setting:
    """Everything that stays during a recording; the names are keys of the tables in styles.py."""

    board: Board
    look: str
    pieces: str
    table: str
    markers: bool
    seed: int = 0
    shape: str = "ball"
    scale: float = 1.0
    """Of the pieces, against men 0.7 and knights 1.0 cell high."""


@dataclass(frozen=True)
class Scene:
    """One picture to be taken."""

    setting: Setting
    camera: Camera
    light: Light
    pieces: tuple[Standing, ...] = field(default=())
    hand: Hand | None = None
    held: str | None = None
    """Name of the piece in the hand; it is also in `pieces`."""
    cup: Cup | None = None
    shake_px: float = 0.0
    noise: float = 2.0
    seed: int = 0


@lru_cache(maxsize=64)
def corners_free(board: Board) -> bool:
    """Whether a marker fits into all four corners of the bounding rectangle without touching a cell."""
    w, h = board.size_wh
    reach_x, reach_y = (max(abs(p[i]) for p in board.outline_xy) for i in (0, 1))
    gap = MARKER + MARKER_INSET
    return not any(
        min(x, w - x) - reach_x < gap - 1e-6 and min(y, h - y) - reach_y < gap - 1e-6 for x, y in board.centres_xy
    )


def margin(board: Board) -> float:
    """Width of the face outside the bounding rectangle of the cells."""
    return MARGIN if corners_free(board) else WIDE_MARGIN


def marker_corners(board: Board) -> dict[int, Floats]:
    """Marker number -> its corners (4, 2) in the world: top left, top right, bottom right, bottom left as White sees.

    Numbers 0 to 3 go round the first level (A1, last file/rank 1, last/last, A/last rank), 4 to 7 round the second.
    """
    w, h = board.size_wh
    inset = MARKER_INSET if corners_free(board) else -MARKER_INSET - MARKER
    left, right, low, high = inset, w - inset - MARKER, inset, h - inset - MARKER
    square = np.array([[0, MARKER], [MARKER, MARKER], [MARKER, 0], [0, 0]])
    places = ((left, low), (right, low), (right, high), (left, high))
    return {
        4 * level + number: square + np.array(place) + np.array(level_origin(board, level))
        for level in sorted(set(board.levels))
        for number, place in enumerate(places)
    }


def level_origin(board: Board, level: int) -> tuple[float, float]:
    """Where the corner (0, 0) of a level lies in the world."""
    return (level * (board.size_wh[0] + 2 * (margin(board) + RIM) + LEVEL_GAP), 0.0)


def cell_xy(board: Board, cell: int) -> tuple[float, float]:
    """Centre of a cell in the world."""
    x0, y0 = level_origin(board, board.levels[cell])
    x, y = board.centres_xy[cell]
    return (x0 + x, y0 + y)


def extent(board: Board) -> tuple[float, float]:
    """Width and height of all levels together, without the margins."""
    x0, _ = level_origin(board, max(board.levels))
    return (x0 + board.size_wh[0], board.size_wh[1])


def middle(board: Board) -> tuple[float, float]:
    """The middle of all levels together."""
    w, h = extent(board)
    return (w / 2, h / 2)


def corners(board: Board, grow: float, z: float = 0.0) -> Floats:
    """The rectangle round all levels, grown on every side: (4, 3) in the order A1, last/1, last/last, A/last."""
    w, h = extent(board)
    return np.array([[-grow, -grow, z], [w + grow, -grow, z], [w + grow, h + grow, z], [-grow, h + grow, z]])


@lru_cache(maxsize=64)
def look_from(
    board: Board, elevation_deg: float, azimuth_deg: float, hfov_deg: float, *, size_wh: tuple[int, int], seed: int = 0
) -> Camera:
    """A camera on a stand that has the whole board in its picture, aimed and tilted a little carelessly.

    Azimuth is where the camera stands, seen from the middle of the board: -90 is White's side of a Camelot board.
    """
    rng = np.random.default_rng(seed)
    w, h = size_wh
    focal = w / 2 / np.tan(np.radians(hfov_deg) / 2)
    principal = np.array([w / 2, h / 2]) + rng.normal(0, 0.006 * w, 2)
    matrix = (
        (focal, 0.0, float(principal[0])),
        (0.0, focal * (1 + rng.normal(0, 0.001)), float(principal[1])),
        (0.0, 0.0, 1.0),
    )
    dist = (float(rng.uniform(-0.1, 0.02)), float(rng.uniform(0, 0.02)), *map(float, rng.normal(0, 0.0004, 2)), 0.0)
    aim = np.array([*middle(board), 0.0])
    slack = rng.uniform(1.0, 1.08)
    roll = np.radians(rng.normal(0, 2.0))
    elevation, azimuth = np.radians(elevation_deg), np.radians(azimuth_deg)
    away = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    fit = corners(board, margin(board) + RIM)
    lens = Camera(size_wh, matrix, dist, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(4):
        near, far = 5.0, 200.0
        for _ in range(40):
            distance = (near + far) / 2
            pixels = _aimed(lens, aim, away * distance, roll).project(fit)
            inside = (pixels > 0.035 * h).all() and (pixels < np.array([w, h]) - 0.035 * h).all()
            near, far = (near, distance) if inside else (distance, far)
        camera = _aimed(lens, aim, away * far * slack, roll)
        pixels = camera.project(fit)
        off = (pixels.min(axis=0) + pixels.max(axis=0) - np.array([w, h])) / 2
        aim = np.array([*camera.on_plane((principal + off)[None])[0], 0.0])
    return camera


def _aimed(lens: Camera, aim: Floats, away: Floats, roll: float) -> Camera:
    """The camera at `aim + away`, looking at `aim`."""
    forward = -away / np.linalg.norm(away)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    turn = np.array([[np.cos(roll), np.sin(roll), 0], [-np.sin(roll), np.cos(roll), 0], [0, 0, 1.0]])
    rotation = turn @ np.stack([right, down, forward])
    rvec, tvec = cv2.Rodrigues(rotation)[0][:, 0], -rotation @ (aim + away)
    return replace(lens, rvec=tuple(map(float, rvec)), tvec=tuple(map(float, tvec)))
