"""What docs/situations.md and docs/lights.md promise of each moment, and what of it came.

Written from the documents and from what stands on the table, never from what the program draws: a promise that the
program breaks is to be seen here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from selenium.common.exceptions import WebDriverException

from device.ledmap import LedMap
from device.lights import DARK, PALETTES
from device.protocol import split_colours
from engine.game import Game, Move, Position
from tests.bench.evening.room import Room, Told

COLOURS = PALETTES["standard"]
Paint = Mapping[str, tuple[str, bool]]
"""Cell -> the name of its colour, and whether it blinks."""
PASSING = {"lifted"}
"""What may or may not be seen while a hand carries a piece: it depends on when the camera's picture was taken."""


@dataclass(frozen=True)
class Promise:
    """What must be true once a step is done: said meanwhile and nothing else (each with these fields at least), lit,
    on the text display, on the page, in how many plies."""

    said: tuple[Told, ...] = ()
    lights: Paint = field(default_factory=dict)
    text: tuple[str, str] = ("", "")
    page: tuple[str, str] = ("", "")
    plies: int = 0
    stale: bool = False
    """Whether the page must say that it is old."""
    may: frozenset[str] = frozenset()
    """Kinds of events that may be said too."""


def lit(cells: Iterable[str], colour: str, blinks: bool = False) -> dict[str, tuple[str, bool]]:
    """These cells in that colour."""
    return dict.fromkeys(cells, (colour, blinks))


def your_turn(game: Game, position: Position, last: Move | None, plies: int, notation: str) -> Promise:
    """White or Black is to move: "The castle of the side to move glows grey; both ends of the last move are blue"."""
    cells, side = game.board.cells, game.seats[position.seat]
    ends = (cells[last.origin], cells[last.target]) if last else ()
    turn, other = f"{side.capitalize()} to move", game.seats[1 - position.seat].capitalize()
    return Promise(
        lights=lit(game.board.castles[side], "turn") | lit(ends, "last"),
        text=(turn, "-".join(ends)),
        page=(turn, f"{other}: {notation}" if last else "The game begins."),
        plies=plies,
    )


@dataclass
class Seen:
    """What came of a promise, in the order record, lights, text, page: "" where it was kept, else what came."""

    record: str = "nothing yet"
    lights: str = "nothing yet"
    text: str = "nothing yet"
    page: str = "nothing yet"

    @property
    def kept(self) -> bool:
        """Whether all of it came."""
        return not (self.record or self.lights or self.text or self.page)


class Look:
    """Looks at the room until a promise is kept. Mutable: a light that blinks must be seen on and off."""

    def __init__(self, room: Room, promise: Promise, since: int) -> None:
        self._room, self._promise, self._since = room, promise, since
        self._wanted = phases(room.game, room.leds, promise.lights)
        self._met: set[bytes] = set()
        self.seen = Seen()

    def again(self) -> Seen:
        """What has come up to now."""
        board = self._room.board.read_signals()
        self.seen.record = self._record()
        self.seen.lights = self._lights(b"".join(map(bytes, board.rgb)))
        self.seen.text = "" if _shows(board.text, self._promise.text) else " / ".join(board.text)
        self.seen.page = self._page()
        return self.seen

    def _record(self) -> str:
        said = without_passing(self._room.told[self._since :], self._promise.may)
        wanted = self._promise.said
        fits = len(said) == len(wanted) and all(map(_holds, said, wanted))
        return "" if fits else "; ".join(map(brief, said)) or "nothing"

    def _lights(self, strip: bytes) -> str:
        if strip not in self._wanted:
            self._met.clear()
            return named(self._room.game, self._room.leds, strip) or "dark"
        self._met.add(strip)
        return "" if self._met == self._wanted else "does not blink"

    def _page(self) -> str:
        try:
            shown = self._room.js(PAGE)
        except WebDriverException as error:  # a page in the middle of loading
            return type(error).__name__
        if not isinstance(shown, dict):
            return "no page"
        wanted: dict[str, object] = {"stale": self._promise.stale}
        if not self._promise.stale:
            head, sub = self._promise.page
            wanted |= {"headline": head, "subline": sub, "plies": self._promise.plies}
        got = {name: shown[name] for name in wanted}
        return "" if got == wanted else str(shown)


PAGE = """({
  headline: document.getElementById("headline")?.textContent,
  subline: document.getElementById("subline")?.textContent,
  plies: Number(document.getElementById("status")?.dataset.at?.split(" ")[0] ?? -1),
  stale: document.body.hasAttribute("data-stale"),
})"""


def phases(game: Game, leds: LedMap, paint: Paint) -> set[bytes]:
    """What the strip shows of it: lit, and where something blinks with that dark."""
    index, found = game.board.index, set[bytes]()
    for on in (True, False):
        rgb = [DARK] * len(game.board.cells)
        for cell, (colour, blinks) in paint.items():
            rgb[index[cell]] = COLOURS[colour] if on or not blinks else DARK
        found.add(leds.encode_strip(rgb))
    return found


def named(game: Game, leds: LedMap, strip: bytes) -> str:
    """What is lit, in words: E6 wrong, C8 target."""
    of = {split_colours(leds.encode_strip([rgb] * len(game.board.cells)))[0]: name for name, rgb in COLOURS.items()}
    lights = zip(leds.owners, split_colours(strip), strict=False)
    return ", ".join(f"{game.board.cells[owners[0]]} {of.get(rgb, rgb)}" for owners, rgb in lights if any(rgb))


def without_passing(told: Sequence[Told], may: frozenset[str] = frozenset()) -> list[Told]:
    """What was said but what hands happen to show: a piece in the air, and that it stands again."""
    kept: list[Told] = []
    for before, event in zip([None, *told], told, strict=False):
        stands_again = event["event"] == "restored" and before is not None and before["event"] in PASSING
        if event["event"] not in PASSING | may and not stands_again:
            kept.append(event)
    return kept


def brief(event: Told) -> str:
    """An event in a few words."""
    names = ("ply", "notation", "code", "cells", "plies", "result", "side", "after", "message", "wrong", "todo")
    return " ".join([str(event["event"]), *(str(event[name]) for name in names if name in event)])


def _holds(event: Told, wanted: Told) -> bool:
    return all(event.get(name) == value for name, value in wanted.items())


def _shows(text: tuple[str, str], wanted: tuple[str, str]) -> bool:
    """Whether a display of 16 characters shows both lines, or what has come by of longer ones."""
    lines = [(line.strip(), whole) for line, whole in zip(text, wanted, strict=True)]
    return all(line in whole and bool(line) == bool(whole) for line, whole in lines)
