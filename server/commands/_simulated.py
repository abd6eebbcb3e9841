"""A simulated display on the terminal: what its LEDs and its text show, and keys for its buttons."""

from __future__ import annotations

import os
import select
import shlex
import sys
import tempfile
import termios
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from device.ledmap import LIGHT, LedMap
from device.lights import DARK, LedFrame, Rgb
from device.protocols.camref import BUTTONS
from device.protocols.screen import HOME, draw_board
from device.workbench.flash import Firmware, build_firmware
from device.workbench.simulated import SignalsSeen, SimulatedBoard, build_simulator
from engine.errors import InputError
from engine.games import load

BUTTON_KEYS = {name[0]: name for name in BUTTONS}
QUIT = "q"
KEYS_TOLD = "c confirm, u undo, h hint, p pause, q quit."
NO_KEYS = "no keys"
NO_KEYS_TOLD = "No keys: the input is closed. Ctrl-C ends it."
TAP_S = 0.06
"""As long as a quick finger; the firmware wants 5 ms."""
GLANCE_S = 0.05


def simulate_display(leds: LedMap, map_file: Path | None, mcu: str, link: Path, seconds: float | None) -> None:
    """Run the real firmware behind a serial port at `link`, and draw it; `leds` were read from `map_file`. InputError
    with what is missing."""
    link = link.absolute()
    if not link.parent.is_dir():
        raise InputError(f"--link {link}: there is no folder {link.parent}: make it first")
    if link.exists():
        raise InputError(f"--link {link}: something is there already: end it, or name another place")
    firmware = Firmware(mcu, len(leds.owners), max_milliamps=leds.max_milliamps)
    is_demonstrated = leds.board.cells == load("camelot").board.cells
    begins = ["referee", "demo"] if is_demonstrated else ["referee", "serve", "--profile", "PROFILE"]
    command = [*begins, "--lights", str(link), "--protocol", "camref"]
    command += ["--map", str(map_file.absolute())] if map_file else []
    told = f"\n{KEYS_TOLD} In another terminal:\n  {shlex.join(command)}"
    with tempfile.TemporaryDirectory() as folder:
        program, elf = build_simulator(Path(folder)), build_firmware(firmware, Path(folder))
        with SimulatedBoard(program, elf, firmware, link) as board:
            board.open_serial_port()
            _operate_display(board, leds, told, seconds)


def _operate_display(board: SimulatedBoard, leds: LedMap, told: str, seconds: float | None) -> None:
    """Draw the display whenever it changes and press what is typed, until q, or that long. What is `told` stands below
    each picture on a terminal, where the next one covers it, and once, where pictures follow each other."""
    end = None if seconds is None else time.monotonic() + seconds
    shown, down, covers, stands = "", dict[str, float](), _is_terminal(), ""
    with _read_keys() as keys:
        while end is None or time.monotonic() < end:
            now = draw_display(board.read_signals(), leds)
            if now != shown:
                below = told if covers or told != stands else ""
                click.echo(f"{HOME}{now}{below}")
                shown, stands = now, told
            for name in [name for name, until in down.items() if time.monotonic() > until]:
                board.release_button(name)
                del down[name]
            key = next(keys)
            if key == QUIT:
                return
            if key == NO_KEYS:
                told, shown = told.replace(KEYS_TOLD, NO_KEYS_TOLD), ""
            if key in BUTTON_KEYS:
                board.press_button(BUTTON_KEYS[key])
                down[BUTTON_KEYS[key]] = time.monotonic() + TAP_S


def _is_terminal() -> bool:
    """Whether what is written is seen on a screen, and not kept in a file or a journal."""
    return sys.stdout is not None and sys.stdout.isatty()


def draw_display(seen: SignalsSeen, leds: LedMap) -> str:
    """The board with the light that each cell gets, the two lines of text, and whether the buzzer sounds."""
    board = draw_board(leds.board, LedFrame(tuple(map(_screen_colour, find_cell_light(seen.rgb, leds)))))
    return f"{board}[{seen.text[0]:16}]\n[{seen.text[1]:16}]{'  buzzer' if seen.buzzer else ''}\n"


def find_cell_light(rgb: Sequence[Rgb], leds: LedMap) -> list[Rgb]:
    """What a person takes each cell to be lit with: the brightest LED that it has for itself; where it shares all of
    them, the darkest, for it is lit when all are, and the brightest may be its neighbour's."""
    order = [leds.color_order.index(letter) for letter in "RGB"]
    own, shared = dict[int, Rgb](), dict[int, Rgb]()
    for owners, sent in zip(leds.owners, rgb, strict=False):
        red, green, blue = (sent[channel] for channel in order)
        light, choose = (own, max) if len(owners) == 1 else (shared, min)
        for cell in owners:
            light[cell] = choose(light.get(cell, (red, green, blue)), (red, green, blue), key=sum)
    return [own.get(cell, shared.get(cell, DARK)) for cell in range(len(leds.board.cells))]


def _screen_colour(light: Rgb) -> Rgb:
    """The screen's colour that looks like this light: the other way round from device.ledmap."""
    red, green, blue = (next(level for level in range(256) if LIGHT[level] >= channel) for channel in light)
    return red, green, blue


@contextmanager
def _read_keys() -> Iterator[Iterator[str]]:
    """Keys as they are typed, "" when none was within GLANCE_S; NO_KEYS, once, when there will be none any more."""
    if sys.stdin is None:  # it was closed before we began
        yield _report_no_keys()
        return
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd) if os.isatty(fd) else None
    if before:
        tty.setcbreak(fd)
    try:
        yield _read_typed_keys(fd)
    finally:
        if before:
            termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _read_typed_keys(fd: int) -> Iterator[str]:
    while True:
        if not select.select([fd], [], [], GLANCE_S)[0]:
            yield ""
            continue
        data = os.read(fd, 1)
        if not data:
            break
        yield data.decode("ascii", "replace")
    yield from _report_no_keys()


def _report_no_keys() -> Iterator[str]:
    """Nobody types."""
    yield NO_KEYS
    while True:
        time.sleep(GLANCE_S)
        yield ""
