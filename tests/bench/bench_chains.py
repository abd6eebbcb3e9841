"""Chains and captures as people play them, in parts: is the ply said, and nobody accused? `make bench-chains`.

Each scene is one ply from the middle of a drawn game of Camelot under one of two rule sets. The piece rests on every
cell where it lands; or what it captures is taken off first, long after it has arrived, piece by piece, or when the
other side has answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import click
import cv2
import numpy as np

from engine.game import Game, Move, Position
from engine.match.events import Event, Illegal, Moved, SetUp, Takeback, Unclear
from engine.match.referee import new_match
from tests.bench.bench_lifted import BESIDE_CELLS
from tests.bench.bench_vision import draws
from tests.bench.referee_recording import START_S, calibrated
from tests.bench.report import Report
from tests.bench.takes import Take, true_corners
from tests.render import cheap
from tests.render.camera.conditions import drawn
from tests.render.camera.film import film
from tests.render.play import choose
from tests.render.scene import Floats, cell_xy, extent, middle
from tests.render.script import Recipe, bare_stage
from tests.render.stage import Stage
from vision.watch.watcher import Watcher

RULES = ("wcf", "brainking")
MOST_PLIES = 60
"""Of a drawn game in which a fitting ply is looked for."""
RESTS_S, END_S = (0.6, 2.5), 5.0
"""How long the board is left alone between two parts of the ply, and after it."""


def each_cell(stage: Stage, move: Move, seat: int) -> None:
    """The piece rests on every cell where it lands; what it captured goes at the end."""
    piece = stage.at(move.origin)
    for was, cell in zip(move.path, move.path[1:], strict=False):
        carry_piece(stage, seat, piece, was, cell)
        stage.quiet("rests")
    take_pieces_off(stage, move, seat, ())


def taken_up_again(stage: Stage, move: Move, seat: int) -> None:
    """The piece rests where it lands first, is twice held beside the board and put back there, and goes on."""
    board, piece, first, out = stage.game.board, stage.at(move.origin), move.path[1], stage.seat_axis(seat)
    beside = np.array(middle(board)) + out * (np.abs(out) @ np.array(extent(board)) / 2 + BESIDE_CELLS)
    carry_piece(stage, seat, piece, move.origin, first)
    stage.quiet("rests")
    for _ in range(2):
        stage.moving("held", seat, np.asarray(beside), held=piece)
        stage.put(piece, first)
        stage.quiet("put back on its landing")
    carry_piece(stage, seat, piece, first, move.target)
    stage.quiet("captured pieces are still there")
    take_pieces_off(stage, move, seat, ())


def off_first(stage: Stage, move: Move, seat: int) -> None:
    """What is captured goes first, then the piece moves."""
    for cell in move.taken:
        take_piece_off(stage, seat, cell)
    stage.quiet("captured pieces are off")
    carry_piece(stage, seat, stage.at(move.origin), move.origin, move.target)


def late(stage: Stage, move: Move, seat: int) -> None:
    """The piece arrives, and what it captured goes after a rest."""
    carry_piece(stage, seat, stage.at(move.origin), move.origin, move.target)
    stage.quiet("captured pieces are still there")
    take_pieces_off(stage, move, seat, ())


def one_by_one(stage: Stage, move: Move, seat: int) -> None:
    """What it captured goes piece by piece, each after a rest."""
    carry_piece(stage, seat, stage.at(move.origin), move.origin, move.target)
    take_pieces_off(stage, move, seat, move.taken)


def answered(stage: Stage, move: Move, seat: int) -> None:
    """The piece arrives, the other side plays, and then what was captured goes."""
    before = _position(stage, seat)
    carry_piece(stage, seat, stage.at(move.origin), move.origin, move.target)
    stage.quiet("captured pieces are still there")
    reply = _reply(stage.game, before, move)
    if reply is not None:
        carry_piece(stage, (seat + 1) % 2, stage.at(reply.origin), reply.origin, reply.target)
        stage.quiet("answered")
    take_pieces_off(stage, move, seat, ())


def _position(stage: Stage, seat: int) -> Position:
    """What stands on the stage, with `seat` to move."""
    placement = bytearray(len(stage.game.board.cells))
    for cell, code in stage.frames[-1].cells.items():
        placement[stage.game.board.index[cell]] = stage.game.codes.index(code)
    return replace(stage.game.start(), placement=bytes(placement), seat=seat)


def _reply(game: Game, position: Position, move: Move) -> Move | None:
    """The first plain step that goes round what stands there still."""
    steps = (one for one in game.moves(game.play(position, move)) if not one.taken and len(one.path) == 2)
    return next((one for one in steps if one.target not in move.taken), None)


MANNERS: dict[str, Callable[[Stage, Move, int], None]] = {
    "each cell": each_cell,
    "off first": off_first,
    "late": late,
    "one by one": one_by_one,
    "answered": answered,
    "taken up again": taken_up_again,
}
LEAST_LANDINGS = {"each cell": 2, "taken up again": 2}
LEAST_TAKEN = {"off first": 1, "late": 1, "one by one": 2, "answered": 1, "taken up again": 2}


def came_of(rules: str, manner: str, seed: int) -> str:
    """right, wrong, accused, asked or lost; and what was said, unless it is right."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, list(MANNERS).index(manner), RULES.index(rules)])
    recipe = replace(draws.short_recipe("camelot", seed, 1), rules=rules)
    found = _ply(bare_stage(recipe).game, manner, rng)
    return "none" if found is None else _refereed(recipe, *found, manner, rng)


def _ply(game: Game, manner: str, rng: np.random.Generator) -> tuple[Position, Move] | None:
    """A position and a ply in it that can be played in that manner."""
    position, fit = game.start(), list[tuple[Position, Move]]()
    for _ in range(MOST_PLIES):
        landings, taken = LEAST_LANDINGS.get(manner, 1), LEAST_TAKEN.get(manner, 0)
        fit += [
            (position, move)
            for move in game.moves(position)
            if len(move.path) > landings and len(set(move.path)) == len(move.path) and len(move.taken) >= taken
            if not any(position.placement[cell] for cell in move.path[1:])
        ]
        chosen = choose(game, position, rng)
        if chosen is None:
            break
        position = game.play(position, chosen)
    return fit[int(rng.integers(len(fit)))] if fit else None


def _refereed(recipe: Recipe, position: Position, move: Move, manner: str, rng: np.random.Generator) -> str:
    stage = bare_stage(recipe)
    game = stage.game
    stage.set_up(position)
    stage.quiet("start")
    MANNERS[manner](stage, move, position.seat)
    stage.quiet("end")
    conditions = replace(
        drawn("clean", "ordinary", recipe.seed), quiet_s=float(rng.uniform(*RESTS_S)), start_s=START_S, end_s=END_S
    )
    take = build_take(recipe, stage)
    shots = ((frame.kind, cheap.render(frame.scene).image) for frame in stage.frames)
    watcher: Watcher | None = None
    told: list[Event] = []
    for _, frame in film(shots, conditions, recipe.seed, take.rim_px):
        if watcher is None:
            profile = calibrated(take, frame.image, conditions, recipe.seed, Report(take.name))
            watcher = Watcher(profile, new_match(game, position))
        told += watcher.take_frame(frame)
    assert watcher is not None
    played = game.write(position, move)
    wanted = [game.play(position, move)]
    if manner == "answered" and (reply := _reply(game, position, move)) is not None:
        wanted.append(game.play(wanted[0], reply))
    accused = [one for one in told if isinstance(one, Illegal | SetUp | Takeback)]
    if accused:
        return f"accused: {played}: {accused[0]}"
    if [one.placement for one in watcher.match.positions[1:]] == [one.placement for one in wanted]:
        return "right"
    said = [one.notation for one in told if isinstance(one, Moved)]
    asked = [one.offered_answers for one in told if isinstance(one, Unclear)]
    if said and not any(played in answers for answers in asked):
        return f"wrong: {played}: {said}"
    return f"asked: {played}: {asked}" if asked else f"lost: {played}"


def build_take(recipe: Recipe, stage: Stage) -> Take:
    kinds = tuple(frame.kind for frame in stage.frames)
    empty = (0,) * len(kinds)
    return Take("chain", stage.game, kinds, empty, (), (), (), (), true_corners(stage), recipe.markers, recipe.size_wh)


def carry_piece(stage: Stage, seat: int, piece: str, was: int, cell: int) -> None:
    stage.moving("carry", seat, (find_xy(stage, was) + find_xy(stage, cell)) / 2, held=piece)
    stage.put(piece, cell)


def take_pieces_off(stage: Stage, move: Move, seat: int, rests: tuple[int, ...]) -> None:
    for cell in move.taken:
        take_piece_off(stage, seat, cell)
        if cell in rests and cell != move.taken[-1]:
            stage.quiet("more to take off")


def take_piece_off(stage: Stage, seat: int, cell: int) -> None:
    name = stage.at(cell)
    stage.moving("capture", seat, find_xy(stage, cell), held=name)
    stage.take_off(name, seat)


def find_xy(stage: Stage, cell: int) -> Floats:
    return np.array(cell_xy(stage.game.board, cell))


@click.command()
@click.option("--scenes", default=5, show_default=True, help="of each manner under each rule set")
@click.option("--first", default=95000, show_default=True, help="seed of the first board")
@click.option("--jobs", default=2, show_default=True, help="scenes side by side, a core each")
def command(scenes: int, first: int, jobs: int) -> None:
    """Measure, and print what came of the scenes, by rule set and manner."""
    with ProcessPoolExecutor(jobs) as workers:
        todo = {
            (rules, manner): [workers.submit(came_of, rules, manner, first + n) for n in range(scenes)]
            for rules in RULES
            for manner in MANNERS
        }
        for (rules, manner), results in todo.items():
            counts = Counter[str]()
            for n, one in enumerate(results):
                counts[one.result().split(":")[0]] += 1
                if one.result() not in ("right", "none"):
                    click.echo(f"{rules} {first + n} {manner}: {one.result()}")
            click.echo(f"{rules} {manner}: " + ", ".join(f"{count} {came}" for came, count in counts.most_common()))


if __name__ == "__main__":
    command()
