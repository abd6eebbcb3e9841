"""A trace: what the referee was told, look by look, and what followed, as JSON lines that are read without pictures.

The first line is the header: format, version, game, rules, position, names of cells and looks. Each further line is one
input of engine.match.judging with its time, what was said after it and what was waited for; for a look also what was
seen of each cell (`base` is the look that every cell had before, where that changed; scores only of cells that do not
plainly show it), the explanations that cost least, the verdict and its reason. A line `truth` says what was really
played.
"""

from __future__ import annotations

import gzip
import json
import logging
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, cast

from calibration.door import read_file
from engine.belief.opinion import Opinion, format_moves
from engine.belief.unlawful import Displaced
from engine.belief.verdicts import Covered, Doubtful, Earlier, Played, PutUpAgain, Raised, Unfinished, Verdict, Wrong
from engine.errors import InputError
from engine.game import Game, Move, Position
from engine.match.carried import CarriedOver, carry_over, read_carried
from engine.match.judging import Blind, Consequence, Input, Sighted, Ticked
from engine.match.state import Match
from engine.outside import parse_json
from server.disk import create_private, set_existing_aside
from server.record.event_fields import check_events
from server.record.journal import build_begin_event, fold_events
from server.record.traces.lines import Coder, TraceLine
from vision.reading.level import UNCHANGED

log = logging.getLogger(__name__)

FORMAT = 1
MOST_TRACE = 24_000_000
"""Bytes, unpacked: a hundred games."""
GZIP = 16
"""Added to the size of zlib's window: with the head and end of a gzip file."""
SUFFIX_PACKED = ".gz"
Write = Callable[[TraceLine], object]


class Tracer:
    """Writes what a watcher is told; call it with each input and its outcome."""

    def __init__(
        self,
        out: Callable[[TraceLine], object],
        match: Match,
        record: Sequence[Mapping[str, object]] = (),
        carried: CarriedOver | None = None,
    ) -> None:
        """The match as it stands; `record` are the events that led there, if it has begun before, and `carried` is what
        it knows besides."""
        self._out, self._game, self._now = out, match.game, match.position
        self._coder = Coder(match.game)
        out(build_header(match, record, carried))

    def __call__(self, given: Input, outcome: Consequence) -> None:
        """Write a line; time that goes by, and a board that is or is not seen as before, leave none."""
        before, self._now = self._now, outcome.state.match.position
        if isinstance(given, Ticked | Sighted | Blind) and not outcome.events:
            return
        line = self._coder.encode_input(given, before)
        if outcome.opinion is not None:
            line |= _opinion_to_json(self._game, before, outcome.opinion)
        if outcome.waits:
            line["waits"] = [reason.to_json() for reason in outcome.waits]
        if outcome.events:
            line["said"] = [event.to_json() for event in outcome.events]
        self._out(line)


def build_header(
    match: Match, record: Sequence[Mapping[str, object]] = (), carried: CarriedOver | None = None
) -> TraceLine:
    """The first line."""
    first, *later = record or [build_begin_event(match)]
    return {
        "trace": FORMAT,
        "version": version("camelot-referee"),
        "begin": dict(first),
        "record": [dict(event) for event in later],
        "cells": list(match.game.board.cells),
        "looks": list(match.game.looks),
        "unchanged": UNCHANGED,
    } | ({} if carried is None else {"carried": carried.to_json()})


@contextmanager
def open_trace(path: Path) -> Iterator[Write]:
    """A new file for the lines, packed if its name ends in .gz. One of that name is kept beside it: a service that is
    started again after a power cut traces on."""
    set_existing_aside(path)
    writing = _Writing(path, _create_file(path))
    try:
        yield writing
    finally:
        writing.close_file()


class _Writing:
    """Writes lines until the disk takes one no more: a trace is worth no game."""

    def __init__(self, path: Path, out: IO[str]) -> None:
        self._path, self._out, self._ended = path, out, False

    def __call__(self, line: TraceLine) -> None:
        if self._ended:
            return
        try:
            self._out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        except OSError as error:
            self._ended = True
            log.warning("%s: %s: the trace ends here, the game goes on", self._path, error.strerror)

    def close_file(self) -> None:
        """Close the file; what a full disk does not take is not worth a word twice."""
        with suppress(OSError):
            self._out.close()


def _create_file(path: Path) -> IO[str]:
    """An empty file that only its owner may read: names of players are in it."""
    create_private(path)
    if path.suffix == SUFFIX_PACKED:
        return cast(IO[str], gzip.open(path, "wt", encoding="utf-8"))
    return path.open("w", encoding="utf-8", buffering=1)  # a line is there when it is written


@dataclass(frozen=True)
class Trace:
    """A trace as it was read: its first line, the inputs, and what was really played, if that is known."""

    header: TraceLine
    lines: tuple[TraceLine, ...]
    truth: TraceLine | None = None

    @property
    def initial_match(self) -> Match:
        """The match as it stood at the beginning. InputError if the header says none."""
        match = fold_events([self.header["begin"], *self.header["record"]], "trace")
        carried = self.header.get("carried")
        return match if carried is None else carry_over(match, read_carried(carried))


def load_trace(path: Path) -> Trace:
    """A trace from its file. InputError if it is none, or of another format."""
    data = read_file(path, MOST_TRACE)
    said = (_unpack_data(data, path) if path.suffix == SUFFIX_PACKED else data).decode(errors="replace")
    lines = [
        _parse_line(text, f"{path}, line {number}") for number, text in enumerate(said.split("\n"), start=1) if text
    ]
    if not lines or lines[0].get("trace") != FORMAT:
        raise InputError(f"{path}: not a trace of format {FORMAT}")
    _check_header(lines[0], str(path))
    truth = next((line["truth"] for line in lines if "truth" in line), None)
    return Trace(lines[0], tuple(line for line in lines[1:] if "in" in line), truth)


def _unpack_data(data: bytes, path: Path) -> bytes:
    """What is packed in a file, if it is no more than a trace holds: a megabyte can be unpacked to a thousand."""
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | GZIP)
    try:
        whole = unpacking.decompress(data, MOST_TRACE)
    except zlib.error as error:
        raise InputError(f"{path}: not a trace: {error}") from None
    if not unpacking.eof:
        raise InputError(f"{path}: not a trace: its end is missing, or it is larger than {MOST_TRACE / 1e6:g} MB")
    return whole


def _parse_line(text: str, where: str) -> TraceLine:
    value = parse_json(text, f"{where}: not a trace")
    if not isinstance(value, dict):
        raise InputError(f"{where}: not a trace: no line of one")
    return value


def _check_header(header: TraceLine, where: str) -> None:
    """InputError where the match cannot be taken from it."""
    begin, record = header.get("begin"), header.get("record")
    if not isinstance(begin, dict) or not isinstance(record, list) or not all(isinstance(one, dict) for one in record):
        raise InputError(f"{where}: not a trace: its first line says no game")
    if not isinstance(header.get("unchanged"), int | float):
        raise InputError(f"{where}: not a trace: its first line says no score of what is unchanged")
    if not isinstance(header.get("carried", {}), dict):
        raise InputError(f"{where}: not a trace: its first line has what was carried over wrong")
    check_events([begin, *record], where)


def _opinion_to_json(game: Game, now: Position, opinion: Opinion) -> TraceLine:
    """What a look was taken for, and what else it may have been."""
    return {
        "belief": [[round(chance, 4), describe_verdict(game, now, one.verdict)] for chance, one in opinion.best],
        "verdict": describe_verdict(game, now, opinion.verdict),
        "probability": round(opinion.probability, 4),
        "after_s": opinion.after_s,
        "reason": opinion.reason.to_json(),
    }


def _format_ends(game: Game, moves: Iterable[Move]) -> str:
    """Where plies begin and end: they were not played from the position that is known."""
    cells = game.board.cells
    return " ".join(f"{cells[move.origin]}-{cells[move.target]}" for move in moves)


def _describe_plies(game: Game, now: Position, verdict: Played) -> str:
    if verdict.replaces:
        return f"longer {_format_ends(game, verdict.moves)}"
    count = sum(map(len, verdict.others))
    return f"played {format_moves(game, now, verdict.moves)}" + (f" or {count} others" if count else "")


def describe_verdict(game: Game, now: Position, verdict: Verdict) -> str:
    """A verdict in a few words."""
    cells = game.board.cells
    match verdict:
        case Raised(cell=cell):
            return f"lifted {cells[cell]}"
        case Unfinished(move=move):
            return (
                f"begun {game.write(now, move)}" if not verdict.replaces else f"goes on {_format_ends(game, (move,))}"
            )
        case Played():
            return _describe_plies(game, now, verdict)
        case Earlier(plies=plies):
            return f"back {plies}"
        case PutUpAgain():
            return "put up again"
        case Wrong(cells=wrong, refusal=refusal):
            return f"wrong {refusal.code} {' '.join(cells[cell] for cell in wrong)}"
        case Displaced(cells=changed):
            return f"unlawful {' '.join(cells[cell] for cell in changed)}"
        case Doubtful(options=options):
            return f"doubt {', '.join(options)}"
        case Covered(cells=covered):
            return f"covered {' '.join(cells[cell] for cell in covered)}"
    return "as before"
