"""Make the recording of `referee demo`: `python -m tests.render.demonstration --renderer blender --out DIR`.

A game of nineteen plies that ends in the castle, at a lamp's light: a must-jump that is ignored and taken back, a lamp
that goes off, a brushed piece, a mug, a bump of the camera. `python -m tests.bench.bundle` makes a session of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from engine.game import Game, Move
from tests.render.direct import Director
from tests.render.play import Turn, Wrong
from tests.render.script import Recipe, bare_stage, draw_recording

GAME = [
    "E7-D8",
    "D11-D12",
    "G7-F8",
    "D12-E12",
    "D7-D9xD11xF13",
    "J11-K11",
    "I7-G7-E9",
    "E10xE8xC8",
    "F13-F14",
    "F11-F12",
    "F7-F9",
    "G10xE8xG8",
    "H7xF9xF11xF13",
    "E11-F11",
    "F13-F15",
    "I10-J9",
    "F14-F16",
    "K11-K10",
    "F15-G16",
]
"""White wins with two pieces in the castle; lawful under `wcf`, found by playing at random."""
WRONG = {8: ("H10", "H9")}
"""Ply -> a plain move where Black has to jump; it is taken back."""
TROUBLES = {3: "knock", 10: "dark", 14: "cup", 16: "bump"}
LATE = frozenset({5})
"""Plies whose captured pieces stand until the hand has gone."""
RECIPE = Recipe(
    rules="wcf",
    seed=48,
    look="walnut",
    pieces="white_black",
    table="darkwood",
    light="evening",
    markers=False,
    elevation=50,
    azimuth=-84,
    hfov=46,
    size_wh=(1280, 960),
    with_empty=False,
)


def turns(game: Game) -> Iterator[Turn]:
    """The plies with what happens around them."""
    position = game.start()
    for number, notation in enumerate(GAME, 1):
        move = game.read(position, notation)
        if not isinstance(move, Move):
            raise ValueError(f"ply {number}, {notation}: {move}")
        after = game.play(position, move)
        style = "late" if number in LATE else ""
        troubles = (TROUBLES[number],) if number in TROUBLES else ()
        yield Turn(number, position, move, notation, after, style, troubles, _wrong(game, number))
        position = after


def _wrong(game: Game, number: int) -> Wrong | None:
    if number not in WRONG:
        return None
    origin, target = (game.board.cells.index(cell) for cell in WRONG[number])
    return Wrong(origin, target, (), "plain move although a jump is obligatory")


@click.command()
@click.option("--renderer", type=click.Choice(["cheap", "blender"]), default="cheap")
@click.option("--out", type=click.Path(path_type=Path), required=True)
def command(renderer: str, out: Path) -> None:
    """Render the recording of the demonstration."""
    stage = bare_stage(RECIPE)
    director = Director(stage)
    for turn in turns(stage.game):
        if turn.number == 1:
            director.begin(turn, with_empty=False)
        director.play(turn)
    director.finish()
    draw_recording(RECIPE, stage, director, out, renderer)
    click.echo(f"{out}: {len(stage.frames)} pictures, {stage.ply} plies")


if __name__ == "__main__":
    command()
