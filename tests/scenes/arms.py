"""Arms over drawn boards are told from cups, from hands beside the board and from another light."""

from __future__ import annotations

import numpy as np
from vision.reach import Over, Surroundings

from tests.scenes.book import Row
from tests.vision.pictures import photograph, true_views
from vision.ground import Image


class Drawn:
    """The pictures of a scene's game, each drawn once."""

    def __init__(self, row: Row) -> None:
        self.stage, _ = row.staged()
        self.board = self.stage.game.board
        self._images: dict[int, Image] = {}

    def image(self, number: int) -> Image:
        if number not in self._images:
            self._images[number] = photograph(self.stage.frames[number].scene)
        return self._images[number]

    def over(self, seen: Surroundings, number: int, since: float = 0.0) -> Over:
        return seen.over(self.image(number), true_views(self.stage.frames[number].scene), since)

    def numbers(self, text: str) -> list[int]:
        """Pictures whose note begins so."""
        return [n for n, frame in enumerate(self.stage.frames) if frame.note.startswith(text)]


def a_cup_that_has_stood(row: Row) -> None:
    """A cup put down is no arm once it has stood."""
    drawn = Drawn(row)
    seen, cup = Surroundings(drawn.board), drawn.numbers("cup")[0]
    arm, after = cup + 1, next(n for n in drawn.numbers("after") if n > cup)
    seen.clear(drawn.over(seen, cup - 1))
    assert drawn.over(seen, cup).reached  # its shadow goes from the edge of the picture to the board
    seen.rests(drawn.over(seen, cup, since=4.0), drawn.image(cup))
    assert drawn.over(seen, cup, since=4.0).arm  # the same rest as yet
    assert not drawn.over(seen, cup, since=6.0).arm
    assert not drawn.over(seen, cup, since=6.0).near
    assert drawn.over(seen, after, since=6.0).untouched
    assert drawn.over(seen, arm, since=6.0).arm
    assert drawn.over(seen, after).reached
    assert not drawn.over(seen, cup).passed_by  # nobody has been elsewhere
    assert drawn.over(seen, drawn.numbers("after")[-1]).passed_by


def near_what_it_holds(row: Row) -> None:
    """An arm is near the piece that it carries and not near everything."""
    drawn = Drawn(row)
    seen, centres = Surroundings(drawn.board), np.array(drawn.board.centres_xy)
    seen.clear(drawn.over(seen, 0))
    assert drawn.over(seen, 0).near == ()
    assert drawn.numbers("carry")
    for carry in drawn.numbers("carry"):
        scene, over = drawn.stage.frames[carry].scene, drawn.over(seen, carry)
        held = next(piece.xyz for piece in scene.pieces if piece.name == scene.held)
        view = over.now.views[0]
        seems_at = view.on_plane(view.project(np.array([held])))
        assert over.near[np.linalg.norm(centres - seems_at, axis=1).argmin()], carry
        assert sum(over.near) < len(over.near) * 2 / 3, carry


def stops_beside(row: Row, quiet: int, stops: int, after: int) -> None:
    """A hand that stops close to the board is no part of it; no hand is seen in the picture `after`."""
    drawn = Drawn(row)
    seen = Surroundings(drawn.board)
    seen.understood(drawn.over(seen, quiet))
    for since in (4.0, 4.0):  # twice in one rest
        over = drawn.over(seen, stops, since)
        assert over.coming is not None
        assert not over.reached
        seen.understood(over)
        assert not drawn.over(seen, after).reached
    seen.understood(drawn.over(seen, stops, since=6.0))  # still there after something has moved: it is a thing
    assert drawn.over(seen, stops).coming is None


def cup_beside_the_next_ply(row: Row, cup: int, carry: int, after: int) -> None:
    """A cup put down close to the board is no arm beside the next ply, and the arm that plays it is one."""
    drawn = Drawn(row)
    seen = Surroundings(drawn.board)
    seen.understood(drawn.over(seen, cup - 1))
    seen.understood(drawn.over(seen, cup, since=4.0))
    over = drawn.over(seen, after, since=6.0)
    assert over.reached
    assert not over.arm
    assert over.near == ()
    assert drawn.over(seen, carry, since=6.0).arm


def rested_and_gone(row: Row) -> None:
    """An arm that has rested for long is taken for a thing; that it goes again is no arm."""
    drawn = Drawn(row)
    seen = Surroundings(drawn.board)
    arm, other_arm = (n for n in drawn.numbers("carry")[:2])
    seen.clear(drawn.over(seen, 0))
    seen.clear(drawn.over(seen, arm))
    assert not drawn.over(seen, arm).reached
    assert not drawn.over(seen, 0).reached
    assert drawn.over(seen, other_arm).reached


def lamp_or_arm(row: Row, note: str) -> None:
    """An arm changes the light of a part and a lamp of all; `note` is on the picture in which the lamp has gone."""
    drawn = Drawn(row)
    seen, dark = Surroundings(drawn.board), drawn.numbers(note)[0]
    assert not drawn.over(seen, 0).same_light  # nothing to compare with
    seen.clear(drawn.over(seen, dark - 1))
    assert not drawn.over(seen, dark).same_light
    for number, frame in enumerate(drawn.stage.frames[:dark]):
        assert drawn.over(seen, number).same_light, (number, frame.note)
