"""`referee lights`: try the LEDs of a board, and find out which LED belongs to which cell."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from device import protocols
from device.byte_streams import DDP_PORT
from device.ledmap import LedMap, estimate_milliamps
from device.lights import DARK, LedFrame, Rgb, draw_match
from device.mapfile import format_map, parse_map, read_walk
from device.network import mdns, wled
from device.plugged import AUTO, list_led_ports, resolve_port
from device.port import LedPort
from device.port import log as port_log
from device.protocols import camref
from device.workbench.flash import PROGRAMMERS, Firmware, flash_board
from engine.board import Board
from engine.errors import InputError
from engine.games import load
from engine.match.state import Match, Phase
from server.board.led_setup import read_map
from server.commands._simulated import simulate_display
from server.disk import replace_output, set_existing_aside
from server.exits import ANSWER_IS_NO, DONE
from server.inputs import read_text
from server.masking import escape_to_line, print_line, print_text
from server.options import FILE_OR_FOLDER, OUT_FILE, FilePath, NumberRange

TEST_COLOURS: dict[str, Rgb] = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "white": (255, 255, 255)}
WALK_COLOUR: Rgb = (0, 160, 160)
NOWHERE = "loop://"
"""The port of a protocol that speaks to nothing, where none was named."""
WALK_ON = "walk on with the same --out, or complete the file by hand"
WALK_BACK, WALK_END = "BACK", "END"
"""Answers of somebody who walks over a strip, besides cells."""


@click.group()
def command() -> None:
    """Try the LEDs of a board: show a position, walk over the strip, test all colours, flash the firmware."""


port_option = click.option(
    "--lights",
    "--port",
    "url",
    default=AUTO,
    show_default=True,
    help="Where the LEDs are, as for `serve`: /dev/ttyUSB0, udp://host:port, screen:, any pyserial URL; auto: the only "
    "board that is plugged in.",
)


def port_options(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """The options that all but flash have."""
    for option in (
        port_option,
        click.option("--protocol", "name", help=f"One of {', '.join(protocols.list_names())}; default: the usual one."),
        click.option("--baud", type=int, help="Speed of the serial port; default: the protocol's."),
        click.option("--game", "game_name", default="camelot", show_default=True, help="The board below the LEDs."),
        click.option("--seconds", type=NumberRange(min=0), help="Stop after that long."),
    ):
        function = option(function)
    return function


map_option = click.option(
    "--map",
    "map_file",
    type=FILE_OR_FOLDER,
    help="LED map; default: the one that comes for the game, else cell after cell.",
)


@command.command()
@port_options
@map_option
@click.option("--cells", help='Light these, like "E6 F6"; default: the lights of a game that begins.')
def show(
    url: str,
    name: str | None,
    baud: int | None,
    game_name: str,
    seconds: float | None,
    map_file: Path | None,
    cells: str | None,
) -> None:
    """Show the lights of a game that begins, or single cells."""
    game = load(game_name)
    frame = (
        draw_match(Match(game, (game.start(),), phase=Phase.PLAYING))
        if cells is None
        else light_cells(game.board, cells)
    )
    with open_port(url, name, baud, read_map(game, map_file)) as port:
        port.show_frame(frame)
        wait_seconds(seconds)


@command.command()
@port_options
@map_option
def test(
    url: str, name: str | None, baud: int | None, game_name: str, seconds: float | None, map_file: Path | None
) -> None:
    """Say who answers, show each colour on all LEDs, one after the other, and say what current they draw."""
    leds = read_map(load(game_name), map_file)
    with open_port(url, name, baud, leds) as port:
        for colour, rgb in TEST_COLOURS.items():
            cells = (rgb,) * len(leds.board.cells)
            port.show_frame(LedFrame(cells, text=("Test", colour)))
            light = _describe_light(leds, leds.encode_strip(cells), port.limit_milliamps)
            print_line(f"{colour}: {light}", err=url == "screen:")
            time.sleep(1.0 if seconds is None else seconds / len(TEST_COLOURS))
            if port.known_problem:
                raise InputError(f"port {port.known_problem}")


def _describe_light(leds: LedMap, strip: bytes, limit: int) -> str:
    """How many LEDs are lit by the bytes that a strip is sent, and what current they draw; `limit` is what the strip
    says that it allows, 0 for none."""
    rgb = list(zip(strip[::3], strip[1::3], strip[2::3], strict=True))
    lit, idle = sum(map(any, rgb)), sum(not owners for owners in leds.owners)
    unused = f" ({idle} of {len(rgb)} belong to no cell)" if idle else ""
    dark = ": the map allows too little current for this colour" if not lit else ""
    drawn = estimate_milliamps(rgb)
    dimmed = f", dimmed by the strip's own limit to {limit} mA" if 0 < limit < drawn else ""
    return f"{lit} LEDs{unused}, {drawn:.0f} mA{dark}{dimmed}"


@command.command("find")
def find_displays() -> int:
    """List the LED boards that are plugged in, and the WLED strips in the network; no port is opened for it."""
    there = [f"--lights {port}: may be a referee display or another LED board" for port in list_led_ports()]
    for address, name in sorted(mdns.find_strips().items()):
        said = name
        with suppress(OSError, ValueError):
            said = str(wled.ask_strip(address))
        there.append(f"--lights udp://{address}:{DDP_PORT}: {said}")
    print_text("\n".join(there) or "no LED board is plugged in, and no WLED strip answers in this network")
    return DONE if there else ANSWER_IS_NO


@command.command()
@port_options
@click.option("--leds", type=click.IntRange(min=1), help="Length of the strip; default: one LED a cell.")
@click.option(
    "--out", type=OUT_FILE, required=True, help="The LED map to write; one that a walk left unfinished goes on."
)
def walk(
    url: str, name: str | None, baud: int | None, game_name: str, seconds: float | None, leds: int | None, out: Path
) -> int:
    """Light LED after LED; name the cell of each (empty: none, "back": the one before again, "end": the rest is dark),
    and get the map. A walk that ended too early goes on with the same --out, at the first LED without a cell."""
    board = load(game_name).board
    walk = _Walk(out, game_name, board, leds)
    strip = LedMap(board, tuple((i,) for i in range(walk.count)))
    if not out.parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {out.parent}: make it first")
    with open_port(url, name, baud, strip) as port:
        _ask_cells(port, board, walk)
    if not walk.lit_cells:
        raise InputError(f"--out {out}: no LED was given a cell, and nothing is written")
    print_line(f"{out}: {len(walk.lit_cells)} cells")
    try:
        parse_map(walk.format_text(), board, game_name, str(out))
    except InputError as error:  # an hour's walk is not thrown away for a cell that is missing
        print_line(f"{error}: {WALK_ON}")
        return ANSWER_IS_NO
    return DONE


class _Walk:
    """What is answered on a walk over a strip, kept in a file as it comes. Mutable."""

    def __init__(self, out: Path, game_name: str, board: Board, leds: int | None) -> None:
        """Goes on with what an earlier walk has left in `out`, where cells are missing and its LEDs are there; the
        length of the strip is that of the file unless `leds` says another."""
        self._out, self._game_name = out, game_name
        self.count, self._cell_of = leds or len(board.cells), dict[int, str]()
        try:
            count, cell_of = read_walk(read_text(str(out)), board, game_name, str(out))
        except (InputError, OSError):
            return
        if set(cell_of.values()) < set(board.cells) and max(cell_of, default=0) < (leds or count):
            self.count, self._cell_of = leds or count, cell_of
            print_line(f"{out}: {len(self.lit_cells)} cells are there already; for a new map name another file")

    @property
    def lit_cells(self) -> set[str]:
        """The cells that have an LED."""
        return {*self._cell_of.values()} - {""}

    def list_unanswered(self) -> list[int]:
        """The LEDs that are still to be asked about."""
        return [led for led in range(self.count) if led not in self._cell_of]

    def keep_answer(self, led: int, cell: str) -> None:
        """The cell of that LED, "" for none. Before the first cell is written another file in that place is kept."""
        if cell and not self.lit_cells:
            set_existing_aside(self._out)
        self._cell_of[led] = cell
        if self.lit_cells:
            replace_output(self._out, self.format_text().encode())

    def format_text(self) -> str:
        """The map of what was answered so far."""
        leds_of: dict[str, list[int]] = {}
        for led, cell in sorted(self._cell_of.items()):
            if cell:
                leds_of.setdefault(cell, []).append(led)
        return format_map(self._game_name, leds_of, self.count)


def _ask_cells(port: LedPort, board: Board, walk: _Walk) -> None:
    """Light LED after LED that was not asked about, and keep what is answered."""
    asked, size, at = walk.list_unanswered(), max(walk.count, len(board.cells)), 0
    while at < len(asked):
        led = asked[at]
        port.show_frame(LedFrame(tuple(WALK_COLOUR if i == led else DARK for i in range(size)), text=("LED", str(led))))
        try:
            cell = ask_cell(led, board)
        except click.Abort:  # Ctrl-C, or nobody types any more: what was answered stands, and it is said
            click.echo()
            cell = WALK_END
        if cell == WALK_END:
            return
        if port.known_problem:  # nobody knows whether it was still lit
            raise InputError(f"port {port.known_problem}; {WALK_ON}")
        if cell != WALK_BACK:
            walk.keep_answer(led, cell)
            at += 1
        elif at > 0:
            at -= 1
        elif led > 0:  # what was answered on an earlier walk
            asked.insert(0, led - 1)


@command.command()
@port_option
@click.option("--mcu", type=click.Choice(list(PROGRAMMERS)), default=Firmware.mcu, show_default=True)
@click.option("--leds", type=click.IntRange(1, 512), default=Firmware.leds, show_default=True, help="Of the strip.")
@click.option(
    "--baud", type=click.Choice([str(baud) for baud in camref.BAUDS]), default=str(camref.BAUDS[0]), show_default=True
)
@click.option("--milliamps", type=click.IntRange(1, 65535), default=Firmware.max_milliamps, show_default=True)
@click.option("--old-bootloader", is_flag=True, help="For Nanos made before 2018.")
@click.option(
    "--hex",
    "ready",
    type=FilePath(exists=True, dir_okay=False, path_type=Path),
    help="Write this, made by `make firmware`, and build nothing; only --mcu and --port are asked for then.",
)
def flash(
    url: str, mcu: str, leds: int, baud: str, milliamps: int, *, old_bootloader: bool, ready: Path | None
) -> None:
    """Build the firmware of the referee display and write it to the board with avrdude."""
    firmware = Firmware(mcu, leds, int(baud), milliamps)
    try:
        port = resolve_port(url)
    except InputError as error:
        raise InputError(f"port {url}: {error}") from error
    flash_board(firmware, port, old_bootloader=old_bootloader, ready=ready)


@command.command()
@click.option("--game", "game_name", default="camelot", show_default=True, help="The board above the LEDs.")
@map_option
@click.option("--mcu", type=click.Choice(list(PROGRAMMERS)), default=Firmware.mcu, show_default=True)
@click.option(
    "--link",
    type=FILE_OR_FOLDER,
    default=Path(tempfile.gettempdir()) / "referee-display",
    show_default=True,
    help="Where its serial port shall be.",
)
@click.option("--seconds", type=NumberRange(min=0), help="Stop after that long.")
def simulate(game_name: str, map_file: Path | None, mcu: str, link: Path, seconds: float | None) -> None:
    """Run the display's real firmware without the hardware: a serial port, and its lights in this terminal.

    Keys are its buttons: c confirm, u undo, h hint, p pause; q ends it.
    """
    simulate_display(read_map(load(game_name), map_file), map_file, mcu, link, seconds)


def ask_cell(led: int, board: Board) -> str:
    """The cell that the user names, upper case; "", WALK_BACK and WALK_END are answers too."""
    while True:
        answer: str = click.prompt(escape_to_line(f"LED {led}: cell"), default="", show_default=False).strip().upper()
        if answer in {"", WALK_BACK, WALK_END} or answer in board.index:
            return answer
        print_line(f"{answer}: no cell of this board, the first is {board.cells[0]}")


def light_cells(board: Board, cells: str) -> LedFrame:
    """A frame with these cells lit; InputError for a name that is none."""
    wanted = cells.upper().replace(",", " ").split()
    strange = [cell for cell in wanted if cell not in board.index]
    if strange:
        raise InputError(f"--cells: {', '.join(strange)}: no cell of this board, the first is {board.cells[0]}")
    return LedFrame(tuple(WALK_COLOUR if cell in wanted else DARK for cell in board.cells))


@contextmanager
def open_port(url: str, name: str | None, baud: int | None, leds: LedMap) -> Iterator[LedPort]:
    """A port that is open, or InputError with what to do; closed at the end."""
    name = name or protocols.guess_protocol(url)
    url = NOWHERE if (url, name) == (AUTO, "null") else url
    port = LedPort(
        url,
        lambda: protocols.load_protocol(name, leds, baud, url=url),
        lambda pressed: print_text(pressed.button),
    )
    port_log.setLevel(logging.ERROR)  # that it cannot be opened is said once, by the error below
    port.start_connecting()
    cells = max(len(leds.board.cells), len(leds.owners))  # who walks over a strip has no map of it yet
    port.show_frame(LedFrame((DARK,) * cells))  # an address at which nobody listens refuses the first picture
    try:
        answer = port.wait_for_answer()
        if port.known_problem:
            raise InputError(f"port {port.known_problem}")
        if url != "screen:":
            print_text(f"{port.url}: {answer or port.describe_silence()}", err=True)
        port_log.setLevel(logging.NOTSET)
        yield port
    finally:
        port.close_port()


def wait_seconds(seconds: float | None) -> None:
    """Wait that long, or until Ctrl-C."""
    end = None if seconds is None else time.monotonic() + seconds
    while end is None or time.monotonic() < end:
        time.sleep(0.1 if end is None else max(0.0, min(0.1, end - time.monotonic())))
