"""The inputs of engine.match.judging as lines of a trace, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

from engine.belief.sight import InMotion, Sight
from engine.game import Game, Position
from engine.match import acts
from engine.match.acts import Act
from engine.match.judging import Asked, Blind, Found, Input, Lit, Looked, Lost, NotSetUp, Sighted, Ticked, Unseen
from engine.reasons import Reason, read
from vision.reading.reading import UNCHANGED

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
FLAGS = {"patient": "patient", "unsteady": "unsteady", "rested": "rested", "alone": "clear"}
"""Key of a line -> the field of a sight that is written there if it is true."""
SHARES = ("strange", "askew")
"""Keys of `unexplained` and `offset_cells`: a line is read by programs and old ones are kept, so keys stay."""

Line = dict[str, Any]


class Coder:
    """Inputs as lines, and back. Mutable: the base of one line holds until another has one."""

    def __init__(self, game: Game, unchanged: float = UNCHANGED) -> None:
        self._game, self._cells, self._unchanged = game, game.board.cells, unchanged
        self._base: tuple[int, ...] = ()

    def line(self, given: Input, now: Position) -> Line:
        """The line of an input that came when `now` was the position."""
        line: Line = {"t": given.t, "in": INPUT_KINDS[type(given)]}
        match given:
            case Looked(sight=sight, fit=fit, moving=moving):
                base = tuple(self._game.look_of[piece] for piece in now.placement)
                if base != self._base:
                    self._base = base
                    line["base"] = "".join(map(str, base))
                line |= {"fit": fit} | self._sparse(sight)
                if moving.seen is not None:
                    line["moving"] = [{"t": one.t} | self._sparse(one) for one in moving.seen]
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
                    self._base = tuple(map(int, line["base"]))
                seen = [self._full(float(one["t"]), one) for one in line.get("moving", [])]
                return Looked(t, self._full(t, line), int(line["fit"]), InMotion(lambda: seen))
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

    def _plain_row(self, cell: int) -> list[float]:
        row = [self._unchanged] * len(self._game.looks)
        row[self._base[cell]] = 0.0
        return row

    def _sparse(self, sight: Sight) -> Line:
        """What is not as everywhere."""
        scores = {
            name: list(row)
            for cell, (name, row) in enumerate(zip(self._cells, sight.scores, strict=True))
            if list(row) != self._plain_row(cell)
        }
        line: Line = {"scores": scores, "moving_s": sight.moving_s}
        line |= {name: True for name, field in FLAGS.items() if getattr(sight, field)}
        for name, numbers in zip(SHARES, (sight.unexplained, sight.offset_cells), strict=True):
            some = {self._cells[cell]: number for cell, number in enumerate(numbers) if number}
            line |= {name: some} if some else {}
        if sight.hidden:
            line["hidden"] = [self._cells[cell] for cell in sight.hidden]
        return line

    def _full(self, t: float, line: Line) -> Sight:
        index, count = self._game.board.index, range(len(self._cells))
        rows = [self._plain_row(cell) for cell in count]
        for name, row in line["scores"].items():
            rows[index[name]] = row
        unexplained, offset_cells = (
            [float(line.get(what, {}).get(cell, 0.0)) for cell in self._cells] for what in SHARES
        )
        return Sight(
            t,
            rows,
            unexplained,
            moving_s=float(line["moving_s"]),
            offset_cells=offset_cells,
            hidden=tuple(index[cell] for cell in line.get("hidden", [])),
            **{field: bool(line.get(name)) for name, field in FLAGS.items()},
        )


def _act(line: Line) -> Act:
    """The act that a line names, with its fields."""
    kind = cast(type[Act], getattr(acts, line["act"]))
    return kind(**{one.name: line[one.name] for one in fields(kind)})
