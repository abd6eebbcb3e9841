"""Somebody who does as the programme says, before a drawn board and camera; what happens on the board is the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from calibration.profile import Profile, dump_profile
from calibration.view import Lens, View
from server.board.certify.tasks import CertifyTask, TaskKind
from tests.bench.takes import true_corners
from tests.render import cheap
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film
from tests.render.direct import LAMP_OFF
from tests.render.scene import cell_xy
from tests.render.script import Recipe, bare_stage
from tests.render.stage import Stage
from vision.frames import Frame

QUIET_S = 3.2
"""People wait until the page asks for the next thing: so long where something is said ..."""
SILENT = {TaskKind.HAND, TaskKind.NUDGE, TaskKind.LAMP}
"""... and twice as long where nothing is to be said: what counts as silence, and then they read."""
WELL_SEEN = 95
HELD = 12
"""Poses of a hand that rests over the board, each for `hands_s`."""


class Actor:
    """Does tasks on a stage."""

    def __init__(self, recipe: Recipe) -> None:
        self.stage: Stage = bare_stage(recipe)
        self.stage.set_up(self.stage.game.start())
        self._light = self.stage.light

    def act(self, task: CertifyTask) -> None:
        """One task, hands and all, and then a picture at rest."""
        stage = self.stage
        if task.kind is TaskKind.LAMP:
            off = task.sentence == "lamp-off"
            dim = {name: getattr(self._light, name) * share for name, share in LAMP_OFF.items()}
            stage.light = replace(self._light, **dim) if off else self._light
        elif task.kind is TaskKind.NUDGE:
            stage.moving("nudge", self._seat(task), self._xy(task.cells[0]))
            stage.knock(stage.at(task.cells[0]), topple=False)
        elif task.kind is TaskKind.HAND:
            for _ in range(HELD):
                stage.moving("hold", self._seat(task), self._xy(task.cells[0]))
        else:
            self._bring(task)
        for _ in range(2 if task.kind in SILENT else 1):
            stage.quiet(task.sentence)

    def _bring(self, task: CertifyTask) -> None:
        """Pieces go where the task says that they stand."""
        stage, game, seat = self.stage, self.stage.game, self._seat(task)
        stands = dict(enumerate(task.stands))
        now = {int(place): name for name, place in stage.where.items() if isinstance(place, int)}
        beside = [name for name, place in stage.where.items() if place == "table"]
        wrong = [
            cell
            for cell, name in now.items()
            if not stands[cell] or game.codes[stands[cell]] != stage.standing[name].code
        ]
        lifted = {cell: now[cell] for cell in wrong}
        missing = [cell for cell, piece in stands.items() if piece and (cell in wrong or cell not in now)]
        for cell in missing:
            code = game.codes[stands[cell]]
            held = [*lifted.values(), *reversed(beside)]
            name = next(name for name in held if stage.standing[name].code == code)
            lifted = {one: other for one, other in lifted.items() if other != name}
            beside = [other for other in beside if other != name]
            stage.moving("carry", seat, self._xy(cell), held=name)
            stage.put(name, cell)
        for cell, name in lifted.items():
            stage.moving("take", seat, self._xy(cell), held=name)
            stage.take_off(name, seat)

    def _seat(self, task: CertifyTask) -> int:
        return task.before.seat if task.before is not None else 0

    def _xy(self, cell: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return np.array(cell_xy(self.stage.game.board, cell))


def acted(
    recipe: Recipe, tasks: Sequence[CertifyTask], conditions: Conditions, seed: int
) -> tuple[Stage, Iterator[Frame]]:
    """The stage of who did all `tasks` in order, and the film of it."""
    actor = Actor(recipe)
    for task in tasks:
        actor.act(task)
    shots = ((frame.kind, cheap.render(replace(frame.scene, noise=0.5)).image) for frame in actor.stage.frames)
    paced = replace(conditions, quiet_s=QUIET_S, end_s=4 * QUIET_S, hands_s=0.4)
    return actor.stage, (frame for _, frame in film(shots, paced, seed, true_corners(actor.stage)))


def kept(folder: Path, recipe: Recipe, tasks: Sequence[CertifyTask], seed: int = 3) -> tuple[Path, Path]:
    """The same on disk: the profile of the board, and a video of all `tasks`."""
    stage, frames = acted(recipe, tasks, Conditions(), seed)
    camera = stage.cameras[0]
    lens = Lens(recipe.size_wh, camera.matrix[0][0], camera.dist[0])
    views = tuple(View(lens, stage.game.board.size_wh, corners) for corners in true_corners(stage))
    profile, video = folder / "board.toml", folder / "sitting.avi"
    fits = tuple(WELL_SEEN for _ in views)
    profile.write_text(dump_profile(Profile(recipe.game, views, fits, str(video), stage.game.rules)), encoding="utf-8")
    writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), Conditions().fps, recipe.size_wh)
    for frame in frames:
        writer.write(frame.image)
    writer.release()
    return profile, video
