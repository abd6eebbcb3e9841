"""How sure the start check is: true starts and altered ones in short films, counted by kind; `make bench-starts`.

Each start is asked about twice, as soon as the board is still and a second later. An altered start that is called ready
at either time is a miss; a true one must be ready at one of them. Misses are kept as pictures, and how far the altered
picture is from the true one is told with them: like on like nobody sees it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click
import cv2
import numpy as np

from calibration.profile import Profile
from engine.game import Game
from tests.bench.bench_vision import draws, starts
from tests.bench.bench_vision.altered import KINDS, TRUE, altered
from tests.bench.takes import true_corners
from tests.render import cheap
from tests.render.camera.conditions import DISTURBANCES, drawn
from tests.render.camera.film import film, placed
from tests.render.scene import Scene
from vision.frames import Frame
from vision.ground import Image, Picture
from vision.sight.seeing import Seeing
from vision.watch.beginning import begin_game
from vision.watch.schedule import Schedule

WITHIN_S = 1.0
"""A true start is called ready within so long of standing still."""
FILM_S = 1.4
"""With the moment in which nothing is known to be still yet."""
FPS = 8.0
TRUE_STARTS = 5
"""Of each set-up: about half as many as altered ones."""
WIDEST_PX = 1280
"""Wider films take seconds each to make."""
ROWS = tuple(name for name in DISTURBANCES if name not in ("timing", "bumps", "gone", "everything"))
"""Disturbances that a second of film can show."""
SAME_PLACE_CELLS = 0.5
FOLDER = draws.ROOT / "build" / "bench-starts"


@dataclass(frozen=True)
class Start:
    """What was drawn, and what was said of it."""

    board: str
    seed: int
    kind: str
    disturbance: str
    off: tuple[str, ...]
    """Cells that are not as they should be."""
    named: tuple[tuple[str, ...], ...]
    """Cells that were named, at each look; none in a look that called it ready."""
    levels: float
    """Grey levels by which the picture differs from that of the true start where it differs most: the mean over a
    quarter of a cell."""

    @property
    def right(self) -> bool:
        """Whether what was said of it is so."""
        return any(not named for named in self.named) == (self.kind == TRUE)


def of_setup(board: str, seed: int) -> Iterator[tuple[Start, Image]]:
    """Every kind of start on one board before one camera, each under a disturbance of its own; and what was seen."""
    recipe = draws.short_recipe(board, seed, 0)
    true = _picture(altered(recipe, TRUE, 0)[0].frames[0].scene)
    for number, kind in enumerate((TRUE,) * TRUE_STARTS + KINDS[1:]):
        rng = np.random.default_rng([seed, number])
        row = ROWS[int(rng.integers(len(ROWS)))] if number else ROWS[0]
        given = drawn(row, "ordinary", seed + number)
        width = min(given.width_px, WIDEST_PX)
        conditions = replace(given, start_s=FILM_S, hands_s=FILM_S, fps=FPS, width_px=width)
        stage, off = altered(recipe, kind, number)
        image, corners = _picture(stage.frames[0].scene), np.array(true_corners(stage))
        rim = (corners[0][0], corners[-1][1], corners[-1][2], corners[0][3])
        frames = [frame for _, frame in film([(stage.frames[0].kind, image)], conditions, seed + number, rim)]
        in_film = placed(conditions, recipe.size_wh).corners
        watcher = starts.watcher_of(recipe, kind, corners, in_film, frames[0].image, seed)
        named = _named(watcher.match.game, watcher.profile, frames, kind == TRUE)
        side = float(np.linalg.norm(corners[0][1] - corners[0][0])) / stage.game.board.size_wh[0]
        yield Start(board, seed, kind, row, off, named, _apart(image, true, side)), frames[-1].image


def _named(game: Game, profile: Profile, frames: list[Frame], true: bool) -> tuple[tuple[str, ...], ...]:
    """The cells that are named at the first look and at the last one in time; all of them if there is none."""
    found: list[tuple[str, ...]] = []
    for image, pictures in _looks(game, profile, frames):
        begun = begin_game(game, game.start(), profile.views, image, pictures, asks=False)
        found.append(tuple(game.board.cells[c] for c in begun.wrong))
        if true and not begun.wrong:
            break
    return tuple(found) or (game.board.cells,)


def _looks(game: Game, profile: Profile, frames: list[Frame]) -> list[tuple[Image, tuple[Picture, ...]]]:
    """What the referee would look at first, and last within the time."""
    seeing, schedule = Seeing(game.board, profile.views, frames[0].image), Schedule()
    looks: list[tuple[float, Image, tuple[Picture, ...]]] = []
    for frame in frames:
        seeing.take_frame(frame.t, frame.image)
        seen = seeing.observe_board()
        if schedule.is_due(seen, begun=False) and (not looks or frame.t - looks[0][0] <= WITHIN_S):
            looks = [*looks[:1], (frame.t, frame.image, seeing.relit_pictures(seen.readable))]
    return [(image, pictures) for _, image, pictures in looks]


def _picture(scene: Scene) -> Image:
    return cheap.render(replace(scene, noise=0.5)).image


def _apart(one: Image, other: Image, cell_px: float) -> float:
    off = np.abs(one.astype(np.float32) - other).max(axis=2)
    side = max(3, round(SAME_PLACE_CELLS * cell_px))
    return float(cv2.blur(off, (side, side)).max())


def _unit(board: str, seed: int, folder: Path) -> list[Start]:
    cv2.setNumThreads(1)  # one core each
    found = []
    for start, image in of_setup(board, seed):
        found.append(start)
        if not start.right:
            name = f"{start.board}-{start.seed}-{start.kind}-{start.disturbance}".replace(" ", "-")
            cv2.imwrite(str(folder / f"{name}.jpg"), image)
    return found


@click.command()
@click.option("--setups", default=40, show_default=True, help="boards with camera, light and pieces; 14 starts each")
@click.option("--first", default=70000, show_default=True, help="seed of the first")
@click.option("--jobs", default=1, show_default=True, help="set-ups side by side, a core each")
@click.option(
    "--out", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="for pictures of misses"
)
def command(setups: int, first: int, jobs: int, out: Path) -> None:
    """Measure, and print the counts by kind and every miss."""
    out.mkdir(parents=True, exist_ok=True)
    found: list[Start] = []
    with ProcessPoolExecutor(jobs) as workers, (out / "starts.jsonl").open("w") as lines:
        todo = [workers.submit(_unit, draws.BOARDS[n % len(draws.BOARDS)], first + n, out) for n in range(setups)]
        for one in todo:
            found += one.result()
            lines.writelines(json.dumps(asdict(start)) + "\n" for start in one.result())
            lines.flush()
    for kind in KINDS:
        mine = [start for start in found if start.kind == kind]
        click.echo(f"{kind}: {sum(start.right for start in mine)} of {len(mine)} right")
    for start in sorted(found, key=lambda start: start.levels):
        if not start.right:
            named = "; ".join(" ".join(cells) or "none" for cells in start.named)
            about = f"{start.board} {start.seed} {start.kind} ({start.disturbance}) {' '.join(start.off)}".rstrip()
            click.echo(f"{about}: differs by {start.levels:.0f} levels, named: {named}")


if __name__ == "__main__":
    command()
