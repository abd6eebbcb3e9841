"""Drawn games watched by the referee: their quiet pictures one after another, and what is said of them."""

from __future__ import annotations

from calibration.profile import Profile
from engine.events import Event
from engine.referee import new_match
from tests.render.scene import Scene
from tests.render.script import stage_of
from tests.render.stage import Stage
from tests.tools.bench_vision import drawn_recipe
from tests.vision.pictures import photograph, true_views
from vision.frames import Frame
from vision.watch.watcher import Watcher

FRAMES = 10
"""Of each picture: over a second, at eight frames a second."""
CUP_GAME = 10656
"""A drawn game in which a cup is put down close to the board after the first ply; its shadow lies over the edge."""


def watcher_of(stage: Stage, scene: Scene) -> Watcher:
    """A referee of the game from its beginning, who knows from where the scene is seen."""
    return Watcher(Profile(stage.game.name, tuple(true_views(scene)), (97,), "drawn"), new_match(stage.game))


def refereed(seed: int, note: str, ply: int) -> list[Event]:
    """What is said of the quiet pictures of a drawn game, up to one with that note after so many plies."""
    stage, _ = stage_of(drawn_recipe(seed))
    last = next(n for n, frame in enumerate(stage.frames) if frame.ply == ply and note in frame.note)
    scenes = [frame.scene for frame in stage.frames[: last + 1] if frame.kind == "quiet"]
    watcher = watcher_of(stage, scenes[0])
    events: list[Event] = []
    for number, scene in enumerate(scenes):
        image = photograph(scene)
        for k in range(FRAMES):
            events.extend(watcher.frame(Frame((number * FRAMES + k) / 8, image)))
    return events
