"""How a game is begun or gone on with: does the board stand as the record says, and if not, what was played since?

All of that takes seconds, and while one frame is looked at others wait: so each look does a part of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from calibration.lattice import assess_view
from calibration.view import View
from engine.belief.candidates import change_between
from engine.belief.further import find_missed_plies
from engine.belief.lines_of_play import Line
from engine.board import Board
from engine.game import Game, Position
from vision.ground import Image, Picture
from vision.reading.appearance import Ints
from vision.reading.level_readers import LevelReaders
from vision.sight.exchanged_kinds import are_exchanged, exchange_pieces, list_likely_exchanges
from vision.sight.seeing import SeenBoard
from vision.sight.start import CheckedCells, Result, check_start_in_parts, result_of
from vision.watch.schedule import FLICKERS_SHARE

MOST_OPTIONS = 4
MOST_TRIED = 6
"""Lines that are looked at, the likeliest first: each takes as long as the check itself."""
MOST_READ_ANEW, MOST_MISPLACED = 3, 12
"""So often the board is read anew by what seems to stand on it, unless more cells than the second seem wrong: what
should stand in a cell teaches how its piece looks, so one that stands elsewhere spoils what is said of others. Raising
either names wrong cells later, lowering it names some that are right and leaves others out. Of 164 drawn boards
in the middle of a game that differed from the record by a ply or two, none looked at before, 147 were told to the cell
without and 152 with three, none worse."""
MOST_WORK = 1200
"""Cells held against a template in one look, before the next is left to do the rest: they take 0.2 to 0.35 ms each on
one core. A set-up of Camelot (640) is checked in one look, one of Camblam in three. More makes looks longer; less makes
`ready` come some frames later."""
PLAIN_NATS = 6.0
"""By so much a ply must explain the cells that seem wrong, all of them and no other, to be asked about before it was
looked at further: that takes a dozen looks, half a minute on a busy machine. Raising it asks later, lowering it asks
about cells that are misread. Guessed; it decides nothing, people answer."""
SHOWN_NATS = 3.0
"""By so much a cell must look more like its piece than like an empty cell for the piece to be plainly there. Fitted on
drawn boards in a bright light: where all of Black were missing, Black's cells had up to 0.7 and White's 6.3 and more;
on an empty board all had less than 0.
Raising it calls pieces missing that stand there, lowering it calls boards empty on which a side stands."""
SMALLEST_PX = 10.0
"""Pixels that a cell has across where it has the fewest, under which cells behind pieces cannot be told: boards that
were seen from so low down that they had 7 and less were mostly refused cell by cell though every piece stood right,
with 12 and more hardly any. It decides nothing; it is what is said of a board that seems wrong. Raising it names fewer
cells that are wrong, lowering it names more that are not."""
DIM_LEVELS = 40.0
"""A board on which no piece is seen where one should stand is called dark under this mean grey level, and else empty:
a set-up by a weak lamp was found at 32 and not at 27. Raising it calls dim empty boards dark, lowering it says
of right starts that no piece stands there."""


@dataclass(frozen=True)
class Begun:
    """Eyes that have learned the board from its first picture; the cells that are not as the position says; and the
    plies of which each was probably played since, in the rules' notation."""

    eyes: LevelReaders
    wrong: tuple[int, ...]
    fit: int
    """How well the lines of the board are seen where it should lie, of 100."""
    options: tuple[str, ...] = ()
    small: bool = False
    """Whether something seems wrong on a board whose farthest cells are too small in the picture to tell."""
    exchanged: bool = False
    """Whether the sides stand in each other's places."""
    bare: tuple[int, ...] = ()
    """The cells that should hold a piece and do not plainly show it, each by itself: where all pieces of a side are
    missing, `wrong` names too many or too few, as an empty board looks like its own."""


Parts = Generator[None, None, Begun]
"""Work of which each step is one look's."""
BeginCheck = Callable[[Sequence[int]], Parts]
"""What begins it, told of the cells that seemed wrong in pictures before."""


def begin_game(
    game: Game,
    position: Position,
    views: Sequence[View],
    image: Image,
    pictures: Sequence[Picture] | None = None,
    *,
    asks: bool = True,
) -> Begun:
    """Learn the board from `image`, or from its ground `pictures`, and see whether `position` stands on it.

    Where it does not and `asks`, what was probably played is looked for: plies after which all of it would stand so. Of
    two plies the first is asked about, and once that is answered the second.
    """
    return result_of(begin_game_in_parts(game, position, views, image, pictures, asks=asks))


def begin_game_in_parts(
    game: Game,
    position: Position,
    views: Sequence[View],
    image: Image,
    pictures: Sequence[Picture] | None = None,
    named: Sequence[int] = (),
    *,
    asks: bool = True,
) -> Parts:
    """The same in parts: the eyes in one, the check in as many as it takes, each line that is tried likewise. `named`
    are cells that seemed wrong in pictures before."""

    def eyes_on(placement: bytes) -> LevelReaders:
        return LevelReaders(game.board, views, game.look_of, image, list(placement), pictures)

    eyes = eyes_on(position.placement)
    yield
    found = yield from _share_among_looks(
        check_start_in_parts(game.board, eyes.level_readers, list(position.placement), game.looks, named)
    )
    fit = min(assess_view(game.board, view, image, level).score for level, view in enumerate(views))
    bare = _list_bare_cells(game, position, found)
    exchanged = _are_exchanged(game, position, found, bare)
    begun = _judge_as_a_whole(game, views, Begun(eyes, found.wrong, fit, exchanged=exchanged, bare=bare))
    if begun is not None:
        return begun
    if not found.wrong:
        mixed_up = yield from _find_exchanged_kinds(game, position, found, eyes_on)
        return Begun(eyes, mixed_up, fit)
    likely, options = _list_likely(game, position, found)
    if len(found.wrong) <= MOST_MISPLACED and (options or asks):  # else what seems wrong is named at once
        found = yield from _read_anew(game, position, found, eyes_on)
        likely, options = _list_likely(game, position, found)
    if options or not asks:
        return Begun(eyes, found.wrong, fit, tuple(options), bare=bare)
    for line, after in likely:
        asked = game.write(position, line[0])
        explained = {cell for cell, _ in change_between(game, position.placement, after.placement)}
        if explained.issuperset(found.wrong) and asked not in options and len(options) < MOST_OPTIONS:
            yield
            other = eyes_on(after.placement)
            yield
            stands = yield from _share_among_looks(
                check_start_in_parts(game.board, other.level_readers, list(after.placement), game.looks)
            )
            options += [] if stands.wrong else [asked]
    return Begun(eyes, found.wrong, fit, tuple(options))


def _judge_as_a_whole(game: Game, views: Sequence[View], begun: Begun) -> Begun | None:
    """What is found where it is no matter of single cells: they are too small, or the sides stand exchanged."""
    if min(_narrowest_px(game.board, views)) < SMALLEST_PX:
        return replace(begun, small=bool(begun.wrong))
    return begun if begun.exchanged else None


def find_unfitness(begun: Begun, expected_looks: Ints, pictures: Sequence[Picture]) -> str:
    """Why nobody can tell whether the board stands right; empty where the cells that seem wrong may be it."""
    if begun.small:
        return "small"
    unseen = expected_looks[list(begun.wrong)] > 0
    none_seen = int(unseen.sum()) == int((expected_looks > 0).sum())
    return "dark" if none_seen and float(np.mean([one.mean() for one in pictures])) < DIM_LEVELS else ""


def _list_bare_cells(game: Game, position: Position, found: CheckedCells) -> tuple[int, ...]:
    """The cells that should hold a piece and do not plainly show it."""
    pieces = [(cell, game.look_of[piece]) for cell, piece in enumerate(position.placement) if piece]
    return tuple(cell for cell, look in pieces if found.scores[cell, look] - found.scores[cell, 0] < SHOWN_NATS)


def _are_exchanged(game: Game, position: Position, found: CheckedCells, bare: Sequence[int]) -> bool:
    """Whether the sides stand in each other's places; not where as many cells are bare as a side has pieces: the floor
    there has no side's colour."""
    return found.exchanged and len(bare) * len(game.seats) < sum(map(bool, position.placement))


def _list_likely(
    game: Game, position: Position, found: CheckedCells
) -> tuple[Sequence[tuple[Line, Position]], list[str]]:
    """The likeliest lines that were played since, and the single plies that plainly explain all that seems wrong."""
    scores = found.scores.tolist()
    likely = find_missed_plies(game, position, scores, found.wrong)[:MOST_TRIED]
    return likely, _plain_plies(game, position, likely, scores, found.wrong)


def _read_anew(
    game: Game, position: Position, found: CheckedCells, eyes_on: Callable[[bytes], LevelReaders]
) -> Generator[None, None, CheckedCells]:
    """The cells that are otherwise than the position says, as told by a board that is read as it seems to stand."""
    placed, best, stands, tried = position.placement, found, position.placement, {position.placement}
    while found.wrong and len(tried) <= MOST_READ_ANEW:
        stands = _as_it_seems(game, position.placement, stands, found)
        if stands in tried or not any(stands):  # an empty board tells nothing of how pieces look
            break
        tried.add(stands)
        yield
        eyes = eyes_on(stands)
        yield
        found = yield from _share_among_looks(
            check_start_in_parts(game.board, eyes.level_readers, list(stands), game.looks)
        )
        if len(found.wrong) < len(best.wrong):
            best, placed = found, stands
    differs = {c for c, piece in enumerate(placed) if game.look_of[piece] != game.look_of[position.placement[c]]}
    return replace(best, wrong=tuple(sorted(differs.union(best.wrong))))


def _as_it_seems(game: Game, expected: bytes, stands: bytes, found: CheckedCells) -> bytes:
    """What would stand on the board if each cell that seems wrong held what it looks like most, but for that."""
    out = bytearray(stands)
    for cell in found.wrong:
        scores = found.scores[cell].copy()
        scores[game.look_of[stands[cell]]] = -np.inf
        look = int(scores.argmax())
        likely = [expected[cell], *(piece for piece, _ in Counter(expected).most_common()), *range(len(game.look_of))]
        out[cell] = next(piece for piece in likely if game.look_of[piece] == look)
    return bytes(out)


def _find_exchanged_kinds(
    game: Game, position: Position, found: CheckedCells, eyes_on: Callable[[bytes], LevelReaders]
) -> Generator[None, None, tuple[int, ...]]:
    """The cells of two pieces of one side that stand in each other's places as the game begins; () for none.

    Within a game pieces stand apart, each seen from another side: of 18 right positions of one film, and of 59 of an
    outsider's films, four each had a knight and a man that looked more like each other's kind.
    """
    placed = position.placement
    if placed != game.start().placement:
        return ()
    for pair in list_likely_exchanges(found.of_pieces, placed, game.look_of):
        after = exchange_pieces(placed, pair)
        yield
        eyes = eyes_on(after)
        yield
        anew = yield from _share_among_looks(
            check_start_in_parts(game.board, eyes.level_readers, list(after), game.looks)
        )
        if are_exchanged(found.of_pieces, anew.of_pieces, placed, pair):
            return tuple(sorted(pair))
    return ()


def _plain_plies(
    game: Game,
    position: Position,
    likely: Sequence[tuple[Line, Position]],
    scores: Sequence[Sequence[float]],
    wrong: Sequence[int],
) -> list[str]:
    """The single plies that leave what is seen in just the cells that seem wrong."""
    out: list[str] = []
    for line, after in likely:
        change = change_between(game, position.placement, after.placement)
        gain = sum(scores[c][look] - scores[c][game.look_of[position.placement[c]]] for c, look in change)
        if len(line) == 1 and {c for c, _ in change} == set(wrong) and gain > PLAIN_NATS:
            out.append(game.write(position, line[0]))
    return out[:MOST_OPTIONS]


def _narrowest_px(board: Board, views: Sequence[View]) -> list[float]:
    """Of each level, how many pixels its smallest cell has across."""
    centres, levels = np.array(board.centres_xy), np.array(board.levels)
    return [float(view.narrowest_px(centres[levels == k]).min()) for k, view in enumerate(views)]


def _share_among_looks(parts: Generator[int, None, Result]) -> Generator[None, None, Result]:
    """Parts of the work, as many together as one look has time for."""
    done = 0
    while True:
        try:
            cost = next(parts)
        except StopIteration as end:
            return cast(Result, end.value)
        done += cost
        if done >= MOST_WORK:
            yield
            done = 0


class Beginning:
    """What the looks before a game have done so far. Mutable.

    All of it is about the picture of the first of them: once more than noise has stirred since, it is done anew. Which
    cells seemed wrong is remembered, as what stands there does not go as light drifts.
    """

    def __init__(self) -> None:
        self._parts: Parts | None = None
        self._t = 0.0
        self._named: frozenset[int] = frozenset()

    def advance_check(self, seen: SeenBoard, anew: BeginCheck) -> Begun | None:
        """Do the next part; what all of them have come to, if it was the last. `anew` starts from what is `seen`, and
        is told of the cells that seemed wrong before."""
        stirred = float((seen.still_s < seen.t - self._t).mean()) > FLICKERS_SHARE
        if self._parts is None or stirred:
            self._parts, self._t = anew(sorted(self._named)), seen.t
        try:
            next(self._parts)
        except StopIteration as end:
            self._parts, begun = None, cast(Begun, end.value)
            self._named |= set(begun.wrong)
            return begun
        return None
