"""The inputs of engine.match.judging as lines of a trace, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

from engine.belief.sight import Sight
from engine.game import Game
from engine.match import acts
from engine.match.acts import Act
from engine.match.judging import Asked, Blind, Found, Input, Lit, Looked, Lost, NotSetUp, Sighted, Ticked, Unseen
from engine.reasons import Reason, read
from vision.reading.reading import PLAIN_CHANGE, PLAIN_SCORE

INPUT_KINDS: Mapping[type[Input], str] = {
    Looked: "look",
    Unseen: "unseen",
    NotSetUp: "set-up",
    Asked: "act",
    Ticked: "tick",
    Lost: "lost",
    Found: "found",
    Lit: "light",
    Blind: "blind",
    Sighted: "sighted",
}
FLAGS = {"patient": "patient", "unsteady": "unsteady", "rested": "rested", "alone": "clear", "stirred": "stirred"}
"""Key of a line -> the field of a sight that is written there if it is true."""
SHARES = ("strange", "askew")
"""Keys of `unexplained` and `offset_cells`: a line is read by programs and old ones are kept, so keys stay."""

Line = dict[str, Any]


class Coder:
    """Inputs as lines, and back. Mutable: the base of one line holds until another has one."""

    def __init__(self, game: Game) -> None:
        self._game, self._cells = game, game.board.cells
        self._base = [0] * len(game.board.cells)
        """The look that each cell last showed plainly."""

    def line(self, given: Input) -> Line:
        """The line of an input."""
        line: Line = {"t": given.t, "in": INPUT_KINDS[type(given)]}
        match given:
            case Looked(sight=sight, fit=fit):
                base = [self._plain_look(sight, cell, look) for cell, look in enumerate(self._base)]
                if base != self._base:
                    self._base = base
                    line["base"] = "".join(map(str, base))
                line |= {"fit": fit} | self._sparse(sight)
            case Unseen(reason=reason):
                line["reason"] = reason.to_json()
            case NotSetUp(wrong=wrong, options=options, fit=fit):
                line["wrong"] = [self._cells[cell] for cell in wrong]
                line |= ({"options": list(options)} if options else {}) | ({} if fit is None else {"fit": fit})
            case Asked(act=act):
                line |= {"act": type(act).__name__} | {one.name: getattr(act, one.name) for one in fields(act)}
            case Blind(cause=cause):
                line["cause"] = cause
            case Found(fit=fit):
                line["fit"] = fit
        return line

    def given(self, line: Line) -> Input:
        """The input of a line. KeyError and ValueError if it is none."""
        t = float(line["t"])
        match line["in"]:
            case "look":
                if "base" in line:
                    self._base = list(map(int, line["base"]))
                return Looked(t, self._full(t, line), int(line["fit"]))
            case "unseen":
                return Unseen(t, read(line["reason"]) or Reason("board-lost"))
            case "set-up":
                wrong = tuple(self._game.board.index[cell] for cell in line["wrong"])
                return NotSetUp(t, wrong, tuple(line.get("options", ())), line.get("fit"))
            case "act":
                return Asked(t, _act(line))
            case "blind":
                return Blind(t, str(line["cause"]))
            case "found":
                return Found(t, int(line["fit"]))
        plain: Mapping[str, type[Input]] = {INPUT_KINDS[kind]: kind for kind in (Ticked, Lost, Lit, Sighted)}
        return plain[line["in"]](t)

    def _plain_row(self, look: int) -> list[float]:
        row = [PLAIN_SCORE] * len(self._game.looks)
        row[look] = 0.0
        return row

    def _plain_look(self, sight: Sight, cell: int, before: int) -> int:
        """The look that a cell plainly shows, else the one before."""
        row = list(sight.scores[cell])
        plain = bool(sight.change) and sight.change[cell] == PLAIN_CHANGE and row == self._plain_row(row.index(max(row)))
        return row.index(max(row)) if plain else before

    def _sparse(self, sight: Sight) -> Line:
        """What is not as everywhere."""
        hidden = set(sight.hidden)
        change = sight.change or [None] * len(self._cells)
        scores = {
            name: [*row, change[cell]]
            for cell, (name, row) in enumerate(zip(self._cells, sight.scores, strict=True))
            if cell not in hidden
            and (list(row) != self._plain_row(self._base[cell]) or change[cell] != PLAIN_CHANGE)
        }
        line: Line = {"scores": scores, "moving_s": sight.moving_s}
        line |= {name: True for name, field in FLAGS.items() if getattr(sight, field)}
        for name, numbers in zip(SHARES, (sight.unexplained, sight.offset_cells), strict=True):
            some = {self._cells[cell]: number for cell, number in enumerate(numbers) if number}
            line |= {name: some} if some else {}
        for name, cells in (("hidden", sight.hidden), ("passed", sight.passed)):
            line |= {name: [self._cells[cell] for cell in cells]} if cells else {}
        return line

    def _full(self, t: float, line: Line) -> Sight:
        index = self._game.board.index
        hidden, passed = (tuple(index[cell] for cell in line.get(name, [])) for name in ("hidden", "passed"))
        rows = [self._plain_row(look) for look in self._base]
        change: list[float] = [PLAIN_CHANGE] * len(rows)
        for cell in hidden:
            rows[cell], change[cell] = [0.0] * len(self._game.looks), 0.0
        for name, (*row, moved) in line["scores"].items():
            rows[index[name]], change[index[name]] = row, moved
        unexplained, offset_cells = (
            [float(line.get(what, {}).get(cell, 0.0)) for cell in self._cells] for what in SHARES
        )
        return Sight(
            t,
            rows,
            unexplained,
            moving_s=float(line["moving_s"]),
            offset_cells=offset_cells,
            hidden=hidden,
            change=() if None in change else change,
            passed=passed,
            **{field: bool(line.get(name)) for name, field in FLAGS.items()},
        )


def _act(line: Line) -> Act:
    """The act that a line names, with its fields."""
    kind = cast(type[Act], getattr(acts, line["act"]))
    return kind(**{one.name: line[one.name] for one in fields(kind)})
