"""The same scenes path traced by Blender's Cycles: light between things, varnish, soft shadows, real motion blur.

Needs the package `bpy`, which is why nothing in the test suite imports this file; `tests.render.script --renderer
blender` does. Geometry, textures and sensor are those of the cheap renderer, so the truth is the same. Only what
changed since a similar picture is rendered again, with a border for shadows.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import cv2
import mathutils
import numpy as np
import numpy.typing as npt

from tests.render import bodies, solids, surface
from tests.render.blender_look import cloth, face_paint, skin, solid_colour, table_paint, varnish
from tests.render.scene import RIM, THICKNESS, Camera, Floats, Hand, Scene, Setting, level_origin, margin
from tests.render.sensor import sensor
from tests.render.styles import LOOKS, TABLES, piece_look

SAMPLES = 6
"""Paths a pixel; the denoiser does the rest."""
SPARE = 1.1
"""The pinhole picture is this much larger than the distorted one that is cut from it."""
WINDOW_AWAY = 36.0
"""Distance of the main light from the board, in cells."""
GAMMA = 2.2
"""Between the display values of styles.py and light."""
AGX_EXPOSURE = 0.6
"""Stops that make the film-like transform of even seeds about as bright as the plain one of odd seeds."""
KEPT = 6
"""Earlier pictures of the same camera and light to start from."""
FEATHER_PX = 20
"""Width over which a newly rendered part fades into the old picture: far away a hand dims the sky a little too."""
BORDER_PX = 30
"""Round what changed, for its shadow's soft edge and the light it throws, at a picture 1280 wide."""

Image = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]


class Studio:
    """Blender with one board set up in it; `picture` takes photographs."""

    def __init__(self) -> None:
        self._setting: Setting | None = None
        self._kept: list[tuple[Scene, npt.NDArray[np.float32]]] = []
        self._things: dict[str, tuple[Any, list[Any]]] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="studio-"))

    def picture(self, scene: Scene) -> Image:
        """The scene as a camera delivers it, uint8 (H, W, 3) BGR; the same scene gives the same picture."""
        if scene.setting != self._setting:
            self._build(scene.setting)
        self._arrange(scene)
        same = [(old, image) for old, image in self._kept if _comparable(old) == _comparable(scene)]
        areas = [(_changed(old, scene), image) for old, image in same]
        if areas:
            boxes, image = min(areas, key=lambda one: sum(w * h for _, _, w, h in one[0]))
            canvas = image.copy()
        else:
            w, h = _pinhole(scene.camera)[0]
            boxes, canvas = [(0, 0, w, h)], np.zeros((h, w, 3), np.float32)
        for x, y, w, h in boxes:
            part = canvas[y : y + h, x : x + w]
            share = _feather((x, y, w, h), canvas.shape) if areas else 1.0
            part += (self._shoot(scene.camera, (x, y, w, h)) - part) * share
        self._kept = [*self._kept[-KEPT:], (scene, canvas)]
        return sensor(_bend(canvas, scene.camera), scene)

    def _shoot(self, camera: Camera, box: Box) -> Image:
        """Render a part of the pinhole picture."""
        (w, h), _ = _pinhole(camera)
        render = bpy.context.scene.render
        x, y, width, height = box
        render.border_min_x, render.border_max_x = x / w, (x + width) / w
        render.border_min_y, render.border_max_y = 1 - (y + height) / h, 1 - y / h
        render.filepath = str(self._folder / "part.png")
        bpy.ops.render.render(write_still=True)
        part = cv2.imread(render.filepath, cv2.IMREAD_COLOR)
        return np.asarray(part if part.shape[:2] == (height, width) else cv2.resize(part, (width, height)))

    # --- what stays ---

    def _build(self, setting: Setting) -> None:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self._setting, self._kept, self._things = setting, [], {}
        scene, board = bpy.context.scene, setting.board
        scene.render.engine = "CYCLES"
        scene.render.threads_mode, scene.render.threads = "FIXED", 1
        scene.render.use_border = scene.render.use_crop_to_border = True
        scene.render.use_persistent_data = True
        scene.render.image_settings.file_format = "PNG"
        scene.render.image_settings.compression = 0
        scene.cycles.device = "CPU"
        scene.cycles.samples = SAMPLES
        scene.cycles.use_denoising = True
        scene.cycles.denoising_prefilter, scene.cycles.denoising_quality = "FAST", "FAST"
        scene.cycles.max_bounces, scene.cycles.diffuse_bounces, scene.cycles.glossy_bounces = 4, 2, 2
        scene.cycles.seed = setting.seed
        scene.view_settings.view_transform = "Standard" if setting.seed % 2 else "AgX"
        look = LOOKS[setting.look]
        edge = margin(board) + RIM
        w, h = board.size_wh
        for level in sorted(set(board.levels)):
            x, y = level_origin(board, level)
            face = face_paint(surface.face(setting, level), look.gloss, f"face{level}")
            _flat((x - edge, y - edge, x + w + edge, y + h + edge), 0.0, face)
            rim = varnish(look.rim, look.gloss, look.grain, "rim")
            _frame((x - edge, y - edge, x + w + edge, y + h + edge), rim)
        half = 1.5 * surface.TABLE_SPAN
        x0, _ = level_origin(board, max(board.levels))
        cx, cy = (x0 + w) / 2, h / 2
        ground = table_paint(surface.table(setting.table, setting.seed), TABLES[setting.table], "table")
        _flat((cx - half, cy - half, cx + half, cy + half), -THICKNESS, ground, repeat=3)
        self._looks: dict[str, Any] = {}

    # --- what changes ---

    def _arrange(self, scene: Scene) -> None:
        _aim(scene.camera)
        _illuminate(scene)
        wanted: dict[str, Any] = {one.name: (one, one.name == scene.held and scene.hand) for one in scene.pieces}
        if scene.hand:
            wanted["hand"] = scene.hand
        if scene.cup:
            wanted["cup"] = scene.cup
        for name in [n for n, (value, _) in self._things.items() if wanted.get(n) != value]:
            for thing in self._things.pop(name)[1]:
                bpy.data.meshes.remove(thing.data)
        for name, value in wanted.items():
            if name not in self._things:
                self._things[name] = (value, self._make(scene, name, value))

    def _make(self, scene: Scene, name: str, value: Any) -> list[Any]:
        setting = scene.setting
        if name == "hand":
            things = [
                _mesh("hand", bodies.hand_solids(value)[0], skin(value.skin), smooth=0.075),
                _mesh("sleeve", bodies.hand_solids(value)[1], cloth(value.sleeve)),
            ]
            for thing in things:
                _swing(thing, scene.camera, value)
            return things
        if name == "cup":
            return [_mesh("cup", bodies.cup_solid(value), solid_colour(value.bgr, 0.25, "cup"), rounded=True)]
        one, hand = value
        look = piece_look(setting.pieces, one.look)
        if one.look not in self._looks:
            self._looks[one.look] = varnish(look.bgr, look.gloss, look.grain, f"piece-{one.look}")
        thing = _mesh(one.name, bodies.placed(setting, one), self._looks[one.look], rounded=True)
        if hand:
            _swing(thing, scene.camera, hand)
        return [thing]


def _comparable(scene: Scene) -> tuple[Any, ...]:
    """What must be equal for one picture to start from another."""
    return scene.camera, scene.light


def _feather(box: Box, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """How much of a newly rendered part counts: all of it, fading out along those edges that lie inside the picture."""
    x, y, w, h = box
    ramps = []
    for start, length, whole in ((y, h, shape[0]), (x, w, shape[1])):
        ramp = np.ones(length, np.float32)
        fade = min(FEATHER_PX, length // 3)
        rise = (np.arange(fade, dtype=np.float32) + 0.5) / max(fade, 1)
        if start > 0:
            ramp[:fade] = rise
        if start + length < whole:
            ramp[length - fade :] = np.minimum(ramp[length - fade :], rise[::-1])
        ramps.append(ramp)
    return np.asarray(np.outer(*ramps)[..., None], np.float32)


def _pinhole(camera: Camera) -> tuple[tuple[int, int], float]:
    """Size of the undistorted picture that Blender renders, and its focal length in pixels."""
    w, h = camera.size_wh
    return (round(w * SPARE), round(h * SPARE)), camera.matrix[0][0]


def _straight(camera: Camera, points_xyz: Floats) -> Floats:
    """World points -> pixels of the undistorted picture."""
    (w, h), focal = _pinhole(camera)
    inside = np.asarray(points_xyz, float) @ camera.rotation.T + np.array(camera.tvec)
    return inside[:, :2] / np.maximum(inside[:, 2:], 0.3) * focal + np.array([w / 2, h / 2])


def _bend(canvas: npt.NDArray[np.float32], camera: Camera) -> npt.NDArray[np.float32]:
    """The distorted picture from the undistorted one."""
    w, h = camera.size_wh
    (wide, high), focal = _pinhole(camera)
    xs, ys = np.meshgrid(np.arange(w, dtype=float), np.arange(h, dtype=float))
    rays = cv2.undistortPoints(
        np.column_stack([xs.ravel(), ys.ravel()])[:, None], np.array(camera.matrix), np.array(camera.dist)
    )[:, 0]
    place = (rays * focal + np.array([wide / 2, high / 2]) - 0.5).astype(np.float32).reshape(h, w, 2)
    return np.asarray(cv2.remap(canvas, place, None, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _changed(old: Scene, new: Scene) -> list[Box]:
    """The parts of the undistorted picture where two scenes differ, shadows included."""
    before, after = (
        {
            **{one.name: (one, scene.hand if one.name == scene.held else None) for one in scene.pieces},
            "hand": scene.hand,
            "cup": scene.cup,
        }
        for scene in (old, new)
    )
    boxes: list[Box] = []
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            boxes += [_reach(new, v) for v in (before.get(name), after.get(name)) if v is not None]
    return _merged([box for box in boxes if box[2] > 0 and box[3] > 0])


def _reach(scene: Scene, value: Any) -> Box:
    """The box that a thing and its shadow take in the undistorted picture."""
    camera, light = scene.camera, scene.light
    blur = 0.0
    if isinstance(value, Hand):
        points, blur = solids.join(*bodies.hand_solids(value)).points, value.blur_px
    elif isinstance(value, tuple):
        points = bodies.placed(scene.setting, value[0]).points
        blur = value[1].blur_px if value[1] else 0.0
    else:
        points = bodies.cup_solid(value).points
    towards = np.array(light.towards)
    shades = [points - towards * ((points[:, 2:] - z) / max(towards[2], 0.3)) for z in (0.0, -THICKNESS)]
    pixels = _straight(camera, np.vstack([points, *shades]))
    (w, h), _ = _pinhole(camera)
    grow = BORDER_PX * camera.size_wh[0] / 1280 * (2 if isinstance(value, Hand) else 1) + blur
    x0, y0 = np.clip(np.floor(pixels.min(axis=0) - grow), 0, [w, h]).astype(int).tolist()
    x1, y1 = np.clip(np.ceil(pixels.max(axis=0) + grow), 0, [w, h]).astype(int).tolist()
    return (x0, y0, x1 - x0, y1 - y0)


def _merged(boxes: list[Box]) -> list[Box]:
    """Boxes that overlap become one."""
    done: list[Box] = []
    for box in boxes:
        x, y, w, h = box
        while True:
            hit = next((b for b in done if b[0] < x + w and x < b[0] + b[2] and b[1] < y + h and y < b[1] + b[3]), None)
            if hit is None:
                break
            done.remove(hit)
            right, low = max(x + w, hit[0] + hit[2]), max(y + h, hit[1] + hit[3])
            x, y = min(x, hit[0]), min(y, hit[1])
            w, h = right - x, low - y
        done.append((x, y, w, h))
    return done


# --- Blender's objects -----------------------------------------------------------------------------------------


def _aim(camera: Camera) -> None:
    scene = bpy.context.scene
    (w, h), focal = _pinhole(camera)
    scene.render.resolution_x, scene.render.resolution_y = w, h
    if scene.camera is None:
        scene.camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
        scene.collection.objects.link(scene.camera)
    scene.camera.data.sensor_width = 36.0
    scene.camera.data.lens = 36.0 * focal / w
    matrix = np.eye(4)
    matrix[:3, :3] = camera.rotation.T @ np.diag([1.0, -1.0, -1.0])
    matrix[:3, 3] = camera.position
    scene.camera.matrix_world = mathutils.Matrix(matrix.tolist())


def _illuminate(scene: Scene) -> None:
    """A square window far away and light from all around, as strong together as the cheap renderer's light."""
    light, where = scene.light, bpy.context.scene
    natural = 0.0 if scene.setting.seed % 2 else AGX_EXPOSURE
    where.view_settings.exposure = float(natural + GAMMA * np.log2(light.gain))
    towards = np.array(light.towards)
    main = light.main * towards[2] * 1.35 * np.array(light.main_bgr)[::-1]
    around = light.around * np.array(light.around_bgr)[::-1]
    total = (main + around) ** GAMMA
    share = main / (main + around)
    if where.world is None:
        where.world = bpy.data.worlds.new("world")
        where.world.use_nodes = True
    sky = where.world.node_tree.nodes["Background"]
    sky.inputs["Color"].default_value = (*(total * (1 - share)).tolist(), 1.0)
    sky.inputs["Strength"].default_value = 1.0
    window = bpy.data.objects.get("window")
    if window is None:
        window = bpy.data.objects.new("window", bpy.data.lights.new("window", "AREA"))
        where.collection.objects.link(window)
    board = scene.setting.board
    away = WINDOW_AWAY * (0.55 if light.slope[0] ** 2 + light.slope[1] ** 2 > 5e-4 else 1.0)
    at = np.array([board.size_wh[0] / 2, board.size_wh[1] / 2, 0.0]) + towards * away
    beam = total * share / max(towards[2], 0.05)
    strongest = float(beam.max())
    window.location = at.tolist()
    window.rotation_euler = mathutils.Vector(towards.tolist()).to_track_quat("Z", "Y").to_euler()
    window.data.shape = "RECTANGLE"
    window.data.size, window.data.size_y = 2.0 + 12.0 * light.softness, 2.0 + 17.0 * light.softness
    window.data.energy = float(np.pi**2 * away**2 * strongest)
    window.data.color = (beam / max(strongest, 1e-9)).tolist()


def _mesh(name: str, solid: solids.Solid, material: Any, rounded: bool = False, smooth: float = 0.0) -> Any:
    """An object; `rounded` subdivides its faces, `smooth` melts its parts together at that grain."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(solid.points.tolist(), [], solid.faces.tolist())
    mesh.shade_smooth()
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    mesh.materials.append(material)
    if rounded:
        step = thing.modifiers.new("rounded", "SUBSURF")
        step.levels = step.render_levels = 2
    if smooth:
        melt = thing.modifiers.new("melt", "REMESH")
        melt.mode, melt.voxel_size, melt.use_smooth_shade = "VOXEL", smooth, True
        polish = thing.modifiers.new("polish", "SMOOTH")
        polish.factor, polish.iterations = 0.6, 6
    return thing


def _flat(rect: tuple[float, float, float, float], z: float, material: Any, repeat: int = 1) -> None:
    """A flat thing with its picture in the middle, `repeat` times (odd), mirrored."""
    x0, y0, x1, y1 = rect
    low, high = (1 - repeat) / 2, (1 + repeat) / 2
    mesh = bpy.data.meshes.new("flat")
    mesh.from_pydata([(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)], [], [(0, 1, 2, 3)])
    uv = mesh.uv_layers.new(name="uv")
    for corner, place in zip(uv.data, ((low, low), (high, low), (high, high), (low, high)), strict=True):
        corner.uv = place
    mesh.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("flat", mesh))


def _frame(rect: tuple[float, float, float, float], material: Any) -> None:
    """Four bars of wood round a face, a little higher than it."""
    x0, y0, x1, y1 = rect
    bars = (
        (x0, y0, x1, y0 + RIM),
        (x0, y1 - RIM, x1, y1),
        (x0, y0 + RIM, x0 + RIM, y1 - RIM),
        (x1 - RIM, y0 + RIM, x1, y1 - RIM),
    )
    low, high = -THICKNESS, 0.05
    for a, b, c, d in bars:
        points = np.array([[x, y, z] for z in (low, high) for x, y in ((a, b), (c, b), (c, d), (a, d))])
        faces = np.array([[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]])
        bar = _mesh("rim", solids.Solid(points, faces), material)
        bar.data.shade_flat()
        bevel = bar.modifiers.new("bevel", "BEVEL")
        bevel.width, bevel.segments = 0.04, 2


def _swing(thing: Any, camera: Camera, hand: Hand) -> None:
    """Let a thing move through its place while the shutter is open."""
    if hand.blur_px < 1.5:
        return
    scene = bpy.context.scene
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = True, 1.0
    angle = np.radians(hand.blur_deg)
    away = np.linalg.norm(camera.position - np.array(hand.tip_xyz)) / camera.matrix[0][0] * hand.blur_px
    way = (np.cos(angle) * camera.rotation[0] + np.sin(angle) * camera.rotation[1]) * away
    scene.frame_set(1)
    for frame, sign in ((0, -1.0), (2, 1.0)):
        thing.location = (way * sign).tolist()
        thing.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
