"""A host in simulated time: drives a Link against a stepped board, over a line that may be bad."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from device.codec import PacketKind, wire_s
from device.link import Accepted, Button, DeviceLink, Greeted
from tests.firmware.board import SimulatedBoard

SLICE_S = 0.001
"""How often the host looks at its clock while nothing arrives."""


@dataclass
class Noise:
    """Drops, flips and doubles bytes, each in `rate` of the bytes, and cuts what is written into pieces."""

    seed: int
    rate: float
    dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)

    def spoil(self, data: bytes) -> bytes:
        """What comes out at the other end."""
        out = bytearray()
        for byte in data:
            dice = self.dice.random() / self.rate
            if dice >= 3:
                out.append(byte)
            elif dice >= 2:
                out += bytes((byte, byte))
            elif dice >= 1:
                out.append(byte ^ 1 << self.dice.randrange(8))
        return bytes(out)

    def pieces(self, data: bytes) -> list[bytes]:
        """The same bytes as short writes."""
        cuts = sorted(self.dice.randrange(len(data) + 1) for _ in range(self.dice.randrange(3)))
        return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


class Host:
    """Holds a Link to a stepped board; everything it hears is kept."""

    def __init__(self, board: SimulatedBoard, noise: Noise | None = None) -> None:
        self.board, self.noise = board, noise
        self.link = DeviceLink(board.build.baud)
        self.t = board.read_signals().t
        self.greetings = self.accepted = self.sent_bytes = 0
        self.buttons: list[Button] = []
        self.heard_t = self.t

    @property
    def busy_s(self) -> float:
        """Seconds from the start of a full picture until it is on the strip, about."""
        return wire_s(3 * self.board.build.leds, self.link.baud) + 40e-6 * self.board.build.leds

    def greet(self) -> None:
        """Until the board answered."""
        self.until(lambda: self.link.is_idle)

    def post(self, kind: PacketKind, body: bytes) -> None:
        """Post a packet as soon as possible; done when it is acknowledged."""
        self.until(lambda: self.link.is_idle)
        before = self.accepted
        self.write(self.link.send_packet(kind, body, self.t))
        self.until(lambda: self.accepted > before)

    def until(self, condition: Callable[[], bool], limit_s: float = 10.0) -> None:
        """Step until the condition holds."""
        end = self.t + limit_s
        while not condition():
            assert self.t < end, f"not within {limit_s} s of simulated time"
            self.step(SLICE_S)

    def wait(self, seconds: float) -> None:
        """Let simulated time go on."""
        end = self.t + seconds
        while self.t < end:
            self.step(min(SLICE_S, end - self.t))

    def step(self, seconds: float) -> None:
        """Write what is due, then take what comes within that time or until a packet is whole."""
        self.write(self.link.take_due_bytes(self.t))
        self.take(seconds)

    def take(self, seconds: float) -> None:
        """Let time go on and hear what comes."""
        self.t, data = self.board.advance_time(seconds)
        for heard in self.link.receive_data(self.noise.spoil(data) if self.noise else data, self.t):
            match heard:
                case Greeted():
                    self.greetings += 1
                case Accepted():
                    self.accepted += 1
                case Button():
                    self.buttons.append(heard)
                    self.heard_t = self.t

    def write(self, data: bytes) -> None:
        """Onto the wire, as it is or as the noise has it."""
        self.sent_bytes += len(data)
        if not self.noise:
            self.board.send_bytes(data)
            return
        for piece in self.noise.pieces(data):
            self.board.send_bytes(self.noise.spoil(piece))
            self.take(self.noise.dice.random() * SLICE_S)
