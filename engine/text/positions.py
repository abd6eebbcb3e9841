"""Positions as the JSON that people and programs exchange (documented with `referee legal`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine import games
from engine.errors import InputError
from engine.game import Game, Position

POSITION_KEYS = ("game", "rules", "to_move", "cells")
COUNT_LIMIT = 1_000_000
"""No game lasts so long that something happened more often."""


def to_json(game: Game, position: Position) -> dict[str, object]:
    """{"game", "rules", "to_move", "cells": {cell: code}} and the game's own counts by side."""
    cells = {game.board.cells[i]: game.codes[piece] for i, piece in enumerate(position.placement) if piece}
    out: dict[str, object] = {
        "game": game.name,
        "rules": game.rules,
        "to_move": game.seats[position.seat],
        "cells": cells,
    }
    if game.memory_key:
        out[game.memory_key] = dict(zip(game.seats, position.memory, strict=True))
    return out


def game_of(data: object, name: str | None = None, rules: str | None = None) -> Game:
    """The game that a position names; `name` and `rules`, where given, must agree or fill the gap."""
    found = _check_object(data)
    for key, asked in (("game", name), ("rules", rules)):
        if asked is not None and found.get(key, asked) != asked:
            raise InputError(f'position: its "{key}" is {found[key]!r}, not {asked!r}; change one of them')
    chosen = found.get("game", name)
    if not isinstance(chosen, str):
        raise InputError(f'position: give "game", one of {", ".join(games.names())}')
    named_rules = found.get("rules", rules)
    if named_rules is not None and not isinstance(named_rules, str):
        raise InputError(f'position: "rules" is {named_rules!r}, give the name of a rule set')
    return games.load(chosen, named_rules)


def from_json(data: object, game: Game | None = None) -> tuple[Game, Position]:
    """The game and position that `data` describes; `game`, if given, must be the one it names.

    InputError names the unknown cell, code, side or key. Of a side that must pass the next one is to move.
    """
    found = _check_object(data)
    game = game_of(found, game.name, game.rules) if game else game_of(found)
    for key in found:
        if key not in POSITION_KEYS and (key != game.memory_key or not key):
            known = ", ".join(filter(None, (*POSITION_KEYS, game.memory_key)))
            raise InputError(f"position: key {key!r} is not known, use {known}")
    side = found.get("to_move", game.seats[0])
    if side not in game.seats:
        raise InputError(f'position: side {side!r} in "to_move" is not known, use {", ".join(game.seats)}')
    placement = _read_placement(game, found.get("cells"))
    memory = _read_memory(game, found.get(game.memory_key, {})) if game.memory_key else game.start().memory
    return game, _skip_passing_seats(game, Position(placement, game.seats.index(side), memory))


def _skip_passing_seats(game: Game, position: Position) -> Position:
    """The position with the first to move, from its side on, who need not pass; who must makes no move."""
    for ahead in range(len(game.seats)):
        turn = replace(position, seat=(position.seat + ahead) % len(game.seats))
        if game.moves(turn) or game.outcome(turn) is not None:
            return turn
    return position


def _check_object(data: object) -> Mapping[str, object]:
    if not isinstance(data, dict):
        raise InputError('position: it is no JSON object, give {"game": ..., "to_move": ..., "cells": {...}}')
    return data


def _read_placement(game: Game, cells: object) -> bytes:
    if not isinstance(cells, dict):
        raise InputError('position: give "cells", an object such as {"C6": "WN"}')
    placement = bytearray(len(game.board.cells))
    for cell, code in cells.items():
        if cell not in game.board.index:
            raise InputError(f"position: cell {cell!r} is not on the {game.name} board")
        if not code or code not in game.codes:
            raise InputError(f"position: code {code!r} on {cell} is not known, use {', '.join(game.codes[1:])}")
        placement[game.board.index[cell]] = game.codes.index(code)
    _check_numbers(game, placement)
    return bytes(placement)


def _check_numbers(game: Game, placement: bytearray) -> None:
    """InputError if a side has more pieces than any set-up gives it: no board can show such a position.

    It also bounds the chains of jumps, whose number grows exponentially with the pieces to be jumped.
    """
    for seat, side in enumerate(game.seats):
        has = sum(game.seat_of[piece] == seat for piece in placement)
        most = max(sum(game.seat_of[piece] == seat for piece in setup) for setup in game.setups.values())
        if has > most:
            raise InputError(f"position: {side} has {has} pieces, a set of {game.name} has {most}; take some off")


def _read_memory(game: Game, counts: object) -> tuple[int, ...]:
    if not isinstance(counts, dict):
        raise InputError(f'position: "{game.memory_key}" is no object, give a count a side')
    for side, count in counts.items():
        if side not in game.seats:
            raise InputError(
                f'position: side {side!r} in "{game.memory_key}" is not known, use {", ".join(game.seats)}'
            )
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < COUNT_LIMIT:
            raise InputError(f"position: {game.memory_key} of {side} is {count!r}, give a whole number from 0 up")
    return tuple(counts.get(side, 0) for side in game.seats)
