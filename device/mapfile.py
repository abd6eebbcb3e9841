"""LED maps as TOML files that a person can read and edit.

board = "camelot"           the game whose cells are named
leds = 160                  length of the strip
color_order = "RGB"         the order in which the receiver wants the channels
max_milliamps = 2000
[[run]]                     LEDs in a row, from number `start` (0 is the first of the strip)
start = 0
cells = ["F1:G1", "J2:C2", "-", "B3"]    ranges over a straight line, single cells, "-" skips one LED
serpentine = true           every second entry runs backwards
per_cell = 1                LEDs in each cell
[lattice]                   instead of runs: LEDs at the corners of the cells, row by row from the lower left
cols = 13
rows = 17
[frame]                     instead of runs: LEDs on a frame, one a file and one a rank; both light a cell
files = 0                   the LED of the first file, the others after it
ranks = 12                  the LED of rank 1
[cell]                      exceptions, applied last
A1 = 7                      or a list of numbers
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources

from device.ledmap import MAX_MILLIAMPS, LedMap, build_plain_map
from engine.board import Board
from engine.errors import InputError
from engine.outside import parse_toml

MAX_LEDS = 65536
"""What two bytes count in the Adalight header."""
MOST_MILLIAMPS = 1_000_000

LONGEST_FAULT = 200
"""Characters of a fault that are said: a file may hold anything, and a line is to be read."""
FEW_CELLS = 3
"""So many are named in one line, which is to be read."""

OTHER_RANGE = re.compile(r"\s*(?:[-\u2013\u2014/]|\.{2,3})\s*|\s+")
"""What people write between the ends of a range in the place of a colon."""

MAP_KEYS = {"board", "leds", "color_order", "max_milliamps", "run", "lattice", "frame", "cell"}
LAYOUTS = ("run", "lattice", "frame")
RUN_KEYS = {"start", "serpentine", "per_cell", "cells"}


def load_default_map(game: str, board: Board) -> LedMap:
    """The map that comes with the program for this game, else one LED in each cell in board order."""
    file = resources.files("device") / "maps" / f"{game}.toml"
    return (
        parse_map(file.read_text(encoding="utf-8"), board, game, file.name)
        if file.is_file()
        else build_plain_map(board)
    )


def parse_map(text: str, board: Board, game: str, where: str = "LED map") -> LedMap:
    """The map written in `text` for the board of `game`; InputError names the first fault, and how many more there
    are, with `where`."""
    reader = _Reader(board, parse_toml(text, where))
    led_map = reader.read_map(game)
    if led_map is None:
        first, *others = reader.faults
        more = f" (and {len(others)} more)" if others else ""
        line = " ".join(first.split())  # a name in a file may hold line breaks
        said = line if len(line) <= LONGEST_FAULT else f"{line[:LONGEST_FAULT]}..."
        raise InputError(f"{where}: {said}{more}")
    return led_map


class _Reader:
    """Collects owners and faults while a map is read. Nothing is read on with a value that was refused: what is said
    of it would be no fault of the file."""

    def __init__(self, board: Board, data: Mapping[str, object], *, is_whole: bool = True) -> None:
        """`is_whole`: a map that leaves a cell without an LED is refused."""
        self.board, self.data, self.is_whole = board, data, is_whole
        self.faults: list[str] = []
        self.cell_of: dict[int, str] = {}
        self.named: set[str] = set()
        """Cells that the runs have named so far."""
        self.repeated: list[str] = []
        """What an entry of a run says of cells that were named before: that may be meant, with several LEDs a cell."""
        self.leds = 0

    def read_map(self, game: str) -> LedMap | None:
        """The map, or None where there are faults."""
        self.note_unknown_keys(self.data, MAP_KEYS, "")
        if self.data.get("board") != game:
            said = f"board is {self.data['board']!r}" if "board" in self.data else "it names no board"
            self.faults.append(f'{said}, the game is {game!r}: write board = "{game}" if it is for that')
        leds = self.read_number(self.data, "leds", len(self.board.cells), (1, MAX_LEDS))
        limit = self.read_number(self.data, "max_milliamps", MAX_MILLIAMPS, (1, MOST_MILLIAMPS))
        order = self.data.get("color_order", "RGB")
        if not isinstance(order, str) or sorted(order.upper()) != sorted("RGB"):
            self.faults.append(f'color_order = {order!r}: must be the letters R, G and B in some order, as "GRB"')
        layouts = [name for name in LAYOUTS if name in self.data]
        if len(layouts) > 1:
            self.faults.append(f"{' and '.join(layouts)} exclude each other")
        if leds is None or len(layouts) > 1:
            return None
        self.leds = leds
        owners = {"lattice": self.read_lattice, "frame": self.read_frame}.get("".join(layouts), self.read_runs)()
        owners = self.apply_exceptions(owners)
        self.note_dark_cells(owners)
        if self.faults or limit is None:
            return None
        return LedMap(self.board, tuple(tuple(cells) for cells in owners), str(order).upper(), limit)

    def read_runs(self) -> list[list[int]]:
        owners: list[list[int]] = [[] for _ in range(self.leds)]
        runs = self.data.get("run", [])
        if not isinstance(runs, list):
            self.faults.append("run must be a list of tables: write [[run]] above each")
            runs = []
        for at, run in enumerate(runs, start=1):
            if not isinstance(run, dict):
                self.faults.append(f"run {at}: must be a table [[run]]")
                continue
            self.note_unknown_keys(run, RUN_KEYS, f"run {at}: ")
            led = self.read_number(run, "start", 0, (0, MAX_LEDS), f"run {at}: ")
            each = self.read_number(run, "per_cell", 1, (1, MAX_LEDS), f"run {at}: ")
            cells = self.expand_run(run, at)
            if led is not None and each is not None:
                self.lay_run(owners, cells, led, each)
        return owners

    def lay_run(self, owners: list[list[int]], cells: Sequence[str], led: int, each: int) -> None:
        """Give `each` LEDs to every cell, from `led` on, as far as the strip reaches."""
        for cell in cells:
            for _ in range(1 if cell == "-" else each):
                if cell != "-":
                    self.assign_led(owners, led, cell)
                if led >= self.leds:  # said once: a run may go on for millions more
                    return
                led += 1

    def expand_run(self, run: Mapping[str, object], at: int) -> list[str]:
        """The cells of a run in the order of the strip, "-" for LEDs between."""
        entries, cells = run.get("cells"), []
        if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
            self.faults.append(f'run {at}: cells must be a list like ["F1:G1", "C2"]')
            return []
        serpentine = run.get("serpentine", False)
        if not isinstance(serpentine, bool):
            self.faults.append(f"run {at}: serpentine = {serpentine!r}: must be true or false, without quotes")
            return []
        for turn, entry in enumerate(entries):
            line = self.expand_range(entry, at)
            self.note_repeated(line, entry, at)
            cells += line[::-1] if serpentine and turn % 2 else line
        return cells

    def expand_range(self, entry: str, at: int) -> list[str]:
        """The cells from one end of a range to the other that lie on the straight line between them."""
        if entry == "-":
            return [entry]
        ends = [end.strip().upper() for end in entry.split(":")]
        strange = [end for end in ends if end not in self.board.index]
        if strange or len(ends) > 2:
            self.faults.append(f"run {at}: {self.explain_strange(entry, strange)}")
            return []
        first, last = (self.board.index[end] for end in (ends[0], ends[-1]))
        ends_at = self.board.lattice[first], self.board.lattice[last]
        points, apart = list(_points_between(*ends_at)), max(abs(a - b) for a, b in zip(*ends_at, strict=True))
        if len(points) == 2 and apart > 1 and last not in self.board.steps[first]:  # the ends alone
            self.faults.append(f"run {at}: {entry!r}: its ends do not lie on a straight line, write it as several")
        return [self.board.cells[self.board.at[point]] for point in points if point in self.board.at]

    def explain_strange(self, entry: str, strange: Sequence[str]) -> str:
        """What is wrong with an entry in which `strange` are no cells, or with too many ends."""
        meant = [end.upper() for end in OTHER_RANGE.split(entry.strip())]
        if len(meant) == 2 and self.board.index.keys() >= set(meant):
            return f'{entry!r}: write "{":".join(meant)}" for the cells from one to the other'
        return f"unknown cell {', '.join(strange) or entry} in {entry!r}"

    def note_repeated(self, line: Sequence[str], entry: str, at: int) -> None:
        """Remember where an entry names cells again: a row that is written twice stands where another is missing."""
        again = [cell for cell in line if cell in self.named]
        if again:
            self.repeated.append(f"run {at}: {entry!r} repeats {_name_few(again)}")
        self.named.update(set(line) - {"-"})

    def assign_led(self, owners: list[list[int]], led: int, cell: str) -> None:
        """LED `led` belongs to `cell`, unless it does not exist or is taken."""
        if not 0 <= led < self.leds:
            self.faults.append(f"LED {led} of {cell}: out of range, the strip has 0 to {self.leds - 1}")
        elif led in self.cell_of:
            self.faults.append(f"LED {led}: given to {self.cell_of[led]} and to {cell}: take it from one of them")
        else:
            self.cell_of[led] = cell
            owners[led].append(self.board.index[cell])

    def read_lattice(self) -> list[list[int]]:
        owners: list[list[int]] = [[] for _ in range(self.leds)]
        table = self.data["lattice"]
        if not isinstance(table, dict):
            self.faults.append("lattice must be a table with cols and rows")
            return owners
        self.note_unknown_keys(table, {"cols", "rows"}, "lattice: ")
        width, height = (round(side) for side in self.board.size_wh)
        cols = self.read_number(table, "cols", width + 1, (2, MAX_LEDS), "lattice: ")
        rows = self.read_number(table, "rows", height + 1, (2, MAX_LEDS), "lattice: ")
        if cols is None or rows is None:
            return owners
        if (cols, rows) != (width + 1, height + 1) or len(set(self.board.levels)) > 1:
            self.faults.append(f"lattice: {cols} x {rows} corners, the board has {width + 1} x {height + 1}")
        elif cols * rows != self.leds:
            self.faults.append(f"lattice: {cols} x {rows} corners need {cols * rows} LEDs, leds is {self.leds}")
        else:
            for cell, (x, y) in enumerate(self.board.centres_xy):
                for col, row in ((0, 0), (1, 0), (0, 1), (1, 1)):
                    owners[(int(y) + row) * cols + int(x) + col].append(cell)
        return owners

    def read_frame(self) -> list[list[int]]:
        owners: list[list[int]] = [[] for _ in range(self.leds)]
        table = self.data["frame"]
        if not isinstance(table, dict):
            self.faults.append("frame must be a table with files and ranks")
            return owners
        self.note_unknown_keys(table, {"files", "ranks"}, "frame: ")
        if any(side % 1 for side in self.board.size_wh) or max(self.board.levels):
            self.faults.append("frame: only boards of squares on one level have one")
            return owners
        width, height = (int(side) for side in self.board.size_wh)
        if self.leds < width + height:
            needed = f"{width} files and {height} ranks need {width + height} LEDs"
            self.faults.append(f"frame: {needed}, leds is {self.leds}")
            return owners
        files = self.read_number(table, "files", 0, (0, self.leds - width), "frame: ")
        ranks = self.read_number(table, "ranks", width, (0, self.leds - height), "frame: ")
        if files is None or ranks is None:
            return owners
        if files < ranks + height and ranks < files + width:
            self.faults.append(f"frame: files from {files} and ranks from {ranks} have LEDs in common")
            return owners
        for cell, (x, y) in enumerate(self.board.centres_xy):
            owners[files + int(x)].append(cell)
            owners[ranks + int(y)].append(cell)
        return owners

    def apply_exceptions(self, owners: list[list[int]]) -> list[list[int]]:
        """The [cell] table: a named cell has exactly the LEDs given there."""
        table = self.data.get("cell", {})
        if not isinstance(table, dict):
            self.faults.append("cell must be a table like A1 = 7")
            return owners
        wanted: dict[str, list[object]] = {}
        for name, value in table.items():
            if name.upper() in self.board.index:
                wanted[name.upper()] = value if isinstance(value, list) else [value]
            else:
                self.faults.append(f"cell {name}: unknown cell")
        moved = {self.board.index[cell] for cell in wanted}
        owners = [[cell for cell in cells if cell not in moved] for cells in owners]
        self.cell_of = {led: cell for led, cell in self.cell_of.items() if cell not in wanted}
        for cell, leds in wanted.items():
            for led in leds:
                if isinstance(led, int) and not isinstance(led, bool):
                    self.assign_led(owners, led, cell)
                else:
                    self.faults.append(f"cell {cell}: {led!r} is not the number of an LED")
        return owners

    def note_dark_cells(self, owners: list[list[int]]) -> None:
        lit = {cell for cells in owners for cell in cells}
        dark = [name for i, name in enumerate(self.board.cells) if i not in lit]
        if self.is_whole and dark and not self.faults:  # or they are dark because of those
            missing = f"no LED for {_name_few(dark)}"
            self.faults.append(f"{self.repeated[0]}, and there is {missing}" if self.repeated else missing)

    def read_number(
        self, table: Mapping[str, object], key: str, default: int, low_high: tuple[int, int], at: str = ""
    ) -> int | None:
        """What stands there, `default` where nothing does; None, and a fault, for what cannot be."""
        low, high = low_high
        value = table.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.faults.append(f"{at}{key} = {value!r}: must be a whole number from {low} to {high}")
        return None

    def note_unknown_keys(self, table: Mapping[str, object], keys: set[str], at: str) -> None:
        self.faults += [f"{at}unknown key {key!r}" for key in table if key not in keys]


def read_walk(text: str, board: Board, game: str, where: str = "LED map") -> tuple[int, dict[int, str]]:
    """The length of the strip and LED -> cell of a map that `format_map` has written, which may lack cells. InputError
    for one of another kind: who walks over the strip would lose what only it says."""
    tables = parse_toml(text, where)
    if not {"board", "leds"} <= tables.keys() <= {"board", "leds", "cell"}:
        raise InputError(f"{where}: is no map that was written by a walk: name another file")
    reader = _Reader(board, tables, is_whole=False)
    if reader.read_map(game) is None:
        raise InputError(f"{where}: {reader.faults[0]}")
    return reader.leds, dict(reader.cell_of)


def format_map(game: str, leds_of: Mapping[str, list[int]], leds: int) -> str:
    """The text of a map that names the LEDs of every cell one by one."""
    cells = "\n".join(f"{cell} = {numbers[0] if len(numbers) == 1 else numbers}" for cell, numbers in leds_of.items())
    return f'board = "{game}"\nleds = {leds}\n\n[cell]\n{cells}\n'


def _name_few(cells: Sequence[str]) -> str:
    """The first of these cells, and how many more there are."""
    more = len(cells) - FEW_CELLS
    return ", ".join(cells[:FEW_CELLS]) + (f" and {more} more cell{'s' if more > 1 else ''}" if more > 0 else "")


def _points_between(first: tuple[int, int, int], last: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    """The points of the lattice on the straight line between two of them, ends included."""
    way = [b - a for a, b in zip(first, last, strict=True)]
    steps = max(1, *(abs(step) for step in way))
    for n in range(max(abs(step) for step in way) + 1):
        if not any(step * n % steps for step in way):
            file, rank, level = (a + step * n // steps for a, step in zip(first, way, strict=True))
            yield file, rank, level
