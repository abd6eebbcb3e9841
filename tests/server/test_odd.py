"""What looks odd on the board holds up no move that is plain beside it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine import judging
from engine.events import Moved
from engine.game import Game, Move, Position
from engine.hindsight import Glimpsed
from engine.sight import Sight
from engine.verdicts import Still
from engine.witness import Opinion, explain
from tests.engine.sights import GIVEN
from tests.render.script import stage_of
from tests.server.drawn import CUP_GAME, FRAMES, refereed, watcher_of
from tests.tools.bench_vision import drawn_recipe
from tests.vision.pictures import photograph
from vision.frames import Frame

ODD = frozenset({97})


@pytest.mark.parametrize(("kind", "kept"), [("quiet", True), ("moving", False)])
def test_what_looked_odd_is_remembered_beside_a_cup_and_not_under_an_arm(
    kind: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In drawn game 13698 a piece was half hidden since it was knocked; the two plies after it were called unlawful."""
    stage, _ = stage_of(drawn_recipe(CUP_GAME))
    quiet = [frame.scene for frame in stage.frames if frame.kind == "quiet" and frame.ply <= 1][:3]
    last = next(frame.scene for frame in stage.frames if frame.kind == kind and frame.ply == 2)
    watcher = watcher_of(stage, last)
    images = [image for scene in quiet for image in [photograph(scene)] * FRAMES] + [photograph(last)] * FRAMES
    told: list[frozenset[int]] = []

    def something_is_odd(
        game: Game, positions: Sequence[Position], moves: Sequence[Move], sight: Sight, glimpses: Glimpsed
    ) -> Opinion:
        """The engine, which in the last picture says only that something is odd."""
        if sight.t < len(quiet) * FRAMES / 8:
            return explain(game, positions, moves, sight, glimpses)
        told.append(frozenset(sight.odd))
        return Opinion(Still(), 1.0, odd=ODD, reason=GIVEN)

    monkeypatch.setattr(judging, "explain", something_is_odd)
    for number, image in enumerate(images):
        watcher.frame(Frame(number / 8, image))
    assert told[:2] == [frozenset(), ODD if kept else frozenset()]


def test_a_knight_seen_behind_a_piece_that_it_makes_look_odd_has_captured() -> None:
    """In drawn game 13619 the network hardly knew it on E12; without it nothing explained what is seen over D12."""
    events = refereed(13619, "ND7xE12", ply=9)
    assert isinstance(events[-1], Moved)
    assert events[-1].notation == "ND7xE12"
