"""The inputs of engine.match.judging as lines of a trace, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from engine.belief.sight import InMotion, Sight
from engine.explain.reasons import Reason, read_reason
from engine.game import Game, Position
from engine.match.acts import Act
from engine.match.judging import (
    Asked,
    Blind,
    Concluded,
    Found,
    Input,
    Lit,
    Looked,
    Lost,
    NotSetUp,
    PutUp,
    Sighted,
    Ticked,
    Unseen,
)
from vision.reading.level import UNCHANGED

INPUT_KINDS: Mapping[type[Input], str] = {
    Looked: "look",
    Unseen: "unseen",
    NotSetUp: "set-up",
    PutUp: "put-up",
    Asked: "act",
    Ticked: "tick",
    Lost: "lost",
    Found: "found",
    Lit: "light",
    Blind: "blind",
    Sighted: "sighted",
    Concluded: "concluded",
}
FLAGS = {
    "patient": "patient",
    "unsteady": "unsteady",
    "rested": "rested",
    "alone": "clear",
    "afresh": "afresh",
    "stirred": "stirred",
    "hand_beside": "hand_beside",
    "assumed": "assumed",
}
"""Key of a line -> the field of a sight that is written there if it is true."""
SHARES = ("strange", "askew")
"""Keys of `unexplained` and `offset_cells`: a line is read by programs and old ones are kept, so keys stay."""

LARGEST_FIGURE = 1e9
"""Of the numbers of a line: seconds, shares, nats and per cent are far smaller."""
ACTS_BY_NAME: Mapping[str, type[Act]] = {kind.__name__: kind for kind in Act.__subclasses__()}
FIELD_TYPES: Mapping[str, Any] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "str | None": str | None,
    "Mapping[str, object]": Mapping,
}
"""What the fields of acts hold, by the names of their types."""

TraceLine = dict[str, Any]


class Coder:
    """Inputs as lines, and back. Mutable: the base of one line holds until another has one."""

    def __init__(self, game: Game, unchanged: float = UNCHANGED) -> None:
        self._game, self._cells, self._unchanged = game, game.board.cells, unchanged
        self._base: tuple[int, ...] = ()

    def encode_input(self, given: Input, now: Position) -> TraceLine:
        """The line of an input that came when `now` was the position."""
        line: TraceLine = {"t": given.t, "in": INPUT_KINDS[type(given)]}
        match given:
            case Looked(sight=sight, fit=fit, moving=moving, in_doubt=in_doubt):
                base = tuple(self._game.look_of[piece] for piece in now.placement)
                if base != self._base:
                    self._base = base
                    line["base"] = "".join(map(str, base))
                line |= {"fit": fit} | _encode_flag("in_doubt", is_so=in_doubt) | self._encode_sight(sight)
                if moving.seen is not None:
                    line["moving"] = [{"t": one.t} | self._encode_sight(one) for one in moving.seen]
            case Unseen(reason=reason):
                line["reason"] = reason.to_json()
            case NotSetUp(wrong=wrong, options=options, fit=fit, exchanged=exchanged):
                line["wrong"] = [self._cells[cell] for cell in wrong]
                line |= ({"options": list(options)} if options else {}) | ({} if fit is None else {"fit": fit})
                line |= _encode_flag("exchanged", is_so=exchanged)
            case Asked(act=act):
                line |= {"act": type(act).__name__} | {one.name: getattr(act, one.name) for one in fields(act)}
            case Blind(cause=cause):
                line["cause"] = cause
            case Found(fit=fit) | PutUp(fit=fit):
                line["fit"] = fit
        return line

    def decode_input(self, line: TraceLine) -> Input:
        """The input of a line. KeyError and ValueError if it is none."""
        t = _check_number(line["t"])
        match line["in"]:
            case "look":
                if "base" in line:
                    self._base = self._decode_looks(line["base"])
                seen = [self._decode_sight(_check_number(one["t"]), one) for one in line.get("moving", [])]
                moving, in_doubt = InMotion(lambda: seen), bool(line.get("in_doubt"))
                return Looked(t, self._decode_sight(t, line), int(_check_number(line["fit"])), moving, in_doubt)
            case "unseen":
                return Unseen(t, read_reason(line["reason"]) or Reason("board-lost"))
            case "set-up":
                wrong = tuple(self._game.board.index[cell] for cell in line["wrong"])
                fit = None if line.get("fit") is None else int(_check_number(line["fit"]))
                options = tuple(map(str, line.get("options", ())))
                return NotSetUp(t, wrong, options, fit, bool(line.get("exchanged")))
            case "act":
                return Asked(t, _decode_act(line))
            case "blind":
                return Blind(t, str(line["cause"]))
            case "put-up":
                return PutUp(t, int(_check_number(line["fit"])))
            case "found":
                return Found(t, int(_check_number(line["fit"])))
        plain: Mapping[str, type[Input]] = {INPUT_KINDS[kind]: kind for kind in (Ticked, Lost, Lit, Sighted, Concluded)}
        return plain[line["in"]](t)

    def _decode_looks(self, said: str) -> tuple[int, ...]:
        """The look of each cell. ValueError if there are more or others."""
        looks = tuple(map(int, said))
        if len(looks) != len(self._cells) or not all(0 <= look < len(self._game.looks) for look in looks):
            raise ValueError(f"base: {len(self._cells)} looks from 0 to {len(self._game.looks) - 1} are expected")
        return looks

    def _plain_row(self, cell: int) -> list[float]:
        row = [self._unchanged] * len(self._game.looks)
        row[self._base[cell]] = 0.0
        return row

    def _encode_sight(self, sight: Sight) -> TraceLine:
        """What is not as everywhere."""
        scores = {
            name: list(row)
            for cell, (name, row) in enumerate(zip(self._cells, sight.scores, strict=True))
            if list(row) != self._plain_row(cell)
        }
        line: TraceLine = {"scores": scores}
        if math.isfinite(sight.moving_s):  # a look at a board in motion does not say for how long it has moved
            line["moving_s"] = sight.moving_s
        line |= {name: True for name, field in FLAGS.items() if getattr(sight, field)}
        for name, numbers in zip(SHARES, (sight.unexplained, sight.offset_cells), strict=True):
            some = {self._cells[cell]: number for cell, number in enumerate(numbers) if number}
            line |= {name: some} if some else {}
        if sight.otherwise:
            line["otherwise"] = {self._cells[cell]: look for cell, look in sight.otherwise}
        if sight.hidden:
            line["hidden"] = [self._cells[cell] for cell in sight.hidden]
        return line

    def _decode_sight(self, t: float, line: TraceLine) -> Sight:
        index, count = self._game.board.index, range(len(self._cells))
        rows = [self._plain_row(cell) for cell in count]
        for name, row in line["scores"].items():
            if len(row) != len(self._game.looks):
                raise ValueError(f"{name}: {len(self._game.looks)} scores are expected")
            rows[index[name]] = [_check_number(score) for score in row]
        unexplained, offset_cells = (
            [_check_number(line.get(what, {}).get(cell, 0.0)) for cell in self._cells] for what in SHARES
        )
        return Sight(
            t,
            rows,
            unexplained,
            moving_s=_check_number(line["moving_s"]) if "moving_s" in line else math.inf,
            offset_cells=offset_cells,
            hidden=tuple(index[cell] for cell in line.get("hidden", [])),
            otherwise=tuple(
                (index[cell], int(_check_number(look))) for cell, look in line.get("otherwise", {}).items()
            ),
            **{field: bool(line.get(name)) for name, field in FLAGS.items()},
        )


def _encode_flag(name: str, *, is_so: bool) -> TraceLine:
    """What is written only where it is so."""
    return {name: True} if is_so else {}


def _decode_act(line: TraceLine) -> Act:
    """The act that a line names, with its fields; what is not said of it is not so."""
    kind = ACTS_BY_NAME[line["act"]]
    said = {one.name: line[one.name] for one in fields(kind) if one.name in line or one.type != "bool"}
    for one in fields(kind):
        if one.name in said and not isinstance(said[one.name], FIELD_TYPES[str(one.type)]):
            raise ValueError(f"{one.name}: no {one.type}")
    return kind(**said)


def _check_number(value: object) -> float:
    """A number of a line. ValueError if it is none that can be reckoned with."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= LARGEST_FIGURE:
        raise ValueError(f"{str(value)[:40]!r} is no number that can be used")
    return float(value)
