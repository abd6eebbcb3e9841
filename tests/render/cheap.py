"""The cheap renderer: textured planes, shaded meshes painted far to near, soft shadows, sensor noise.

It is fast because nothing is drawn twice: the empty board is kept for each camera and light, and each piece as it
stands is kept as a small picture with its shadow. What it leaves out (reflections, light between things, depth of
field) is what tests/render/blender.py is for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from engine.board import Board
from tests.render import solids, surface
from tests.render.bodies import cup_solid, hand_solids, placed
from tests.render.scene import (
    RIM,
    THICKNESS,
    Camera,
    Cup,
    Floats,
    Hand,
    Light,
    Scene,
    Setting,
    Standing,
    level_origin,
    margin,
)
from tests.render.sensor import sensor, streak
from tests.render.styles import LOOKS, TABLES, PieceLook, piece_look

Image = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int16]

FINE = 2
"""Empty boards and pieces are drawn this many times larger, then reduced."""
COARSE = 16
"""Light is worked out for every so many fine pixels along rows and columns, as it changes slowly."""
TABLES_AWAY = 8
"""The table repeats itself so often towards the horizon, where it is one colour anyway."""
HAND_LABEL, CUP_LABEL = 10_000, 10_001
OPAQUE = 0.5
NEAREST, WIDEST = 0.5, 1.6
"""Points nearer than this, or further aside for their depth (tangent), are not drawn."""
CONTACT_PX = 6.0
"""How far the dark line where a board meets the table spreads: a standard deviation, in pixels."""
CONTACT_SHADE, CAST_SHADE = 0.35, 0.75
"""How much a contact takes of the light, and how much of the main light a cast shadow takes."""
SKIN_LOOK_GLOSS, SLEEVE_GLOSS, CUP_GLOSS = 0.12, 0.02, 0.6


@dataclass(frozen=True)
class Patch:
    """A small picture with its place: `bgr` is premultiplied by `alpha` (both float32, alpha (h, w, 1))."""

    x: int
    y: int
    bgr: npt.NDArray[np.float32]
    alpha: npt.NDArray[np.float32]

    @property
    def box(self) -> tuple[slice, slice]:
        """Rows and columns in the picture."""
        return (slice(self.y, self.y + self.bgr.shape[0]), slice(self.x, self.x + self.bgr.shape[1]))


@dataclass(frozen=True)
class Shot:
    """A picture, and which thing each pixel shows: 0 the board, n the n-th piece, HAND_LABEL, CUP_LABEL."""

    image: Image
    labels: Labels
    whole: tuple[int, ...]
    """Pixels that each piece would have if nothing stood before it."""


def render(scene: Scene) -> Shot:
    """The picture of a scene; the same scene gives the same bytes."""
    camera, light = scene.camera, scene.light
    canvas = _empty(scene.setting, camera, light).copy()
    labels = np.zeros(canvas.shape[:2], np.int16)
    whole = [0] * len(scene.pieces)
    drawn = [
        (_piece(scene.setting, camera, light, one, one.name == scene.held), i) for i, one in enumerate(scene.pieces)
    ]
    things = [(_far(camera, scene.pieces[i].xyz), patch, i + 1) for (patch, _), i in drawn if patch]
    shades = [shade for (_, shade), _ in drawn if shade]
    if scene.cup:
        cup, shade = _cup(camera, light, scene.cup)
        shades += [shade] if shade else []
        things += [(_far(camera, (*scene.cup.xy, 0.0)), cup, CUP_LABEL)] if cup else []
    if scene.hand:
        hand, shade = _hand(camera, light, scene.hand)
        shades += [shade] if shade else []
        things += [(0.0, hand, HAND_LABEL)] if hand else []
    for shade in shades:
        canvas[shade.box] *= 1 - shade.alpha
    for _, sharp, label in sorted(things, key=lambda thing: -thing[0]):
        in_motion = scene.hand and (label == HAND_LABEL or _is_held(scene, label))
        patch = _smeared(sharp, scene.hand, canvas.shape[:2]) if scene.hand and in_motion else sharp
        rows = canvas[patch.box]
        rows *= 1 - patch.alpha
        rows += patch.bgr
        solid = patch.alpha[..., 0] > OPAQUE
        labels[patch.box][solid] = label
        if label <= len(whole):
            whole[label - 1] = int(solid.sum())
    return Shot(sensor(canvas, scene), labels, tuple(whole))


def _is_held(scene: Scene, label: int) -> bool:
    return label <= len(scene.pieces) and scene.pieces[label - 1].name == scene.held


def _far(camera: Camera, xyz: tuple[float, float, float]) -> float:
    return float(np.linalg.norm(camera.position - np.array(xyz)))


# --- the empty board -------------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _paint(setting: Setting, camera: Camera) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], Floats]:
    """Colours of the empty scene without light, how glossy each pixel is, and world points on a coarse grid."""
    board, look = setting.board, LOOKS[setting.look]
    levels = sorted(set(board.levels), key=lambda v: -_far(camera, (*level_origin(board, v), 0.0)))
    ground, places, coarse = _places(board, levels, camera)
    table = surface.table(setting.table, setting.seed)
    far = TABLES_AWAY * max(table.shape)  # OpenCV counts the way to the horizon table by table
    np.clip(np.nan_to_num(ground, copy=False), -far, far, out=ground)
    image = cv2.remap(table, ground, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    gloss = np.full(image.shape[:2], TABLES[setting.table].gloss, np.float32)
    for level, place in zip(levels, places, strict=True):
        _paint_sides(image, camera, setting, np.array(level_origin(board, level)))
        texture = surface.face(setting, level)
        x, y = place[..., 0], place[..., 1]
        inside = (x >= 0) & (y >= 0) & (x < texture.shape[1]) & (y < texture.shape[0])
        face = cv2.remap(texture, place, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        np.copyto(image, face, where=inside[..., None])
        gloss[inside] = look.gloss
    small = (camera.size_wh[0], camera.size_wh[1])
    colours = cv2.resize(image, small, interpolation=cv2.INTER_AREA).astype(np.float32)
    return colours, cv2.resize(gloss, small, interpolation=cv2.INTER_AREA)[..., None], coarse


def _places(
    board: Board, levels: list[int], camera: Camera
) -> tuple[npt.NDArray[np.float32], list[npt.NDArray[np.float32]], Floats]:
    """For each fine pixel (h, w, 2) its place on the table and on each level's face, and world points on a coarse grid.

    A band of rows at a time: what one holds stays in the processor's cache, a whole picture takes three times as long.
    """
    w, h = (side * FINE for side in camera.size_wh)
    ground = np.empty((h, w, 2), np.float32)
    places = [np.empty((h, w, 2), np.float32) for _ in levels]
    coarse = np.empty((-(-h // COARSE), -(-w // COARSE), 2))
    for start in range(0, h, COARSE):
        band = slice(start, min(start + COARSE, h))
        rays = camera.rows_of_rays((band.start, band.stop), FINE)
        ground[band] = surface.to_table(board, camera.reached(rays, -THICKNESS)).reshape(-1, w, 2)
        top = camera.reached(rays, 0.0)
        coarse[start // COARSE] = top[:w:COARSE]
        for level, place in zip(levels, places, strict=True):
            place[band] = surface.to_face(board, top - np.array(level_origin(board, level))).reshape(-1, w, 2)
    return ground, places, coarse


def _paint_sides(image: Image, camera: Camera, setting: Setting, origin: Floats) -> None:
    """The upright sides of a level that the camera sees, and the dark line of contact round it."""
    edge = margin(setting.board) + RIM
    w, h = setting.board.size_wh
    ring = origin + np.array([[-edge, -edge], [w + edge, -edge], [w + edge, h + edge], [-edge, h + edge]])
    shade = np.column_stack([origin + (ring - origin - [w / 2, h / 2]) * 1.03 + [w / 2, h / 2], np.full(4, -THICKNESS)])
    outline = camera.project(shade) * FINE
    spread = CONTACT_PX * FINE
    low = np.clip(np.nan_to_num(outline.min(axis=0)) - 8 * spread, 0, image.shape[1::-1]).astype(int)
    high = np.clip(np.nan_to_num(outline.max(axis=0)) + 8 * spread, 0, image.shape[1::-1]).astype(int)
    near = image[low[1] : high[1], low[0] : high[0]]  # farther away nothing is darker
    dark = np.full(near.shape[:2], 255, np.uint8)
    cv2.fillConvexPoly(dark, _fixed(outline - low), 110, cv2.LINE_AA, surface.SUBPIXEL)
    reach = cv2.GaussianBlur(dark, (0, 0), spread)
    for row, share in zip(near, reach, strict=True):
        row[:] = (row * (share[:, None] / 255.0)).astype(np.uint8)
    rim = np.array(LOOKS[setting.look].rim)
    for i in range(4):
        a, b = ring[i], ring[(i + 1) % 4]
        outward = np.array([b[1] - a[1], a[0] - b[0]])
        if (camera.position[:2] - a) @ outward > 0:
            quad = np.array([[*a, 0], [*b, 0], [*b, -THICKNESS], [*a, -THICKNESS]])
            cv2.fillConvexPoly(
                image,
                _fixed(camera.project(quad) * FINE),
                (rim * (0.55 + 0.12 * (i % 2))).tolist(),
                cv2.LINE_AA,
                surface.SUBPIXEL,
            )


def _fixed(points: Floats) -> npt.NDArray[np.int32]:
    return np.round(np.clip(np.nan_to_num(points), -2e4, 2e4) * 2**surface.SUBPIXEL).astype(np.int32)


@lru_cache(maxsize=8)
def _empty(setting: Setting, camera: Camera, light: Light) -> npt.NDArray[np.float32]:
    """The empty board under a light, 0 to 255 and above."""
    colours, gloss, coarse = _paint(setting, camera)
    w, h = setting.board.size_wh
    flat = coarse.reshape(-1, 2)
    slope = np.clip(1 + (flat - [w / 2, h / 2]) @ np.array(light.slope), 0.45, 1.8)
    towards = np.array(light.towards)
    level = light.main * max(towards[2], 0.05) * slope[:, None] * np.array(
        light.main_bgr
    ) * 1.35 + light.around * np.array(light.around_bgr)
    away = camera.position - np.column_stack([flat, np.zeros(len(flat))])
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    half = away + towards
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    glint = light.main * np.clip(half[:, 2], 0, 1) ** (90 - 60 * light.softness) * 120
    size = camera.size_wh
    shape = coarse.shape[:2]
    level = cv2.resize(np.nan_to_num(level).reshape(*shape, 3).astype(np.float32), size)
    glint = cv2.resize(np.nan_to_num(glint).reshape(shape).astype(np.float32), size)[..., None]
    return np.asarray((colours * level + gloss * glint * np.array(light.main_bgr, np.float32)) * light.gain, np.float32)


# --- things that stand on it -----------------------------------------------------------------------------------


@lru_cache(maxsize=600)
def _piece(
    setting: Setting, camera: Camera, light: Light, one: Standing, held: bool
) -> tuple[Patch | None, Patch | None]:
    solid = placed(setting, one)
    look = piece_look(setting.pieces, one.look)
    base_z = one.xyz[2] if not held else 0.0
    radius = 0.3 * setting.scale
    return _draw(camera, light, [(solid, look)]), _shadow(
        camera, light, solid, base_z, None if held else (one.xyz, radius)
    )


@lru_cache(maxsize=64)
def _cup(camera: Camera, light: Light, cup: Cup) -> tuple[Patch | None, Patch | None]:
    solid = cup_solid(cup)
    shade = _shadow(camera, light, solid, -THICKNESS, ((*cup.xy, -THICKNESS), 0.4 * cup.height))
    return _draw(camera, light, [(solid, PieceLook(cup.bgr, CUP_GLOSS, 0.0))]), shade


def _hand(camera: Camera, light: Light, hand: Hand) -> tuple[Patch | None, Patch | None]:
    skin, sleeve = hand_solids(hand)
    looks = [(skin, PieceLook(hand.skin, SKIN_LOOK_GLOSS, 0.03)), (sleeve, PieceLook(hand.sleeve, SLEEVE_GLOSS, 0.05))]
    shade = _shadow(
        camera, replace(light, softness=min(1.0, light.softness + 0.3)), solids.join(skin, sleeve), 0.0, None
    )
    return _draw(camera, light, looks), shade


def _draw(camera: Camera, light: Light, parts: list[tuple[solids.Solid, PieceLook]]) -> Patch | None:
    """Solids one over the other, each face by face, far ones first; None when they are outside the picture."""
    corners = [solid.points[solid.faces] for solid, _ in parts]
    colours = [_shade(camera, light, quads, look) for quads, (_, look) in zip(corners, parts, strict=True)]
    quads, colour = np.concatenate(corners), np.concatenate(colours)
    ahead = _in_view(camera, quads.reshape(-1, 3)).reshape(-1, 4).all(axis=1)
    if not ahead.any():
        return None
    quads, colour = quads[ahead], colour[ahead]
    pixels = camera.project(quads.reshape(-1, 3)).reshape(-1, 4, 2)
    w, h = camera.size_wh
    x0, y0 = (int(v) for v in np.clip(np.floor(pixels.min(axis=(0, 1))) - 2, 0, [w, h]))
    x1, y1 = (int(v) for v in np.clip(np.ceil(pixels.max(axis=(0, 1))) + 2, 0, [w, h]))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return None
    sheet = np.zeros(((y1 - y0) * FINE, (x1 - x0) * FINE, 4), np.float32)
    a, b, c, d = (pixels[:, i] for i in range(4))
    ac, bd = c - a, d - b
    front = ac[:, 0] * bd[:, 1] - ac[:, 1] * bd[:, 0] < 0
    part = np.repeat(np.arange(len(corners)), [len(one) for one in corners])
    order = np.lexsort((-np.linalg.norm(quads.mean(axis=1) - camera.position, axis=1), part[ahead]))
    fixed = _fixed((pixels - [x0 - 0.5, y0 - 0.5]) * FINE - 0.5)
    for i in order[front[order]]:
        cv2.fillConvexPoly(sheet, fixed[i], (*colour[i].tolist(), 1.0), cv2.LINE_8, surface.SUBPIXEL)
    sheet = cv2.resize(sheet, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
    return Patch(x0, y0, sheet[..., :3], sheet[..., 3:])


def _in_view(camera: Camera, points: Floats) -> npt.NDArray[np.bool_]:
    """Which points lie before the camera and not so far aside that the lens model folds them back into the picture."""
    x, y, depth = ((points - camera.position) @ camera.rotation.T).T
    return np.asarray((depth > NEAREST) & (np.hypot(x, y) < WIDEST * depth))


def _shade(camera: Camera, light: Light, quads: Floats, look: PieceLook) -> Floats:
    """A colour for each face (M, 4, 3): light all around, the main light, a highlight, and grain."""
    normal = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
    middle = quads.mean(axis=1)
    towards = np.array(light.towards)
    wrap = 0.25 * light.softness
    direct = light.main * np.clip((normal @ towards + wrap) / (1 + wrap), 0, None)
    around = light.around * (0.62 + 0.38 * normal[:, 2])
    seen = camera.position - middle
    seen /= np.linalg.norm(seen, axis=1, keepdims=True)
    half = seen + towards
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    facing = np.clip((normal * seen).sum(axis=1), 0, 1)
    glint = look.gloss * light.main * 150 * np.clip((normal * half).sum(axis=1), 0, 1) ** (110 - 60 * light.softness)
    glint += look.gloss * light.around * 60 * (1 - facing) ** 4 * np.clip(0.4 + 0.6 * normal[:, 2], 0, 1)
    streak = 1 + look.grain * np.sin(middle @ np.array([9.0, 4.0, 23.0]) + 3 * np.sin(middle[:, 2] * 7))
    main, soft = np.array(light.main_bgr) * 1.35, np.array(light.around_bgr)
    albedo = np.array(look.bgr) * streak[:, None]
    return np.asarray((albedo * (direct[:, None] * main + around[:, None] * soft) + glint[:, None] * main) * light.gain)


def _shadow(
    camera: Camera, light: Light, solid: solids.Solid, z: float, foot: tuple[tuple[float, float, float], float] | None
) -> Patch | None:
    """What a solid takes of the light on the plane at height z, by its cast shadow and round its foot."""
    towards = np.array(light.towards)
    points = solid.points
    flat = points - towards * ((points[:, 2:] - z) / max(towards[2], 0.2))
    flat = flat[_in_view(camera, flat)]
    if len(flat) < 3:
        return None
    hull = cv2.convexHull(camera.project(flat).astype(np.float32))[:, 0]
    scale = _pitch(camera, flat.mean(axis=0))
    blur = scale * (0.03 + 0.12 * light.softness) * (2.0 if foot is None else 1.0)
    w, h = camera.size_wh
    reach = 3 * blur + scale * 0.5
    x0, y0 = (int(v) for v in np.clip(np.floor(hull.min(axis=0) - reach), 0, [w, h]))
    x1, y1 = (int(v) for v in np.clip(np.ceil(hull.max(axis=0) + reach), 0, [w, h]))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return None
    cast = np.zeros((y1 - y0, x1 - x0), np.float32)
    share = light.main * towards[2] * max(light.main_bgr) * 1.35
    cast_alpha = CAST_SHADE * share / max(share + light.around * max(light.around_bgr), 1e-6)
    cv2.fillConvexPoly(cast, _fixed(hull - [x0, y0]), cast_alpha, cv2.LINE_8, surface.SUBPIXEL)
    cast = cv2.GaussianBlur(cast, (0, 0), max(blur, 0.4))
    if foot:
        around = np.zeros_like(cast)
        angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        ring = np.array(foot[0]) + foot[1] * 1.25 * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(24)])
        cv2.fillConvexPoly(around, _fixed(camera.project(ring) - [x0, y0]), CONTACT_SHADE, cv2.LINE_8, surface.SUBPIXEL)
        cast = 1 - (1 - cast) * (1 - cv2.GaussianBlur(around, (0, 0), max(scale * 0.08, 0.4)))
    return Patch(x0, y0, np.empty((*cast.shape, 0), np.float32), cast[..., None])


def _pitch(camera: Camera, at: Floats) -> float:
    """Pixels of one cell at a world point, across the line of sight."""
    a, b = camera.project(np.array([at, at + camera.rotation[0]]))
    return float(np.linalg.norm(b - a))


def _smeared(patch: Patch, hand: Hand, shape: tuple[int, int]) -> Patch:
    """Motion blur of a patch as the hand moves."""
    length = hand.blur_px
    if length < 1.5:
        return patch
    pad = int(length) + 1
    y0, x0 = max(0, patch.y - pad), max(0, patch.x - pad)
    y1 = min(shape[0], patch.y + patch.bgr.shape[0] + pad)
    x1 = min(shape[1], patch.x + patch.bgr.shape[1] + pad)
    sheet = np.zeros((y1 - y0, x1 - x0, 4), np.float32)
    inner = (
        slice(patch.y - y0, patch.y - y0 + patch.bgr.shape[0]),
        slice(patch.x - x0, patch.x - x0 + patch.bgr.shape[1]),
    )
    sheet[inner] = np.concatenate([patch.bgr, patch.alpha], axis=2)
    sheet = cv2.filter2D(sheet, -1, streak(length, hand.blur_deg), borderType=cv2.BORDER_REPLICATE)
    return Patch(x0, y0, sheet[..., :3], sheet[..., 3:])
