"""The state of a match: one immutable value, drawn by lights and page, changed only by engine.match.referee.step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from engine.belief.verdicts import Verdict
from engine.game import Game, Move, Outcome, Position, has_pieces
from engine.match.clock import Clock, TimeControl
from engine.match.events import Conflict, Event, SetUp, Unclear


class Phase(Enum):
    """Where the match stands."""

    SETUP = "set-up"
    """The pieces do not yet stand as expected; `Match.note` is a SetUp event once that was seen."""
    PLAYING = "playing"
    """The board shows the current position."""
    LIFTED = "lifted"
    """A piece is in the air; `note` is a Lifted event."""
    PARTIAL = "partial"
    """A lawful move is under way; `note` is a Partial event."""
    TROUBLE = "trouble"
    """An illegal placement stands; `note` is an Illegal event."""
    UNCLEAR = "unclear"
    """The players are asked; `note` is an Unclear event."""
    BLIND = "blind"
    """The camera does not see the board; `note` is a CameraMoved event or None."""
    PAUSED = "paused"
    """Nothing is judged; `note` is a Paused event."""
    ADJOURNED = "adjourned"
    """The game was put away; `note` is an Adjourned event."""
    OVER = "over"
    """`outcome` says how."""


RESTING = frozenset({Phase.PAUSED, Phase.ADJOURNED})
"""Phases in which nothing that the board shows is judged."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """A ply of which only the position that it led to is known: `moves` all lead there, the one in the record first."""

    ply: int
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Rest:
    """The piece from `origin` rested on `cell` in the middle of a capture, and what is `gone` had been taken off."""

    origin: int
    cell: int
    gone: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Leaving:
    """A side went out of a game that goes on without it, after `ply` plies, for `why`: what stood before, what play
    alone had left each side on its clock (() without clocks), and what the turn had taken if it was that side's.

    Where a position without the side was set after the same ply, that is `position`: nothing brings the side back."""

    side: str
    ply: int
    why: str
    position: Position
    left_s: tuple[float, ...] = ()
    spent_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a correction took off the list: the match `before` it, its `ply`, and why a later one fitted no more."""

    before: Match
    ply: int
    conflict: Conflict

    @property
    def plies(self) -> int:
        """How many plies were dropped."""
        return len(self.before.moves) - self.conflict.ply + 1

    def to_json(self) -> dict[str, object]:
        """How many plies, and of the first of them its number, as lists of moves count, its side, and why."""
        first = self.conflict.ply
        why = {key: value for key, value in self.conflict.to_json().items() if key not in {"t", "event"}}
        turns = list(zip(self.before.positions, self.before.positions[1:first], strict=False))
        return {
            "plies": self.plies,
            "ply": first,
            "number": 1 + sum(later.seat <= earlier.seat for earlier, later in turns),
            "side": self.before.game.seats[self.before.positions[first - 1].seat],
        } | why


@dataclass(frozen=True, slots=True)
class Match:
    """A game in progress. `positions` has one entry more than `moves`; the last is the current one."""

    game: Game
    positions: tuple[Position, ...]
    moves: tuple[Move, ...] = ()
    phase: Phase = Phase.SETUP
    note: Event | None = None
    outcome: Outcome | None = None
    pending: Verdict | None = None
    """The last verdict, acted on or not, and the stream time since when it has been the answer."""
    since: float = 0.0
    held_t: float | None = None
    """Since when the piece that `pending` moves seems lifted beside a hand; None: it does not."""
    ready: bool = False
    """Whether the first position was seen to stand on the board."""
    recalled: bool = False
    """Whether people said that this game goes on, which had been put away, and its position was not seen since."""
    offered: int = 0
    """Which of the choices of the buttons is shown, counted from 1; 0 for none."""
    number: int = 0
    """Grows with every change of what people decide on: the course of the game, or a question. See `number_changes`."""
    course: int = 0
    """The number with which the course of the game last changed."""
    moved_t: float | None = None
    """Stream time at which the board showed the last ply; None where that was before the service began."""
    rests: tuple[Rest, ...] = ()
    """Where the piece of a capture that is under way was seen to rest so far."""
    loose: int = 0
    """How many of the last plies the board has shown beside a hand only: what puts pieces up may look like them."""
    undecided: tuple[Undecided, ...] = ()
    """The plies of which people are asked which move they were, while the game goes on."""
    leavings: tuple[Leaving, ...] = ()
    """The sides that went out of the game, in that order, even those that a position has brought back since: see
    engine.match.course.list_sides_out."""
    dropped: Dropped | None = None
    """What a correction took off the list, until a ply is made or taken back, or the position changes otherwise."""
    before: Match | None = None
    """The game that was under way when this one began, until people have said how it ended."""
    next_control: TimeControl | None = None
    """The time control of the next game, where it is another than this one's."""
    clocks: tuple[Clock, ...] = ()
    """The clocks as each turn began, one entry for each position; empty: the game has none. See
    engine.match.clocked_match."""
    holds_clocks: bool = False
    """Whether the clocks of a game wait for its first move, or until somebody starts them."""

    @property
    def is_resting(self) -> bool:
        """Whether nothing that the board shows is judged."""
        return self.phase in RESTING

    @property
    def makes_way(self) -> bool:
        """Whether pieces that are put up for another game begin it: not while this one, which somebody has put away or
        called back by hand, waits for its own position."""
        return self.phase is not Phase.ADJOURNED and not (self.recalled and self.outcome is None)

    @property
    def just_left(self) -> Leaving | None:
        """The side that went out of the game after the last ply, if no position was set since: its pieces are to come
        off the board."""
        last = self.leavings[-1] if self.leavings else None
        if last is None or last.ply != len(self.moves) or not has_pieces(self.game, last.position, last.side):
            return None
        return last

    @property
    def open_options(self) -> tuple[str, ...]:
        """What the question that is open offers; () without one."""
        return self.note.options if isinstance(self.note, Unclear | SetUp) else ()

    def list_undecided(self) -> list[tuple[int, tuple[str, ...]]]:
        """The number of each ply that is undecided, and the moves that it may have been, as notation."""
        return [
            (one.ply, tuple(self.game.write(self.positions[one.ply - 1], move) for move in one.moves))
            for one in self.undecided
        ]

    @property
    def first_position(self) -> Position:
        """What stood when the game began. A side that left before the first ply is part of it once one is played: until
        then its pieces are to come off the board, and stand for no other game."""
        full = next((one.position for one in self.leavings if one.ply == 0), self.positions[0])
        return full if self.moves else self.positions[0]

    @property
    def position(self) -> Position:
        """The last lawful position."""
        return self.positions[-1]

    @property
    def side_to_move(self) -> str:
        """Name of the side to move."""
        return self.game.seats[self.position.seat]


def number_changes(before: Match, after: Match) -> Match:
    """`after`, with the numbers that follow those of `before`."""
    if after is before:
        return after
    changed = any(
        (
            after.positions is not before.positions,
            after.moves is not before.moves,
            after.outcome != before.outcome,
            after.is_resting != before.is_resting,
            after.before is not before.before,
            after.undecided != before.undecided,
            [clock.added_s for clock in after.clocks[-1:]] != [clock.added_s for clock in before.clocks[-1:]],
        )
    )
    number = before.number + (changed or after.open_options != before.open_options)
    return replace(after, number=number, course=number if changed else before.course)
