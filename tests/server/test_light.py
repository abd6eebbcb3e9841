"""Another light over the board: whatever looks odd in it is the light."""

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


def refereed(seed: int, note: str, ply: int) -> list[Event]:
    """What is said of the quiet pictures of a drawn game of Camblam, up to one with that note after so many plies."""
    taken = stage_of(drawn_recipe(seed))[0].frames
    last = next(n for n, frame in enumerate(taken) if frame.ply == ply and note in frame.note)
    scenes = [frame.scene for frame in taken[: last + 1] if frame.kind == "quiet"]
    profile = Profile("camblam", tuple(true_views(scenes[0])), (97,), "drawn")
    watcher = Watcher(profile, new_match(games.load("camblam")))
    events: list[Event] = []
    for number, scene in enumerate(scenes):
        image = photograph(scene)
        for k in range(FRAMES):
            events.extend(watcher.frame(Frame((number * FRAMES + k) / 8, image)))
    return events


def test_white_pieces_on_white_paper_are_not_gone_when_it_gets_dark() -> None:
    """In drawn game 11561 two were read as gone, hardly, when the shadow of a cup went with the lamp."""
    events = refereed(11561, "light", ply=11)
    assert len([event for event in events if isinstance(event, Moved)]) == 11
    assert isinstance(events[-1], LightChanged)


def test_pieces_lit_from_another_side_have_not_gone_when_one_of_them_moves_as_the_lamp_goes() -> None:
    """In drawn game 12671 a court stepped from F11 to F10, and three of White's pieces were read as gone."""
    *_, light, moved = refereed(12671, "light off", ply=8)
    assert isinstance(light, LightChanged)
    assert isinstance(moved, Moved)
    assert (moved.ply, moved.notation) == (8, "CF11-F10")
