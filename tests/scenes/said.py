"""What the referee says of a scene, and what stays in mind of what it saw and was told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from engine import judging
from engine.acts import Correct
from engine.events import LightChanged, Moved
from engine.game import Game, Move, Position
from engine.hindsight import Glimpsed
from engine.reasons import Reason
from engine.sight import Sight
from engine.verdicts import Still
from engine.witness import Opinion, explain
from tests.scenes.book import Row
from tests.scenes.watched import held, refereed, watcher_of
from tests.vision.pictures import photograph
from vision.frames import Frame
from vision.ground import Image


def says(row: Row, note: str, ply: int, last: list[dict[str, Any]], moves: int | None = None) -> None:
    """Up to the picture with that note the referee's last events are `last`, of which the file gives what matters.

    Whether another light is said is left open: exposure and lamps are followed without a word if they change slowly.
    """
    events = [event for event in refereed(row, note, ply) if not isinstance(event, LightChanged)]
    told = [event.to_json() for event in events[-len(last) :]]
    assert [{key: event.get(key) for key in want} for event, want in zip(told, last, strict=True)] == last, told
    if moves is not None:
        assert len([event for event in events if isinstance(event, Moved)]) == moves


def odd_is_kept(row: Row, shown: str, cell: str, kept: bool) -> None:
    """What looked odd in `cell` in the picture `shown` after the second ply is remembered in later looks, or is not."""
    stage, _ = row.staged()
    odd = frozenset({stage.game.board.index[cell]})
    quiet = [frame.scene for frame in stage.frames if frame.kind == "quiet" and frame.ply <= 1][:3]
    last = next(frame.scene for frame in stage.frames if frame.kind == shown and frame.ply == 2)
    watcher = watcher_of(stage, last)
    images = [image for scene in quiet for image in [photograph(scene)] * held(row)] + [photograph(last)] * held(row)
    told: list[frozenset[int]] = []

    def something_is_odd(
        game: Game, positions: Sequence[Position], moves: Sequence[Move], sight: Sight, glimpses: Glimpsed
    ) -> Opinion:
        """The engine, which in the last picture says only that something is odd."""
        if sight.t < len(quiet) * held(row) / row.fps:
            return explain(game, positions, moves, sight, glimpses)
        told.append(frozenset(sight.odd))
        return Opinion(Still(), 1.0, odd=odd, reason=Reason("gap-to-next"))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(judging, "explain", something_is_odd)
        for number, image in enumerate(images):
            watcher.frame(Frame(number / row.fps, image))
    assert told[:2] == [frozenset(), odd if kept else frozenset()]


def learned_when_told(row: Row) -> None:
    """What a person says was played is learned from the board: its cells no longer differ."""
    stage, director = row.staged()
    scenes = [frame.scene for frame in stage.frames if frame.kind == "quiet" and frame.ply <= 2][:4]
    watcher = watcher_of(stage, scenes[0])
    t = 0.0

    def show(image: Image, frames: int) -> None:
        nonlocal t
        for _ in range(frames):
            watcher.frame(Frame(t, image))
            t += 1 / row.fps

    for scene in scenes[:3]:
        show(photograph(scene), held(row))
    said = director.moves[1]
    watcher.asked(Correct(by="player", ply=2, notation=said["notation"]), t)
    after = photograph(scenes[3])
    show(after, 4)
    eyes, seeing = watcher._eyes, watcher._seeing  # what was learned is not shown elsewhere
    assert eyes is not None
    assert seeing is not None
    eyes.look(seeing.pictures(np.ones(len(eyes.board.cells), bool)))
    changed = {watcher.match.game.board.cells[c] for c, differs in enumerate(eyes.differs()) if differs}
    assert len(watcher.match.moves) == 2
    assert not changed & {said["path"][0], said["path"][-1], *said["captured"]}
