"""`referee print`: a board, its pieces, one to travel with, markers or a drilling template, in true size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from calibration.printing.boards import board_drawings, travel_drawings
from calibration.printing.files import render_pdf, render_svg
from calibration.printing.loose import led_drawings, marker_drawings, piece_drawings, sheet_drawing
from calibration.printing.marks import Drawing
from calibration.printing.paper import PAPERS, Sheet, fitting_cell_mm, pack_drawings, tile_drawings
from engine import games
from engine.errors import InputError
from engine.game import Game
from server.disk import write_output
from server.exits import DONE
from server.masking import print_line
from server.options import OUT_FILE

Draw = Callable[[Game, float], list[Drawing]]
Lay = Callable[[Sequence[Drawing], str], list[Sheet]]
COUNTERS = (piece_drawings, pack_drawings)
THINGS: dict[str, tuple[tuple[Draw, Lay], ...]] = {
    "board": ((board_drawings, tile_drawings),),
    "pieces": (COUNTERS,),
    "travel": ((travel_drawings, tile_drawings), COUNTERS),
    "markers": ((marker_drawings, pack_drawings),),
    "leds": ((led_drawings, tile_drawings),),
}
"""What there is to print: how its parts are drawn, and how they are laid on sheets."""
LENS = "lens"
"""The sheet for `referee calibrate-lens`, which belongs to no game."""
LEAST_MM, MOST_MM = 5.0, 200.0
"""Cells smaller than this cannot be seen by a camera, larger ones are a floor."""


@click.command(
    help="Print a board, counters to cut out, both to fold and take along, markers, a template for LEDs, or the lens "
    "sheet, in true size."
)
@click.argument("what", type=click.Choice([*THINGS, LENS]))
@click.argument("game", required=False)
@click.option("--paper", type=click.Choice(list(PAPERS)), default="a4", show_default=True)
@click.option("--cell-mm", type=float, help="Side of a cell; default: as large as the board fits on one sheet.")
@click.option("-o", "--out", required=True, type=OUT_FILE, help="FILE.pdf or FILE.svg.")
def command(what: str, game: str | None, paper: str, cell_mm: float | None, out: Path) -> int:
    """Write the file and say what is on it."""
    if out.suffix.lower() not in {".pdf", ".svg"}:
        raise InputError(f"-o {out}: name a .pdf or an .svg file")
    if cell_mm is not None and not LEAST_MM <= cell_mm <= MOST_MM:
        raise InputError(f"--cell-mm {cell_mm:g}: give {LEAST_MM:g} to {MOST_MM:g} millimetres")
    parts: list[tuple[list[Drawing], Lay]]
    if what == LENS:
        side = cell_mm or fitting_cell_mm(sheet_drawing(1.0).size, paper)
        parts, title = [([sheet_drawing(side)], tile_drawings)], f"lens sheet, {side:g} mm a square"
    else:
        loaded = games.load(game or "")
        side = cell_mm or fitting_cell_mm(board_drawings(loaded, 1.0)[0].size, paper)
        parts = [(draw(loaded, side), lay) for draw, lay in THINGS[what]]
        title = f"{loaded.name} {what}, {side:g} mm a cell"
    if out.suffix.lower() == ".svg":
        write_output(out, render_svg([drawing for drawings, _ in parts for drawing in drawings], title).encode(), "-o")
        print_line(f"{out}: {title}, one drawing in true size")
        return DONE
    sheets = [sheet for drawings, lay in parts for sheet in lay(drawings, paper)]
    write_output(out, render_pdf(sheets, title), "-o")
    print_line(f"{out}: {title}, {len(sheets)} sheet{'s' * (len(sheets) > 1)} of {paper}; print at 100 %")
    return DONE
