"""Plies that the board tells from no other, answered at once: are they said or asked about? `make bench-same-board`.

Each scene is one position of a random game, thinned out and with a piece put elsewhere where else none is met, in which
several moves lead to one board. One of them is played and the other side answers after half a second to three.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

import click
import cv2
import numpy as np

from engine import games
from engine.game import Game, Move, Position
from engine.match.events import Event, Illegal, Moved, SetUp, Takeback, Unclear
from engine.match.referee import new_match
from tests.bench.bench_chains import build_take, carry_piece, find_xy, take_pieces_off
from tests.bench.bench_vision import draws
from tests.bench.referee_recording import START_S, calibrated
from tests.bench.report import Report
from tests.bench.takes import play_scenes
from tests.bench.timeline import SILENT_S
from tests.render import cheap
from tests.render.camera.conditions import drawn
from tests.render.camera.film import film
from tests.render.script import Recipe, bare_stage
from tests.render.stage import Stage
from vision.watch.watcher import Watcher

BOARDS = ("camelot wcf", "camblam default", "camelot brainking", "cam-3d wcf", "chivalry wcf")
KEPT = 0.5
"""The share of the pieces that are left on the board before the random game."""
MOST_PLIES, MOST_GAMES = 40, 400
ANSWERED_S, END_S = (0.5, 3.0), SILENT_S + 0.5
"""How long the board is left alone between the ply and its answer, and after that."""


def find_siblings(game: Game, position: Position) -> list[list[Move]]:
    """Groups of moves that lead to the same position."""
    taking = defaultdict[tuple[int, ...], list[Move]](list)
    for move in game.moves(position):
        if move.origin == move.target:
            taking[tuple(sorted(move.taken))].append(move)
    out = list[list[Move]]()
    for moves in taking.values():
        ends = defaultdict[Position, list[Move]](list)
        for move in moves:
            ends[game.play(position, move)].append(move)
        out += [group for group in ends.values() if len(group) > 1]
    return out


def random_positions(game: Game, rng: np.random.Generator) -> Iterator[Position]:
    """Positions of random games that begin with some of the pieces."""
    for _ in range(MOST_GAMES):
        start = game.start()
        keep = rng.random(len(start.placement)) < KEPT
        position = replace(start, placement=bytes(np.where(keep, list(start.placement), 0).astype(np.uint8)))
        for _ in range(MOST_PLIES):
            moves = game.moves(position)
            if not moves or game.outcome(position) is not None:
                break
            yield position
            position = game.play(position, moves[int(rng.integers(len(moves)))])


def find_scene(game: Game, rng: np.random.Generator) -> tuple[Position, Move, Move] | None:
    """A position, one of the moves that lead to one board, and an answer to it; None if none is met."""
    for played in random_positions(game, rng):
        for position in (played, *_list_rearranged(game, played, rng)):
            for group in find_siblings(game, position):
                after = game.play(position, group[0])
                answers = [one for one in game.moves(after) if game.outcome(game.play(after, one)) is None]
                if game.outcome(after) is None and answers:
                    return position, group[int(rng.integers(len(group)))], answers[int(rng.integers(len(answers)))]
    return None


def _list_rearranged(game: Game, position: Position, rng: np.random.Generator) -> Iterator[Position]:
    """Where one piece can take something and return to its cell: the same with another of its kind put elsewhere."""
    returning = next((one.origin for one in game.moves(position) if one.origin == one.target), None)
    if returning is None:
        return
    same = [
        c for c, piece in enumerate(position.placement) if piece == position.placement[returning] and c != returning
    ]
    free = [cell for cell, piece in enumerate(position.placement) if not piece]
    for cell in rng.permutation(free):
        for was in same[:1]:
            placement = bytearray(position.placement)
            placement[cell], placement[was] = placement[was], 0
            yield replace(position, placement=bytes(placement))


def play_move(stage: Stage, move: Move, seat: int) -> None:
    """A hand carries the piece along its way and takes off what is captured."""
    piece = stage.at(move.origin)
    if len(set(move.path)) > 1:
        for was, cell in zip(move.path, move.path[1:], strict=False):
            if cell == move.path[-1]:
                carry_piece(stage, seat, piece, was, cell)
            else:
                stage.moving("carry", seat, (find_xy(stage, was) + find_xy(stage, cell)) / 2, held=piece)
    take_pieces_off(stage, move, seat, ())


def came_of(board: str, seed: int) -> str:
    """said, asked, wrong, silent or accused, how soon, and what was said, unless it is right."""
    cv2.setNumThreads(1)
    name, rules = board.split()
    rng = np.random.default_rng([seed, BOARDS.index(board)])
    recipe = replace(draws.short_recipe(name, seed, 1), rules=rules)
    found = find_scene(games.load(name, rules), rng)
    return "none" if found is None else _referee_scene(recipe, *found, rng)


def _referee_scene(recipe: Recipe, position: Position, move: Move, answer: Move, rng: np.random.Generator) -> str:
    stage = bare_stage(recipe)
    game = stage.game
    stage.set_up(position)
    stage.quiet("start")
    play_move(stage, move, position.seat)
    clear = len(stage.frames)
    stage.quiet("played")
    between = game.play(position, move)
    play_move(stage, answer, between.seat)
    stage.quiet("end")
    pause_s = float(rng.uniform(*ANSWERED_S))
    conditions = replace(drawn("clean", "ordinary", recipe.seed), quiet_s=pause_s, start_s=START_S, end_s=END_S)
    take = build_take(recipe, stage)
    shots = ((frame.kind, cheap.render(frame.scene).image) for frame in stage.frames)
    watcher: Watcher | None = None
    told, clear_s = list[Event](), 0.0
    for number, frame in film(shots, conditions, recipe.seed, take.rim_px):
        if watcher is None:
            profile = calibrated(take, frame.image, conditions, recipe.seed, Report(take.name))
            watcher = Watcher(profile, new_match(game, position))
        clear_s = frame.t if number >= clear and not clear_s else clear_s
        told += watcher.take_frame(frame)
    wanted = (game.write(position, move), game.write(between, answer))
    return f"{_judge_scene(told, wanted, clear_s)}, answered after {pause_s:.1f} s"


def _judge_scene(told: list[Event], wanted: tuple[str, str], clear_s: float) -> str:
    """What came of a ply and its answer, which are `wanted`; the board was clear at `clear_s`."""
    if any(isinstance(one, SetUp) for one in told):
        return "the start is not believed"
    accused = [one for one in told if isinstance(one, Illegal | Takeback)]
    if accused:
        return f"accused: {wanted}: {accused[0]}"
    plies = {one.ply: one for one in told if isinstance(one, Moved)}
    asked = [one for one in told if isinstance(one, Unclear)]
    if asked:
        true = any(option.split(" ")[0] == wanted[0] for option in asked[0].options)
        came = "asked with it" if true else f"asked without it: {asked[0].options}"
        return f"{came}: {wanted} {asked[0].t - clear_s:.1f} s"
    if 1 not in plies or plies[1].t - clear_s > SILENT_S:
        return f"silent: {wanted}"
    first = plies[1]
    options = (first.notation, *(first.or_ or ()))
    if wanted[0] not in options:
        return f"wrong: {wanted}: {options}"
    if 2 not in plies:
        return f"answer silent: {wanted}"
    if plies[2].notation != wanted[1]:
        return f"answer wrong: {wanted}: {plies[2].notation}"
    came = "said" if not first.or_ else f"said, and asked which of {len(options)}"
    return f"{came}: {wanted[0]} {first.t - clear_s:.1f} s"


@click.command()
@click.option("--scenes", default=24, show_default=True, help="on the boards in turn")
@click.option("--first", default=96000, show_default=True, help="seed of the first board")
@click.option("--jobs", default=2, show_default=True, help="scenes side by side, a core each")
def command(scenes: int, first: int, jobs: int) -> None:
    """Measure, and print what came of the scenes."""
    counts = Counter[str]()
    for board, seed, came in play_scenes(came_of, BOARDS, scenes, first, jobs):
        counts[came.split(":")[0]] += 1
        click.echo(f"{board} {seed}: {came}")
    click.echo(", ".join(f"{count} {came}" for came, count in counts.most_common()))


if __name__ == "__main__":
    command()
