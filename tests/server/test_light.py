"""Another light over the board: whatever looks odd in it is the light."""

from __future__ import annotations

from engine.events import LightChanged, Moved
from tests.server.drawn import refereed


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
