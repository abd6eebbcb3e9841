"""Drawn games watched by the referee: their quiet pictures one after another, and what is said of them."""

from __future__ import annotations

from calibration.profile import Profile
from engine.match.events import Event
from engine.match.referee import new_match
from tests.render.camera.conditions import Conditions
from tests.render.scene import Scene
from tests.render.stage import Stage
from tests.scenes.book import Row
from tests.vision.pictures import photograph, true_views
from vision.frames import Frame
from vision.watch.watcher import Watcher


def watcher_of(stage: Stage, scene: Scene) -> Watcher:
    """A referee of the game from its beginning, who knows from where the scene is seen."""
    return Watcher(Profile(stage.game.name, tuple(true_views(scene)), (97,), "drawn"), new_match(stage.game))


def held(row: Row) -> int:
    """How many frames each quiet picture is held for."""
    return round(Conditions().quiet_s * row.fps)


def refereed(row: Row, note: str, ply: int) -> list[Event]:
    """What is said of the quiet pictures of a scene, up to one with that note after so many plies."""
    stage, _ = row.staged()
    last = next(n for n, frame in enumerate(stage.frames) if frame.ply == ply and note in frame.note)
    scenes = [frame.scene for frame in stage.frames[: last + 1] if frame.kind == "quiet"]
    watcher = watcher_of(stage, scenes[0])
    events: list[Event] = []
    for number, scene in enumerate(scenes):
        image = photograph(scene)
        for k in range(held(row)):
            events.extend(watcher.take_frame(Frame((number * held(row) + k) / row.fps, image)))
    return events
