"""Games as files in a folder that any web server can carry: what spectators are told, no sooner than they are.

For each game NAME.jsonl, to which lines are only ever added, so that whoever has read so many bytes asks for those
after them alone (HTTP Range), and NAME.pgn, which is put in the place of the one before. games.json lists them.
Everything is made from the snapshots that spectators get, and from what the folder says already: a referee that was
started again goes on where the files end.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.text.records import LEFT, Comment, Ply, WrittenGame, read_pgn, write_pgn
from engine.text.replay import UNFINISHED, fill_columns, list_leavings, mark_adjudicated, replay_record
from server.record import details
from server.record.archive import describe_plies_before
from server.record.journal import LaterResult

log = logging.getLogger(__name__)

LIST_OF_GAMES = "games.json"
SET = "position"
PUBLIC_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
"""What a game may be called to have a file."""
NO_RESULT_YET = "*"
TOLD_OF_MOVES = ("ply", "side", "notation", "from", "to", "captured", "t")
"""What is told of a move."""

PageLine = dict[str, Any]
Snapshot = Mapping[str, Any]


class PublicFeed:
    """Owned by the main loop. A folder that does not take the files is logged, and the game goes on."""

    def __init__(self, folder: Path, seats: Sequence[str]) -> None:
        """For games of these `seats`. InputError if the folder cannot be made or written to."""
        self._folder, self._seats, self._lines = folder, seats, dict[str, list[PageLine]]()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(None, "no permission to write")
        except OSError as error:
            raise InputError(f"--broadcast {folder}: {error.strerror}") from error

    def write_snapshot(self, snapshot: Snapshot) -> None:
        """Spectators are told this now."""
        self._try_write(str(snapshot.get("name", "")), lambda name: self._append_news(name, snapshot))

    def write_ending(self, known: LaterResult) -> None:
        """Spectators are told now how a game of before has ended; of one that has no file here nothing is said."""
        self._try_write(known.game, lambda name: self._append_ending(name, known))

    def _try_write(self, name: str, write: Callable[[str], object]) -> None:
        if not PUBLIC_NAME.fullmatch(name):
            return
        try:
            write(name)
        except OSError as error:
            log.warning("broadcast: %s is not written: %s", name, error.strerror)
            self._lines.pop(name, None)  # what the file has is read again

    def _published_lines(self, name: str) -> list[PageLine]:
        """The lines that the file of a game has."""
        if name not in self._lines:
            self._lines[name] = _read_whole_lines(self._folder / f"{name}.jsonl")
        return self._lines[name]

    def _append_lines(self, name: str, news: Sequence[PageLine]) -> None:
        with (self._folder / f"{name}.jsonl").open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in news))
        self._lines[name] += news

    def _append_news(self, name: str, snapshot: Snapshot) -> None:
        news = list(_find_news(self._published_lines(name), snapshot))
        if not news:
            return
        self._append_lines(name, news)
        _replace_file(self._folder / f"{name}.pgn", as_text(name, snapshot, self._seats))
        self._update_list(name, snapshot)

    def _append_ending(self, name: str, known: LaterResult) -> None:
        lines = self._published_lines(name)
        if not lines or _newest_value(lines, "result", NO_RESULT_YET) == known.result:
            return
        self._append_lines(
            name, [{"n": len(lines) + 1, "event": "result", "result": known.result, "reason": known.reason}]
        )
        text = self._folder / f"{name}.pgn"
        _replace_file(text, ended_as(text.read_text(encoding="utf-8"), known.result, len(self._seats)))
        games = self._read_list()
        if name in games:
            games[name]["result"] = known.result
            self._replace_list(games)

    def _read_list(self) -> dict[str, PageLine]:
        """The games in the list, by their names."""
        try:
            listed = json.loads((self._folder / LIST_OF_GAMES).read_text(encoding="utf-8"))
            return {game["name"]: game for game in listed}
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return {}

    def _replace_list(self, games: Mapping[str, PageLine]) -> None:
        text = json.dumps(list(games.values()), ensure_ascii=False, indent=1) + "\n"
        _replace_file(self._folder / LIST_OF_GAMES, text)

    def _update_list(self, name: str, snapshot: Snapshot) -> None:
        games = self._read_list()
        games[name] = {
            "name": name,
            "game": snapshot["game"],
            "rules": snapshot["rules"],
            "plies": len(snapshot["moves"]),
            "result": _snapshot_result(snapshot),
            **dict(snapshot.get("details") or {}),
        }
        self._replace_list(games)


def _read_whole_lines(path: Path) -> list[PageLine]:
    """The whole lines of a file; what a power cut left of the last one is cut off."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    return [json.loads(line) for line in whole.splitlines()]


def _find_news(lines: Sequence[PageLine], snapshot: Snapshot) -> Iterator[PageLine]:
    """The lines that lead from what was told to the snapshot; none if nothing is new."""
    number = len(lines)

    def next_line(event: str, **more: object) -> PageLine:
        nonlocal number
        number += 1
        return {"n": number, "event": event, **more}

    if not lines:
        yield next_line("game", game=snapshot["game"], rules=snapshot["rules"])
    said = dict(snapshot.get("details") or {})
    if said != _newest_value(lines, "details", {}):
        yield next_line("details", details=said)
    for event, more in _find_played_news(lines, snapshot):
        yield next_line(event, **more)
    result = _snapshot_result(snapshot)
    if result != _newest_value(lines, "result", NO_RESULT_YET):
        yield next_line("result", result=result, reason=(snapshot.get("outcome") or {}).get("reason", ""))


def _find_played_news(lines: Sequence[PageLine], snapshot: Snapshot) -> Iterator[tuple[str, PageLine]]:
    """What was taken back, and what was moved, which position was set and who has left since."""
    told, course = _current_course(lines), list(_list_course(snapshot))
    same = sum(1 for _ in takewhile(lambda pair: _is_same(*pair), zip(told, course, strict=False)))
    gone, news = told[same:], course[same:]
    moves = [line for line in gone if line["event"] == "move"]
    if moves:
        yield "takeback", {"plies": len(moves)}
    since = list(takewhile(lambda line: line["event"] != "move", gone))
    for line in since:
        if line["event"] == LEFT:
            yield "takeback", {"plies": 0}
    if [line["event"] for line in since[:1]] == [SET] != [line["event"] for line in news[:1]]:
        yield SET, {"position": None}
    for line in news:
        yield line["event"], {key: said for key, said in line.items() if key != "event"}


def _list_course(snapshot: Snapshot) -> Iterator[PageLine]:
    """What was moved, which positions were set and who has left, in order, as lines tell it."""
    out, positions = _list_out(snapshot), _list_positions(snapshot)
    for ply, move in enumerate([None, *snapshot["moves"]]):
        if move is not None:
            yield {"event": "move"} | {key: move[key] for key in TOLD_OF_MOVES}
        here = [one for one in out if one["ply"] == ply]
        yield from (_tell_left(one) for one in here if "set" in one)
        if ply in positions:
            yield {"event": SET, "position": positions[ply]}
        yield from (_tell_left(one) for one in here if "set" not in one)


def _list_positions(snapshot: Snapshot) -> dict[int, PageLine]:
    """Ply -> the position that was set after it, in order; 0 where the game begins with one."""
    start = snapshot.get("start")
    return ({0: start} if start else {}) | {one["ply"]: one["position"] for one in snapshot.get("set", ())}


def _list_out(snapshot: Snapshot) -> list[PageLine]:
    """The sides that went out of the game, those whose going out has ended it last."""
    why = (snapshot.get("outcome") or {}).get("reason")
    ended = [{"ply": len(snapshot["moves"]), "side": side, "why": why} for side in snapshot.get("ended_by", ())]
    return [*snapshot.get("out", ()), *ended]


def _tell_left(out: Mapping[str, Any]) -> PageLine:
    return {"event": LEFT} | {key: out[key] for key in ("ply", "side", "why")}


def _is_same(told: PageLine, line: PageLine) -> bool:
    """Whether a line tells what was told: of a move its notation counts, which may have been seen at another time."""
    known = ("event", "notation", "position", "side", "why")
    return [told.get(key) for key in known] == [line.get(key) for key in known]


def _newest_value(lines: Sequence[PageLine], event: str, otherwise: object) -> object:
    """What the newest line of that event says, under its own name."""
    return next((one[event] for one in reversed(lines) if one["event"] == event), otherwise)


def _current_course(lines: Sequence[PageLine]) -> list[PageLine]:
    """The moves, the positions set and who has left, that stand after all lines. Moves that are taken back take along
    what came after them; a takeback of none takes the last word that somebody has left. A position replaces the one set
    after the same move."""
    course: list[PageLine] = []
    for line in lines:
        if line["event"] in {"move", LEFT}:
            course.append(line)
        elif line["event"] == "takeback":
            moved = [at for at, one in enumerate(course) if one["event"] == "move"]
            del course[moved[-line["plies"]] if line["plies"] else -1 :]
        elif line["event"] == SET:
            course = course[:-1] if course and course[-1]["event"] == SET else course
            course += [line] if line["position"] else []
    return course


def as_text(name: str, snapshot: Snapshot, seats: Sequence[str]) -> str:
    """A snapshot as a game record: tags, and the moves."""
    said, moves = details.parse_details(dict(snapshot.get("details") or {}), seats), snapshot["moves"]
    tags = details.list_tags(said, name, str(snapshot["game"]))
    tags += [(seat.title(), said.player_name(seat) or "?") for seat in seats]
    tags += [("Arbiter", said.arbiter)] if said.arbiter else []
    result = _snapshot_result(snapshot)
    tags += [("Result", result), ("Variant", str(snapshot["game"])), ("Rules", str(snapshot["rules"]))]
    tags += [(details.rating_tag(seat), rating) for seat, rating in said.ratings]
    positions = _list_positions(snapshot)
    first = max(positions, default=0)  # a text can only begin with one
    start = positions.get(first)
    tags += [("Position", json.dumps(start))] if start else []
    notes: dict[int, tuple[Comment, ...]] = {first: describe_plies_before([move["notation"] for move in moves[:first]])}
    for one in (one for one in _list_out(snapshot) if "set" not in one):  # else the text lacks what stood before
        notes[one["ply"]] = (*notes.get(one["ply"], ()), Comment(f"[%{LEFT} {one['side']} {one['why']}]"))
    usual = moves[0]["side"] if moves and not notes.get(0) else seats[0]  # who begins may be out before the first ply
    seat = seats.index(start["to_move"] if start else usual)
    turns = [(seats.index(move["side"]), Ply(move["notation"], notes.get(move["ply"], ()))) for move in moves[first:]]
    plies = fill_columns(turns, len(seats), seat)
    game = WrittenGame(tuple(tags), notes[first], plies, result, 1, seat)
    return write_pgn(mark_adjudicated(game), len(seats))


def ended_as(text: str, result: str, seats: int) -> str:
    """The text of a game, with another result."""
    (game,) = read_pgn(text)
    tags = tuple((key, result if key == "Result" else said) for key, said in game.tags)
    outcome = replay_record(replace(game, result=UNFINISHED)).outcome
    if outcome is not None and outcome.result != result:  # who has ended it by going out has not, after all
        game = _without_last_leaving(game)
    return write_pgn(mark_adjudicated(replace(game, tags=tags, result=result)), seats)


def _without_last_leaving(game: WrittenGame) -> WrittenGame:
    """A game without what is said last after its last move of a side that went out."""
    notes = list(game.plies[-1].after if game.plies else game.before)
    at = max((at for at, note in enumerate(notes) if list_leavings([note])), default=None)
    if at is None:
        return game
    del notes[at]
    if not game.plies:
        return replace(game, before=tuple(note for note in notes if isinstance(note, Comment)))
    return replace(game, plies=(*game.plies[:-1], replace(game.plies[-1], after=tuple(notes))))


def _snapshot_result(snapshot: Snapshot) -> str:
    return str((snapshot.get("outcome") or {}).get("result", NO_RESULT_YET))


def _replace_file(path: Path, text: str) -> None:
    """Whoever reads it sees the old one or the new one whole."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
