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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, cast

from engine.belief.opinion import Opinion, written
from engine.belief.unlawful import Displaced
from engine.belief.verdicts import Covered, Doubtful, Earlier, Played, Raised, Unfinished, Verdict, Wrong
from engine.errors import InputError
from engine.game import Game, Position
from engine.match.judging import Blind, Input, Outcome, Sighted, Ticked
from engine.match.state import Match
from server.record.journal import beginning, fold
from server.traces.lines import Coder, Line

FORMAT = 2
SUFFIX_PACKED = ".gz"
Write = Callable[[Line], object]


class Tracer:
    """Writes what a watcher is told; call it with each input and its outcome."""

    def __init__(
        self, out: Callable[[Line], object], match: Match, record: Sequence[Mapping[str, object]] = ()
    ) -> None:
        """The match as it stands; `record` are the events that led there, if it has begun before."""
        self._out, self._game, self._now = out, match.game, match.position
        self._coder = Coder(match.game)
        out(header(match, record))

    def __call__(self, given: Input, outcome: Outcome) -> None:
        """Write a line; time that goes by, and a board that is or is not seen as before, leave none."""
        before, self._now = self._now, outcome.state.match.position
        if isinstance(given, Ticked | Sighted | Blind) and not outcome.events:
            return
        line = self._coder.line(given)
        if outcome.opinion is not None:
            line |= _opinion(self._game, before, outcome.opinion)
        if outcome.waits:
            line["waits"] = [reason.to_json() for reason in outcome.waits]
        if outcome.events:
            line["said"] = [event.to_json() for event in outcome.events]
        self._out(line)


def header(match: Match, record: Sequence[Mapping[str, object]] = ()) -> Line:
    """The first line."""
    first, *later = record or [beginning(match)]
    return {
        "trace": FORMAT,
        "version": version("camelot-referee"),
        "begin": dict(first),
        "record": [dict(event) for event in later],
        "cells": list(match.game.board.cells),
        "looks": list(match.game.looks),
    }


@contextmanager
def tracing(path: Path) -> Iterator[Write]:
    """A new file for the lines, packed if its name ends in .gz. InputError if it is there already."""
    try:
        file = _opened(path, "x")
    except FileExistsError:
        raise InputError(f"{path}: is there already; name a file that is not") from None
    with file as out:
        yield lambda line: out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def _opened(path: Path, mode: str) -> AbstractContextManager[IO[str]]:
    if path.suffix == SUFFIX_PACKED:
        return cast(IO[str], gzip.open(path, mode + "t", encoding="utf-8"))
    return path.open(mode, encoding="utf-8", buffering=1)  # a line is there when it is written


@dataclass(frozen=True)
class Trace:
    """A trace as it was read: its first line, the inputs, and what was really played, if that is known."""

    header: Line
    lines: tuple[Line, ...]
    truth: Line | None = None

    @property
    def begun(self) -> Match:
        """The match as it stood at the beginning. InputError if the header says none."""
        return fold([self.header["begin"], *self.header["record"]], "trace")


def load(path: Path) -> Trace:
    """A trace from its file. InputError if it is none, or of another format."""
    try:
        with _opened(path, "r") as file:
            lines: list[Line] = [json.loads(text) for text in file]
    except (ValueError, EOFError) as error:
        raise InputError(f"{path}: not a trace: {error}") from None
    if not lines or lines[0].get("trace") != FORMAT:
        raise InputError(f"{path}: not a trace of format {FORMAT}")
    truth = next((line["truth"] for line in lines if "truth" in line), None)
    return Trace(lines[0], tuple(line for line in lines[1:] if "in" in line), truth)


def _opinion(game: Game, now: Position, opinion: Opinion) -> Line:
    """What a look was taken for, and what else it may have been."""
    return {
        "belief": [[round(chance, 4), said(game, now, one.verdict)] for chance, one in opinion.best],
        "verdict": said(game, now, opinion.verdict),
        "probability": round(opinion.probability, 4),
        "after_s": opinion.after_s,
        "reason": opinion.reason.to_json(),
    }


def said(game: Game, now: Position, verdict: Verdict) -> str:
    """A verdict in a few words."""
    cells = game.board.cells
    match verdict:
        case Raised(cell=cell):
            return f"lifted {cells[cell]}"
        case Unfinished(move=move):
            return f"begun {game.write(now, move)}"
        case Played(moves=moves, replaces=0):
            return f"played {written(game, now, moves)}"
        case Played(moves=moves):
            return "longer " + " ".join(f"{cells[move.origin]}-{cells[move.target]}" for move in moves)
        case Earlier(plies=plies):
            return f"back {plies}"
        case Wrong(cells=wrong, refusal=refusal):
            return f"wrong {refusal.code} {' '.join(cells[cell] for cell in wrong)}"
        case Displaced(cells=changed):
            return f"unlawful {' '.join(cells[cell] for cell in changed)}"
        case Doubtful(options=options):
            return f"doubt {', '.join(options)}"
        case Covered(cells=covered):
            return f"covered {' '.join(cells[cell] for cell in covered)}"
    return "as before"
