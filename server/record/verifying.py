"""What is wrong with a record, a line each: its file, its frame, its games and their pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.errors import InputError
from engine.game import Outcome, has_pieces, leave_side_out
from engine.match.events import Left
from engine.match.state import Phase
from engine.text.replay import UNFINISHED
from server.record.details import DETAILS
from server.record.evidence import EVIDENCE, PICTURE_NAME, REMOVED, file_of, find_picture_fault, picture_names
from server.record.journal import FOLDS, fold_events, fold_steps
from server.record.seal import ENDINGS, RESULT_EVENT, SEALED, key_path, seal_faults, short_key
from server.record.store import DAMAGE, Record
from server.record.summary import REOPENINGS, Summary

NAMES_SAID = 20
WITNESSED = re.compile(r"(-?\d{1,9}) (\d{1,9}) ([0-9a-f]{64}) (\S.{0,199})")
"""A line of a witness."""


def find_record_faults(record: Record, folder: Path, games: tuple[str, ...] = ()) -> tuple[list[str], int]:
    """What is wrong, a line each, and how many games were looked at. InputError for a game that is not there."""
    frame: list[str] = []
    try:
        damage = record.find_damage()
        if damage:
            return [f"the file is damaged: {damage}"], 0
        frame = record.schema_faults()
        faults, count = _check_games(record, folder, games)
    except DAMAGE as error:
        faults, count = [f"the file is damaged: {error}"], 0
    return [f"the file is damaged: {fault}" for fault in frame] + faults, count


def list_unproven(record: Record, own: str) -> list[str]:
    """The games that ended here without a seal of the public key `own` on their end, a line each.

    A referee that has a key seals each end together with it, so there was none yet, or the key could not be read, or
    somebody wrote the game anew. Games that came out of files have no seals.
    """
    over, sealed_by = set[str](), dict[str, str]()
    for game, _, event in record.find_events(*ENDINGS, *REOPENINGS, DETAILS, SEALED):
        kind = str(event["event"])
        if kind == SEALED:
            sealed_by[game] = str(event.get("key"))
        elif kind in ENDINGS or (kind == DETAILS and game in over):
            sealed_by[game] = ""
        if kind == RESULT_EVENT:
            over.add(game)
        elif kind in REOPENINGS:
            over.discard(game)
    here = {game for game, place in record.read_places().items() if place > 0}
    doubt = "anybody could have written it: its score sheet tells (--head CODE)"
    return [
        f"{game}: ended, and sealed by another referee (key {short_key(key)}): {doubt}"
        if key
        else f"{game}: ended, and its end is not sealed: {doubt}"
        for game, key in sorted(sealed_by.items())
        if (not key or key != own) and game in here
    ]


def advise_on_keys(record: Record, own: str) -> list[str]:
    """What to do where games carry seals of another public key than `own`, as on another computer; [] where none do."""
    others = {str(event["key"]) for _, _, event in record.find_events(SEALED)} - {own}
    if not others:
        return []
    keys, here = ", ".join(sorted(map(short_key, others))), key_path()
    return [f"Sealed with another key ({keys}): if you moved here from another computer, copy its seal.key to {here}"]


def list_unsealed(record: Record) -> list[str]:
    """What no seal holds, in words, a line for each kind: anybody who may write the file could have changed it."""
    places, results = record.read_places(), {one.name: one.result for one in record.list_summaries()}
    sealed = {game for game, _, _ in record.find_events(SEALED)}
    open_games = [game for game in places if game not in sealed and places[game] > 0]
    kinds = {
        "not over": [game for game in open_games if results.get(game) == UNFINISHED],
        "over, without a seal": [game for game in open_games if results.get(game) != UNFINISHED],
        "out of files": [game for game in places if places[game] < 0],
    }
    return [f"NOT sealed, {why}: {len(names)} ({_format_names(names)})" for why, names in kinds.items() if names]


def list_misplaced(record: Record) -> list[str]:
    """Where games that were begun here are missing or stand in another order than they were begun, a line each.

    Deleting a game leaves such a gap too: only a witness tells the two apart.
    """
    said, last, before = [], 0, Summary("")
    known = {one.name: one for one in record.list_summaries()}
    for game, place in record.read_places().items():
        if place <= 0 or game not in known:
            continue
        if place > last + 1:
            said.append(f"{place - last - 1} games are missing before {game}: deleted, or left out")
        now = known[game]
        if before.begun and now.begun and now.begun < before.begun:
            said.append(
                f"{game} stands after {before.name}, and was begun before it: a clock was set, or a place changed"
            )
        last, before = place, now
    return said


def format_heads(record: Record) -> str:
    """What a witness keeps: the place, the number of events and the newest hash of each game, a line each."""
    known = {one.name: one for one in record.list_summaries()}
    placed = record.read_places().items()
    return "".join(
        f"{place} {known[game].events} {known[game].head} {game}\n" for game, place in placed if game in known
    )


def compare_witness(record: Record, witness: str, where: str) -> list[str]:
    """What a witness's lines (`format_heads`, written earlier) say against the record, a line each.

    InputError for others.
    """
    said, places = [], record.read_places()
    for number, line in enumerate(witness.splitlines(), start=1):
        found = WITNESSED.fullmatch(line)
        if found is None:
            raise InputError(
                f"{where}, line {number}: no line of a witness; `referee verify --write-witness` writes them"
            )
        place, count, head, game = int(found[1]), int(found[2]), found[3], found[4]
        if game not in places:
            said.append(f"{game}: the witness knows it, and it is not here: deleted, or left out")
            continue
        hashes = record.read_hashes(game)
        if len(hashes) < count:
            said.append(f"{game}: the witness knows {count} events, and {len(hashes)} are here: its end was cut off")
        elif hashes[count - 1] != head:
            said.append(f"{game}: event {count} is another than the witness knows: it was written anew")
        if places[game] != place:
            said.append(f"{game}: stands at place {places[game]}, and the witness knows it at {place}")
    return said


def _format_names(names: Sequence[str]) -> str:
    more = len(names) - NAMES_SAID
    return ", ".join(names[:NAMES_SAID]) + (f" and {more} more" if more > 0 else "")


def _check_games(record: Record, folder: Path, games: tuple[str, ...]) -> tuple[list[str], int]:
    """The same of the games alone."""
    known = record.list_all_names()
    for name in games:
        if name not in known:
            raise InputError(f"game {name}: not in this record; `referee games list` names them")
    faults = []
    shown: dict[tuple[str, int], list[str]] = {}
    gone: set[str] = set()
    for name in known:
        broken = record.find_broken_event(name)
        if broken is not None:
            faults += [f"{name}: event {broken} is not as it was written"] if name in (games or known) else []
            continue
        events = record.read_events(name)
        gone.update(picture for event in events if event.get("event") == REMOVED for picture in picture_names(event))
        if games and name not in games:
            continue
        faults += [*seal_faults(name, events, record.read_hashes(name)), *find_course_faults(name, events)]
        faults += _describe_untold_end(record, name, events)
        shown |= {
            (name, n): picture_names(event) for n, event in enumerate(events, 1) if event.get("event") == EVIDENCE
        }
    return faults + _check_pictures(shown, gone, folder), len(games or known)


def find_course_faults(name: str, events: Sequence[Mapping[str, object]]) -> list[str]:
    """Why the events of a game are no game, or not one that one referee saw, a line each.

    A service writes a ply anew only as a correction, and says so; what a player does ends no game that is over, only an
    arbiter who puts its result right, or who is asked about one that was put away.
    """
    faults, before, put_away = list[str](), None, False
    try:
        for number, (event, after) in enumerate(zip(events, fold_steps(events, name), strict=True), start=1):
            kind = event.get("event")
            over = before is not None and before.phase is Phase.OVER and not put_away
            if before is not None and kind == "move" and not event.get("corrected"):
                if len(after.moves) != len(before.moves) + 1:
                    said = f"ply {event.get('ply')} after {len(before.moves)}, and no correction"
                    faults.append(f"{name}: event {number}: {said}")
            elif over and (kind == "left" or (kind == RESULT_EVENT and event.get("by") != "arbiter")):
                faults.append(f"{name}: event {number}: {kind!r} after a result that nobody took back")
            put_away = kind == "adjourned" or (put_away and kind != "resumed")
            before = after
    except InputError as error:
        faults.append(str(error))
    return faults


def _describe_untold_end(record: Record, name: str, events: Sequence[Mapping[str, object]]) -> list[str]:
    """That a game out of a file is over by the rules and stands there as unfinished: an older import took its `*`. One
    that was begun here may wait for the next start to be ended."""
    end = None if record.read_places().get(name, 0) > 0 else find_untold_end(name, events)
    if end is None:
        return []
    return [f"{name}: over by the rules, {end.result} ({end.reason}), but no result is written: say it on its page"]


def find_untold_end(name: str, events: Sequence[Mapping[str, object]]) -> Outcome | None:
    """How a game is over by the rules that has no result; None where it is not, or cannot be followed."""
    told = [event for event in events if event.get("event") in FOLDS]
    if any(event.get("event") == RESULT_EVENT for event in told):
        return None
    try:
        match = fold_events(events, name)
        end = match.game.outcome(match.position)
        side = str(told[-1].get("side")) if told and told[-1].get("event") == Left.name else ""
        if end is None and side and has_pieces(match.game, match.position, side):
            left = leave_side_out(match.game, match.position, side, str(told[-1].get("why")))
            end = left if isinstance(left, Outcome) else None
    except InputError:
        return None  # that it cannot be followed is said already
    return end


def _check_pictures(shown: Mapping[tuple[str, int], list[str]], gone: set[str], folder: Path) -> list[str]:
    """What is wrong with the stored pictures, a line each. Those that had to make room are not missed."""
    faults = []
    for (game, number), names in shown.items():
        for name in names:
            wrong = find_picture_fault(folder, name)
            if wrong and name in gone and PICTURE_NAME.fullmatch(name) and not file_of(folder, name).exists():
                wrong = None
            if wrong:
                faults.append(f"{game}: event {number}: {wrong}")
    return faults
