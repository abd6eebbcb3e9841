"""Plies seen while the light changes: `python -m tests.bench.bench_light [--sequences 3] [--renderer cheap]`.

Each sequence is a game of ten plies on a board of its own in a room of its own. One thing happens to its light three
times: while a hand moves a piece, between two plies, and while a hand rests. With `--renderer blender` (the package
bpy) the pictures are path traced. Seeds are drawn from the commit that is measured, so that nobody has looked at them.
"""

from __future__ import annotations

import importlib
import json
import subprocess
from collections import Counter
from dataclasses import replace

import click
import cv2
import numpy as np

from engine.match.events import CannotSee, Illegal, SeenAgain, Takeback
from tests.bench.bench_vision.draws import BOARDS, SMALL, SMALL_SIZE, drawn_recipe
from tests.bench.referee_recording import followed
from tests.bench.takes import rendering
from tests.render import cheap
from tests.render.camera.conditions import Conditions
from tests.render.lit_room import SCENARIOS, Room, alone
from tests.render.scene import Scene
from tests.render.script import stage_of
from vision.ground import Image

PLIES = 10
EVENT_PLIES = (2, 5, 8)
"""The plies at which the light changes: while the piece is moved, after it was, while the hand rests."""


def first_seed() -> int:
    """Of the commit that is measured; always odd, since pictures of odd seeds are developed plainly."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
    return 2 * (int(head[:6], 16) % 500_000) + 1


@click.command()
@click.option("--sequences", default=3, show_default=True)
@click.option("--first", type=int, help="The first seed; left out, it follows from the commit.")
@click.option("--scenario", type=click.Choice([one.name for one in SCENARIOS]), help="Only this one.")
@click.option("--renderer", type=click.Choice(["cheap", "blender"]), default="blender", show_default=True)
@click.option("-v", "verbose", is_flag=True, help="Say what was not right.")
def command(sequences: int, first: int | None, scenario: str | None, renderer: str, verbose: bool) -> None:
    """Print a line for each sequence, and the sum."""
    first = first_seed() if first is None else first | 1
    draw = importlib.import_module("tests.render.blender").Studio().picture if renderer == "blender" else _drawn
    total: Counter[str] = Counter()
    for number in range(sequences):
        seed = first + 2 * number
        chosen = next(
            (one for one in SCENARIOS if one.name == scenario), SCENARIOS[(first // 2 + number) % len(SCENARIOS)]
        )
        board = BOARDS[(first // 2 + number // len(SCENARIOS) + number) % len(BOARDS)]
        recipe = replace(
            drawn_recipe(seed), game=board, plies=PLIES, troubled=False, size_wh=SMALL.get(board, SMALL_SIZE)
        )
        take, shots = rendering(recipe)
        frames = stage_of(recipe)[0].frames
        room = Room(
            alone(draw, [frame.scene for frame in frames], seed, chosen), chosen, events(take.kinds, take.plies)
        )
        stand_ins = ((kind, np.zeros((1, 1, 3), np.uint8)) for kind, _ in shots)
        got = followed(take, stand_ins, Conditions(hands_s=0.5, quiet_s=2.5), seed, filmed=room.filmed)
        covered_s = 0.0
        since = None
        for event in got.watched.told:
            if isinstance(event, CannotSee) and event.cause == "covered":
                since = event.t
            elif isinstance(event, SeenAgain) and since is not None:
                covered_s, since = covered_s + event.t - since, None
        figures = {
            "plies": got.report.plies,
            "right": got.report.right,
            "wrong": got.report.wrong,
            "helped": got.report.helped,
            "asked": got.report.asked,
            "accused": sum(isinstance(event, Illegal | Takeback) for event in got.watched.told),
            "covered_s": round(covered_s, 1),
        }
        total.update(figures)
        click.echo(f"{seed} {board}, {chosen.name}: {json.dumps(figures)}")
        if verbose:
            click.echo(f"   light changes at {[round(t, 1) for t in room.changed_t]}")
            for remark in got.report.remarks:
                click.echo(f"   {remark}")
    click.echo(json.dumps(total))


def events(kinds: tuple[str, ...], plies: tuple[int, ...]) -> list[tuple[int, float]]:
    """The pictures, and the share of their time, at which the light changes."""
    moving = [n for n, kind in enumerate(kinds) if kind == "moving"]
    quiet = [n for n, kind in enumerate(kinds) if kind == "quiet"]
    found = []
    for kind, ply in zip(("piece", "between", "hand"), EVENT_PLIES, strict=True):
        if kind == "between":
            found += [(n, 0.5) for n in quiet if plies[n] == ply][:1]
        else:
            hand = [n for n in moving if plies[n] == ply - 1]
            found += [(hand[len(hand) // 2], 0.0 if kind == "piece" else 0.5)] if hand else []
    return sorted(found)


def _drawn(scene: Scene) -> Image:
    cv2.setNumThreads(1)
    return cheap.render(scene).image


if __name__ == "__main__":
    command()
