"""What is read of a scene's pieces: each once, as itself, in another light too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.scenes.book import Row
from tests.vision.pictures import before_and_after, eyes_on, photograph, scene_of

GONE = "E6"
"""Of a Camelot board at the start: a man of White's."""


def known_again_in_new_light(row: Row, main: float, around: float) -> None:
    """In light of other strengths a man who has gone is missed, and what stands is known to stand."""
    game, scene = scene_of(row.recipe)
    eyes = eyes_on(game, scene)
    light = replace(scene.light, main=scene.light.main * main, around=scene.light.around * around)
    gone = game.board.index[GONE]
    number = [c for c, piece in enumerate(game.start().placement) if piece].index(gone)
    shown = replace(scene, light=light, pieces=scene.pieces[:number] + scene.pieces[number + 1 :])
    eyes.read_image(photograph(shown))
    standing = eyes.same_pattern_cells()
    there = np.array([piece > 0 for piece in game.start().placement])
    assert not standing[gone]
    assert not standing[~there].any()
    assert standing[there].sum() >= there.sum() - 3


def overexposed_is_not_strange(row: Row, note: str) -> None:
    """After the change of light with that note white cells are not strange."""
    stage, _ = row.staged()
    eyes, _ = before_and_after(stage, note)
    first = next(n for n, frame in enumerate(stage.frames) if frame.note == note)
    other = next(n for n, frame in enumerate(stage.frames) if n >= first and stage.frames[n + 1].kind == "moving")
    reading = eyes.read_image(photograph(stage.frames[other].scene))
    assert int((reading.unexplained > 0.45).sum()) <= 2


def not_seen_twice(row: Row, note: str) -> None:
    """The piece that was pushed is read nowhere else."""
    eyes, knocked = before_and_after(row.staged()[0], note)
    empty = np.array(eyes.learned_pieces) == 0
    reading = eyes.read_image(photograph(knocked))
    assert reading.scores[empty, 1:].max() < 0


def told_from_the_one_before(row: Row, note: str, cell: str) -> None:
    """On that cell a piece is told from the one whose place it took."""
    eyes, after = before_and_after(row.staged()[0], note)
    index = eyes.board.index[cell]
    before = eyes.learned_looks[index]
    _, *scores = eyes.read_image(photograph(after)).scores[index].tolist()
    assert sum(scores) - 2 * scores[before - 1] > 5
