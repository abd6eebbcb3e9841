"""The Camelot family: one mechanism of men and knights, many boards. A game of it is the data of one `Family`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from operator import itemgetter

from engine.board import Board
from engine.camelot.attempt import Judge
from engine.camelot.leaps import EMPTY, KNIGHT, MAN, OTHER, Seat, find_middle
from engine.camelot.listing import Listing
from engine.camelot.rules import NoMoves, Rules
from engine.camelot.trails import Captures, Path, can_jump, find_canters, find_captures, list_walks
from engine.camelot.words import family_words
from engine.errors import InputError
from engine.game import RESIGNED, Change, Move, Outcome, Position, Refusal, Result, Switch, result_text
from engine.switches import choose, listed

KIND_OF_LETTER = {"M": MAN, "N": KNIGHT}


@dataclass(frozen=True)
class Family:
    """A game as data. `pieces` gives for each code its start cells, `looks` what a camera sees of each seat's pieces.

    A seat wins on the castle of the next seat and never enters those of the rest.
    """

    name: str
    title: str
    board: Board
    seats: tuple[str, ...]
    looks: tuple[str, ...]
    pieces: Mapping[str, str]
    sets: Mapping[str, Rules]
    notes: tuple[str, ...] = ()

    @property
    def rule_sets(self) -> tuple[str, ...]:
        """Names of the rule sets, the default first."""
        return tuple(self.sets)

    def load(self, rules: str) -> FamilyGame:
        """The game under a rule set, "wcf" or "wcf,castle_move_limit=3"."""
        return FamilyGame(self, rules)


class FamilyGame:
    """A game of the family under one rule set; answers what `engine.game.Game` asks."""

    def __init__(self, family: Family, rules: str) -> None:
        self.family = family
        self.name = family.name
        self.rules = rules
        self.set = choose(family.sets, rules)
        self.switches: Mapping[str, Switch] = listed(self.set)
        self.board = family.board
        self.seats = family.seats
        self.notes = family.notes
        self.codes = ("", *family.pieces)
        self.words = family_words(family.title, tuple(family.pieces), family.seats, self.set)
        self.seat_of = (-1, *(_seat_of_code(code, family.seats) for code in family.pieces))
        self.looks = ("empty", *family.looks)
        self.look_of = tuple(seat + 1 for seat in self.seat_of)
        self.memory_key = "castle_moves" if any(len(cells) > 1 for cells in self.board.castles.values()) else ""
        self.setups: Mapping[str, bytes] = {"standard": self._build_standard_setup()}
        self.listings = tuple(self._build_listing(seat) for seat in range(len(self.seats)))

    def _build_standard_setup(self) -> bytes:
        placement = bytearray(len(self.board.cells))
        for number, cells in enumerate(self.family.pieces.values(), start=1):
            for cell in cells.split():
                placement[self.board.index[cell]] = number
        return bytes(placement)

    def _build_listing(self, seat: int) -> Listing:
        """What `seat` may do on the board, with the castles as it sees them."""
        castles = [frozenset(self.board.index[cell] for cell in self.board.castles[name]) for name in self.seats]
        goal = (seat + 1) % len(castles)
        shut = frozenset().union(*(cells for owner, cells in enumerate(castles) if owner not in {seat, goal}))
        owners = zip(self.codes[1:], self.seat_of[1:], strict=True)
        kinds = [KIND_OF_LETTER[code[1]] if owner == seat else OTHER for code, owner in owners]
        view = Seat(self.board, castles[seat], castles[goal], shut, goal_ends_jumps=self.set.castle_entry_ends_jumps)
        return Listing(view, self.set, bytes([EMPTY, *kinds]))

    @cached_property
    def _castle_cells(self) -> tuple[int, ...]:
        return tuple(self.board.index[cell] for cells in self.board.castles.values() for cell in cells)

    @cached_property
    def _castles_of(self) -> itemgetter[tuple[int, ...]]:
        """Takes what stands on the castle cells out of a placement."""
        return itemgetter(*self._castle_cells)

    @cached_property
    def _owner_table(self) -> bytes:
        """Table from piece numbers to seat + 1, 0 for empty."""
        return bytes(seat + 1 for seat in self.seat_of).ljust(256, b"\0")

    def start(self, setup: str | None = None) -> Position:
        """The position a game begins with."""
        name = next(iter(self.setups)) if setup is None else setup
        if name not in self.setups:
            raise InputError(f"set-up {name!r}: not known in {self.name}, choose from {', '.join(self.setups)}")
        return Position(self.setups[name], 0, (0,) * len(self.seats) if self.memory_key else ())

    def results(self, position: Position) -> list[Result]:
        """Every lawful result, none when the game is over."""
        if self._find_ending(position.placement):
            return []
        return self._list_legal_results(position)

    def _list_legal_results(self, position: Position) -> list[Result]:
        """The results of a position that no castle, capture or lack of pieces has ended."""
        left = self.set.castle_move_limit - (position.memory[position.seat] if position.memory else 0)
        return self.listings[position.seat].list_results(position.placement, max(left, 0))

    def moves(self, position: Position) -> tuple[Move, ...]:
        """One move for each result, in the order of `results`, with its canonical path."""
        seat = self.listings[position.seat].seat
        kinds = self.classify_cells(position)
        taking: dict[int, Captures] = {}
        quiet: dict[int, dict[int, Path]] = {}
        found = []
        for piece, land, taken, _ in self.results(position):
            if taken:
                if piece not in taking:
                    taking[piece] = find_captures(seat, kinds, piece, charging=True)
                path = taking[piece][land, taken]
            else:
                if piece not in quiet:
                    quiet[piece] = find_canters(seat, kinds, piece, clean=self.is_strict(kinds[piece]))
                path = quiet[piece].get(land, (piece, land))
            found.append(self.build_move(position, path, taken))
        return tuple(found)

    def paths(self, position: Position) -> Iterator[Move]:
        """Every written path of every lawful move; canters come to no cell twice."""
        seat = self.listings[position.seat].seat
        kinds = self.classify_cells(position)
        results = self.results(position)
        lawful = set(results)
        for piece, land, taken, _ in results:
            if not taken and land in self.board.steps[piece]:
                yield self.build_move(position, (piece, land), ())
        for piece in sorted({result[0] for result in results}):
            strict = self.is_strict(kinds[piece])
            for path, taken in list_walks(seat, kinds, piece):
                if (piece, path[-1], tuple(sorted(taken)), 0) in lawful and (
                    taken or not strict or not any(can_jump(seat, kinds, piece, cell) for cell in path[1:])
                ):
                    yield self.build_move(position, path, taken)

    def classify_cells(self, position: Position) -> bytes:
        """EMPTY, MAN, KNIGHT or OTHER for each cell, as the player to move sees it."""
        return position.placement.translate(self.listings[position.seat].kinds)

    def is_strict(self, kind: int) -> bool:
        """Whether a canter of such a piece may not end a move if it landed where it could jump."""
        return kind == KNIGHT and self.set.charge_must_capture

    def build_move(self, position: Position, path: Path, taken: tuple[int, ...]) -> Move:
        """The move along `path`; `taken` in any order."""
        if taken:
            ordered = tuple(over for a, b in pairwise(path) if (over := find_middle(self.board, a, b)) in taken)
            return Move(path, ordered, "jump" if len(taken) == len(path) - 1 else "charge")
        if path[0] in self.listings[position.seat].seat.goal:
            return Move(path, (), "castle")
        return Move(path, (), "plain" if path[1] in self.board.steps[path[0]] else "canter")

    def play(self, position: Position, move: Move) -> Position:
        """The position after `move`. Where a rule set lets players pass, those who must are passed over."""
        placement = bytearray(position.placement)
        piece = placement[move.origin]
        for cell in (move.origin, *move.taken):
            placement[cell] = 0
        placement[move.target] = piece
        memory = position.memory
        if move.kind == "castle":
            memory = tuple(used + (seat == position.seat) for seat, used in enumerate(memory))
        return self._skip_unable_seats(Position(bytes(placement), (position.seat + 1) % len(self.seats), memory))

    def _skip_unable_seats(self, position: Position) -> Position:
        """`position` with the first player to move, from its own on, who can; itself if nobody can or none may pass."""
        if self.set.no_moves is not NoMoves.PASSES or self._find_ending(position.placement):
            return position
        return next((turn for turn in self._list_turns(position) if self._list_legal_results(turn)), position)

    def _list_turns(self, position: Position) -> Iterator[Position]:
        """The position with each player who has pieces to move, from its own on."""
        counts = self._count_pieces(position.placement)
        for ahead in range(len(self.seats)):
            seat = (position.seat + ahead) % len(self.seats)
            if counts[seat]:
                yield replace(position, seat=seat)

    def outcome(self, position: Position) -> Outcome | None:
        """How the game is over, or None while it goes on."""
        ended = self._find_ending(position.placement)
        if ended or self._list_legal_results(position):
            return ended
        seats = len(self.seats)
        other = (position.seat + 1) % seats
        if self.set.no_moves is NoMoves.PASSES:
            nobody = not any(self._list_legal_results(turn) for turn in self._list_turns(position))
            return Outcome(result_text(seats, None), "no-moves") if nobody else None
        few = self.set.no_moves is NoMoves.LOSES_TO_TWO and self._count_pieces(position.placement)[other] < 2
        return Outcome(result_text(seats, None if few else other), "no-moves")

    def _find_ending(self, placement: bytes) -> Outcome | None:
        """How the placement alone ends the game."""
        seats = len(self.seats)
        if any(self._castles_of(placement)):
            for seat, listing in enumerate(self.listings):
                inside = sum(self.seat_of[placement[cell]] == seat for cell in listing.seat.goal)
                if inside >= self.set.castle_pieces_to_win:
                    return Outcome(result_text(seats, seat), "castle")
        counts = self._count_pieces(placement)
        if min(counts) > 1:
            return None
        if counts.count(0) >= seats - 1:
            winner = counts.index(max(counts))
            enough = counts[winner] >= self.set.min_pieces_to_win
            return Outcome(result_text(seats, winner if enough else None), "captured-all")
        if self.set.one_each_draws and max(counts) == 1 and not counts.count(0):
            return Outcome(result_text(seats, None), "material")
        return None

    def _count_pieces(self, placement: bytes) -> list[int]:
        """How many pieces each seat has."""
        count = placement.translate(self._owner_table).count
        return [count(seat + 1) for seat in range(len(self.seats))]

    def progressed(self, before: Position, after: Position) -> bool:
        """Whether something was captured or a piece entered a castle."""
        if before.placement.count(0) != after.placement.count(0):
            return True
        return any(after.placement[cell] and not before.placement[cell] for cell in self._castle_cells) and (
            before.memory == after.memory
        )

    def resign(self, position: Position, seat: int) -> Position | Outcome:
        """Of two players the other wins; of three the pieces are removed, and the others play on or have ended."""
        if len(self.seats) == 2:
            return Outcome(result_text(2, 1 - seat), RESIGNED)
        gone = bytes(0 if self.seat_of[piece] == seat else piece for piece in position.placement)
        counts = self._count_pieces(gone)
        if counts.count(0) == len(counts) - 1:
            return Outcome(result_text(len(counts), counts.index(max(counts))), RESIGNED)
        left = self._skip_unable_seats(replace(position, placement=gone))
        return self.outcome(left) or left

    def write(self, position: Position, move: Move) -> str:
        """The notation of a lawful move, every landing written: `F5-F9-H11xF13`."""
        text = self.board.cells[move.path[0]]
        for a, b in pairwise(move.path):
            text += ("x" if find_middle(self.board, a, b) in move.taken else "-") + self.board.cells[b]
        return text

    def read(self, position: Position, text: str) -> Move | Refusal:
        """The lawful move that `text` writes, or why there is none."""
        return Judge(self, position).read_move(text)

    def overrule(self, position: Position, text: str) -> Move | None:
        """An illegal move that stood: the piece goes where the text ends, what it leapt over with an `x` is gone."""
        path, taken = Judge(self, position).read_path(text)
        if not path or not position.placement[path[0]]:
            return None
        return Move(path, taken, "as-played")

    def refuse(self, position: Position, change: Change) -> Refusal:
        """Why no lawful move makes that change."""
        return Judge(self, position).refuse_change(change)


def _seat_of_code(code: str, seats: tuple[str, ...]) -> int:
    return [seat[0].upper() for seat in seats].index(code[0])
