"""`referee legal`: every lawful move of a position, or of many."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from statistics import median
from time import process_time

import click

from engine.errors import InputError
from engine.game import Game, Move, Position
from server.inputs import read_position, read_positions
from server.masking import print_line, print_text

PASSES = 5
"""Passes of which --time takes the median."""


@click.command
@click.argument("game")
@click.option("--rules", help="Rule set, with switches as in `wcf,castle_move_limit=3`.")
@click.option("--position", "source", metavar="FILE", help="A position (JSON) in place of the start; - reads it here.")
@click.option(
    "--positions", "many", metavar="FILE", help="One position a line; GAME may be - when each names its game."
)
@click.option("--paths", is_flag=True, help="Every written path in place of one for each result.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a position.")
@click.option(
    "--time", "timed", is_flag=True, help="With --positions: how quickly their results are listed (processor time)."
)
def command(
    game: str, rules: str | None, source: str | None, many: str | None, *, paths: bool, as_json: bool, timed: bool
) -> None:
    """List the lawful moves of GAME, one for each result (from, to, captured, promotion)."""
    if source is not None and many is not None:
        raise InputError("legal: give --position or --positions, not both")
    if timed and (many is None or paths):
        raise InputError("legal: --time measures the results of --positions FILE, without --paths")
    if many is None:
        found, position = read_position(game, rules, source)
        _print_moves(found, position, paths=paths, as_json=as_json)
        return
    given = list(read_positions(None if game == "-" else game, rules, many))
    if timed:
        click.echo(json.dumps(measure_speed(given)))
        return
    for found, position in given:
        _print_moves(found, position, paths=paths, as_json=True)


def legal_moves_to_json(game: Game, position: Position, *, paths: bool = False) -> dict[str, object]:
    """{"to_move", "outcome", "turns": [{"notation", "kind", "from", "to", "captured"}]}."""
    outcome = game.outcome(position)
    moves: Iterable[Move] = game.paths(position) if paths else game.moves(position)
    return {
        "to_move": game.seats[position.seat],
        "outcome": asdict(outcome) if outcome else None,
        "turns": [move_to_json(game, position, move) for move in moves],
    }


def move_to_json(game: Game, position: Position, move: Move) -> dict[str, object]:
    """One move; `captured` by name, `promotion` is the code of what a promoted piece becomes."""
    name = game.board.cells
    out: dict[str, object] = {
        "notation": game.write(position, move),
        "kind": move.kind,
        "from": name[move.origin],
        "to": name[move.target],
        "captured": sorted(name[cell] for cell in move.taken),
    }
    if move.becomes:
        out["promotion"] = game.codes[move.becomes]
    return out


def measure_speed(given: list[tuple[Game, Position]]) -> dict[str, object]:
    """How quickly one core lists the results of positions already read: processor time, the median of some passes."""
    seconds, results = [], 0
    for _ in range(PASSES):
        begun = process_time()
        results = sum(len(game.results(position)) for game, position in given)
        seconds.append(process_time() - begun)
    middle = median(seconds)
    return {
        "positions": len(given),
        "results": results,
        "seconds": round(middle, 6),
        "positions_per_s": round(len(given) / middle) if given else 0,
    }


def _print_moves(game: Game, position: Position, *, paths: bool, as_json: bool) -> None:
    found = legal_moves_to_json(game, position, paths=paths)
    if as_json:
        click.echo(json.dumps(found))
        return
    if found["outcome"]:
        print_line(f"over: {found['outcome']}")
    for move in game.paths(position) if paths else game.moves(position):
        print_text(game.write(position, move))
