"""Which pieces stand on the board where only looks are seen: those that have gone stand where others have come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from engine.game import Game, Position


def infer_position(game: Game, known: Position, placement: bytes) -> Position:
    """The position that is read as `placement` after `known`: if a lawful ply leads there the one after it, else with
    the same side to move."""
    after = (game.play(known, move) for move in game.moves(known))
    return next(
        (position for position in after if position.placement == placement), replace(known, placement=placement)
    )


def infer_placement(game: Game, known: bytes, looks: Sequence[int]) -> bytes:
    """The placement of which every cell has the look that is seen, as near as can be to the one that is `known`.

    A cell that looks as it did keeps its piece. Where a look has come stands the nearest piece of that look that has
    gone, then the commonest of the start position: people are asked, and see the cells that differ.
    """
    placed = bytearray(known)
    came = [cell for cell, look in enumerate(looks) if look != game.look_of[known[cell]]]
    gone = {cell: known[cell] for cell in came if known[cell]}
    for cell in came:
        placed[cell] = 0
    for cell, left in _pair_nearest_cells(game, came, gone, looks):
        if not placed[cell] and left in gone:
            placed[cell] = gone.pop(left)
    for cell in came:
        if looks[cell] and not placed[cell]:
            placed[cell] = _find_commonest_piece(game, looks[cell])
    return bytes(placed)


def _pair_nearest_cells(
    game: Game, came: Sequence[int], gone: Mapping[int, int], looks: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Each cell where a look has come with each that a piece of that look has left, the nearest first."""
    pairs = sorted(
        (_measure_distance(game, cell, left), cell, left)
        for cell in came
        for left, piece in gone.items()
        if looks[cell] and game.look_of[piece] == looks[cell]
    )
    return ((cell, left) for _, cell, left in pairs)


def _measure_distance(game: Game, one: int, other: int) -> float:
    """How far two cells lie apart, in cells; another level counts as far as its number."""
    board = game.board
    (x, y), (u, v) = board.centres_xy[one], board.centres_xy[other]
    return abs(x - u) + abs(y - v) + abs(board.levels[one] - board.levels[other])


def _find_commonest_piece(game: Game, look: int) -> int:
    """Of the pieces with that look the one of which most stand at the start."""
    start = game.start().placement
    return max((piece for piece in range(1, len(game.codes)) if game.look_of[piece] == look), key=start.count)


def find_guessed_cells(game: Game, known: bytes, looks: Sequence[int]) -> tuple[int, ...]:
    """The cells where a look has come that several kinds of pieces have, and what has gone does not say which it is."""
    came = [cell for cell, look in enumerate(looks) if look != game.look_of[known[cell]]]
    out: list[int] = []
    for look in {looks[cell] for cell in came} - {0}:
        cells = [cell for cell in came if looks[cell] == look]
        gone = [known[cell] for cell in came if known[cell] and game.look_of[known[cell]] == look]
        kinds = sum(game.look_of[piece] == look for piece in range(1, len(game.codes)))
        if kinds > 1 and (len(set(gone)) != 1 or len(cells) > len(gone)):
            out += cells
    return tuple(sorted(out))
