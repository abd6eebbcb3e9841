"""The values that a game is made of, and what every game can be asked.

A position is a value: playing returns a new one, a takeback drops the last. Rules are a frozen set of named
switches. How the moves are found is in engine/camelot/ and engine/camblam/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.board import Board
from engine.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Position:
    """What stands where, who moves, and what the placement alone cannot tell.

    `placement` has one byte a cell: 0 empty, else the number of a piece in `Game.codes`. `seat` indexes
    `Game.seats`. `memory` is the game's own (castle moves used by each seat, ...).
    """

    placement: bytes
    seat: int
    memory: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """One lawful move: every landing cell in order, the cells it empties, and what a promoted piece becomes.

    A shot has `path[0] == path[-1]`. `taken` is in the order of capture.
    """

    path: tuple[int, ...]
    taken: tuple[int, ...]
    kind: str
    becomes: int = 0

    @property
    def origin(self) -> int:
        """The cell the piece leaves."""
        return self.path[0]

    @property
    def target(self) -> int:
        """The cell the piece ends on."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `result` as written in records ("1-0", "0-1-0", ...), `reason` a short name."""

    result: str
    reason: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not lawful: a reason code, one sentence, and the lawful moves that matter, as notation.

    `message` is a Sentence where languages may know its text, as `build_refusal` makes it.
    """

    code: str
    message: str
    instead: tuple[str, ...] = ()


def build_refusal(code: str, text: str, instead: tuple[str, ...] = (), /, **values: object) -> Refusal:
    """Why something is not lawful, by a text with its values."""
    return Refusal(code, Sentence(text, values), instead)


def refuse_further_move(end: Outcome | None) -> Refusal | None:
    """Why there is no move after the end of a game; None while it goes on."""
    text = "The game is over, {result} ({reason}): no more moves."
    return build_refusal("game-over", text, result=end.result, reason=end.reason) if end else None


Result = tuple[int, int, tuple[int, ...], int]
"""What a camera can see of a move: (from, to, captured in ascending order, promotion or 0). Distinct by definition."""


@dataclass(frozen=True, slots=True)
class Change:
    """How a placement differs from the one before, when one piece or none of the side to move has gone elsewhere.

    `origin` is the cell that piece left and `target` the one it stands on now, both -1 when none of them moved (a shot,
    a chain of jumps back to where it began). `lost` are the cells where pieces of others vanished, ascending.
    `becomes` is the number of the piece on the target if it is not the one that left, else 0.
    """

    origin: int
    target: int
    lost: tuple[int, ...]
    becomes: int = 0


@dataclass(frozen=True, slots=True)
class Switch:
    """One named point of a rule set: its value here and what it decides, in a sentence."""

    name: str
    value: object
    meaning: str


def result_of(move: Move) -> Result:
    """What a camera sees of a move: paths that lead to the same are the same."""
    return move.origin, move.target, tuple(sorted(move.taken)), move.becomes


def result_text(seats: int, winner: int | None) -> str:
    """The result as records write it: "1-0", "0-1-0", ...; equal shares when `winner` is None."""
    if winner is None:
        return "-".join([f"1/{seats}"] * seats)
    return "-".join("1" if seat == winner else "0" for seat in range(seats))


def lost_by_all(seats: int) -> str:
    """The result where every side has forfeited: "0-0", "0-0-0"."""
    return "-".join("0" * seats)


RESIGNED = "resigned"
FORFEITS = ("time", "absence", "rules")
"""Why an arbiter may declare a game lost: the clock ran out, nobody came, the rules were broken too often."""
FORFEITS_OF_ALL = ("absence", "rules")
"""Why no side may have won: only one clock runs."""
BY_RULING = "ruling"
"""Why a game is over that an arbiter has decided otherwise."""


class Game(Protocol):
    """What every game answers. `engine.games.load(name, rules)` gives one.

    It may have `words` besides (`engine.explain.wording.Words`): what people call its pieces, its drawings, its rules
    in short.
    """

    name: str
    rules: str
    """The rule set as `load` was given it: "wcf", or with switches set "wcf,castle_move_limit=3"."""
    board: Board
    seats: tuple[str, ...]
    """Names in order of play: ("white", "black") or ("blue", "red", "green")."""
    codes: tuple[str, ...]
    """Piece number -> code; codes[0] is "" (empty)."""
    seat_of: tuple[int, ...]
    """Piece number -> seat; seat_of[0] is -1."""
    looks: tuple[str, ...]
    """What a camera can tell apart: ("empty", "light", "dark") or ("empty", "blue", "red", "green")."""
    look_of: tuple[int, ...]
    """Piece number -> index in looks."""

    memory_key: str
    """Position JSON key under which `Position.memory` stands as one count a seat ("castle_moves"), "" for none."""
    setups: Mapping[str, bytes]
    """Named start placements; the first is the default."""
    notes: tuple[str, ...]
    """Assumptions that the official texts do not settle, a sentence each."""

    @property
    def switches(self) -> Mapping[str, Switch]:
        """Every switch of the rule set with its value here.

        The claims read two of them: `repetition_claim` and `quiet_claim` (0: no such claim).
        """

    def start(self, setup: str | None = None) -> Position:
        """The position a game begins with; `setup` names a preset."""

    def results(self, position: Position) -> Sequence[Result]:
        """Every lawful result, in a fixed order, none when the game is over. The quick listing."""

    def moves(self, position: Position) -> tuple[Move, ...]:
        """One move for each distinct (from, to, captured, promotion), canonical path, in a fixed order."""

    def paths(self, position: Position) -> Iterator[Move]:
        """Every written path of every lawful move."""

    def play(self, position: Position, move: Move) -> Position:
        """The position after `move`; the argument stays as it was."""

    def outcome(self, position: Position) -> Outcome | None:
        """How the game is over in this position, or None while it goes on."""

    def progressed(self, before: Position, after: Position) -> bool:
        """Whether the move between the two starts the count of quiet moves anew (a capture, a castle entry, ...)."""

    def resign(self, position: Position, seat: int) -> Position | Outcome:
        """The end of the game, RESIGNED where one side alone is left, or, where others play on, the position without
        that player."""

    def write(self, position: Position, move: Move) -> str:
        """The notation of a lawful move."""

    def read(self, position: Position, text: str) -> Move | Refusal:
        """The lawful move that `text` writes, or why there is none ("unreadable" and "ambiguous" are codes too)."""

    def overrule(self, position: Position, text: str) -> Move | None:
        """The move that `text` writes, lawful or not, for an illegal one that stood as played; `play` does it.

        None if `text` cannot be read so, or names no piece to move.
        """

    def refuse(self, position: Position, change: Change) -> Refusal:
        """Why no lawful move makes that change. Only asked when none of `moves` does."""


def has_pieces(game: Game, position: Position, side: str) -> bool:
    """Whether a side has anything on the board: one without is out of the game."""
    seat = game.seats.index(side)
    return any(game.seat_of[piece] == seat for piece in position.placement if piece)


def drawn_result(game: Game, position: Position) -> str:
    """The result where people have agreed, claimed or ruled a draw: those share it who are still in the game."""
    left = [has_pieces(game, position, side) for side in game.seats]
    return "-".join(f"1/{sum(left)}" if has else "0" for has in left) if sum(left) > 1 else result_text(len(left), None)


def leave_side_out(game: Game, position: Position, side: str, why: str) -> Position | Outcome:
    """What is left when a side with pieces is out, RESIGNED or by one of FORFEITS: the end of the game for that reason,
    or, where others play on, the position without its pieces. Who is out of time draws with whom nothing can win."""
    end = game.resign(position, game.seats.index(side))
    if isinstance(end, Position) or end.reason != RESIGNED:
        return end
    winner = end.result.split("-").index("1")
    if why == "time" and not _can_win(game, position, winner):
        return Outcome(result_text(len(game.seats), None), "time-material")
    return replace(end, reason=why)


def _can_win(game: Game, position: Position, seat: int) -> bool:
    """Whether a side has the pieces that it needs at least to win under its rules."""
    switch = game.switches.get("min_pieces_to_win")
    least = switch.value if switch else 0
    pieces = sum(game.seat_of[piece] == seat for piece in position.placement)
    return not isinstance(least, int) or pieces >= least


def looks_at_start(game: Game) -> list[str]:
    """What stands on each cell at the start, by the names of looks."""
    return [game.looks[game.look_of[piece]] for piece in game.start().placement]


class GameFile(Protocol):
    """What engine/games/<name>.py binds to `GAME`, and what an entry point of `camelot_referee.games` names."""

    name: str
    rule_sets: tuple[str, ...]
    """Names of the rule sets, the default first."""

    def load(self, rules: str) -> Game:
        """The game under `rules`: a rule set's name, with ",switch=value" for each switch set otherwise."""
