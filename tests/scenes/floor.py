"""What is learned from the start position: the floor under the pieces, how high they are and how they look."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.render.script import Recipe
from tests.scenes.book import Row
from tests.vision.pictures import eyes_on, photograph, scene_of
from vision.ground import SAMPLES_PER_CELL
from vision.reading.level_readers import LevelReaders

SHADOWED = 50.0
"""Grey levels; what differs more is no shadow."""


def floor_off(eyes: LevelReaders, recipe: Recipe) -> tuple[np.ndarray, np.ndarray]:
    """How unlike the empty board the learned floor is: each cell in grey levels; beside, each level's share far off."""
    _, scene = scene_of(recipe)
    empty = photograph(replace(scene, pieces=()))
    cells, beside = [], []
    for reader in eyes._readers:  # what was learned is not shown elsewhere
        shape = (*reader.ground.shape, 3)
        off = np.abs(reader.floor.colour.reshape(shape) - reader.ground.resample_image(empty).reshape(shape)).mean(
            axis=-1
        )
        covered = ~reader.floor.known.reshape(shape[:2])
        for x, y in reader.floor._tiles:
            cells.append(float(np.median(off[y : y + SAMPLES_PER_CELL, x : x + SAMPLES_PER_CELL])))
            covered[y : y + SAMPLES_PER_CELL, x : x + SAMPLES_PER_CELL] = False
        beside.append(float((off[covered] > SHADOWED).mean()) if covered.any() else 0.0)
    return np.array(cells), np.array(beside)


def unseen_cells_follow_the_pattern(row: Row) -> None:
    """Cells of which nothing is seen are learned as their neighbours' pattern says."""
    game, scene = scene_of(row.recipe)
    cells, _ = floor_off(eyes_on(game, scene), row.recipe)
    assert [game.board.cells[c] for c in np.flatnonzero(cells > 20)] == []


def nothing_smeared_beside(row: Row, levels: list[int], most: float) -> None:
    """Of the floor beside the cells, learned under pieces, no more than a share of `most` is far off."""
    game, scene = scene_of(row.recipe)
    _, beside = floor_off(eyes_on(game, scene), row.recipe)
    assert beside[levels].max() < most


def heights_of_all_levels_together(row: Row) -> None:
    """All levels together tell how high the pieces are."""
    game, scene = scene_of(row.recipe)
    eyes = eyes_on(game, scene)
    outlines = [reader.outlines for reader in eyes._readers]
    assert outlines[0] == outlines[1] == outlines[2]
    heights = {game.codes[piece]: height for piece, (_, height) in outlines[0].items()}
    assert 0.7 < heights["WN"] <= 1.1
    assert 0.5 < heights["WM"] < heights["WN"]


def looks_follow_the_lamp(row: Row, main: float, around: float) -> None:
    """In light of other strengths a piece is known on a board where its like never stood."""
    game, scene = scene_of(row.recipe)
    eyes = eyes_on(game, scene)
    light = replace(scene.light, main=scene.light.main * main, around=scene.light.around * around)
    image = photograph(replace(scene, light=light))
    eyes.read_image(image)
    eyes.adopt_light(np.zeros(len(game.board.cells), bool))
    eyes.learn_pieces(image, list(game.start().placement))
    for lent_to, reader in enumerate(eyes._readers):
        for piece, template in reader.templates.items():
            solid = template.solid > 0.5
            learned = [other.templates[piece].mean[solid] for other in eyes._readers if piece in other._studied]
            assert abs(template.mean[solid].mean() / np.mean(learned) - 1) < 0.3, (lent_to, game.codes[piece])
