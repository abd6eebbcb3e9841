"""Another light over a board on which nothing is played: whatever looks odd in it is the light."""

from __future__ import annotations

from calibration.profile import Profile
from engine import games
from engine.events import Event, LightChanged, Moved
from engine.referee import new_match
from server.sightings import Watcher
from tests.render.script import stage_of
from tests.tools.bench_vision import drawn_recipe
from tests.vision.pictures import photograph, true_views
from vision.frames import Frame

FRAMES = 10
"""Of each picture: over a second, at eight frames a second."""


def test_white_pieces_on_white_paper_are_not_gone_when_it_gets_dark() -> None:
    """In drawn game 11561 two were read as gone, hardly, when the shadow of a cup went with the lamp."""
    taken = stage_of(drawn_recipe(11561))[0].frames
    dark = next(n for n, frame in enumerate(taken) if frame.ply == 11 and "light" in frame.note)
    scenes = [frame.scene for frame in taken[: dark + 1] if frame.kind == "quiet"]
    watcher = Watcher(
        Profile("camblam", tuple(true_views(scenes[0])), (97,), "drawn"), new_match(games.load("camblam"))
    )
    events: list[Event] = []
    for number, scene in enumerate(scenes):
        image = photograph(scene)
        for k in range(FRAMES):
            events.extend(watcher.frame(Frame((number * FRAMES + k) / 8, image)))
    assert len([event for event in events if isinstance(event, Moved)]) == 11
    assert isinstance(events[-1], LightChanged)
