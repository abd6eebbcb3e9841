"""Pieces, hands and mugs as meshes of quadrilaterals, faces turned outward. Units: cells, z up, standing on z = 0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Profile = tuple[tuple[float, float], ...]

MAN: dict[str, Profile] = {
    "ball": ((0.275, 0.0), (0.275, 0.05), (0.24, 0.1), (0.15, 0.19), (0.095, 0.31), (0.088, 0.4), (0.15, 0.435),
             (0.1, 0.46), (0.125, 0.5), (0.145, 0.565), (0.125, 0.63), (0.075, 0.68), (0.0, 0.7)),
    "cone": ((0.28, 0.0), (0.28, 0.07), (0.22, 0.1), (0.17, 0.3), (0.12, 0.48), (0.17, 0.52), (0.1, 0.56),
             (0.11, 0.62), (0.07, 0.68), (0.0, 0.7)),
    "barrel": ((0.25, 0.0), (0.28, 0.06), (0.26, 0.16), (0.19, 0.26), (0.17, 0.36), (0.2, 0.48), (0.215, 0.56),
               (0.19, 0.65), (0.11, 0.695), (0.0, 0.7)),
}  # fmt: skip
FOOT: Profile = ((0.3, 0.0), (0.3, 0.06), (0.26, 0.11), (0.18, 0.19), (0.15, 0.27), (0.19, 0.31), (0.0, 0.34))
MUG: Profile = (
    (0.0, 0.0),
    (0.36, 0.0),
    (0.38, 0.03),
    (0.38, 0.97),
    (0.37, 1.0),
    (0.35, 0.97),
    (0.34, 0.06),
    (0.0, 0.05),
)
TALL: dict[str, Profile] = {
    "R": (*FOOT[:-1], (0.16, 0.5), (0.22, 0.56), (0.22, 0.74), (0.15, 0.74), (0.0, 0.68)),
    "B": (*FOOT[:-1], (0.11, 0.55), (0.17, 0.6), (0.15, 0.75), (0.05, 0.9), (0.0, 0.93)),
    "A": (*FOOT[:-1], (0.1, 0.5), (0.2, 0.58), (0.03, 0.82), (0.0, 0.84)),
    "C": (*FOOT[:-1], (0.12, 0.4), (0.26, 0.55), (0.26, 0.62), (0.0, 0.52)),
    "I": (*FOOT[:-1], (0.11, 0.6), (0.19, 0.66), (0.12, 0.7), (0.16, 0.8), (0.1, 0.92), (0.0, 0.95)),
    "Q": (*FOOT[:-1], (0.1, 0.7), (0.17, 0.74), (0.2, 0.95), (0.1, 0.98), (0.06, 1.08), (0.0, 1.1)),
    "K": (*FOOT[:-1], (0.12, 0.75), (0.19, 0.8), (0.2, 1.0), (0.06, 1.04), (0.05, 1.2), (0.0, 1.22)),
}


@dataclass(frozen=True)
class Solid:
    """Points (N, 3) and faces (M, 4) of indices, counter-clockwise seen from outside."""

    points: Floats
    faces: Ints

    def moved(self, matrix: Floats, shift: Floats) -> Solid:
        """Turned by a 3x3 matrix, then shifted."""
        return Solid(self.points @ matrix.T + shift, self.faces)


def join(*solids: Solid) -> Solid:
    """Several solids as one."""
    starts = np.cumsum([0, *(len(s.points) for s in solids[:-1])])
    faces = [s.faces + start for s, start in zip(solids, starts, strict=True)]
    return Solid(np.vstack([s.points for s in solids]), np.vstack(faces))


def lathe(profile: Profile, segments: int = 20) -> Solid:
    """A surface of revolution from (radius, height) pairs, bottom first."""
    angles = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    rings = [np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(segments, z)]) for r, z in profile]
    return Solid(np.vstack(rings), _skin(len(profile), segments))


def tube(centres: Floats, radii: Floats, segments: int = 12, flat: tuple[float, float] = (1.0, 1.0)) -> Solid:
    """A bent round bar through `centres` (N, 3); `flat` scales its section sideways and upwards. Ends are rounded."""
    centres, radii = np.asarray(centres, float), np.asarray(radii, float)
    first, last = centres[0] - centres[1], centres[-1] - centres[-2]
    first, last = first / np.linalg.norm(first), last / np.linalg.norm(last)
    before = [centres[0] + first * radii[0] * reach for reach in (0.9, 0.6)]
    after = [centres[-1] + last * radii[-1] * reach for reach in (0.6, 0.9)]
    centres = np.vstack([*before, centres, *after])
    radii = np.concatenate([radii[0] * np.array([0.0, 0.7]), radii, radii[-1] * np.array([0.7, 0.0])])
    angles = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    along = np.gradient(centres, axis=0)
    rings = []
    for centre, radius, way in zip(centres, radii, along, strict=True):
        axis = way / np.linalg.norm(way)
        helper = np.array([0.0, 0.0, 1.0]) if abs(axis[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
        side = np.cross(helper, axis)
        side /= np.linalg.norm(side)
        up = np.cross(axis, side)
        offset = np.outer(np.cos(angles), side) * flat[0] + np.outer(np.sin(angles), up) * flat[1]
        rings.append(centre + radius * offset)
    return Solid(np.vstack(rings), _skin(len(centres), segments))


def _skin(rings: int, segments: int) -> Ints:
    i, j = np.mgrid[0 : rings - 1, 0:segments]
    k = (j + 1) % segments
    quads = np.stack([i * segments + j, i * segments + k, (i + 1) * segments + k, (i + 1) * segments + j], axis=-1)
    return quads.reshape(-1, 4)


def _horse() -> Solid:
    """A knight: a foot and a flat head that looks along +x, so that turning it changes its outline."""
    centres = np.array(
        [[-0.02, 0, 0.26], [-0.06, 0, 0.5], [-0.05, 0, 0.7], [0.02, 0, 0.83], [0.13, 0, 0.8], [0.24, 0, 0.7]]
    )
    head = tube(centres, np.array([0.17, 0.19, 0.19, 0.16, 0.14, 0.09]), 12, (0.62, 1.0))
    ears = tube(np.array([[-0.04, 0, 0.84], [-0.05, 0, 0.92], [-0.04, 0, 0.975]]), np.array([0.1, 0.07, 0.03]), 8)
    return join(lathe(FOOT), head, ears)


@lru_cache(maxsize=64)
def piece(kind: str, shape: str, scale: float) -> Solid:
    """A man (M, P), a knight (N) or another piece of the family by its kind letter; `shape` is a key of MAN."""
    if kind == "N":
        solid = _horse()
    elif kind in TALL:
        solid = lathe(TALL[kind])
    else:
        solid = lathe(MAN[shape])
    return Solid(solid.points * scale, solid.faces)


@lru_cache(maxsize=8)
def mug(height: float) -> Solid:
    """A mug with a handle along +x."""
    body = lathe(MUG, 28)
    angles = np.linspace(-1.25, 1.25, 9)
    ring = np.column_stack([0.36 + 0.2 * np.cos(angles), np.zeros(9), 0.5 + 0.28 * np.sin(angles)])
    return Solid(
        join(body, tube(ring, np.full(9, 0.05), 8)).points * height, join(body, tube(ring, np.full(9, 0.05), 8)).faces
    )


@lru_cache(maxsize=4)
def hand() -> tuple[Solid, Solid]:
    """(skin, sleeve) of an arm that comes along +x and pinches at the origin."""
    fingers = []
    for i in range(4):
        across = (i - 1.3) * 0.6
        knuckle = np.array([1.9 + 0.1 * abs(i - 1.3), across, 1.62 - 0.07 * i])
        bend = np.array([0.95 + 0.12 * i, across * 0.85, 1.5 - 0.12 * i])
        end = np.array([0.12 + 0.3 * i, 0.1 + across * 0.62, 0.22 + 0.07 * i])
        fingers.append(tube(np.array([knuckle, (knuckle + bend) / 2 + [0, 0, 0.1], bend, (bend + end) / 2, end]),
                            np.array([0.29, 0.27, 0.25, 0.23, 0.18]), 10))  # fmt: skip
    thumb = tube(np.array([[2.9, -1.0, 1.25], [1.9, -1.15, 1.0], [0.95, -0.75, 0.75], [0.15, -0.2, 0.3]]),
                 np.array([0.42, 0.37, 0.31, 0.22]), 10)  # fmt: skip
    palm = tube(np.array([[1.75, -0.1, 1.55], [2.6, -0.1, 1.6], [3.6, 0, 1.6], [4.5, 0, 1.65]]),
                np.array([1.12, 1.22, 1.08, 0.86]), 16, (1.0, 0.42))  # fmt: skip
    arm = tube(np.array([[4.0, 0, 1.65], [5.4, 0, 1.75], [7.0, 0, 1.9], [8.6, 0, 2.05]]),
               np.array([0.8, 0.86, 1.04, 1.14]), 16, (1.0, 0.86))  # fmt: skip
    reach = np.concatenate([[7.2, 7.7], np.arange(9.0, 34.0, 1.5)])
    rise, width = (
        np.interp(reach, [7.2, 34.0], [1.95, 4.6]),
        np.interp(reach, [7.2, 7.7, 12, 34], [1.35, 1.42, 1.7, 2.3]),
    )
    sleeve = tube(np.column_stack([reach, 0 * reach, rise]), width, 18, (1.0, 0.9))
    return join(arm, palm, *fingers, thumb), sleeve
