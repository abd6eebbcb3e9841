"""Games out of a record: as text, as lines of JSON, as what a drawing of them needs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from engine.errors import InputError
from engine.match.clock import written
from engine.match.events import Moved
from engine.match.state import Match
from engine.text import records
from engine.text.positions import to_json
from engine.text.records import Comment, Ply
from engine.text.replay import AS_PLAYED
from server.record import details
from server.record.journal import fold, told
from server.record.seal import last_seal
from server.record.store import Record

Events = Sequence[Mapping[str, object]]


def events_of(record: Record, name: str) -> list[dict[str, object]]:
    """The events of a game. InputError if the record does not have it."""
    events = record.events(name)
    if not events:
        raise InputError(f"game {name}: not in this record; `referee games list` names them")
    return events


def as_pgn(name: str, events: Events) -> str:
    """The game as text with tags and the time of each move since the board was ready."""
    match = fold(events, name)
    game = match.game
    begun = str(events[0].get("begun", ""))
    result = match.outcome.result if match.outcome else "*"
    known = details.of(events, game.seats)
    tags = [*details.tags(known, name), ("Date", begun[:10].replace("-", ".") or "????.??.??")]
    tags += [(seat.title(), known.player(seat) or "?") for seat in game.seats]
    tags += [(details.rating_tag(seat), rating) for seat, rating in known.ratings]
    tags += [("Arbiter", known.arbiter)] if known.arbiter else []
    tags += [("Result", result), ("Variant", game.name), ("Rules", game.rules)]
    if seal := last_seal(events):
        tags.append(("Seal", str(seal.get("code", ""))))
    if match.positions[0] != game.start():
        tags.append(("Position", json.dumps(to_json(game, match.positions[0]))))
    if "clock" in events[0]:
        tags.append(("TimeControl", str(events[0]["clock"])))
    seat = match.positions[0].seat
    return records.write(records.Record(tuple(tags), (), _plies(match, events), result, 1, seat), len(game.seats))


def _plies(match: Match, events: Events) -> tuple[Ply, ...]:
    """The moves as they were said, each with the seconds since the one before."""
    said = {moved.ply: moved for moved in told(events)}
    start = next((float(str(e["t"])) for e in events if e.get("event") == "ready"), 0.0)
    plies = []
    for ply, (position, move) in enumerate(zip(match.positions, match.moves, strict=False), start=1):
        moved = said.get(ply)
        text = moved.notation if moved else match.game.write(position, move)
        spent = moved.t - start if moved else -1.0
        plies.append(Ply(text, _commands(moved, spent)))
        start = moved.t if moved else start
    return tuple(plies)


def _commands(moved: Moved | None, spent: float) -> tuple[Comment, ...]:
    """What the record says of a move besides its notation."""
    if moved is None:
        return ()
    said = [f"[%emt {spent:.1f}]"] if spent >= 0 else []
    if moved.clock is not None:
        said.append(f"[%clk {written(moved.clock)}]")
    if moved.as_played is not None:
        said.append(f"[%{AS_PLAYED} {moved.as_played}]")
    return (Comment(" ".join(said)),) if said else ()


def as_jsonl(events: Events) -> str:
    """One event a line, as they were said."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)


def as_replay(name: str, events: Events, pictures: Mapping[int, str] | None = None) -> dict[str, object]:
    """What a drawing of the game needs: for each position its pieces, the move that led there, its number and its time.

    `pictures` are addresses of the camera's pictures after some of the plies.
    """
    match = fold(events, name)
    cells, said = match.game.board.cells, {moved.ply: moved for moved in told(events)}
    shown: list[dict[str, object]] = []
    number, column = 0, len(match.game.seats)
    t = float(str(next((event["t"] for event in events if event.get("event") == "ready"), 0.0)))
    for ply, position in enumerate(match.positions):
        step: dict[str, object] = {
            "cells": {
                cell: match.game.codes[piece] for cell, piece in zip(cells, position.placement, strict=True) if piece
            }
        }
        if ply:
            move, moved = match.moves[ply - 1], said.get(ply)
            before = match.positions[ply - 1]
            step["move"] = moved.notation if moved else match.game.write(before, move)
            step["ply"], step["side"] = ply, match.game.seats[before.seat]
            number, column = number + (before.seat <= column), before.seat
            step["number"] = number  # a round ends when a seat comes up that has already moved in it
            step["spent"] = max(0.0, moved.t - t) if moved else None
            t = moved.t if moved else t
            step["at"] = [cells[move.origin], cells[move.target]]
            if pictures and ply in pictures:
                step["picture"] = pictures[ply]
        shown.append(step)
    outcome, seal, known = match.outcome, last_seal(events), details.of(events, match.game.seats)
    return {
        "name": name,
        "game": match.game.name,
        "rules": match.game.rules,
        "seats": list(match.game.seats),
        "begun": str(events[0].get("begun", "")),
        "details": known.to_json(),
        "named": known.named(),
        "result": {"result": outcome.result, "reason": outcome.reason} if outcome else None,
        "seal": {key: seal.get(key, "") for key in ("number", "head", "code", "at")} if seal else None,
        "positions": shown,
    }
