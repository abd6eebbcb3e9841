"""Do two pieces of one side stand in each other's places, a knight where a man should, and a man where it should?

Sides are told by their colour, kinds only by their form, which is learned from the start position itself: of four
knights one is then a man. So it is seen twice: each of the two looks more like the other's kind by what was learned,
and all pieces of the side fit better once it is learned anew with the two exchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

PieceScores = Mapping[int, Mapping[int, float]]
"""Cell -> piece number -> what its template scores there, in nats."""
LEAST_OF_KIND = 3
"""A kind of which fewer stand there is learned from too few for one of them to be held against. Raising it asks nothing
of the three knights of Tri-Camelot and Cam 3-D, lowering it refuses right starts. Guessed."""
MOST_KINDS = 2
"""Of a side with more of them two pieces look like each other's by chance: of 20 right starts of Camblam, which has
ten, two were refused. Raising it refuses such starts, lowering it tells no kinds at all."""
LIKE_OTHERS_NATS, FITS_BETTER_NATS = 1.0, 7.0
"""By so much two pieces together look more like each other's kind; by so much more all of their side must fit once they
are exchanged. Chosen on 18 drawn starts of Camelot with a knight and a man exchanged, of which 13 are above both (3.6
and 8.3 at least), and 59 right ones; a knight that faces the camera on one had 2.9 and 5.8, all others less than 0 of
the first. On others 13 of 24 were named (with 3 in place of 7: 15), and of 70 right starts none. Raising either
overlooks exchanged pieces, lowering it refuses right starts."""


def list_likely_exchanges(
    of_pieces: PieceScores, placed: Sequence[int], look_of: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Two cells of each side, at most, whose pieces look more like each other's kind."""
    cells_of: dict[int, list[int]] = {}
    for cell in of_pieces:
        cells_of.setdefault(placed[cell], []).append(cell)
    kinds = Counter(look_of[piece] for piece in cells_of)
    enough = sorted(piece for piece, cells in cells_of.items() if len(cells) >= LEAST_OF_KIND)
    best: dict[int, tuple[float, int, int]] = {}
    for one, other in combinations(enough, 2):
        if look_of[one] != look_of[other] or kinds[look_of[one]] > MOST_KINDS:
            continue
        first, first_gain = _find_least_like(of_pieces, cells_of[one], one, other)
        second, second_gain = _find_least_like(of_pieces, cells_of[other], other, one)
        found = first_gain + second_gain, first, second
        best[look_of[one]] = max(best.get(look_of[one], found), found)
    yield from ((first, second) for gain, first, second in best.values() if gain > LIKE_OTHERS_NATS)


def are_exchanged(before: PieceScores, after: PieceScores, placed: Sequence[int], pair: tuple[int, int]) -> bool:
    """Whether all pieces of a side fit better with the `pair` exchanged: `before` is what was learned with the pieces
    as `placed`, `after` what was learned with the two exchanged."""
    kinds = {placed[cell] for cell in pair}
    anew = dict(zip(pair, (placed[pair[1]], placed[pair[0]]), strict=True))
    cells = [cell for cell in before if placed[cell] in kinds]
    fits = sum(before[cell][placed[cell]] for cell in cells)
    return sum(after[cell][anew.get(cell, placed[cell])] for cell in cells) - fits > FITS_BETTER_NATS


def exchange_pieces(placement: bytes, pair: tuple[int, int]) -> bytes:
    """The placement with what stands in two cells exchanged."""
    out = bytearray(placement)
    out[pair[0]], out[pair[1]] = out[pair[1]], out[pair[0]]
    return bytes(out)


def _find_least_like(of_pieces: PieceScores, cells: Sequence[int], own: int, other: int) -> tuple[int, float]:
    """The cell whose piece looks more like the `other` kind than any of its own, and by how much."""
    gains = {cell: of_pieces[cell][other] - of_pieces[cell][own] for cell in cells}
    most = max(gains, key=lambda cell: gains[cell])
    return most, gains[most]
