"""The service's own port thread on the simulated board's serial port, for tests in real time."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from device.ledmap import LedMap, build_plain_map, led_colour
from device.lights import LedFrame
from device.port import LedPort
from device.protocol import Pressed
from device.protocols.camref import CamrefProtocol
from device.workbench.simulated import SignalsSeen
from engine.board import Board
from tests.firmware.board import SimulatedBoard

COLOURS = ((0, 0, 0), (250, 0, 0), (0, 200, 40), (60, 60, 60))


def strip_map(leds: int) -> LedMap:
    """A row of cells with one LED each and current enough for all colours as they are."""
    where = tuple((i, 0, 0) for i in range(leds))
    board = Board(tuple(f"C{i}" for i in range(leds)), where, tuple((i + 0.5, 0.5) for i in range(leds)), ())
    return LedMap(board, build_plain_map(board).owners, max_milliamps=60_000)


def random_frame(dice: random.Random, leds: int) -> LedFrame:
    """Some colours everywhere and two lines of text."""
    text = (f"move {dice.randrange(1000)}", f"E{dice.randrange(16)}")
    return LedFrame(tuple(dice.choice(COLOURS) for _ in range(leds)), text=text)


def shows(seen: SignalsSeen, frame: LedFrame) -> bool:
    """Whether LEDs and text are those of the frame."""
    return (
        seen.rgb == tuple(map(led_colour, frame.rgb)) and (seen.text[0].rstrip(), seen.text[1].rstrip()) == frame.text
    )


@contextmanager
def port_on(board: SimulatedBoard) -> Iterator[tuple[LedPort, list[Pressed]]]:
    """The thread that owns the port, and the presses it reported."""
    pressed: list[Pressed] = []
    port = LedPort(board.path, lambda: CamrefProtocol(strip_map(board.build.leds)), pressed.append)
    port.start_connecting()
    try:
        yield port, pressed
    finally:
        port.close_port()


def replug_times(board: SimulatedBoard, port: LedPort, times: int, seed: int = 1) -> list[float]:
    """Unplug, change the picture meanwhile, plug in: seconds of real time until the new picture stands, each time."""
    dice, took = random.Random(seed), []
    for _ in range(times):
        board.unplug_cable()
        time.sleep(dice.uniform(0.02, 0.6))
        frame = random_frame(dice, board.build.leds)
        port.show_frame(frame)
        board.plug_cable()
        began = time.monotonic()
        board.wait_for(lambda seen, frame=frame: shows(seen, frame))
        took.append(time.monotonic() - began)
    return took
