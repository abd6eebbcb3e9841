"""What the referee says of a scene, and what stays in mind of what it saw and was told."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.match.acts import Correct
from engine.match.events import LightChanged, Moved
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


def learned_when_told(row: Row) -> None:
    """What a person says was played is learned from the board: its cells no longer differ."""
    stage, director = row.staged()
    scenes = [frame.scene for frame in stage.frames if frame.kind == "quiet" and frame.ply <= 2][:4]
    watcher = watcher_of(stage, scenes[0])
    t = 0.0

    def show(image: Image, frames: int) -> None:
        nonlocal t
        for _ in range(frames):
            watcher.take_frame(Frame(t, image))
            t += 1 / row.fps

    for scene in scenes[:3]:
        show(photograph(scene), held(row))
    said = director.moves[1]
    watcher.perform_act(Correct(by="player", ply=2, notation=said["notation"]), t)
    after = photograph(scenes[3])
    show(after, 4)
    eyes, seeing = watcher._looks.eyes, watcher._seeing  # what was learned is not shown elsewhere
    assert eyes is not None
    assert seeing is not None
    eyes.compare_pictures(seeing.relit_pictures(np.ones(len(eyes.board.cells), bool)))
    changed = {watcher.match.game.board.cells[c] for c, differs in enumerate(eyes.changed_cells()) if differs}
    assert len(watcher.match.moves) == 2
    assert not changed & {said["path"][0], said["path"][-1], *said["captured"]}
