"""How often and how soon a lifted piece is seen: `python -m tests.bench.bench_lifted --games 40`.

Drawn games of the bench's kind: players take a piece, hold it beside the board or over it for a while, and put it back.
Time counts from when the hand has come to rest; lifts whose cell stays hidden by hand or arm are left out. What is
said of another cell is wrong: it would light wrong targets.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import click
import numpy as np

from calibration.profile import Profile
from calibration.solve import solve_by_corners
from engine import games
from engine.match.events import Lifted, Moved
from engine.match.referee import new_match
from engine.match.state import Match
from tests.bench.bench_vision import HELD_BACK, drawn_recipe
from tests.bench.takes import true_corners
from tests.render import cheap
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film
from tests.render.play import turns
from tests.render.scene import Floats, Setting, cell_xy, extent, look_from, middle
from tests.render.stage import Stage
from tests.render.styles import light_named
from tests.render.truth import HAND_LABEL, hidden
from vision.watch.watcher import Watcher

PLIES = 6
LIFTS = 6
BESIDE_CELLS = 1.0
"""How far from the board a hand waits beside it."""


@dataclass
class Tally:
    """What was seen of so many lifts, at which delays, and how many were said of other cells."""

    lifts: int = 0
    wrong: int = 0
    delays_s: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Lift:
    """A piece in a hand: the number of its first picture, its cell, and where the hand waits."""

    picture: int
    cell: str
    where: str


def staged(seed: int) -> tuple[Match, Stage, list[Lift]]:
    """The game number `seed` after some plies, and what is lifted then."""
    recipe, rng = drawn_recipe(seed), np.random.default_rng([7, seed])
    match = new_match(games.load(recipe.game))
    for turn in turns(match.game, PLIES, rng, troubled=False):
        match = replace(match, positions=(*match.positions, turn.after), moves=(*match.moves, turn.move))
    board, position = match.game.board, match.position
    setting = Setting(board, recipe.look, recipe.pieces, recipe.table, recipe.markers, seed, recipe.shape)
    camera = look_from(board, recipe.elevation, recipe.azimuth, recipe.hfov, size_wh=recipe.size_wh, seed=seed)
    stage = Stage(match.game, setting, [camera], light_named(recipe.light, seed), rng)
    stage.set_up(position)
    stage.quiet("before")
    lifts = []
    origins = sorted({move.origin for move in match.game.moves(position)})
    for number, cell in enumerate(rng.permutation(origins)[:LIFTS].tolist()):
        where = ("beside", "over")[number % 2]
        piece = stage.at(cell)
        stage.moving("reach", position.seat, np.array(cell_xy(board, cell)))
        lifts.append(Lift(len(stage.frames), board.cells[cell], where))
        stage.moving(where, position.seat, _waits(stage, cell, where), held=piece)
        stage.put(piece, cell)
        stage.quiet("put back")
    return match, stage, lifts


def _waits(stage: Stage, cell: int, where: str) -> Floats:
    """Where the hand waits: beside the player's edge, or over the board three to five cells on."""
    board, out = stage.game.board, stage.seat_axis(0)
    own = np.array(cell_xy(board, cell))
    if where == "over":
        return np.asarray(own - out * stage.rng.uniform(3, 5))
    half = np.array(extent(board)) / 2
    return np.asarray(np.array(middle(board)) + out * (np.abs(out) @ half + BESIDE_CELLS))


def watched(seed: int, tallies: dict[str, Tally]) -> None:
    """Referee the lifts of one game and count them into `tallies`, by where the hand waited."""
    match, stage, lifts = staged(seed)
    board = match.game.board
    drawn = [cheap.render(frame.scene) for frame in stage.frames]
    kinds = ["quiet" if frame.kind == "quiet" or frame.note in tallies else "moving" for frame in stage.frames]
    shots = list(zip(kinds, (shot.image for shot in drawn), strict=True))
    views = [solve_by_corners(board, shots[0][1], list(rim), level) for level, rim in enumerate(true_corners(stage))]
    profile = Profile(match.game.name, tuple(v.view for v in views), tuple(v.fit for v in views))
    watcher = Watcher(profile, match)
    free = [
        one for one in lifts if one.cell not in hidden(stage, stage.frames[one.picture], drawn[one.picture], HAND_LABEL)
    ]
    held = {lift.picture: lift for lift in free}
    began: dict[int, float] = {}
    for number, frame in film(iter(shots), Conditions(), seed, np.array(true_corners(stage))):
        since = frame.t - began.setdefault(number, frame.t)
        for event in watcher.take_frame(frame):
            lift = held.get(number)
            if isinstance(event, Lifted) and lift is not None and event.cell == lift.cell:
                tallies[lift.where].delays_s.append(since)
            elif isinstance(event, Lifted | Moved):
                tallies[lift.where if lift else "over"].wrong += 1
    for lift in free:
        tallies[lift.where].lifts += 1


@click.command()
@click.option("--games", "count", default=40, show_default=True)
@click.option("--first", default=HELD_BACK, show_default=True, help="seed of the first game")
def command(count: int, first: int) -> None:
    """Draw, lift, watch and count."""
    tallies = {"beside": Tally(), "over": Tally()}
    for seed in range(first, first + count):
        watched(seed, tallies)
    for where, tally in tallies.items():
        seen = len(tally.delays_s)
        late = f"{np.median(tally.delays_s):.2f} s (most {max(tally.delays_s):.2f})" if seen else "never"
        click.echo(
            f"hand {where} the board: {seen} of {tally.lifts} lifted pieces seen, {tally.wrong} wrong, after {late}"
        )


if __name__ == "__main__":
    command()
