"""The programme of a sitting: a game with what goes wrong around it, the same for everybody with the same board.

Nothing is left to chance, so that two sittings at one table can be compared, and a film of one can be judged again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle

from engine.explain.why import why_placement
from engine.explain.wording import words_of
from engine.game import Change, Game, Move, Position, result_of
from server.board.certify.tasks import CertifyTask, TaskKind

PLIES = 24
"""Plies of a sitting: with what goes around them ten minutes for most people."""
STRIDE = 37
"""From one choice to the next, along a list of moves in their order: a prime number, so that pieces from all over the
board have their turn."""
MOST_LEGS = 3
"""Longer chains are hard to follow for who does what a page says."""
EXTRAS = (TaskKind.UNLAWFUL, TaskKind.HAND, TaskKind.LIFT, TaskKind.UNLAWFUL, TaskKind.NUDGE)
"""What comes before every second ply, in turn."""
LAMP_AFTER, DARK_PLIES, LAMP_PLIES = 0.6, 2, 8
"""The lamp goes off after this share of the plies, for so many of them; in a sitting with fewer than the last it stays
on."""


def plan_tasks(game: Game, plies: int = PLIES) -> tuple[CertifyTask, ...]:
    """What a sitting asks for, in order."""
    return (*_plan_starts(game), *_plan_game(game, plies))


def _plan_starts(game: Game) -> Iterator[CertifyTask]:
    """Three starts that are not as they should be, each then put right."""
    start, cells = game.start(), game.board.cells
    right = CertifyTask(TaskKind.START, "start", start.placement)
    own, other = (_cells_of_seat(game, start, seat) for seat in (0, 1))
    gone = own[len(own) // 2]
    yield CertifyTask(TaskKind.ALTERED, "gone", _change_placement(start, {gone: 0}), {"cell": cells[gone]}, (gone,))
    yield replace(right, cells=(gone,))
    origin, target = next((cell, to) for cell in other for to in game.board.steps[cell] if _is_free(start, to))
    astray = {origin: 0, target: start.placement[origin]}
    yield _plan_altered_start(game, "astray", _change_placement(start, astray), origin, target)
    yield replace(right, cells=(origin, target))
    one, two = own[0], other[-1]
    exchanged = {one: start.placement[two], two: start.placement[one]}
    yield _plan_altered_start(game, "exchanged", _change_placement(start, exchanged), one, two)
    yield replace(right, cells=(one, two))


def _plan_altered_start(game: Game, sentence: str, stands: bytes, one: int, two: int) -> CertifyTask:
    cells = game.board.cells
    return CertifyTask(TaskKind.ALTERED, sentence, stands, {"start": cells[one], "end": cells[two]}, (one, two))


def _plan_game(game: Game, plies: int) -> Iterator[CertifyTask]:
    """A game, and before every second ply something else."""
    position, stood = game.start(), set[bytes]()
    extras, codes = cycle(EXTRAS), list[str]()
    dark = round(plies * LAMP_AFTER) if plies >= LAMP_PLIES else plies + 1
    for ply in range(1, plies + 1):
        stood.add(position.placement)
        if ply == dark or ply == dark + DARK_PLIES:
            yield CertifyTask(TaskKind.LAMP, "lamp-off" if ply == dark else "lamp-on", position.placement)
        elif ply % 2 == 0:
            yield from _plan_extra(game, position, next(extras), ply, stood, codes)
        move = _choose_move(game, position, ply)
        if move is None:
            return
        after = game.play(position, move)
        yield _plan_ply(game, position, move, after, ply)
        position = after


def _plan_ply(game: Game, before: Position, move: Move, after: Position, ply: int) -> CertifyTask:
    cells, side = game.board.cells, words_of(game).seats[game.seats[before.seat]]
    values = {"side": side, "start": cells[move.origin], "end": cells[move.target]}
    values["taken"] = ", ".join(cells[cell] for cell in move.taken)
    sentence = "capture" if move.taken else "ply"
    touched = (move.origin, move.target, *move.taken)
    return CertifyTask(TaskKind.PLY, sentence, after.placement, values, touched, before, ply, move)


def _plan_extra(
    game: Game, position: Position, kind: TaskKind, ply: int, stood: set[bytes], codes: list[str]
) -> Iterator[CertifyTask]:
    """Something that is no ply."""
    cells, now = game.board.cells, position.placement
    if kind is TaskKind.UNLAWFUL:
        yield from _plan_illegal(game, position, stood, codes)
        return
    own = _cells_of_seat(game, position, position.seat)
    cell = own[ply * STRIDE % len(own)]
    if kind is TaskKind.LIFT:
        movable = sorted({move.origin for move in game.moves(position)})
        cell = movable[ply * STRIDE % len(movable)] if movable else cell
        lifted = _change_placement(position, {cell: 0})
        yield CertifyTask(kind, "lift", lifted, {"cell": cells[cell]}, (cell,), position)
        yield CertifyTask(TaskKind.RETURN, "return", now, {"cell": cells[cell]}, (cell,), position)
        return
    yield CertifyTask(kind, kind.value, now, {"cell": cells[cell]}, (cell,), position)


def _plan_illegal(game: Game, position: Position, stood: set[bytes], codes: list[str]) -> Iterator[CertifyTask]:
    """A piece put where it may not go, and put back; a rule that was not broken yet, if there is one."""
    found = list(_find_illegal_moves(game, position, stood))
    if not found:
        return
    change, stands, code = next((one for one in found if one[2] not in codes), found[len(codes) * STRIDE % len(found)])
    codes.append(code)
    name, side = game.board.cells, words_of(game).seats[game.seats[position.seat]]
    values = {"side": side, "start": name[change.origin], "end": name[change.target]}
    touched = (change.origin, change.target)
    yield CertifyTask(TaskKind.UNLAWFUL, "unlawful", stands, values, touched, position, change=change, code=code)
    yield CertifyTask(TaskKind.BACK, "back", position.placement, values, (change.target, change.origin), position)


def _find_illegal_moves(game: Game, position: Position, stood: set[bytes]) -> Iterator[tuple[Change, bytes, str]]:
    """Unlawful movements of one piece to an empty cell within two steps that are on no lawful piece's way."""
    board, now = game.board, position.placement
    ways: dict[int, set[int]] = {}
    for move in game.moves(position):
        ways.setdefault(move.origin, set()).update(move.path)
    for origin in _cells_of_seat(game, position, position.seat):
        near = {cell for cell in board.steps[origin] if cell >= 0}
        for target in sorted(near | {to for cell in near for to in board.steps[cell] if to >= 0}):
            if now[target] or target in ways.get(origin, set()):
                continue
            stands = _change_placement(position, {origin: 0, target: now[origin]})
            if stands not in stood:
                change = Change(origin, target, ())
                yield change, stands, why_placement(game, position, stands).code


def _choose_move(game: Game, position: Position, ply: int) -> Move | None:
    """A lawful move that people can follow and after which the game goes on; captures first, then what comes nearer."""
    moves = [move for move in game.moves(position) if len(move.path) <= MOST_LEGS + 1]
    moves = [move for move in moves if game.outcome(game.play(position, move)) is None]
    wanted = [move for move in moves if move.taken] or _select_nearer_moves(game, position, moves) or moves
    by_result = {result_of(move): move for move in wanted}
    ordered = [by_result[key] for key in sorted(by_result)]
    return ordered[ply * STRIDE % len(ordered)] if ordered else None


def _select_nearer_moves(game: Game, position: Position, moves: Sequence[Move]) -> list[Move]:
    """Those that come nearer to the other sides."""
    at, others = game.board.centres_xy, list[int]()
    for seat in range(len(game.seats)):
        others += _cells_of_seat(game, position, seat) if seat != position.seat else []
    near = {cell: _nearest_distance_squared(at, cell, others) for move in moves for cell in (move.origin, move.target)}
    return [move for move in moves if near[move.target] < near[move.origin]]


def _nearest_distance_squared(at: Sequence[tuple[float, float]], cell: int, others: Sequence[int]) -> float:
    x, y = at[cell]
    return min((x - at[one][0]) ** 2 + (y - at[one][1]) ** 2 for one in others)


def _cells_of_seat(game: Game, position: Position, seat: int) -> list[int]:
    """Cells with pieces of a seat."""
    return [cell for cell, piece in enumerate(position.placement) if piece and game.seat_of[piece] == seat]


def _is_free(position: Position, cell: int) -> bool:
    return cell >= 0 and not position.placement[cell]


def _change_placement(position: Position, change: dict[int, int]) -> bytes:
    placement = bytearray(position.placement)
    for cell, piece in change.items():
        placement[cell] = piece
    return bytes(placement)
