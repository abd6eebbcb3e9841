"""Games out of a record: as text, as lines of JSON, as what a drawing of them needs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from engine.errors import InputError
from engine.game import Position
from engine.match.clock import format_time
from engine.match.events import Left, Moved, PositionSet, Result, Takeback, TimeAdded
from engine.match.state import Match
from engine.text import records
from engine.text.positions import to_json
from engine.text.records import Comment, Ply
from engine.text.replay import AS_PLAYED, LEFT, fill_columns
from server.record import details
from server.record.event_fields import check_events
from server.record.journal import FOLDS, fold_events, fold_steps, read_moves
from server.record.seal import last_seal
from server.record.store import Record

RESTARTED_S = 1.0
"""What is so much earlier than something before it was said after a restart: looks that ended late differ by less."""

Events = Sequence[Mapping[str, object]]


def read_game_events(record: Record, name: str) -> list[dict[str, object]]:
    """The events of a game. InputError if the record does not have it, or has what no referee writes: it may have come
    from anybody."""
    events = record.read_events(name)
    if not events:
        raise InputError(f"game {name}: not in this record; `referee games list` names them")
    check_events(events, f"game {name}")
    return events


def as_pgn(name: str, events: Events) -> str:
    """The game as text with tags and the time of each move since the board was ready."""
    match = fold_events(events, name)
    game, rulings = match.game, _list_leavings(match, events)
    begun = str(events[0].get("begun", ""))
    result = match.outcome.result if match.outcome else "*"
    known = details.find_latest_details(events, game.seats)
    tags = [*details.list_tags(known, name), ("Date", begun[:10].replace("-", ".") or "????.??.??")]
    tags += [(seat.title(), known.player_name(seat) or "?") for seat in game.seats]
    tags += [(details.rating_tag(seat), rating) for seat, rating in known.ratings]
    tags += [("Arbiter", known.arbiter)] if known.arbiter else []
    tags += [("Result", result), ("Variant", game.name), ("Rules", game.rules)]
    if seal := last_seal(events):
        tags.append(("Seal", str(seal.get("code", ""))))
    was_set = any(event.get("event") == PositionSet.name for event in events)
    first = _find_last_set_position(match) if was_set else 0
    start = _stood_before_leavings(match, first)
    if start != game.start():
        tags.append(("Position", json.dumps(to_json(game, start))))
    if "clock" in events[0]:
        tags.append(("TimeControl", str(events[0]["clock"])))
    for ply, added in _list_added_times(name, events):
        rulings.setdefault(max(first, ply), []).append(added)
    plies = _build_plies(match, events, rulings)
    before = _describe_plies_before(plies[:first])
    before += (Comment(" ".join(rulings[first])),) if first in rulings else ()
    turns = zip((position.seat for position in match.positions[first:]), plies[first:], strict=False)
    columns = fill_columns(turns, len(game.seats), start.seat)
    return records.write_record(
        records.WrittenGame(tuple(tags), before, columns, result, 1, start.seat), len(game.seats)
    )


def _list_leavings(match: Match, events: Events) -> dict[int, list[str]]:
    """Ply -> what a text says of the sides that went out of the game after it."""
    left = [(one.ply, one.side, one.why) for one in match.leavings]
    last, end = [{}, {}, *(event for event in events if event.get("event") in FOLDS)][-2:]
    if match.outcome is not None and (last.get("event"), end.get("event")) == (Left.name, Result.name):
        left.append((len(match.moves), str(last["side"]), str(last.get("why"))))
    said = dict[int, list[str]]()
    for ply, side, why in dict.fromkeys(left):
        said.setdefault(ply, []).append(f"[%{LEFT} {side} {why}]")
    return said


def _list_added_times(name: str, events: Events) -> list[tuple[int, str]]:
    """How many plies the game has where somebody was given time, or lost some by a ruling, and how a text says it."""
    if not any(event.get("event") == TimeAdded.name for event in events):
        return []
    added, played = list[tuple[int, str]](), 0
    for event, match in zip(events, fold_steps(events, name), strict=True):
        played = len(match.moves)
        if event.get("event") == Takeback.name:  # what was added stays, and is said where the game goes on
            added = [(min(ply, played), said) for ply, said in added]
        elif event.get("event") == TimeAdded.name:
            seconds, side = float(str(event["seconds"])), str(event["side"]).title()
            what = "added to" if seconds > 0.0 else "taken from"
            added.append((played, f"{side}: {format_time(abs(seconds))} {what} the clock"))
    return [(min(ply, played), said) for ply, said in added]


def _stood_before_leavings(match: Match, ply: int) -> Position:
    """The position after so many plies, before anybody went out of the game there."""
    return next((one.position for one in match.leavings if one.ply == ply), match.positions[ply])


def _find_last_set_position(match: Match) -> int:
    """How many plies had been played when a person last set a position: a text can only begin with one. 0 if no ply."""
    pairs = enumerate(zip(match.positions, match.moves, strict=False), start=1)
    torn = [ply for ply, (at, move) in pairs if match.game.play(at, move) != _stood_before_leavings(match, ply)]
    return max(torn, default=0)


def _describe_plies_before(plies: Sequence[Ply]) -> tuple[Comment, ...]:
    """What was played before the position was set, for people: no text can play it through."""
    if not plies:
        return ()
    said = " ".join(ply.text for ply in plies)
    return (Comment(f"{len(plies)} plies were played before this position was set: {said}"),)


def _build_plies(match: Match, events: Events, rulings: Mapping[int, list[str]]) -> tuple[Ply, ...]:
    """The moves as they were said, each with the seconds since the one before, the sides that left after it, and
    the time that was added."""
    said = {moved.ply: moved for moved in read_moves(events)}
    spans, plies = _measure_ply_seconds(events), []
    for ply, (position, move) in enumerate(zip(match.positions, match.moves, strict=False), start=1):
        moved = said.get(ply)
        text = moved.notation if moved else match.game.write(position, move)
        said_of_it = [*_list_remarks(moved, spans.get(ply)), *rulings.get(ply, ())]
        plies.append(Ply(text, (Comment(" ".join(said_of_it)),) if said_of_it else ()))
    return tuple(plies)


def _measure_ply_seconds(events: Events) -> dict[int, float]:
    """Ply -> the seconds since the one before, or since the board was ready. Left out where they are not known: a
    restart begins the time of the record anew, and a ply that people wrote in was played at some time before. One that
    they corrected was played when it was seen."""
    newest, life, times = 0.0, 0, dict[int, tuple[int, float] | None]()
    for event in events:
        t = float(str(event.get("t", newest)))
        life += t < newest - RESTARTED_S
        newest = t if t < newest - RESTARTED_S else max(t, newest)
        if event.get("event") == Moved.name:
            ply, by_people = int(str(event["ply"])), "by" in event
            if not (by_people and event.get("corrected") and ply in times):
                times[ply] = None if by_people else (life, t)
        elif event.get("event") == "ready":
            times.setdefault(0, (life, t))
    last, spans = times.get(0, (0, 0.0)), dict[int, float]()
    for ply in sorted(times.keys() - {0}):
        before, last = last, times[ply]
        if before and last and before[0] == last[0] and last[1] > before[1]:
            spans[ply] = last[1] - before[1]
    return spans


def _list_remarks(moved: Moved | None, spent: float | None) -> list[str]:
    """What the record says of a move besides its notation."""
    if moved is None:
        return []
    said = [f"[%emt {spent:.1f}]"] if spent is not None else []
    if moved.clock is not None:
        said.append(f"[%clk {format_time(moved.clock)}]")
    if moved.as_played is not None:
        said.append(f"[%{AS_PLAYED} {moved.as_played}]")
    if moved.or_:
        said.append(f"or {', '.join(moved.or_)}")
    return said


def as_jsonl(events: Events) -> str:
    """One event a line, as they were said."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)


def as_replay(name: str, events: Events, pictures: Mapping[int, str] | None = None) -> dict[str, object]:
    """What a drawing of the game needs: for each position its pieces, the move that led there, its number and its time.

    `pictures` are addresses of the camera's pictures after some of the plies.
    """
    match = fold_events(events, name)
    shown = [_position_to_json(match, position) for position in match.positions]
    for ply, led in enumerate(_describe_moves(match, events), start=1):
        shown[ply] |= led
        if pictures and ply in pictures:
            shown[ply]["picture"] = pictures[ply]
    outcome, seal, known = match.outcome, last_seal(events), details.find_latest_details(events, match.game.seats)
    return {
        "name": name,
        "game": match.game.name,
        "rules": match.game.rules,
        "seats": list(match.game.seats),
        "begun": str(events[0].get("begun", "")),
        "details": known.to_json(),
        "named": known.names_with_ratings(),
        "result": {"result": outcome.result, "reason": outcome.reason} if outcome else None,
        "seal": {key: seal.get(key, "") for key in ("number", "head", "code", "at")} if seal else None,
        "positions": shown,
    }


def _position_to_json(match: Match, position: Position) -> dict[str, object]:
    """The pieces of a position by their cells."""
    placed = zip(match.game.board.cells, position.placement, strict=True)
    return {"cells": {cell: match.game.codes[piece] for cell, piece in placed if piece}}


def _describe_moves(match: Match, events: Events) -> Iterator[dict[str, object]]:
    """Each move, its number and how long it took. A round ends when a seat comes up that has already moved in it."""
    game, said = match.game, {moved.ply: moved for moved in read_moves(events)}
    number, column, spans = 0, len(game.seats), _measure_ply_seconds(events)
    for ply, (before, move) in enumerate(zip(match.positions, match.moves, strict=False), start=1):
        moved = said.get(ply)
        number, column = number + (before.seat <= column), before.seat
        yield {
            "ply": ply,
            "number": number,
            "side": game.seats[before.seat],
            "move": moved.notation if moved else game.write(before, move),
            "spent": spans.get(ply),
            "at": [game.board.cells[move.origin], game.board.cells[move.target]],
        }
