"""Pictures taken while something moved are kept small and few, and read as well as a look."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from vision.glimpses import EVERY_S, MOST, Glimpses
from vision.reach import Surroundings

from tests.render.scene import cell_xy
from tests.render.script import Recipe
from tests.vision.pictures import eyes_on, photograph, scene_of

RECIPE = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(960, 720))


def test_a_piece_that_stood_there_for_a_moment_is_read_later() -> None:
    game, scene = scene_of(RECIPE)
    eyes, glimpses = eyes_on(game, scene), Glimpses()
    origin, target = (np.array(cell_xy(game.board, game.board.index[name])) for name in ("F7", "F8"))
    man = min(scene.pieces, key=lambda one: float(np.hypot(*(np.array(one.xyz[:2]) - origin))))
    moved = replace(man, xyz=(float(target[0]), float(target[1]), man.xyz[2]))
    meanwhile = replace(scene, pieces=tuple(moved if one is man else one for one in scene.pieces))
    seen = Surroundings(game.board)
    glimpses.take(1.0, photograph(meanwhile), eyes, seen)
    glimpses.take(2.0, photograph(scene), eyes, seen)
    (t, then, _), (_, since, _) = glimpses.readings(eyes)
    assert t == 1.0
    assert [game.board.cells[c] for c in np.flatnonzero(then.looks != since.looks)] == ["F7", "F8"]
    glimpses.clear()
    assert not glimpses.readings(eyes)


def test_a_few_are_kept_and_not_too_close() -> None:
    game, scene = scene_of(RECIPE)
    eyes, glimpses, image = eyes_on(game, scene), Glimpses(), photograph(scene)
    for number in range(8 * MOST):
        glimpses.take(number * EVERY_S / 4, image, eyes, Surroundings(game.board))
    times = [t for t, _, _ in glimpses.readings(eyes)]
    assert len(times) == MOST
    assert np.allclose(np.diff(times), EVERY_S)
    assert times[-1] > (8 * MOST - 5) * EVERY_S / 4
