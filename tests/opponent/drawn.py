"""Positions and rule sets drawn at random: pieces anywhere, castles often filled, switches in any combination."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine import games
from engine.game import Game, Position

FAMILY = ("camelot", "tri-camelot", "cam-3d", "cam", "camette", "chivalry")
GAMES = (*FAMILY, "camblam")
CHOICES = {
    "blocked_castle_piece": ("another-moves", "no-moves"),
    "castle_move_limit": ("0", "1", "3"),
    "castle_pieces_to_win": ("1", "2", "3"),
    "min_pieces_to_win": ("1", "2", "3"),
    "no_moves": ("loses", "loses-to-two", "passes"),
    **dict.fromkeys(("charge_must_capture", "own_castle_jump_first", "castle_entry_ends_jumps"), ("on", "off")),
    "one_each_draws": ("on", "off"),
    # Camblam's
    "knight_first_leg": ("4", "1", "any"),
    "archer_range": ("0", "2", "5", "11"),
    **dict.fromkeys(("catapult_step_captures", "rook_step_captures", "bishop_step_captures"), ("on", "off")),
    **dict.fromkeys(("prince_zero_stages", "run_capture_whole", "stalemate_draws"), ("on", "off")),
}
MOST_PIECES = 28
EXCHANGES, ENOUGH = 2_000, 3_000
"""Exchanges of two cells that are tried, and results from which on no more are looked for: Python lists 3,000
in some tens of milliseconds."""
IN_CASTLES = 0.3
"""Share of castle cells that are filled: many more than in play, since most rules are about them."""


def rule_sets(name: str, chance: random.Random, more: int) -> Iterator[str]:
    """Those of the game, and `more` of each with switches set at random."""
    for rules in games.find(name).rule_sets:
        there = games.load(name, rules).switches
        yield rules
        for _ in range(more):
            switched = (
                f"{switch}={chance.choice(values)}"
                for switch, values in CHOICES.items()
                if switch in there and chance.random() < 0.5
            )
            yield ",".join((rules, *switched))


def scattered(game: Game, chance: random.Random, at_most: int = MOST_PIECES) -> Position:
    """Pieces anywhere."""
    placement = bytearray(len(game.board.cells))
    most = min(len(placement) // 2, at_most)
    for cell in chance.sample(range(len(placement)), chance.randint(2, most)):
        placement[cell] = chance.randrange(1, len(game.codes))
    for cells in game.board.castles.values():
        for cell in cells:
            if chance.random() < IN_CASTLES:
                placement[game.board.index[cell]] = chance.randrange(1, len(game.codes))
    used = tuple(chance.randint(0, 3) for _ in game.seats) if game.memory_key else ()
    return Position(bytes(placement), chance.randrange(len(game.seats)), used)


def crowded(game: Game, chance: random.Random) -> Iterator[Position]:
    """The pieces of the start anywhere, moved about so that those that capture have more and more ways to: as dense as
    play can make a board, and far denser than it does."""
    start = game.start()
    placement = bytearray(len(start.placement))
    cells = chance.sample(range(len(placement)), len(placement) - start.placement.count(0))
    for cell, piece in zip(cells, filter(None, start.placement), strict=True):
        placement[cell] = piece
    seat, most = chance.randrange(len(game.seats)), 0
    for _ in range(EXCHANGES):
        tried = bytearray(placement)
        one, other = chance.sample(range(len(tried)), 2)
        tried[one], tried[other] = tried[other], tried[one]
        position = Position(bytes(tried), seat, start.memory)
        found = len(game.results(position))
        if found >= most:
            most, placement = found, tried
            yield position
        if found > ENOUGH:
            return


def lines(game: Game, chance: random.Random, plies: int = 3) -> Iterator[Position]:
    """A position drawn, and some that play leads on to; and one from play since the start."""
    for first, length in ((scattered(game, chance), plies), (_played(game, chance), 1)):
        position = first
        for _ in range(length):
            yield position
            moves = game.moves(position)
            if not moves:
                break
            position = game.play(position, chance.choice(moves))


def _played(game: Game, chance: random.Random) -> Position:
    position = game.start()
    for _ in range(chance.randint(0, 40)):
        moves = game.moves(position)
        if not moves:
            break
        position = game.play(position, chance.choice(moves))
    return position
