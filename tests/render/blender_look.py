"""Materials for tests/render/blender.py: painted faces, varnished wood, skin and cloth, as Cycles nodes."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from tests.render.cheap import Image
from tests.render.scene import Bgr
from tests.render.styles import Table

GAMMA = 2.2


def _linear(bgr: Bgr) -> tuple[float, float, float, float]:
    blue, green, red = ((max(v, 0.0) / 255) ** GAMMA for v in bgr)
    return (red, green, blue, 1.0)


def _material(name: str) -> tuple[Any, Any, Any]:
    """(material, its node tree, its surface)."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    return material, material.node_tree, material.node_tree.nodes["Principled BSDF"]


def _texture(tree: Any, image: Image, name: str) -> Any:
    """An image node; rows of Blender's pictures begin at the bottom."""
    h, w = image.shape[:2]
    picture = bpy.data.images.new(name, w, h)
    rgba = np.ones((h, w, 4), np.float32)
    rgba[..., :3] = image[::-1, :, ::-1].astype(np.float32) / 255
    picture.pixels.foreach_set(rgba.ravel())
    picture.pack()
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = picture
    node.extension = "MIRROR"
    return node


def _bump(tree: Any, surface: Any, scale: float, strength: float) -> None:
    noise, bump = tree.nodes.new("ShaderNodeTexNoise"), tree.nodes.new("ShaderNodeBump")
    place = tree.nodes.new("ShaderNodeTexCoord")
    noise.inputs["Scale"].default_value = scale
    bump.inputs["Strength"].default_value = strength
    bump.inputs["Distance"].default_value = 0.02
    tree.links.new(place.outputs["Object"], noise.inputs["Vector"])
    tree.links.new(noise.outputs["Fac"], bump.inputs["Height"])
    tree.links.new(bump.outputs["Normal"], surface.inputs["Normal"])


def face_paint(image: Image, gloss: float, name: str) -> Any:
    """A painted and varnished board."""
    material, tree, surface = _material(name)
    tree.links.new(_texture(tree, image, name).outputs["Color"], surface.inputs["Base Color"])
    surface.inputs["Roughness"].default_value = 0.66 - 0.4 * gloss
    surface.inputs["Coat Weight"].default_value = gloss * 0.6
    surface.inputs["Coat Roughness"].default_value = 0.3 - 0.3 * gloss
    _bump(tree, surface, 3.0, 0.06)
    return material


def table_paint(image: Image, table: Table, name: str) -> Any:
    """Wood with some shine, or cloth with a weave."""
    material, tree, surface = _material(name)
    tree.links.new(_texture(tree, image, name).outputs["Color"], surface.inputs["Base Color"])
    surface.inputs["Roughness"].default_value = 0.95 - table.gloss
    if table.kind == "cloth":
        surface.inputs["Specular IOR Level"].default_value = 0.1
        _bump(tree, surface, 60.0, 0.7)
    return material


def varnish(bgr: Bgr, gloss: float, grain: float, name: str) -> Any:
    """Turned wood or plastic: a colour with grain under a clear coat."""
    material, tree, surface = _material(name)
    noise, ramp = tree.nodes.new("ShaderNodeTexNoise"), tree.nodes.new("ShaderNodeMix")
    place, stretch = tree.nodes.new("ShaderNodeTexCoord"), tree.nodes.new("ShaderNodeMapping")
    stretch.inputs["Scale"].default_value = (6.0, 6.0, 1.5)
    noise.inputs["Scale"].default_value = 3.0
    ramp.data_type = "RGBA"
    ramp.inputs["A"].default_value = _linear(tuple(v * (1 - 2.5 * grain) for v in bgr))
    ramp.inputs["B"].default_value = _linear(tuple(min(255.0, v * (1 + 2.0 * grain)) for v in bgr))
    tree.links.new(place.outputs["Object"], stretch.inputs["Vector"])
    tree.links.new(stretch.outputs["Vector"], noise.inputs["Vector"])
    tree.links.new(noise.outputs["Fac"], ramp.inputs["Factor"])
    tree.links.new(ramp.outputs["Result"], surface.inputs["Base Color"])
    surface.inputs["Roughness"].default_value = 0.6 - 0.45 * gloss
    surface.inputs["Coat Weight"].default_value = gloss * 0.6
    surface.inputs["Coat Roughness"].default_value = 0.1
    return material


def skin(bgr: Bgr) -> Any:
    """Blotched, a little redder in places."""
    material, tree, surface = _material("skin")
    noise, mix = tree.nodes.new("ShaderNodeTexNoise"), tree.nodes.new("ShaderNodeMix")
    noise.inputs["Scale"].default_value = 1.3
    mix.data_type = "RGBA"
    mix.inputs["A"].default_value = _linear(bgr)
    mix.inputs["B"].default_value = _linear((bgr[0] * 0.78, bgr[1] * 0.8, bgr[2] * 0.97))
    tree.links.new(noise.outputs["Fac"], mix.inputs["Factor"])
    tree.links.new(mix.outputs["Result"], surface.inputs["Base Color"])
    surface.inputs["Roughness"].default_value = 0.55
    _bump(tree, surface, 9.0, 0.25)
    return material


def cloth(bgr: Bgr) -> Any:
    """A sleeve."""
    material, tree, surface = _material("sleeve")
    surface.inputs["Base Color"].default_value = _linear(bgr)
    surface.inputs["Roughness"].default_value = 0.95
    surface.inputs["Specular IOR Level"].default_value = 0.1
    _bump(tree, surface, 1.2, 1.0)
    return material


def solid_colour(bgr: Bgr, roughness: float, name: str) -> Any:
    """Glazed pottery."""
    material, _, surface = _material(name)
    surface.inputs["Base Color"].default_value = _linear(bgr)
    surface.inputs["Roughness"].default_value = roughness
    return material
