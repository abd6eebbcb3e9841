"""Unlit cells that look lit: `python -m tests.bench.count_lookalikes [--plies 400]`.

Games played at random, each piece lifted that may move, on every LED map that comes along for the board: at each moment
of what the strip then shows, a cell looks lit where all of its LEDs are, and a lit one is told by its own colour alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources

import click

from device.ledmap import LedMap
from device.lights import BLINK_S, DARK, LedFrame, Rgb, draw_match
from device.mapfile import parse_map
from device.shared_leds import split_into_turns
from engine.games import load
from engine.match.events import Lifted
from engine.match.referee import new_match
from engine.match.state import Match, Phase

GAMES = ("camelot", "tri-camelot", "cam-3d", "camblam")
LONGEST_GAME = 60


@dataclass
class Count:
    """Of so many lifts: how many had an unlit cell that looked lit, or one that was lit and not shown as itself."""

    lifts: int = 0
    lookalikes: int = 0
    untold: int = 0
    most_turns: int = 1


def maps(game: str) -> dict[str, LedMap]:
    """The maps that come with the program for this game, by their names."""
    board, found = load(game).board, {}
    for file in sorted((resources.files("device") / "maps").iterdir(), key=lambda file: file.name):
        text = file.read_text(encoding="utf-8")
        if f'board = "{game}"' in text:
            found[file.name] = parse_map(text, board, game, file.name)
    return found


def lifts(name: str, plies: int, seed: int) -> Iterator[LedFrame]:
    """What is drawn for each piece that may be lifted, in games at random."""
    game, dice = load(name), random.Random(seed)
    match = Match(game, ())
    for _ in range(plies):
        if not match.positions or match.phase is Phase.OVER or len(match.moves) >= LONGEST_GAME:
            match = replace(new_match(game, game.start()), phase=Phase.PLAYING)
        moves, cells = game.moves(match.position), game.board.cells
        for origin in sorted({move.origin for move in moves}):
            targets = tuple(sorted({cells[move.target] for move in moves if move.origin == origin}))
            yield draw_match(replace(match, phase=Phase.LIFTED, note=Lifted(0.0, cells[origin], targets)))
        move = dice.choice(moves)
        after = game.play(match.position, move)
        over = not game.moves(after)
        match = replace(match, positions=(*match.positions, after), moves=(*match.moves, move))
        match = replace(match, phase=Phase.OVER if over else Phase.PLAYING)


def count(leds: LedMap, frames: Iterator[LedFrame]) -> Count:
    """Look at every moment of each of these frames."""
    result = Count()
    of_cell: dict[int, list[int]] = {cell: [] for cell in range(len(leds.board.cells))}
    for led, owners in enumerate(leds.owners):
        for cell in owners:
            of_cell[cell].append(led)
    for frame in frames:
        shown = split_into_turns(frame, leds)
        turns, told, alike = max(1, len(shown.turns)), set[int](), False
        for half in range(2 * turns):
            now = shown.at_time((half + 0.5) * BLINK_S / 2)
            strip = _strip(leds, now)
            for cell, mine in of_cell.items():
                lit = bool(mine) and all(strip[led] != DARK for led in mine)
                alike = alike or (lit and now.rgb[cell] == DARK)
                if now.rgb[cell] != DARK and len({strip[led] for led in mine}) == 1:
                    told.add(cell)
        result.lifts += 1
        result.lookalikes += alike
        result.untold += told != {cell for cell, rgb in enumerate(frame.rgb) if rgb != DARK}
        result.most_turns = max(result.most_turns, turns)
    return result


def _strip(leds: LedMap, frame: LedFrame) -> list[Rgb]:
    sent = leds.encode_strip(frame.rgb)
    return [(sent[at], sent[at + 1], sent[at + 2]) for at in range(0, len(sent), 3)]


@click.command()
@click.option("--plies", default=400, show_default=True, help="Of each game.")
@click.option("--seed", default=0, show_default=True)
def command(plies: int, seed: int) -> None:
    """Print a row for each map."""
    for game in GAMES:
        for name, leds in maps(game).items():
            got = count(leds, lifts(game, plies, seed))
            click.echo(
                f"{name}: {got.lifts} lifts, {got.lookalikes} with an unlit cell that looks lit, "
                f"{got.untold} with a lit one that is not told, in {got.most_turns} turns at most"
            )


if __name__ == "__main__":
    command()
