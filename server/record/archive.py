"""Games out of a record: as text, as lines of JSON, as what a drawing of them needs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from engine.errors import InputError
from engine.explain.wording import words_of
from engine.game import Position, has_pieces
from engine.match.clock import format_time
from engine.match.clocked_match import find_move_seconds
from engine.match.course import list_sides_out, stood_before_leavings
from engine.match.events import Left, Moved, PositionSet, Result, Takeback
from engine.match.state import Match
from engine.text import records
from engine.text.positions import to_json
from engine.text.records import LEFT, Comment, Glyph, Ply
from engine.text.replay import ADJUDICATED, AS_PLAYED, TERMINATION, fill_columns
from server.record import details
from server.record.decisions import find_corrected, list_decisions
from server.record.event_fields import REMARK, SPENT, check_events, is_date
from server.record.journal import FOLDS, fold_events, read_moves
from server.record.seal import last_seal
from server.record.store import Record
from server.saying import GameDecision, describe_decision

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
    """The game as text with tags and the time of each move since the board was ready.

    What was decided and left no other trace is told in comments, for people: without accounts, for texts are public.
    """
    match = fold_events(events, name)
    game = match.game
    begun = str(events[0].get("begun", ""))
    result, how = _describe_end(match)
    known = details.find_latest_details(events, game.seats)
    date = begun[:10].replace("-", ".") if is_date(begun) else "????.??.??"
    tags = [*details.list_tags(known, name, game.name), ("Date", date)]
    tags += [(seat.title(), known.player_name(seat) or "?") for seat in game.seats]
    tags += [(details.rating_tag(seat), rating) for seat, rating in known.ratings]
    tags += [("Arbiter", known.arbiter)] if known.arbiter else []
    tags += [("Result", result), *how, ("Variant", game.name), ("Rules", game.rules)]
    if seal := last_seal(events):
        tags.append(("Seal", str(seal.get("code", ""))))
    was_set = any(event.get("event") == PositionSet.name for event in events)
    first = max(_list_set_positions(match), default=0) if was_set else 0  # a text can only begin with one
    start, leavings = stood_before_leavings(match, first), _list_leavings(match, events, first)
    if start != game.start():
        tags.append(("Position", json.dumps(to_json(game, start))))
    if "clock" in events[0]:
        tags.append(("TimeControl", str(events[0]["clock"])))
    remarks, told = _describe_remarks(match, events, leavings, first)
    plies = _build_plies(match, events, leavings)
    before = describe_plies_before([ply.text for ply in plies[:first]])
    before += (Comment(" ".join(leavings[first])),) if first in leavings else ()
    before += remarks
    plies = tuple(replace(one, after=(*one.after, *told.get(ply, ()))) for ply, one in enumerate(plies, start=1))
    turns = zip((position.seat for position in match.positions[first:]), plies[first:], strict=False)
    columns = fill_columns(turns, len(game.seats), start.seat)
    return records.write_pgn(records.WrittenGame(tuple(tags), before, columns, result, 1, start.seat), len(game.seats))


def _describe_end(match: Match) -> tuple[str, list[tuple[str, str]]]:
    """The result, and the tag where an arbiter has given another than the last position has."""
    result, over = match.outcome.result if match.outcome else "*", match.game.outcome(match.position)
    is_ruled = over is not None and result not in {"*", over.result}
    return result, [(TERMINATION, ADJUDICATED)] if is_ruled else []


def _describe_remarks(
    match: Match, events: Events, leavings: Mapping[int, list[str]], first: int
) -> tuple[tuple[Comment, ...], dict[int, tuple[Comment | Glyph, ...]]]:
    """What a text that begins after the `first` plies tells of what was decided, and what people wrote.

    Before its first move, and after each ply, marks before comments.
    """
    told = _describe_decisions(match, events, leavings, first)
    before, after = list(told.pop(first, ())), dict[int, tuple[Comment | Glyph, ...]](told)
    for event in _list_written(events):
        ply = int(str(event["ply"]))
        note = Glyph(str(event["mark"])) if "mark" in event else Comment(str(event["text"]))
        if ply > first:
            after[ply] = (*after.get(ply, ()), note)
        elif isinstance(note, Comment):
            before.append(note)
    return tuple(before), after


def _list_written(events: Events) -> list[Mapping[str, object]]:
    """What people have written in a text that was imported, of the moves that stand, marks before comments."""
    written, plies = list[Mapping[str, object]](), 0
    for event in events:
        if event.get("event") == Moved.name:
            plies = int(str(event["ply"])) - 1
        elif event.get("event") == Takeback.name:
            plies -= int(str(event["plies"]))
        elif event.get("event") == REMARK:
            written += [event] if "mark" in event or "text" in event else []
            continue
        else:
            continue
        written = [one for one in written if int(str(one["ply"])) <= plies]
        plies += event.get("event") == Moved.name
    return sorted(written, key=lambda one: "mark" not in one)


def _list_leavings(match: Match, events: Events, first: int) -> dict[int, list[str]]:
    """Ply -> what a text that begins after the `first` plies says of the sides that went out of the game after it."""
    left = [
        (one.ply, one.side, one.why)
        for one in match.leavings
        if one.ply >= first and has_pieces(match.game, one.position, one.side)
    ]
    last, end = [{}, {}, *(event for event in events if event.get("event") in FOLDS)][-2:]
    if match.outcome is not None and (last.get("event"), end.get("event")) == (Left.name, Result.name):
        left.append((len(match.moves), str(last["side"]), str(last.get("why"))))
    said = dict[int, list[str]]()
    for ply, side, why in dict.fromkeys(left):
        said.setdefault(ply, []).append(f"[%{LEFT} {side} {why}]")
    return said


def _describe_decisions(
    match: Match, events: Events, leavings: Mapping[int, list[str]], first: int
) -> dict[int, tuple[Comment, ...]]:
    """Ply -> what a text that begins after the `first` plies tells there of what was decided."""
    numbers, words = [int(str(one["number"])) for one in _describe_moves(match, events)], words_of(match.game)
    told = dict[int, tuple[Comment, ...]]()
    for one in _list_untraced(match, events, leavings):
        ply = max(first, min(one.ply, len(match.moves)))
        skipped = numbers[first] - 1 if ply > first else 0
        line = describe_decision(replace(one, number=one.number - skipped), words, named=False)
        told[ply] = (*told.get(ply, ()), Comment(line))
    return told


def _list_untraced(match: Match, events: Events, leavings: Mapping[int, list[str]]) -> list[GameDecision]:
    """What was decided, but for what a text has anyway: who went out of the game, and moves that were let stand."""
    traces = {(ply, text) for ply, texts in leavings.items() for text in texts}
    traces |= {(one.ply, one.notation) for one in _list_standing(match, events).values() if one.as_played}
    untraced = list[GameDecision]()
    for one in reversed(list_decisions(events)):
        value = one.values.get
        left = f"[%{LEFT} {value('side')} {value('why')}]" if one.kind.startswith(f"{LEFT}") else ""
        trace = one.ply, left or str(value("move") if one.kind == AS_PLAYED else "")
        if trace in traces:
            traces.remove(trace)
        else:
            untraced.append(one)
    return untraced[::-1]


def _list_standing(match: Match, events: Events) -> dict[int, Moved]:
    """Ply -> how it was said last, of those that stand."""
    return {moved.ply: moved for moved in read_moves(events) if moved.ply <= len(match.moves)}


def _list_set_positions(match: Match) -> list[int]:
    """How many plies had been played when a person set a position, for each that stands; 0 where it begins with one."""
    pairs = enumerate(zip(match.positions, match.moves, strict=False), start=1)
    torn = [ply for ply, (at, move) in pairs if match.game.play(at, move) != stood_before_leavings(match, ply)]
    return [*([] if stood_before_leavings(match, 0) == match.game.start() else [0]), *torn]


def describe_plies_before(plies: Sequence[str]) -> tuple[Comment, ...]:
    """What was played before the position was set, for people: no text can play it through."""
    if not plies:
        return ()
    count = "1 ply was" if len(plies) == 1 else f"{len(plies)} plies were"
    return (Comment(f"{count} played before this position was set: {' '.join(plies)}"),)


def _build_plies(match: Match, events: Events, rulings: Mapping[int, list[str]]) -> tuple[Ply, ...]:
    """The moves as they were said, each with the seconds that it took, the sides that left after it, and the time that
    was added."""
    said = {moved.ply: moved for moved in read_moves(events)}
    spans, plies = _measure_ply_seconds(match, events), []
    for ply, (position, move) in enumerate(zip(match.positions, match.moves, strict=False), start=1):
        moved = said.get(ply)
        text = moved.notation if moved else match.game.write(position, move)
        said_of_it = [*_list_remarks(moved, spans.get(ply)), *rulings.get(ply, ())]
        plies.append(Ply(text, (Comment(" ".join(said_of_it)),) if said_of_it else ()))
    return tuple(plies)


def _measure_ply_seconds(match: Match, events: Events) -> dict[int, float]:
    """Ply -> the seconds that it took: as its clock counted them, else since its turn began. Left out where they are
    not known: a ply that people wrote in was played at some time before, and no clock counts while it waits. A game out
    of a text that says what moves took has those times, and no others: its clocks are whole seconds."""
    if told := _list_told_seconds(events):
        return told
    seen, spans = _measure_turns(events)
    if not match.clocks:
        return spans
    counted = {ply: find_move_seconds(match, ply) for ply in sorted(seen) if ply <= len(match.moves)}
    hidden = {ply for ply, seconds in counted.items() if seconds is None and not match.clocks[ply - 1].held}
    known = {ply: seconds for ply, seconds in counted.items() if seconds is not None}
    return known | {ply: span for ply, span in spans.items() if ply in hidden}


def _list_told_seconds(events: Events) -> dict[int, float]:
    """Ply -> the seconds that a text said it took."""
    moved = (event for event in events if event.get("event") == Moved.name and SPENT in event)
    return {int(str(event["ply"])): float(str(event[SPENT])) for event in moved}


Moment = tuple[int, float]
"""How frequently the time of the record had begun anew, and the time since."""


def _measure_turns(events: Events) -> tuple[set[int], dict[int, float]]:
    """The plies that were seen to be played, and ply -> the seconds since its turn began: with the ply before, with the
    board that was ready, or with the last takeback of it. Over a restart that is not known."""
    times, anew = _list_moments(events)
    times.setdefault(0, (0, 0.0))
    spans = dict[int, float]()
    for ply in sorted(times.keys() - {0}):
        before, played = anew.get(ply) or times.get(ply - 1), times[ply]
        if before and played and before[0] == played[0] and played[1] > before[1]:
            spans[ply] = played[1] - before[1]
    return {ply for ply, played in times.items() if ply and played}, spans


def _list_moments(events: Events) -> tuple[dict[int, Moment | None], dict[int, Moment]]:
    """Ply -> when it was seen to be played, and ply -> when its turn began once more, after a takeback.

    None for one that people wrote in; one that they corrected was played when it was seen.
    """
    last, times, anew = 0, dict[int, Moment | None](), dict[int, Moment]()
    for event, moment in _stamp_events(events):
        kind = event.get("event")
        if kind == Moved.name:
            last, by_people = int(str(event["ply"])), "by" in event
            if not (by_people and event.get("corrected") and last in times):
                times[last] = None if by_people else moment
                anew.pop(last + 1, None)
        elif kind == Takeback.name and (taken := int(str(event.get("plies", 1)))):
            last = max(0, last - taken)
            anew[last + 1] = moment
        elif kind == "ready":
            times.setdefault(0, moment)
            if anew.get(last + 1, (-1,))[0] == moment[0]:  # the pieces stand as before, and the turn begins
                anew[last + 1] = moment
    return times, anew


def _stamp_events(events: Events) -> Iterator[tuple[Mapping[str, object], Moment]]:
    """Each event with its moment: a restart begins the time of the record anew."""
    newest, life = 0.0, 0
    for event in events:
        t = float(str(event.get("t", newest)))
        life += t < newest - RESTARTED_S
        newest = t if t < newest - RESTARTED_S else max(t, newest)
        yield event, (life, t)


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
        "left": [{"side": one.side, "why": one.why} for one in list_sides_out(match)],
        "set": [{"ply": ply, "side": _side_at(match, ply)} for ply in _list_set_positions(match)],
        "seal": {key: seal.get(key, "") for key in ("number", "head", "code", "at")} if seal else None,
        "positions": shown,
    }


def _side_at(match: Match, ply: int) -> str:
    """The side to move after so many plies."""
    return match.game.seats[match.positions[ply].seat]


def _position_to_json(match: Match, position: Position) -> dict[str, object]:
    """The pieces of a position by their cells."""
    placed = zip(match.game.board.cells, position.placement, strict=True)
    return {"cells": {cell: match.game.codes[piece] for cell, piece in placed if piece}}


def _describe_moves(match: Match, events: Events) -> Iterator[dict[str, object]]:
    """Each move, its number and how long it took. A round ends when a seat comes up that has already moved in it."""
    game, said, corrected = match.game, _list_standing(match, events), find_corrected(events)
    number, column, spans = 0, len(game.seats), _measure_ply_seconds(match, events)
    for ply, (before, move) in enumerate(zip(match.positions, match.moves, strict=False), start=1):
        moved = said.get(ply)
        number, column = number + (before.seat <= column), before.seat
        yield {
            "ply": ply,
            "number": number,
            "side": game.seats[before.seat],
            "move": moved.notation if moved else game.write(before, move),
            "spent": spans.get(ply),
            "clock": moved.clock if moved else None,
            "as_played": moved.as_played if moved else None,
            "was": corrected.get(ply),
            "at": [game.board.cells[move.origin], game.board.cells[move.target]],
        }
