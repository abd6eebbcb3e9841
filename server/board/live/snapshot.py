"""The match as one JSON object: what the page draws and `GET /api/v1/game` answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from device.lights import DARK, LedFrame
from engine.board import Board
from engine.explain.reasons import Reason
from engine.game import has_pieces
from engine.match.clock import running_seat, seconds_left
from engine.match.clocked_match import find_move_seconds
from engine.match.course import (
    find_last_move,
    is_position_set,
    list_sides_lost,
    list_sides_out,
    stood_before_leavings,
    withdraw_said,
)
from engine.match.events import Moved, Partial
from engine.match.settling import list_settlements
from engine.match.state import Match, Phase
from engine.text.positions import to_json
from server.board.live.visibility import ENDED


def build_snapshot(
    match: Match,
    frame: LedFrame,
    fit: int,
    t: float,
    told: Sequence[Moved] = (),
    waits: Sequence[Reason] = (),
    unseen: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """A JSON object that nobody changes any more.

    `told` are the move events, for confidence and time of each ply; `waits` says why nothing is said just now, `unseen`
    why the board is not seen (the JSON of server.board.live.visibility).
    """
    game, board, last = match.game, match.game.board, find_last_move(match)
    return {
        "game": game.name,
        "rules": game.rules,
        "phase": match.phase.value,
        "side": match.side_to_move,
        "ply": len(match.moves),
        "put_away": _put_away(match),
        "cells": {
            cell: game.codes[piece] for cell, piece in zip(board.cells, match.position.placement, strict=True) if piece
        },
        "start": None if (begun := stood_before_leavings(match, 0)) == game.start() else to_json(game, begun),
        "moves": (moves := _list_moves(match, {moved.ply: moved for moved in told})),
        "set": [
            {"ply": ply, "position": to_json(game, stood_before_leavings(match, ply))}
            for ply, move in enumerate(moves, start=1)
            if move["position_set"]
        ],
        "last": last
        and {
            "from": board.cells[last.origin],
            "to": board.cells[last.target],
            "captured": [board.cells[cell] for cell in last.taken],
        },
        "note": match.note.to_json() if match.note else None,
        "dropped": match.dropped.to_json() if match.dropped else None,
        "undecided": [{"ply": ply, "options": list(options)} for ply, options in match.list_undecided()],
        "outcome": _describe_outcome(match),
        "left": _find_left_side(match),
        "out": _list_leavings(match),
        "ended_by": list_sides_lost(match),
        "leds": leds_of(frame, board),
        "hints": _list_hints(match),
        "clocks": _describe_clocks(match, t, stopped=(unseen or {}).get("cause") == ENDED),
        "waits": [reason.to_json() for reason in waits],
        "cannot_see": unseen,
        "fit": fit,
        "t": round(t, 3),
    }


def leds_of(frame: LedFrame, board: Board) -> dict[str, dict[str, str]]:
    """The cells that are lit, each with its colour and whether it blinks."""
    return {
        board.cells[i]: {
            "rgb": "#{:02x}{:02x}{:02x}".format(*rgb),
            "shape": "blink" if i in frame.blink else "solid",
        }
        for i, rgb in enumerate(frame.rgb)
        if rgb != DARK
    }


def _put_away(match: Match) -> dict[str, object] | None:
    """The game before, where people have not said how it ended, and what they may say."""
    if match.before is None:
        return None
    return {"ply": len(match.before.moves), "choices": list(list_settlements(match.before))}


def _list_moves(match: Match, told: Mapping[int, Moved]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    cells = match.game.board.cells
    for ply, (position, move) in enumerate(zip(match.positions, match.moves, strict=False), start=1):
        moved = told.get(ply)
        rows.append(
            {
                "ply": ply,
                "side": match.game.seats[position.seat],
                "notation": moved.notation if moved else match.game.write(position, move),
                "from": cells[move.origin],
                "to": cells[move.target],
                "captured": [cells[cell] for cell in move.taken],
                "confidence": moved.confidence if moved else None,
                "as_played": moved.as_played if moved else None,
                "position_set": is_position_set(match, ply),
                "t": round(moved.t, 3) if moved else None,
                "spent": find_move_seconds(match, ply),
            }
        )
    return rows


def _describe_outcome(match: Match) -> dict[str, object] | None:
    """How the game ended; `said` where people did, who may take it back without a move."""
    if match.outcome is None:
        return None
    return {"result": match.outcome.result, "reason": match.outcome.reason, "said": withdraw_said(match) is not None}


def _find_left_side(match: Match) -> str | None:
    """The side that people said last is out, as long as that can be taken back alone."""
    return match.leavings[-1].side if match.outcome is None and withdraw_said(match) is not None else None


def _list_leavings(match: Match) -> list[dict[str, object]]:
    """Who went out of the game, whether a position has brought the side `back`, and whether one was `set` after it at
    the same ply."""
    out = list_sides_out(match)
    return [
        {"ply": one.ply, "side": one.side, "why": one.why}
        | ({} if one in out else {"back": True})
        | ({} if has_pieces(match.game, one.position, one.side) else {"set": True})
        for one in match.leavings
    ]


def _describe_clocks(match: Match, t: float, *, stopped: bool) -> dict[str, object] | None:
    """Seconds that each side had left at `t`, and whose clock runs from then on, unless time has `stopped` with a
    recording; None for a game without."""
    if not match.clocks:
        return None
    clock, seats = match.clocks[-1], match.game.seats
    seat = None if stopped else running_seat(clock)
    return {
        "left": {seat: round(seconds, 3) for seat, seconds in zip(seats, seconds_left(clock, t), strict=True)},
        "running": None if seat is None else seats[seat],
        "held": clock.held,
    }


def _list_hints(match: Match) -> dict[str, list[str]]:
    """From each cell, where its piece may end; empty unless a move is awaited. Of a capture under way its own alone."""
    hints: dict[str, list[str]] = {}
    if isinstance(match.note, Partial) and match.note.from_ and match.note.targets:
        return {match.note.from_: list(match.note.targets)}
    if match.phase in {Phase.PLAYING, Phase.LIFTED}:
        cells = match.game.board.cells
        for start, end, _, _ in match.game.results(match.position):
            ends = hints.setdefault(cells[start], [])
            if cells[end] not in ends:
                ends.append(cells[end])
    return hints
