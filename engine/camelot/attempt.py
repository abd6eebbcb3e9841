"""Judging an attempted move of the Camelot family: the move, or the rule that refuses it.

First the path itself is followed landing by landing; then the duties are looked at, and only they need to know what
else is lawful. The rule is quoted in each message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from engine.camelot.leaps import EMPTY, KNIGHT, MAN, OTHER, find_middle
from engine.camelot.listing import Listing
from engine.camelot.rules import Rules
from engine.camelot.trails import Path, can_jump, find_captures, is_free
from engine.game import Change, Game, Move, Position, Refusal, build_refusal, refuse_further_move

WRITTEN = re.compile(r"(\d?[a-z]\d{1,2})((?:[-x^]\d?[a-z]\d{1,2})+)[!?]{0,2}")
"""A move in lower case: cells, `-` or `^` before a landing that takes nothing, `x` before one that takes, marks."""
LANDING = re.compile(r"([-x^])(\d?[a-z]\d{1,2})")


class JudgedGame(Game, Protocol):
    """What is asked of a game of the family here, besides what every game answers."""

    set: Rules
    listings: tuple[Listing, ...]
    """What each seat may do."""

    def classify_cells(self, position: Position) -> bytes:
        """EMPTY, MAN, KNIGHT or OTHER for each cell, as the player to move sees it."""

    def is_strict(self, kind: int) -> bool:
        """Whether a canter of such a piece may not end a move if it landed where it could jump."""

    def build_move(self, position: Position, path: Path, taken: tuple[int, ...]) -> Move:
        """The move along `path`; `taken` in any order."""


class Judge:
    """Judges attempts in one position."""

    def __init__(self, game: JudgedGame, position: Position) -> None:
        self.game = game
        self.position = position
        self.seat = game.listings[position.seat].seat
        self.kinds = game.classify_cells(position)
        self.side = game.seats[position.seat]
        self._names = game.board.cells

    def read_move(self, text: str) -> Move | Refusal:
        """The lawful move that `text` writes, or why there is none."""
        written = WRITTEN.fullmatch(text.strip().lower())
        if written is None:
            said = {"text": repr(_shorten_text(text)), "example": self._format_example()}
            return build_refusal("unreadable", "{text} is no move: write every landing, as in {example}.", **said)
        names, takes = _split_landings(written)
        for name in names:
            if name not in self.game.board.index:
                return build_refusal("off-board", "The board has no cell {cell}.", cell=name)
        return self.judge_path(tuple(self.game.board.index[name] for name in names), takes)

    def read_path(self, text: str) -> tuple[Path, tuple[int, ...]]:
        """The path that `text` writes and the pieces its `x` leap over, unjudged; ((), ()) if it cannot be read."""
        written = WRITTEN.fullmatch(text.strip().lower())
        names, takes = _split_landings(written) if written else ([""], [])
        if any(name not in self.game.board.index for name in names):
            return (), ()
        path = tuple(self.game.board.index[name] for name in names)
        over = (
            find_middle(self.game.board, a, b) for (a, b), taken in zip(pairwise(path), takes, strict=True) if taken
        )
        return path, tuple(cell for cell in over if cell >= 0 and self.kinds[cell] == OTHER)

    def _format_example(self) -> str:
        """A lawful move as it is written."""
        moves = self.game.moves(self.position)
        return self.game.write(self.position, moves[0]) if moves else "E6-C8"

    def judge_path(self, path: Path, says_taken: list[bool] | None = None) -> Move | Refusal:
        """The lawful move along `path`, or why it is none. `says_taken`: the landings that were written with `x`.

        Two cells with no step or leap between them stand for the only lawful move from one to the other.
        """
        says_taken = says_taken or [False] * (len(path) - 1)
        if refusal := self._refuse_origin(path[0]):
            return refusal
        if len(path) == 2 and self._is_short(path):
            return self._find_short_move(path, takes=says_taken[0])
        taken = self._follow_path(path)
        if isinstance(taken, Refusal):
            return taken
        for landing, (cell, says) in enumerate(zip(path[1:], says_taken, strict=True)):
            if says and find_middle(self.game.board, path[landing], cell) not in taken:
                right = self.game.write(self.position, self.game.build_move(self.position, path, taken))
                instead = (right,) if self._is_legal(path, taken) else ()
                text = "Nothing is taken on the way to {cell}: that move is written {move}."
                return build_refusal("not-a-move", text, instead, cell=self._names[cell], move=right)
        return self._finish_path(path, taken)

    def _refuse_origin(self, origin: int) -> Refusal | None:
        """Why the piece on `origin` is not to be moved at all."""
        name = self._names[origin]
        if refusal := refuse_further_move(self.game.outcome(self.position)):
            return refusal
        if self.kinds[origin] == EMPTY:
            return build_refusal("no-piece", "There is no piece on {cell}.", cell=name)
        if self.kinds[origin] == OTHER:
            owner = self.game.seats[self.game.seat_of[self.position.placement[origin]]]
            text = "The piece on {cell} is {owner}'s; it is {side}'s turn."
            return build_refusal("not-yours", text, cell=name, owner=owner, side=self.side)
        return None

    def _is_short(self, path: Path) -> bool:
        a, b = path
        return b not in self.game.board.steps[a] and find_middle(self.game.board, a, b) < 0 and a not in self.seat.goal

    def _find_short_move(self, path: Path, *, takes: bool) -> Move | Refusal:
        """The one lawful move between two cells that no step or leap joins."""
        a, b = path
        found = [
            move
            for move in self.game.moves(self.position)
            if (move.origin, move.target) == (a, b) and (move.taken or not takes)
        ]
        written = tuple(self.game.write(self.position, move) for move in found)
        if len(found) > 1:
            text = "Several moves lead from {cell} to {end}: write every landing."
            return build_refusal("ambiguous", text, written, cell=self._names[a], end=self._names[b])
        if found:
            return found[0]
        return self._refuse_no_path(a, b)

    def _refuse_no_path(self, a: int, b: int) -> Refusal:
        if self.kinds[b] != EMPTY:
            return self._refuse_occupied(b)
        text = "{cell} to {end} is neither a step to an adjoining cell nor a leap over a piece."
        return build_refusal("not-a-move", text, cell=self._names[a], end=self._names[b])

    def _refuse_occupied(self, cell: int) -> Refusal:
        return build_refusal("occupied", "{cell} is occupied: a piece moves to an empty cell.", cell=self._names[cell])

    def _follow_path(self, path: Path) -> tuple[int, ...] | Refusal:
        """What the piece takes along `path`, or where the path goes wrong by itself."""
        if path[0] in self.seat.goal:
            return self._judge_castle_move(path)
        if len(path) == 2 and path[1] in self.game.board.steps[path[0]]:
            return self._refuse_landing(path[1], quiet=True) or ()
        taken: tuple[int, ...] = ()
        for leg in range(len(path) - 1):
            over = self._judge_leap(path, leg, taken)
            if isinstance(over, Refusal):
                return over
            if self.kinds[over] == OTHER:
                taken = (*taken, over)
        return taken

    def _judge_castle_move(self, path: Path) -> tuple[int, ...] | Refusal:
        target = path[1]
        if len(path) > 2 or target not in self.seat.goal or target not in self.game.board.steps[path[0]]:
            text = "The piece on {cell} has entered the enemy castle and never leaves it."
            return build_refusal("in-castle", text, cell=self._names[path[0]])
        if self.kinds[target] != EMPTY:
            return self._refuse_occupied(target)
        limit = self.game.set.castle_move_limit
        if self.position.memory[self.position.seat] >= limit:
            text = "A player has {limit} castle moves a game, and {side} has made them."
            return build_refusal("castle-moves-used", text, limit=limit, side=self.side)
        return ()

    def _refuse_landing(
        self, cell: int, origin: int = -1, taken: tuple[int, ...] = (), *, quiet: bool
    ) -> Refusal | None:
        """Why the piece may not land on `cell`; `quiet`: by a step or canter."""
        name = self._names[cell]
        if not is_free(self.kinds, origin, cell, taken):
            return self._refuse_occupied(cell)
        if cell in self.seat.shut:
            text = "{cell} is the right-hand opponent's castle, which is never entered."
            return build_refusal("right-hand-castle", text, cell=name)
        if quiet and cell in self.seat.home:
            text = "{cell} is {side}'s own castle: it is entered only by a jump, not by a step or a canter."
            return build_refusal("own-castle", text, cell=name, side=self.side)
        return None

    def _judge_leap(self, path: Path, leg: int, taken: tuple[int, ...]) -> int | Refusal:
        """The cell leapt over on that leg, or why there is no such leap."""
        origin, a, b = path[0], path[leg], path[leg + 1]
        start, end = self._names[a], self._names[b]
        if leg and a in self.seat.goal and (self.seat.goal_ends_jumps or not taken):
            text = "Entering the enemy castle on {cell} ends the move; the piece goes no further."
            return build_refusal("in-castle", text, cell=start)
        over = find_middle(self.game.board, a, b)
        if over < 0:
            if b in self.game.board.steps[a]:
                text = "{cell} to {end} is a plain step, which is never part of a longer move."
                return build_refusal("not-a-move", text, cell=start, end=end)
            return self._refuse_no_path(a, b)
        if is_free(self.kinds, origin, over, taken):
            text = "{cell} to {end} leaps over {over}, where no piece stands."
            return build_refusal("not-a-move", text, cell=start, end=end, over=self._names[over])
        jumping = self.kinds[over] == OTHER
        if refusal := self._refuse_landing(b, origin, taken, quiet=not jumping):
            return refusal
        if taken and not jumping:
            text = "A canter (over {cell}) may not follow a jump: canters come first, then jumps."
            return build_refusal("order-canter-then-jump", text, cell=self._names[over])
        if jumping and leg and not taken and self.kinds[origin] == MAN:
            text = "Only a knight may charge, that is jump after a canter; a man makes one or the other."
            return build_refusal("men-cannot-charge", text)
        return over

    def _finish_path(self, path: Path, taken: tuple[int, ...]) -> Move | Refusal:
        """The move along a sound path, unless it may not end there or a duty forbids it."""
        if not taken and path[-1] == path[0]:
            text = "A canter may not end on {cell}, where it began."
            return build_refusal("ends-where-it-began", text, cell=self._names[path[0]])
        if self._is_legal(path, taken):
            return self.game.build_move(self.position, path, taken)
        if taken and can_jump(self.seat, self.kinds, path[0], path[-1], taken):
            lawful = set(self.game.results(self.position))
            onward = find_captures(self.seat, self.kinds, path[0], (path, taken), charging=True)
            full = [way for (land, all_taken), way in onward.items() if (path[0], land, all_taken, 0) in lawful]
            if full:
                written = tuple(self._format_path(way) for way in full)
                text = "The piece can jump on from {cell} and must."
                return build_refusal("must-continue", text, written, cell=self._names[path[-1]])
        return self._refuse_duty(path, taken)

    def _is_legal(self, path: Path, taken: tuple[int, ...]) -> bool:
        result = (path[0], path[-1], tuple(sorted(taken)), 0)
        return not self._breaks_charge(path, taken) and result in self.game.results(self.position)

    def _breaks_charge(self, path: Path, taken: tuple[int, ...]) -> bool:
        """Whether a knight cantered where it could jump, and did not capture although the rule set asks for it."""
        strict = not taken and self.game.is_strict(self.kinds[path[0]]) and path[0] not in self.seat.goal
        leaps = strict and path[1] not in self.game.board.steps[path[0]]
        return leaps and any(can_jump(self.seat, self.kinds, path[0], cell) for cell in path[1:])

    def _refuse_duty(self, path: Path, taken: tuple[int, ...]) -> Refusal:
        """The duty that a sound, completed path does not meet."""
        lawful = self.game.moves(self.position)
        at_home = [cell for cell in self.seat.home if self.kinds[cell] in {MAN, KNIGHT}]
        leaving = [move for move in lawful if move.origin in at_home]
        if leaving:
            refusal = self._refuse_not_leaving(path, taken, at_home, leaving)
        elif path[0] in at_home:
            text = "The piece on {cell} may move only out of its own castle."
            refusal = build_refusal("must-leave-castle", text, cell=self._names[path[0]])
        else:
            refusal = None if taken else self._refuse_not_jumping(lawful)
        if refusal:
            return refusal
        text = "A knight whose canter lands where it could jump must end its move with a capture."
        charges = [move for move in lawful if move.taken and move.origin == path[0]]
        return build_refusal("must-capture-after-canter", text, self._format_moves(charges))

    def _refuse_not_leaving(
        self, path: Path, taken: tuple[int, ...], at_home: list[int], leaving: list[Move]
    ) -> Refusal | None:
        """Why the path is refused while pieces stand in their own castle and can leave it by the moves `leaving`."""
        if path[0] not in at_home or path[-1] in self.seat.home:
            text = "The piece on {cell} stands in its own castle and must move out at once."
            inside = self._names[leaving[0].origin]
            return build_refusal("must-leave-castle", text, self._format_moves(leaving), cell=inside)
        if not taken and all(move.taken for move in leaving):
            text = "The piece on {cell} must leave its own castle by a jump, since it can."
            return build_refusal("must-jump-out", text, self._format_moves(leaving), cell=self._names[path[0]])
        return None

    def _refuse_not_jumping(self, lawful: Sequence[Move]) -> Refusal | None:
        """Why nothing but a jump is allowed, if there are any."""
        jumps = [move for move in lawful if move.kind == "jump"]
        if not jumps:
            return None
        names = ", ".join(sorted({self._names[move.origin] for move in jumps}))
        text = "A piece that can jump must: {cells} can."
        return build_refusal("must-jump", text, self._format_moves(jumps), cells=names)

    def refuse_change(self, change: Change) -> Refusal:
        """Why no lawful move makes that change: the likeliest attempt, judged."""
        if change.origin < 0:
            lost = ", ".join(self._names[cell] for cell in change.lost)
            text = "{cells} was emptied, yet no piece of {side} moved."
            return build_refusal("not-a-move", text, cells=lost, side=self.side)
        if refusal := self._refuse_origin(change.origin):
            return refusal
        origin, target = change.origin, change.target
        if change.becomes:
            text = "The piece from {cell} is another on {end}."
            return build_refusal("not-a-move", text, cell=self._names[origin], end=self._names[target])
        attempt = self._find_attempt(origin, target, set(change.lost))
        if attempt is not None:
            verdict = self.judge_path(attempt)
            if isinstance(verdict, Refusal):
                return verdict
        if target in change.lost and attempt is None:
            return self._refuse_occupied(target)
        near = [move for move in self.game.moves(self.position) if (move.origin, move.target) == (origin, target)]
        if near:
            wanted, written = [self._names[cell] for cell in sorted(near[0].taken)], self._format_moves(near)
            if not wanted:
                return build_refusal("not-a-move", "{move} takes no piece.", written, move=written[0])
            text = "{move} takes {cells}, and no other piece."
            return build_refusal("not-a-move", text, written, move=written[0], cells=", ".join(wanted))
        return self._refuse_no_path(origin, target)

    def _find_attempt(self, origin: int, target: int, lost: set[int]) -> Path | None:
        """The shortest path of steps or leaps, lawful or not, that would empty `lost` and end on `target`."""
        if target in self.game.board.steps[origin] and not lost:
            return (origin, target)
        queue: list[tuple[Path, frozenset[int]]] = [((origin,), frozenset())]
        seen = {(origin, frozenset[int]())}
        for path, taken in queue:
            if path[-1] == target and taken == lost and len(path) > 1:
                return path
            for over, land in zip(self.game.board.steps[path[-1]], self.game.board.leaps[path[-1]], strict=True):
                if land < 0 or is_free(self.kinds, origin, over, tuple(taken)):
                    continue
                more = taken | {over} if self.kinds[over] == OTHER else taken
                if more <= lost and is_free(self.kinds, origin, land, tuple(taken)) and (land, more) not in seen:
                    seen.add((land, more))
                    queue.append(((*path, land), more))
        return None

    def _format_path(self, path: Path) -> str:
        board = self.game.board
        taken = tuple(over for a, b in pairwise(path) if self.kinds[over := find_middle(board, a, b)] == OTHER)
        return self.game.write(self.position, self.game.build_move(self.position, path, taken))

    def _format_moves(self, moves: list[Move] | tuple[Move, ...]) -> tuple[str, ...]:
        return tuple(self.game.write(self.position, move) for move in moves)


def _split_landings(written: re.Match[str]) -> tuple[list[str], list[bool]]:
    """Names of all cells, and for each but the first whether it is written with `x`."""
    landings = LANDING.findall(written[2])
    return [name.upper() for name in (written[1], *(name for _, name in landings))], [
        mark == "x" for mark, _ in landings
    ]


def _shorten_text(text: str) -> str:
    """Enough of `text` to know it by."""
    return text if len(text) <= 40 else text[:37] + "..."
