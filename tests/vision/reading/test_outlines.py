"""How high pieces are is told where they are another colour than the board, and not by the board's own grain."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.pictures import scene_of, true_views
from tests.vision.reading.test_level_readers import RECIPES
from vision.ground import ground_of
from vision.reading.footprint import PATCH_H, PATCH_W, compute_footprints
from vision.reading.outlines import fit_outlines, gather_evidence

MEN, KNIGHTS = (0.3, 0.65), (0.3, 1.05)
FLOOR = np.array([50.0, 80.0, 110.0], np.float32)


@pytest.mark.parametrize(("contrast", "grain"), [(60.0, 3.0), (18.0, 3.0), (15.0, 15.0)])
def test_men_are_lower_than_knights_on_a_board_of_their_own_colour(contrast: float, grain: float) -> None:
    """Where grain and pieces differ alike from a plain floor, the grain around them was taken for taller men."""
    game, scene = scene_of(RECIPES["camelot"])
    (view,) = true_views(scene)
    prints = compute_footprints(view, np.array(game.board.centres_xy), ground_of(view).shape)
    pieces, dice = np.frombuffer(game.start().placement, np.uint8).astype(np.int64), np.random.default_rng(7)
    plain = np.broadcast_to(FLOOR, (len(pieces), PATCH_H, PATCH_W, 3)).astype(np.float32)
    patches = plain + dice.normal(0, grain, (len(pieces), PATCH_H, PATCH_W, 1))
    for cell, piece in enumerate(pieces.tolist()):
        if piece:
            size = MEN if game.codes[piece].endswith("M") else KNIGHTS
            patches[cell] += contrast * prints.piece_silhouette(*size)[..., None]
    evidence = gather_evidence(np.asarray(patches, np.float32), plain, plain, pieces, game.look_of, prints, {})
    outlines = {game.codes[piece]: size for piece, size in fit_outlines([evidence], game.look_of).items()}
    for side in "WB":
        assert outlines[f"{side}M"][1] == pytest.approx(MEN[1], abs=0.21)
        assert outlines[f"{side}N"][1] == pytest.approx(KNIGHTS[1], abs=0.21)
