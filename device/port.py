"""The thread that owns the LED port: it opens, writes, reads and opens again, and never makes the game wait.

The main loop hands over the newest frame and goes on; presses come back through one callable (the `put` of the
main loop's queue). When the port fails, however it fails, the thread tries again after 0.25 s, 0.5 s, ... 5 s with
jitter, and at once when the device file comes back; after that the whole picture is sent.
"""

from __future__ import annotations

import errno
import logging
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

from device.byte_streams import Stream, check_url, open_stream
from device.lights import DARK, LedFrame
from device.protocol import Pressed, Protocol

log = logging.getLogger(__name__)

PORT_READ_S = 0.005
"""How long one read waits: the longest that a new frame waits for the thread."""
FIRST_WAIT_S, LONGEST_WAIT_S = 0.25, 5.0
"""Back-off between attempts: quick for a loose plug, slow enough not to busy a machine without the device."""
NOT_OPENED = "not opened yet"
JITTER = 0.2
"""Share of the wait that is random, so that several programs do not try in step."""
HUNG_UP = "returned no data"
"""What pyserial says, without a number, when a port that can be read has nothing to give: its device is gone."""
NO_PORT = "Inappropriate ioctl"
"""What it says of a file that is no serial port."""
LAST_WORDS_S = 0.3
"""What a board that acknowledges each packet gets to go dark: colours and two lines of text take it 20 ms. With more,
each end of the program takes longer where the board hangs; after three seconds of silence it goes dark by itself."""
LOOK_S = 0.25
"""How frequently a missing device file is looked for while waiting."""


class LedPort:
    """A port URL and a way to make its protocol. `start`, then `show` as often as you like, then `close`."""

    def __init__(self, url: str, make: Callable[[], Protocol], put: Callable[[Pressed], object]) -> None:
        check_url(url)
        make()  # whatever is wrong with the protocol is said here, not in the thread
        self.url = url
        self.problem: str | None = NOT_OPENED
        """Why nothing is shown at the moment, in words for the user; None while the port is open."""
        self._make, self._put = make, put
        self._frame: LedFrame | None = None
        self._told = False
        self._open, self._closing = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="led-port", daemon=True)

    def start(self) -> None:
        """Begin to connect, in the background."""
        self._thread.start()

    def show(self, frame: LedFrame) -> None:
        """Show `frame` as soon as can be; a frame that was not sent yet is forgotten. Returns at once."""
        self._frame = frame

    def wait_open(self, timeout_s: float) -> bool:
        """Whether the port got open within that time."""
        return self._open.wait(timeout_s)

    def close(self) -> None:
        """Stop the thread and free the port."""
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self._closing.is_set():
            protocol = self._make()
            try:
                with open_stream(self.url, protocol.baud, PORT_READ_S) as stream:
                    wait_s = FIRST_WAIT_S
                    self._opened()
                    self._talk(stream, protocol)
            except Exception as error:  # pyserial raises whatever its parts do; a lamp is not worth the thread
                self._failed(error)
                self._pause(wait_s * random.uniform(1 - JITTER, 1 + JITTER))
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    def _talk(self, stream: Stream, protocol: Protocol) -> None:
        """Frames out, presses in, until closing; raises OSError (SerialException is one) when the port fails."""
        sent, sent_t = None, 0.0
        while not self._closing.is_set():
            t = time.monotonic()
            frame = self._frame.at(t) if self._frame else None
            stale = protocol.resend_s is not None and t - sent_t >= protocol.resend_s
            out = protocol.due(t)
            if frame is not None and (frame != sent or stale):
                out += protocol.encode(frame, t)
                sent, sent_t = frame, t
            if out:
                stream.write(out)
            data = stream.read()
            for pressed in protocol.feed(data, time.monotonic()) if data else ():
                self._put(pressed)
        if self._frame is not None and self.url != "screen:":
            _darken(stream, protocol, len(self._frame.rgb))

    def _opened(self) -> None:
        log.info("LED port %s is open", self.url)
        self.problem, self._told = None, False
        self._open.set()

    def _failed(self, error: Exception) -> None:
        """The first failure is told aloud, repetitions only in the debug log."""
        self._open.clear()
        level = logging.DEBUG if self._told else logging.WARNING
        self._told = True
        self.problem = explain(error, self.url)
        log.log(level, "LED port: %s", self.problem)

    def _pause(self, wait_s: float) -> None:
        """Wait, but no longer than until a device file that was missing is back."""
        device = Path(self.url)
        missing = "://" not in self.url and not device.exists()
        end = time.monotonic() + wait_s
        while (left := end - time.monotonic()) > 0 and not self._closing.wait(min(left, LOOK_S)):
            if missing and device.exists():
                return


def _darken(stream: Stream, protocol: Protocol, cells: int) -> None:
    """Leave no lamp on: a strip that nobody speaks to keeps its last picture. Boards that answer get time to."""
    out = protocol.encode(LedFrame((DARK,) * cells), time.monotonic())
    end = time.monotonic() + (LAST_WORDS_S if protocol.resend_s is None else 0.0)
    while True:
        if out:
            stream.write(out)
        if time.monotonic() >= end:
            return
        data = stream.read()
        if data:
            protocol.feed(data, time.monotonic())
        out = protocol.due(time.monotonic())


def explain(error: Exception, url: str) -> str:
    """One line for the user: what happened to the port and what to do."""
    advice = {
        errno.ENOENT: "there is no such device: plug it in, or name another port",
        errno.EACCES: "no permission: run `sudo usermod -aG dialout $USER`, then log in again",
        errno.EAGAIN: "another program has it open: close that one",
        errno.EBUSY: "another program has it open: close that one",
        errno.EIO: "unplugged",
        errno.ENOTTY: "is no serial port: name another",
        errno.ECONNREFUSED: "nobody answers at that address",
    }
    number = error.errno if isinstance(error, OSError) else None
    if HUNG_UP in str(error):
        number = errno.EIO
    elif NO_PORT in str(error):
        number = errno.ENOTTY
    return " ".join(f"{url}: {advice.get(number or 0, str(error))}".split())
