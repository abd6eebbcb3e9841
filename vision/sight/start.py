"""Does the board stand as the game expects? Asked before anything is learned, for every cell by itself.

What each cell would be read as is asked from what all the others teach: the floor of its like, and the look of the
pieces that are expected elsewhere. So a piece that is missing, one too many or on the next cell stands out, as does a
hand, which is neither floor nor piece.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import permutations
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from engine.board import Board
from vision.reading.appearance import Ints
from vision.reading.floor import Flags
from vision.reading.level import Reader
from vision.reading.scene import Scene, Scores
from vision.sight.bare import ShareTowardsLook, measure_towards
from vision.sight.edges import measure_edges
from vision.sight.exchanged_kinds import PieceScores

CHUNK = 24
"""Cells asked together: what they need is a third of a megabyte each."""
PLAIN_SURELY = 11.0
"""A piece whose cell shows few edges must be told from an empty cell and from other sides by this much together: a flat
hand over dark pieces had 0.5 to 3.6, pieces that were gone or had moved on 8.6 at most; right pieces with few edges had
14 and more on the photographs of twenty games. Raising it refuses plain pieces in poor light; lowering it takes what is
flat and dark for them."""
BARE_SHARE, BARE_APART = 0.33, 0.65
"""A cell in which a piece should stand is bare when its base has gone less than this share of the way from the floor to
a piece, and is not that far from the floor in any other way. Pieces that were gone: 0.25 and 0.54 at most; right ones:
0.40 and 0.50 at least, but those that are near the floor have gone that way."""
STRAY_BELOW, STRAY_UNEVEN_BELOW, UNEVEN = -5.0, -8.5, 2.0
"""A piece fits better than an empty cell by so much, or by this on a board of which a tenth of the empty cells has less
than UNEVEN: brown wood in another grain looked like a white piece by up to -7.2 on film. On even boards right cells had
-0.4 and more in drawn starts, -4.5 in path traced ones in long shadows and -4.4 in photographs; pieces too many had
-6.6 and less in 26 of 29."""
EVEN, EDGED, PLAIN_PIECES = 0.65, 0.7, 0.1
"""Edges of a cell over those of the pieces that show few: a tenth of them show less. With less than the first nothing
stands there, however dark or shiny it is: in 112 drawn starts pieces had 0.80 and more, pieces too many 0.83 and more,
bare cells mostly 0.1. With more than the second there is something, though it may be the shadow of the next piece."""
SURELY_MISSING, SURELY_BARE = -12.0, 0.26
"""An empty cell fits better by so much, or its base has gone so little of the way to a piece, that nothing stands there
whatever edges it has: those of the next piece and its shadow had 0.25 at most where a piece was gone. Small pieces on
photographs that stood off the middle fitted worse than an empty cell by 8."""
FEW_OF_LOOK, FEW_EDGED = 3, 2.5
"""Of a look of which at most the first are expected, the very cell in question teaches what it looks like: a bare cell
is like itself. So the cell is missed when it has less edges than the second times what the empty cells of its level
have in the middle. In 160 drawn endings pieces had 6.4 and more, cells from which one was gone 1.3 at most in three of
four, more where another piece leans in; of 140 others none that stood right was refused, and of 109 one began. Raising
either refuses right endings on a floor with a grain, lowering it begins them without a piece."""
CALM, CALM_BELOW, CALM_BARE = 0.12, 5.0, 0.3
"""Nine in ten empty cells have less edges than the first, against pieces that show few: on such a board edges alone
tell where something stands, as a piece of its floor's colour hardly fits better than the floor. An empty cell with as
many as pieces have (EDGED) is filled unless it fits better empty by the second, as shadows do by 6 and more; one with
less than the third and hardly more than the empty ones is bare. On 18 drawn boards of 95 that are so calm six pieces
too many and six of seven gone were told, and no right cell; of 121 photographs one is. Raising the first or the second
takes shadows for pieces; lowering them, or the third, begins with white counters on white paper in wrong places."""
FLOOR_APART, SHADE_APART = 0.4, 0.68
"""A cell is empty when it is as near to its floor as this, as a part of the way to the look that fits best: to another
look a white piece on a white cell has gone 0.2 of the way. The second where that look is darker than the floor, as the
shadow of the next piece is too: right cells in one had 0.66 at most on photographs, dark pieces too many 0.72 and more.
Higher takes pieces for shadows, lower shadows for pieces."""
CLEAR_APART = 0.2
"""A cell beside a tall piece is empty when that part of it over which no other piece can lean is as near as this to its
floor: on photographs it had 0.15 at most beside kings that leaned farther than their outline says, and 0.7 and more of
pieces too many. Higher takes a piece on the next cell for a lean; lower refuses right boards."""
BEYOND_APART, BEYOND_BELOW = 1.1, -2.0
"""A cell with edges is not empty when it is farther from its floor than a whole piece would be, and a piece fits better
by the second: no lean does that, and no shadow unless the piece is darker than the floor, as a white one on white is:
there a right cell was 1.27 of the way. Others with edges were 0.92 at most on photographs; pieces too many 1.2 and 1.3.
Raising the first overlooks pieces on their like; lowering it takes shadows for pieces."""
LONE_BELOW, LONE_APART, LONE_SHARE, LONE_ASIDE = 1.0, 5.0, (0.65, 1.35), 0.55
"""One empty cell alone is out of line with all others of its level: an empty cell fits it better by less than the
first, and worse than the next one by the second, and its base lies where a piece's would, by the share of the way there
and what lies aside of it. Fitted on four starts of white counters on white paper, by another renderer, and two of dark
pieces among dark ones that a lamp shines on: 5.0 to 15 below the next. Right cells that lie so had 4.4 at most on 156
drawn and path-traced starts. Raising the first or the last, lowering the second or widening the third names shadows
that look like a piece; the reverse overlooks pieces of their floor's colour."""
KEPT_BELOW, KEPT_APART, KEPT_SHARE, KEPT_ASIDE = 2.0, 3.0, (0.55, 1.45), 0.75
"""The same of a cell that was named before: it stays named as the light drifts, until the piece is taken off. Of four
starts of white counters on white paper that were named at first, three fell below the limits above within seconds, the
worst to 4.9 below the next, or a share of 0.63. Of 156 right starts four have a cell that lies so, were it named by
mistake. Raising the first or the last, lowering the second or widening the third keeps more of both named."""
MISSING_BELOW, MISSING_APART = 0.5, 2.5
"""Of all cells in which a look should stand one alone seems empty: a piece fits it better by less than the first, and
worse than the next one, which does not seem empty, by the second. Before a low camera others hide where it should stand
and lean over it: in drawn starts from 28 to 35 degrees 15 of 42 missing pieces that nothing else told are found so; of
158 looks that stood right none was doubted. Where the base is seen it tells by itself: a white rook in the corner of an
outsider's board lay so far below the others as well. Raising the first or lowering the second refuses right starts on
whose like a piece hardly shows, the reverse begins without a piece."""
ODD_CASTLE, ALONE_CASTLE, CASTLE_SHARE, CASTLE_ASIDE = 15.0, 13.0, (0.65, 2.5), 0.45
"""A castle is held against the others only, as what is printed there is like no other cell: with a piece in one of them
it falls behind the best of the others by 20 and more, an empty one in path-traced pictures by 11, and its base has gone
0.9 of the way to a piece, aside by 0.3. An empty one has gone 0.65 at most, or aside by 0.55. It also falls behind each
of the others by the second: with a piece in it by 14 and more in 20 of 22 drawn starts, without one by 7 at most, and
by up to 12.7 on floors of two colours, where a print that is like a piece on one is none on the other. Raising either
overlooks pieces in castles, lowering it refuses right starts for what is printed there."""
OTHER_SIDE_BELOW, EXCHANGED_BELOW, EITHER_BELOW = -8.0, -9.0, -1.0
"""A piece looks like one of another side by this much; or two of different sides do together, each by at least the
last. A wooden knight in its own shadow had -5.6 on film; of two pieces that were exchanged each has -5 and less."""
NEARER_OTHERS, NOT_ITS_OWN = 0.6, -1.5
"""A piece is of another side when its colour has gone this share of the way from its own side's to that of another,
and it looks like the other's by this much as well. Of pieces that were exchanged one of two at least had 0.74 and -7.5,
or 0.76 and -2.2; pieces in their place that had 0.5 and more, half behind others, looked like their own side by 10 and
more but for one with -0.6. Raising the first or lowering the second overlooks exchanged pieces, the reverse refuses
pieces in a shadow."""
PLAINLY_ITS_OWN = 0.45
"""A piece whose colour has gone less of that way is of its own side whatever it looks like: a lamp that shines on it
changes its pattern more than its colour. All of 82 exchanged pieces of drawn and path-traced boards had 0.47 and more;
on polished boards right ones looked like the other side by up to 9.7 and had 0.2. Raising it overlooks exchanged pieces
of sides that are hard to tell, lowering it refuses shining ones."""
PIECES_SHOWN = 12.0
"""The middle piece must be told from an empty cell and from other sides, and the middle empty cell from a piece, by so
much in sum: all three seldom are where a lamp shines on a board. Of 24 drawn boards without a piece the most had 10.6;
of 142 drawn and path-traced set-ups the least had 26. Raising it says of pieces in bad light that none stand there;
lowering it looks on an empty board for single cells that are wrong."""
SHADED, NO_FLOOR, SHINY, FEW_SHADED = 0.6, -2.0, 0.25, 2
"""A hand lies over more empty cells than the last of whose base neither floor nor piece explains more than the first,
which look less like their floor than like a piece by the second, and have edges of more than the third, as EVEN has
them. Hands on 54 drawn boards had three such cells or more, or hid a piece that was missed. What a lamp or a mirror
image leaves unexplained on a polished board, in up to ten cells, looks like its floor, or has edges of 0.23 at most but
for a single cell. Raising the first, the third or the last, or lowering the second overlooks hands over empty cells;
the reverse refuses boards that shine."""
ODD_BESIDE_EXCHANGE = 4
"""Cells that may seem wrong on a board of which all the same is told that its sides stand in each other's places.
Raising it tells so of boards on which much else is wrong, lowering it names single cells of boards that are turned
round. One of two such boards in films from outside had one odd cell; it was fitted on nothing else."""
CHANNEL_OF = {"blue": 0, "green": 1, "red": 2}
"""Looks that are colours, and which channel of a picture they are brightest in against the other looks."""
COLOURED = 0.05
"""Share of a colour by which the pieces agree better when the sides are exchanged: in drawn games 0.3 and more."""
AS_BRIGHT = 0.88
"""Sides are exchanged when those that are called light have less than this share of the brightness of the others. Of
sides in two colours that are about as bright, brightness says nothing. Raising it calls such sides exchanged that stand
right, lowering it begins games with sides that stand in each other's places. Guessed: two woods have 0.7 and less."""
TINY_SD = 1e-3
Result = TypeVar("Result")
TWO_SIDES = 3
"""Looks of a game of two: empty, light, dark."""
BODY = 0.6


@dataclass(frozen=True)
class CheckedCells:
    """The cells that do not agree with what is expected, and (cells, looks) what each scores, nearly, as each look."""

    wrong: tuple[int, ...]
    scores: Scores
    of_pieces: PieceScores
    exchanged: bool = False
    """Whether all pieces stand, but the sides in each other's places: somebody sees the board turned round."""


@dataclass(frozen=True)
class Standing:
    """(cells,) by how much it scores better that something stands there, or nothing, as expected, than the other; that
    it is of the expected side than of another; and the share of it that nothing explains."""

    margin: npt.NDArray[np.float32]
    side: npt.NDArray[np.float32]
    unexplained: npt.NDArray[np.float32]
    scores: Scores
    """(cells, looks) the scores that the others follow from."""
    towards: ShareTowardsLook
    edges: npt.NDArray[np.float32]
    """Against its bare floor, a share of the light."""
    colours: npt.NDArray[np.float64]
    """(cells, channels) of its middle, as logarithms."""
    of_pieces: PieceScores


LevelStandings = Sequence[tuple[Standing, npt.NDArray[np.intp]]]
"""How each level stands, with the numbers of its cells."""


def measure_standing(reader: Reader, pieces: Ints) -> Generator[int, None, Standing]:
    """How each cell of the picture that `reader` was made from agrees with `pieces`; yields what each part of it cost,
    in cells held against a template."""
    unbiased = copy(reader)
    unbiased.floor = copy(reader.floor)
    unbiased.floor.colour = unbiased.floor.clean = reader.floor.without_itself()
    unbiased.floor.known = np.zeros_like(reader.floor.known)
    labels = reader.look_table[pieces]
    count = len(pieces)
    margin, side, unexplained = np.zeros((3, count), np.float32)
    table = np.zeros((count, reader.look_count), np.float32)
    of_pieces: dict[int, Mapping[int, float]] = {}
    for first in range(0, count, CHUNK):
        active: Flags = np.zeros(count, bool)
        active[first : first + CHUNK] = True
        scene = Scene(unbiased, labels.copy(), active)
        for c in range(first, min(first + CHUNK, count)):
            scores, unexplained[c] = scene.score_unremembered(c)
            table[c] = scores
            if pieces[c]:
                of_pieces[c] = scene.score_pieces(c)
            filled = float(scores[1:].max() - scores[0])
            margin[c] = filled if labels[c] else -filled
            others = np.delete(scores[1:], labels[c] - 1) if labels[c] else scores[:0]
            side[c] = scores[labels[c]] - others.max(initial=-np.inf) if len(others) else np.inf
        yield int(active.sum()) * len(reader.stack.templates)
    bare = unbiased.floor.colour
    colours = np.log(np.maximum(_middle_colours(reader), TINY_SD))
    towards, edges = measure_towards(reader, pieces, bare), measure_edges(reader, bare)
    return Standing(margin, side, unexplained, table, towards, edges, colours, of_pieces)


def result_of(parts: Generator[object, None, Result]) -> Result:
    """What work that is done in parts comes to, all of it at once."""
    while True:
        try:
            next(parts)
        except StopIteration as end:
            return cast(Result, end.value)


def check_start_in_parts(
    board: Board,
    readers: Sequence[tuple[npt.NDArray[np.intp], Reader]],
    pieces: Sequence[int],
    looks: Sequence[str],
    named: Sequence[int] = (),
) -> Generator[int, None, CheckedCells]:
    """Cells of the first picture that do not agree with `pieces`; all occupied ones if nothing stands there, or the
    sides are exchanged. `looks` are the names of the looks, by which sides of many colours are told; `named` are cells
    that did not agree in an earlier picture.

    It is done in parts: yields what each cost, in cells held against a template.
    """
    placed = np.asarray(pieces, np.int64)
    levels = []
    for cells, reader in readers:
        found = yield from measure_standing(reader, placed[cells])
        levels.append((found, cells))
    scores = np.zeros((len(placed), readers[0][1].look_count), np.float32)
    for found, cells in levels:
        scores[cells] = found.scores
    before = np.zeros(len(placed), bool)
    before[list(named)] = True
    off = _wrong_cells(board, levels, placed, readers[0][1].look_table, before)
    stands = _has_pieces_overall(levels, placed)
    few = int(off.sum()) <= ODD_BESIDE_EXCHANGE
    exchanged = few and any(_has_exchanged_sides(reader, placed[cells], looks) for cells, reader in readers)
    if exchanged or not stands:
        off = placed > 0
    of_pieces = {int(cells[c]): row for found, cells in levels for c, row in found.of_pieces.items()}
    return CheckedCells(tuple(np.flatnonzero(off).tolist()), scores, of_pieces, exchanged and stands)


def _wrong_cells(board: Board, levels: LevelStandings, placed: Ints, look_table: Ints, named: Flags) -> Flags:
    """Cells that are not as they should be, each by itself and in pairs; those `named` before may be so by less."""
    off, filled = np.zeros((2, len(placed)), bool)
    margin, side = np.zeros((2, len(placed)))
    edged = np.concatenate([found.edges[placed[cells] > 0] for found, cells in levels])
    usual = float(np.quantile(edged, PLAIN_PIECES)) if len(edged) else 1.0
    counts = np.bincount(look_table[placed], minlength=int(look_table.max()) + 1)
    for found, cells in levels:
        pieces, plain = placed[cells], ~_printed_castles(board, cells, placed)
        edge = found.edges / max(usual, TINY_SD)
        missing = _missing_pieces(found, look_table[pieces], edge)
        missing |= _find_lone_gap(found, look_table[pieces])
        empty = (pieces == 0) & plain
        calm = empty.any() and float(np.quantile(edge[empty], 0.9)) < CALM
        missing |= ((counts[look_table[pieces]] <= FEW_OF_LOOK) | (calm & (edge < CALM_BARE))) & _bare_as_empty(
            found, empty
        )
        stray = _stray_pieces(found, pieces, plain, edge) | (calm & _plainly_edged(found, edge))
        wrong = np.where(pieces > 0, missing, stray)
        low = (wrong | _lone_piece(found, empty, named[cells])) & ((pieces > 0) | (edge >= EVEN))
        off[cells] = (low | _covered_cells(found, empty, edge)) & plain
        margin[cells], side[cells], filled[cells] = found.margin, found.side, _filled_cells(found)
    off[_odd_castles(board, margin, placed, filled)] = True
    colours = np.concatenate([found.colours for found, _ in levels])[np.argsort(np.concatenate([c for _, c in levels]))]
    nearer = _nearness_to_others(colours, look_table[placed])
    side[nearer < PLAINLY_ITS_OWN] = np.inf
    off[_exchanged_pair(side, look_table[placed])] = True
    return off | (side < OTHER_SIDE_BELOW) | ((nearer > NEARER_OTHERS) & (side < NOT_ITS_OWN))


def _has_pieces_overall(levels: LevelStandings, placed: Ints) -> bool:
    """Whether pieces stand there at all, of sides that can be told apart, and elsewhere none: an empty board looks like
    its own. On all levels together, as one of them may have few cells to learn its floor from."""
    told = np.concatenate([(found.margin + found.side)[placed[cells] > 0] for found, cells in levels])
    empty = np.concatenate([found.margin[placed[cells] == 0] for found, cells in levels])
    if not len(told):
        return False
    return float(np.median(told)) + (float(np.median(empty)) if len(empty) else 0.0) > PIECES_SHOWN


def _missing_pieces(found: Standing, looks: Ints, edge: npt.NDArray[np.float32]) -> Flags:
    """Cells whose piece is not there, as far as pieces should stand in them; `edge` is over that of plain pieces."""
    cells = np.arange(len(looks))
    share, apart = found.towards.share[cells, looks], found.towards.distance_from_bare()[cells, looks]
    bare = (share < BARE_SHARE) & (apart < BARE_APART)
    plain = (edge < EDGED) & ((found.margin + found.side < PLAIN_SURELY) | bare)
    return np.asarray(plain | (found.margin < SURELY_MISSING) | (bare & (share < SURELY_BARE)))


def _bare_as_empty(found: Standing, empty: Flags) -> Flags:
    """Cells that have hardly more edges than the `empty` ones."""
    return np.asarray(found.edges < FEW_EDGED * np.median(found.edges[empty])) if empty.any() else np.zeros_like(empty)


def _plainly_edged(found: Standing, edge: npt.NDArray[np.float32]) -> Flags:
    """Cells with as many edges as a piece has, which are not another piece's that leans over them, nor a shadow's."""
    return np.asarray((edge >= EDGED) & (found.margin < CALM_BELOW) & found.towards.lone)


def _stray_pieces(found: Standing, pieces: Ints, plain: Flags, edge: npt.NDArray[np.float32]) -> Flags:
    """Cells in which a piece stands, as far as none should; `edge` is over that of plain pieces."""
    empty = found.margin[(pieces == 0) & plain]
    even = len(empty) > 0 and float(np.quantile(empty, 0.1)) >= UNEVEN
    best, cells = 1 + found.scores[:, 1:].argmax(axis=1), np.arange(len(pieces))
    apart, clear = found.towards.distance_from_bare()[cells, best], found.towards.clear[cells, best]
    like_floor = (apart < FLOOR_APART) | (clear < CLEAR_APART)
    like_floor |= (apart < SHADE_APART) & found.towards.darker[cells, best]
    fits = found.margin < (STRAY_BELOW if even else STRAY_UNEVEN_BELOW)
    beyond = (found.margin < BEYOND_BELOW) & (apart > BEYOND_APART) & (edge >= EVEN)
    beyond &= ~found.towards.darker[cells, best]
    return np.asarray((fits & ~like_floor) | beyond)


def _lone_piece(found: Standing, empty: Flags, named: Flags) -> Flags:
    """The one `empty` cell that seems to have a piece in it, where that is plain of all others that they have none."""
    out, order = np.zeros(len(empty), bool), np.flatnonzero(empty)[np.argsort(found.margin[empty])]
    if len(order) < 2:
        return out
    lowest, look = order[0], 1 + int(found.scores[order[0], 1:].argmax())
    below, apart, between, beside = LONE_BELOW, LONE_APART, LONE_SHARE, LONE_ASIDE
    if named[lowest]:
        below, apart, between, beside = KEPT_BELOW, KEPT_APART, KEPT_SHARE, KEPT_ASIDE
    share, aside = found.towards.share[lowest, look], found.towards.aside[lowest, look]
    out[lowest] = between[0] < share < between[1] and aside < beside
    out[lowest] &= found.margin[lowest] <= min(below, found.margin[order[1]] - apart)
    return out


def _find_lone_gap(found: Standing, looks: Ints) -> Flags:
    """The one cell of its look that seems empty, where that is plain of all others that they are not, and its base is
    hidden: of one that is seen the base itself tells."""
    out = np.zeros(len(looks), bool)
    for look in np.unique(looks[looks > 0]).tolist():
        cells = np.flatnonzero(looks == look)
        order = cells[np.argsort(found.margin[cells])]
        if len(order) > FEW_OF_LOOK:
            lowest, second = found.margin[order[:2]]
            out[order[0]] = lowest < MISSING_BELOW and second > max(0.0, lowest + MISSING_APART)
            out[order[0]] &= bool(np.isnan(found.towards.share[order[0], look]))
    return out


def _filled_cells(found: Standing) -> Flags:
    """Cells whose base looks like that of a piece."""
    share = found.towards.share
    there = (CASTLE_SHARE[0] < share) & (share < CASTLE_SHARE[1]) & (found.towards.aside < CASTLE_ASIDE)
    return np.asarray(there.any(axis=1))


def _odd_castles(board: Board, margin: npt.NDArray[np.float64], placed: Ints, filled: Flags) -> list[int]:
    """The empty castle in which a piece seems to stand, and in no other of them."""
    castles = [board.index[name] for names in board.castles.values() for name in names]
    free = [c for c in castles if not placed[c]]
    if len(free) < 2:  # nothing to hold it against
        return []
    lowest, second, *_ = ordered = sorted(margin[c] for c in free)
    odd = lowest < min(STRAY_UNEVEN_BELOW, ordered[-1] - ODD_CASTLE, second - ALONE_CASTLE)
    return [c for c in free if odd and filled[c] and margin[c] == lowest]


def _exchanged_pair(side: npt.NDArray[np.float64], looks: Ints) -> list[int]:
    """Two pieces of different sides that each look like the other's."""
    low = [c for c in np.argsort(side).tolist() if side[c] < EITHER_BELOW]
    pairs = [(low[0], c) for c in low if looks[c] != looks[low[0]]] if low else []
    return list(pairs[0]) if pairs and side[pairs[0][0]] + side[pairs[0][1]] < EXCHANGED_BELOW else []


def _nearness_to_others(colours: npt.NDArray[np.float64], looks: Ints) -> npt.NDArray[np.float64]:
    """(cells,) how far the colour of each piece has gone from its own side's to that of the nearest other: 0 its own, 1
    the other's. 0 where nothing should stand."""
    sides = [look for look in np.unique(looks).tolist() if look]
    if not sides:
        return np.zeros(len(looks))
    usual = np.array([np.median(colours[looks == look], axis=0) for look in sides])
    far = np.abs(colours[:, None] - usual).sum(axis=2)
    out = np.zeros(len(looks))
    for k, look in enumerate(sides):
        nearest = np.delete(far, k, axis=1).min(axis=1, initial=np.inf)
        share = far[:, k] / np.maximum(far[:, k] + nearest, TINY_SD)
        out[looks == look] = share[looks == look]
    return out


def _covered_cells(found: Standing, empty: Flags, edge: npt.NDArray[np.float32]) -> Flags:
    """The `empty` cells over which a hand lies; `edge` is over that of plain pieces."""
    shaded = (found.unexplained > SHADED) & (found.margin < NO_FLOOR) & (edge > SHINY) & empty
    return np.asarray(shaded & (int(shaded.sum()) > FEW_SHADED))


def _printed_castles(board: Board, cells: npt.NDArray[np.intp], placed: Ints) -> Flags:
    """Castles in which nothing should stand: what is printed in them is like no other cell."""
    castles = {board.index[name] for names in board.castles.values() for name in names}
    return np.array([int(c) in castles and not placed[c] for c in cells])


def _middle_colours(reader: Reader) -> npt.NDArray[np.float32]:
    """(cells, channels) of the middle of each cell, where a piece has its base."""
    base = reader.prints.piece_silhouette(0.25, 0.3) > BODY
    return np.asarray(reader.patches[:, base].mean(axis=1), np.float32)


def _has_exchanged_sides(reader: Reader, pieces: Ints, names: Sequence[str]) -> bool:
    """Whether the pieces called light are darker than those called dark, or those called by a colour have others'."""
    looks = reader.look_table[pieces]
    colours = _middle_colours(reader)
    if reader.look_count == TWO_SIDES:
        light, dark = (names.index(name) if name in names else 0 for name in ("light", "dark"))
        if not ((looks == light).any() and (looks == dark).any() and light and dark):
            return False
        brightness = colours.mean(axis=1)
        return bool(np.median(brightness[looks == light]) < AS_BRIGHT * np.median(brightness[looks == dark]))
    there = [k for k, name in enumerate(names) if name in CHANNEL_OF and (looks == k).any()]
    if len(there) < TWO_SIDES - 1:
        return False
    shares = np.array(
        [np.median(colours[looks == k] / colours[looks == k].sum(axis=1, keepdims=True), axis=0) for k in there]
    )
    own = [CHANNEL_OF[names[k]] for k in there]
    as_named = float(shares[np.arange(len(there)), own].sum())
    best = max(float(shares[list(order), own].sum()) for order in permutations(range(len(there))))
    return best > as_named + COLOURED
