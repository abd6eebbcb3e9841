"""What a person says was played is learned from the board, also beside a cup."""

from __future__ import annotations

from engine.acts import Correct
from tests.render.script import stage_of
from tests.server.drawn import CUP_GAME, FRAMES, watcher_of
from tests.tools.bench_vision import drawn_recipe
from tests.vision.pictures import photograph
from vision.frames import Frame
from vision.ground import Image


def test_what_a_person_says_is_learned_beside_a_cup() -> None:
    """In drawn game 13205 a piece that had looked odd did so for the rest of the game, and no later ply was told."""
    stage, director = stage_of(drawn_recipe(CUP_GAME))
    scenes = [frame.scene for frame in stage.frames if frame.kind == "quiet" and frame.ply <= 2][:4]
    watcher = watcher_of(stage, scenes[0])
    t = 0.0

    def show(image: Image, frames: int) -> None:
        nonlocal t
        for _ in range(frames):
            watcher.frame(Frame(t, image))
            t += 1 / 8

    for scene in scenes[:3]:
        show(photograph(scene), FRAMES)
    said = director.moves[1]
    watcher.asked(Correct(by="player", ply=2, notation=said["notation"]), t)
    after = photograph(scenes[3])
    show(after, 4)
    eyes = watcher._eyes  # what was learned is not shown elsewhere
    assert eyes is not None
    eyes.glance(after)
    changed = {watcher.match.game.board.cells[c] for c, differs in enumerate(eyes.differs()) if differs}
    assert len(watcher.match.moves) == 2
    assert not changed & {said["path"][0], said["path"][-1], *said["captured"]}
