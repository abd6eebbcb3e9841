"""What happens in a recorded game: lawful moves that favour captures and canters, and what goes wrong between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.game import Game, Move, Position

CAPTURE_WEIGHT, LEAP_WEIGHT, CHAIN_WEIGHT, APPROACH_WEIGHT = 5.0, 2.5, 1.3, 3.0
"""How much likelier than a plain step a capture and a canter are chosen, each further landing, and coming nearer."""
TROUBLES = ("late", "pause", "fast", "wrong", "wrong", "wrong", "knock", "topple", "bump", "cup", "dark", "drift")
"""Each happens once in twenty plies, as far as the game allows; "wrong" is an unlawful move that is taken back."""


@dataclass(frozen=True)
class Wrong:
    """An unlawful placement: a piece goes from one cell to another, others vanish, and all of it is taken back."""

    origin: int
    target: int
    taken: tuple[int, ...]
    reason: str

    def done(self, position: Position) -> bytes:
        """The placement that it leaves."""
        board = bytearray(position.placement)
        board[self.origin], board[self.target] = 0, board[self.origin]
        for cell in set(self.taken) - {self.target}:
            board[cell] = 0
        return bytes(board)


@dataclass(frozen=True)
class Turn:
    """One ply with what happens around it. `troubles` before the move; `style` is "" or late, pause, fast."""

    number: int
    before: Position
    move: Move
    notation: str
    after: Position
    style: str = ""
    troubles: tuple[str, ...] = ()
    wrong: Wrong | None = None


def turns(game: Game, plies: int, rng: np.random.Generator, troubled: bool = True) -> Iterator[Turn]:
    """A random lawful game of at most `plies` plies, with troubles spread over it."""
    position, stood = game.start(), set[bytes]()
    unseen: tuple[Position, ...] = ()
    plan = _spread(plies, rng) if troubled else {}
    for number in range(1, plies + 1):
        move = choose(game, position, rng)
        if move is None:
            return
        after = game.play(position, move)
        wanted = plan.get(number, ())
        style = next((s for s in wanted if s in ("late", "pause", "fast") and _can(s, move)), "")
        wrong = wrong_move(game, position, rng) if "wrong" in wanted else None
        if wrong is not None and wrong.done(position) in stood:
            wrong = None  # put back where it came from: what stands then is a takeback
        if wrong is not None and any(_leads_to(game, before, wrong.done(position)) for before in unseen):
            wrong = None  # the piece that has just moved quickly goes on: together it is a lawful move to any eye
        around = tuple(t for t in wanted if t not in ("late", "pause", "fast", "wrong"))
        yield Turn(number, position, move, game.write(position, move), after, style, around, wrong)
        stood.add(position.placement)
        unseen = (*(() if wrong else unseen), position) if style == "fast" else ()
        position = after


def _leads_to(game: Game, position: Position, placement: bytes) -> bool:
    return any(game.play(position, move).placement == placement for move in game.moves(position))


def _spread(plies: int, rng: np.random.Generator) -> dict[int, tuple[str, ...]]:
    plan: dict[int, tuple[str, ...]] = {}
    for repeat in range(-(-plies // 20)):
        for trouble in rng.permutation(TROUBLES):
            number = int(rng.integers(2, 20)) + 20 * repeat
            plan[number] = (*plan.get(number, ()), str(trouble))
    for number in range(1, plies + 1):  # moves that can be done late or in pieces are rare: try on every third ply
        if rng.random() < 0.35:
            plan[number] = (*plan.get(number, ()), str(rng.choice(["late", "pause"])))
    return plan


def _can(style: str, move: Move) -> bool:
    if style == "late":
        return bool(move.taken)
    return style == "fast" or len(move.path) > 2


def choose(game: Game, position: Position, rng: np.random.Generator) -> Move | None:
    """A lawful move after which the game goes on, or None when there is none."""
    moves = [m for m in game.moves(position) if game.outcome(game.play(position, m)) is None]
    if not moves or game.outcome(position) is not None:
        return None
    weights = np.array([_weight(game, position, m) for m in moves])
    return moves[int(rng.choice(len(moves), p=weights / weights.sum()))]


def _weight(game: Game, position: Position, move: Move) -> float:
    def near(cell: int) -> float:
        x, y = game.board.centres_xy[cell]
        others = (c for c, p in enumerate(position.placement) if game.seat_of[p] not in (-1, position.seat))
        return min((x - game.board.centres_xy[c][0]) ** 2 + (y - game.board.centres_xy[c][1]) ** 2 for c in others)

    weight = CAPTURE_WEIGHT if move.taken else LEAP_WEIGHT if move.target not in game.board.steps[move.origin] else 1.0
    if near(move.target) < near(move.origin):
        weight *= APPROACH_WEIGHT
    return float(weight * CHAIN_WEIGHT ** min(len(move.path) - 2, 5))


def wrong_move(game: Game, position: Position, rng: np.random.Generator) -> Wrong | None:
    """An unlawful placement of some kind that players really make; None when none was found."""
    kinds = [_ignores_capture, _two_cells, _not_straight, _not_yours, _takes_by_landing, _takes_a_friend]
    allowed = {(m.origin, m.target, tuple(sorted(m.taken))) for m in game.moves(position)}
    for index in rng.permutation(len(kinds)):
        found = [w for w in kinds[index](game, position) if (w.origin, w.target, tuple(sorted(w.taken))) not in allowed]
        if found:
            return found[int(rng.integers(len(found)))]
    return None


def _own(game: Game, position: Position, seat: int) -> list[int]:
    return [c for c, code in enumerate(position.placement) if code and game.seat_of[code] == seat]


def _ignores_capture(game: Game, position: Position) -> Iterator[Wrong]:
    if not any(m.taken for m in game.moves(position)):
        return
    for origin in _own(game, position, position.seat):
        for target in game.board.steps[origin]:
            if target >= 0 and not position.placement[target]:
                yield Wrong(origin, target, (), "plain move although a jump is obligatory")


def _two_cells(game: Game, position: Position) -> Iterator[Wrong]:
    for origin in _own(game, position, position.seat):
        for over, target in zip(game.board.steps[origin], game.board.leaps[origin], strict=True):
            if target >= 0 and not position.placement[target] and not position.placement[over]:
                yield Wrong(origin, target, (), "two cells over an empty one")


def _not_straight(game: Game, position: Position) -> Iterator[Wrong]:
    board = game.board
    for origin in _own(game, position, position.seat):
        near = set(board.steps[origin]) | set(board.leaps[origin])
        for step in board.steps[origin]:
            for target in board.steps[step] if step >= 0 else ():
                if target >= 0 and target != origin and target not in near and not position.placement[target]:
                    yield Wrong(origin, target, (), "neither a step nor a straight leap")


def _not_yours(game: Game, position: Position) -> Iterator[Wrong]:
    other = (position.seat + 1) % len(game.seats)
    for origin in _own(game, position, other):
        for target in game.board.steps[origin]:
            if target >= 0 and not position.placement[target]:
                yield Wrong(origin, target, (), "a piece of the other side")


def _takes_by_landing(game: Game, position: Position) -> Iterator[Wrong]:
    for origin in _own(game, position, position.seat):
        for target in game.board.steps[origin]:
            if target >= 0 and game.seat_of[position.placement[target]] not in (-1, position.seat):
                yield Wrong(origin, target, (target,), "captured by landing on the piece")


def _takes_a_friend(game: Game, position: Position) -> Iterator[Wrong]:
    """A canter that takes the friend it leaps over away."""
    for origin in _own(game, position, position.seat):
        for over, target in zip(game.board.steps[origin], game.board.leaps[origin], strict=True):
            if (
                target >= 0
                and not position.placement[target]
                and game.seat_of[position.placement[over]] == position.seat
            ):
                yield Wrong(origin, target, (over,), "captured an own piece")
