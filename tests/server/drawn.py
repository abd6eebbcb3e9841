"""Drawn games without hands: their quiet pictures one after another, and what is said of them."""

from __future__ import annotations

from calibration.profile import Profile
from engine.events import Event
from engine.referee import new_match
from server.sightings import Watcher
from tests.render.script import stage_of
from tests.tools.bench_vision import drawn_recipe
from tests.vision.pictures import photograph, true_views
from vision.frames import Frame

FRAMES = 10
"""Of each picture: over a second, at eight frames a second."""


def refereed(seed: int, note: str, ply: int) -> list[Event]:
    """What is said of the quiet pictures of a drawn game, up to one with that note after so many plies."""
    recipe = drawn_recipe(seed)
    stage, _ = stage_of(recipe)
    last = next(n for n, frame in enumerate(stage.frames) if frame.ply == ply and note in frame.note)
    scenes = [frame.scene for frame in stage.frames[: last + 1] if frame.kind == "quiet"]
    watcher = Watcher(Profile(recipe.game, tuple(true_views(scenes[0])), (97,), "drawn"), new_match(stage.game))
    events: list[Event] = []
    for number, scene in enumerate(scenes):
        image = photograph(scene)
        for k in range(FRAMES):
            events.extend(watcher.frame(Frame((number * FRAMES + k) / 8, image)))
    return events
