"""The thread that owns the LED port: it opens, writes, reads and opens again, and never makes the game wait.

The main loop hands over the newest frame and goes on; presses come back through one callable (the `put` of the
main loop's queue). Where the loop is expected to beat and does not, the lights say so instead of what it said last: a
hint that nobody stands behind any more is a lie. When the port fails, however it fails, the thread tries again after
0.25 s, 0.5 s, ... 5 s with jitter (1 s where it opens and fails later), and at once when the device file comes back;
then the whole picture is sent. That a port opens does not end an outage: it has to hold.
"""

from __future__ import annotations

import errno
import logging
import random
import re
import socket
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from serial import SerialTimeoutException

from device.byte_streams import WRITE_TIMEOUT_S, ByteStream, check_url, open_stream, udp_address
from device.lights import DARK, LedFrame, Rgb
from device.link import GREETING_S, LONGEST_TURN_S, NO_ANSWER
from device.lit_before import ShownFrames
from device.network.wled import HTTP_PORT, STOPPED_ANSWERING, WledPoller
from device.protocol import OneWayProtocol, Pressed, Protocol
from device.shared_leds import split_into_turns
from engine.errors import TROUBLE_OVER

log = logging.getLogger(__name__)

PORT_READ_S = 0.005
"""How long one read waits: the longest that a new frame waits for the thread."""
FIRST_WAIT_S, LONGEST_WAIT_S = 0.25, 5.0
"""Back-off between attempts: quick for a loose plug, slow enough not to busy a machine without the device."""
LONGEST_WAIT_AFTER_OPENING_S = 1.0
"""The same where the port opens: somebody is there, who may come to his senses at any moment."""
SOUND_AFTER_S = WRITE_TIMEOUT_S + 1.0
"""A port that is open for so long without a failure is sound again. Many open that nobody listens at: an address in the
network says so at the first picture, a device that takes nothing after WRITE_TIMEOUT_S."""
NOT_OPENED = "not opened yet"
UNKNOWN_SPEAKER = "something answers at that port, but not as a strip of this kind: see --protocol and --baud"
OWN_DISPLAY = "the referee display needs --protocol camref"
SILENT_PORT = "open, but nothing answers; strips of this kind need not: look whether the colours come"
SILENT_STRIP = "nothing answers there; WLED would: is it on, and is its address right? Others need not."
OPEN_AGAIN = "it is open again; nobody has answered"
ECHO = "loop://"
"""A port that is a trial: what is written to it is read there again, and nobody is at its other end."""
NOBODY_THERE = "a trial without lights: nobody is there who could answer"
LIMIT_TOLD = re.compile(r"\blimit (\d+) mA")
STILL_UNANSWERED = "opened, but nothing has answered yet"
HALTED_S = 2.0
"""A loop that has not beaten for so long does not go on. Its dearest turn beside a live camera takes 0.3 s; raising it
leaves what is no more true standing, lowering it alarms people about a machine that was busy for a moment."""
STOOD_STILL_S = WRITE_TIMEOUT_S + 0.5
"""The port's own thread that has not gone on for so long was stopped with the whole program, by the system or a
terminal: no write to a port takes longer. Lowering it takes a slow write for that."""
RESUMES_WITHIN_S = 1.0
"""What a loop that was stopped with it has to go on; a look that was under way takes half of it. Raising it leaves what
was shown before standing, lowering it calls a loop halted that is on its way."""
JITTER = 0.2
"""Share of the wait that is random, so that several programs do not try in step."""
CONNECT_S, ANSWERED_WITHIN_S = 1.0, GREETING_S + 1.0
"""A port that is there opens within milliseconds, a network address may take a little longer; a board that must answer
may be starting."""
ASKED_FOR_S = 2.5
"""How long an answer is waited for that need not come: two questions to a strip in the network take 1.9 s where neither
is answered in time, and a busy machine takes longer. Lowering it calls a slow strip absent; raising it keeps who tries
a silent one waiting."""
HUNG_UP = "returned no data"
"""What pyserial says, without a number, when a port that can be read has nothing to give: its device is gone."""
HUNG_UP_SOCKET = "socket disconnected"
"""The same of a connection."""
NO_PORT = "Inappropriate ioctl"
"""What it says of a file that is no serial port."""
LAST_WORDS_S = 0.3
"""What a board that acknowledges each packet gets to go dark: colours and two lines of text take it 20 ms. With more,
each end of the program takes longer where the board hangs; after three seconds of silence it goes dark by itself."""
PICTURES_KEPT = 16
"""Pictures of the strip of which is remembered what light each cell gets from them: a hint that blinks has two. Raising
it only costs memory; lowering it works them out again for each frame of the camera, 3 ms each."""
HALTED_FRAMES = 4
"""Pictures of a loop that stands still that are worked out once: there are two or three. More only costs memory."""
LOOK_S = 0.25
"""How frequently a missing device file is looked for while waiting."""


class LedPort:
    """A port URL and a way to make its protocol.

    `start_connecting`, then `show_frame` as often as you like, then `close_port`.
    """

    def __init__(
        self,
        url: str,
        make: Callable[[], Protocol],
        put: Callable[[Pressed], object],
        wled_port: int = HTTP_PORT,
    ) -> None:
        check_url(url)
        first = make()  # whatever is wrong with the protocol is said here, not in the thread
        self.url = url
        self.trouble: str | None = NOT_OPENED
        """Why nothing is shown at the moment, in words for the user; None while the port is open."""
        self.must_answer = first.must_answer
        """Whether nothing is shown before somebody has answered."""
        self.is_spoken_to = False
        """Whether anything was ever heard from the port, understood or not."""
        self.brightness = 1.0
        """Share of the light that a camera over the board can bear."""
        self._is_trial = (isinstance(first, OneWayProtocol) and first.is_trial) or url.startswith(ECHO)
        self._make, self._put, self._wled_port = make, put, wled_port
        self._frame: LedFrame | None = None
        self._halted: Callable[[], LedFrame] | None = None
        self._split_halted = lru_cache(maxsize=HALTED_FRAMES)(lambda frame: split_into_turns(frame, first.leds))
        self._shown, self._leds = ShownFrames(), first.leds
        self._light_of = lru_cache(maxsize=PICTURES_KEPT)(first.leds.cell_colours)
        self._beat_t = 0.0
        self._is_out = False
        """Whether the port has failed, and has not held since."""
        self._told: set[str] = set()
        """What was told aloud of an outage that is not over yet."""
        self._must_hold = False
        """Whether it failed last while it was open, so that opening proves nothing."""
        self._usable_t = 0.0
        self._answer = ""
        self._unknown_s = 0.0
        """For how long it is not known who speaks at the open port, since something was heard."""
        self._asking: WledPoller | None = None
        self._usable, self._closing = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._keep_connected, name="led-port", daemon=True)

    @property
    def known_problem(self) -> str | None:
        """What is wrong, in words for the user; None for nothing that is known."""
        asking = self._asking
        if self.trouble is None and asking is not None and asking.problem:
            return f"{self.url}: {asking.problem}"
        return self.trouble

    @property
    def suspected_problem(self) -> str | None:
        """What speaks at the port and is not understood, in words for the user: the lights may come all the same, or
        not. None where somebody has answered, where nothing was heard, and where something is known to be wrong."""
        if self.known_problem or self.answered_by:
            return None
        if self._asking is not None:
            return f"{self.url}: {self._asking.strange_answer}" if self._asking.strange_answer else None
        is_strange = self.is_spoken_to and self._unknown_s > ANSWERED_WITHIN_S
        return f"{self.url}: {UNKNOWN_SPEAKER}" if is_strange else None

    @property
    def answered_by(self) -> str:
        """Who answered at the other end, "" while nobody has."""
        asking = self._asking
        return self._answer or (asking.answer if asking is not None else "")

    @property
    def limit_milliamps(self) -> int:
        """The current to which the strip says that it limits itself; 0 where it does not, or says nothing."""
        told = LIMIT_TOLD.search(self.answered_by)
        return int(told[1]) if told else 0

    def describe_silence(self) -> str:
        """In words for the user: what is to be thought of a port that is open, where nobody has said who he is."""
        if self._is_trial:
            return NOBODY_THERE
        if self.suspected_problem is not None:
            return self.suspected_problem.removeprefix(f"{self.url}: ")
        if self.is_spoken_to:
            return UNKNOWN_SPEAKER
        return SILENT_STRIP if self.url.startswith("udp://") else f"{SILENT_PORT}; {OWN_DISPLAY}"

    def start_connecting(self) -> None:
        """Begin to connect, in the background."""
        self._thread.start()

    def show_frame(self, frame: LedFrame) -> None:
        """Show `frame` as soon as can be; a frame that was not sent yet is forgotten. Returns at once."""
        self._frame = split_into_turns(frame, self._leds)
        self.mark_alive()

    def set_halted_frame(self, halted: Callable[[], LedFrame]) -> None:
        """From now on `show_frame` or `mark_alive` comes each moment; what `halted` gives is shown where neither has
        come for HALTED_S. It is called in the port's thread, again and again while that lasts."""
        if self._halted is None:
            self.mark_alive()
        self._halted = halted

    def mark_alive(self) -> None:
        """Whoever decides what is shown still stands behind it."""
        self._beat_t = time.monotonic()

    def light_between(self, begin: float, end: float) -> list[tuple[Rgb, ...]]:
        """The light that each cell of the board got between two times of this machine's monotonic clock: each picture
        once, the oldest first; none where nothing was ever shown."""
        if self._frame is None or not self._usable.is_set():
            return []
        pictures = self._shown.colours_between(begin, end, len(self._leds.board.cells))
        return [self._light_of(rgb) for rgb in pictures] if any(map(any, pictures)) else []

    def wait_for_answer(self) -> str:
        """Wait until it is known who answers, and say it; "" where something is wrong, or nobody does who need not."""
        self._wait_until_usable(ANSWERED_WITHIN_S if self.must_answer else CONNECT_S)
        end = time.monotonic() + ASKED_FOR_S
        while (
            not (self.answered_by or self.known_problem or self.suspected_problem or self.must_answer)
            and time.monotonic() < end
        ):
            time.sleep(PORT_READ_S)
        return "" if self.known_problem else self.answered_by

    def _wait_until_usable(self, seconds: float) -> None:
        """Wait for that or for the first failure."""
        end = time.monotonic() + seconds
        while not (self._usable.wait(PORT_READ_S) or self._is_out or time.monotonic() > end):
            pass

    def close_port(self) -> None:
        """Stop the thread and free the port."""
        self._closing.set()
        self._thread.join()

    def _keep_connected(self) -> None:
        wait_s = FIRST_WAIT_S
        chance = random.Random()  # of this thread alone: the common one belongs to whoever seeds it
        while not self._closing.is_set():
            protocol, opened = self._make(), False
            try:
                with open_stream(self.url, protocol.baud, PORT_READ_S) as stream:
                    opened = True
                    self._note_opened(protocol)
                    self._exchange_data(stream, protocol)
            except Exception as error:  # pyserial raises whatever its parts do; a lamp is not worth the thread
                longest_s = LONGEST_WAIT_AFTER_OPENING_S if opened else LONGEST_WAIT_S
                wait_s = min(2 * wait_s, longest_s) if self._is_out else FIRST_WAIT_S
                self._must_hold = opened
                self._note_failure(error)
                self._tell_news()
                self._wait_to_retry(wait_s * chance.uniform(1 - JITTER, 1 + JITTER))
        self._stop_asking()

    def _exchange_data(self, stream: ByteStream, protocol: Protocol) -> None:
        """Frames out, presses in, until closing; raises OSError (SerialException is one) when the port fails."""
        sent, sent_t, last_t = None, 0.0, time.monotonic()
        while not self._closing.is_set():
            t = time.monotonic()
            if t - last_t > STOOD_STILL_S:
                self._beat_t = max(self._beat_t, t - HALTED_S + RESUMES_WITHIN_S)
            self._unknown_s += min(t - last_t, LONGEST_TURN_S)  # what this program stood still it heard nobody
            last_t = t
            frame = self._current_frame(t)
            stale = protocol.resend_s is not None and t - sent_t >= protocol.resend_s
            out = protocol.take_due_bytes(t)
            if frame is not None and (frame != sent or stale):
                out += protocol.encode_frame(frame, t)
                sent, sent_t = frame, t
            if out and not self._send_bytes(stream, out, t):
                sent = None
            data = stream.read()
            self._note_spoken_to(data)
            if self.url.startswith(ECHO) and not protocol.must_answer:
                data = b""  # one's own words, by which a strip might be taken to be there
            for pressed in protocol.receive_data(data, time.monotonic()) if data else ():
                self._put(pressed)
            self._note_answer(protocol)
            self._note_held(t)
            self._tell_news()
        if self._frame is not None and self.url != "screen:":
            _darken_strip(stream, protocol, len(self._frame.rgb))

    def _send_bytes(self, stream: ByteStream, out: bytes, t: float) -> bool:
        """Whether all of it has gone out, see `_write_in_time`; whoever asks the strip counts what did."""
        if not _write_in_time(stream, out, t):
            return False
        if self._asking is not None:
            self._asking.pictures += 1
        return True

    def _current_frame(self, t: float) -> LedFrame | None:
        """What is to be lit at `t`, nothing left to blink; None before anything is to be shown."""
        halted = self._halted if t - self._beat_t > HALTED_S else None
        frame = self._frame if halted is None else self._split_halted(halted())
        if frame is None:
            return None
        return self._shown.show_frame(frame.with_brightness(self.brightness), t)

    def _note_opened(self, protocol: Protocol) -> None:
        log.debug("LED port %s is open", self.url)
        self._answer, self._unknown_s, self.is_spoken_to = "", 0.0, False
        if not protocol.must_answer:
            self._note_usable(sound=not self._must_hold)
        elif self.trouble == NOT_OPENED:
            self.trouble = f"{self.url}: {STILL_UNANSWERED}"
        if self.url.startswith("udp://") and self._asking is None:
            host, _ = udp_address(self.url)
            self._asking = WledPoller(host, len(protocol.leds.owners), self._wled_port)

    def _note_answer(self, protocol: Protocol) -> None:
        """Take note of who has answered."""
        if protocol.answer != self._answer:
            self._answer, self._unknown_s = protocol.answer, 0.0
            if self._answer:
                log.info("LED port %s: %s", self.url, self._answer)
                self._note_usable(sound=True)

    def _note_spoken_to(self, data: bytes) -> None:
        """Take note that something speaks at the port; an echo of one's own is nobody, and in the network it is the web
        server that says who is there."""
        if data and not self.is_spoken_to and not self.url.startswith((ECHO, "udp://")):
            self.is_spoken_to, self._unknown_s = True, 0.0

    def _tell_news(self) -> None:
        """What is wrong is told aloud, once for each outage, whatever silence is called in its course; another fault is
        told too, and when all is over."""
        problem = self.known_problem or self.suspected_problem
        if problem is None:
            if self._told and not self._is_out:
                works = f"the lights work: {self.answered_by}" if self.answered_by else OPEN_AGAIN
                log.log(TROUBLE_OVER, "LED port %s: over, %s", self.url, works)
                self._told.clear()
        elif self._usable.is_set() or self._is_out:
            fault = SILENCES[0] if any(silence in problem for silence in SILENCES) else problem
            if fault not in self._told:
                log.warning("LED port: %s", problem)
            self._told.add(fault)

    def _note_usable(self, *, sound: bool) -> None:
        """Pictures go out from now on; where it is `sound` nothing is known to be wrong."""
        self.trouble = None if sound else self.trouble
        self._usable_t = time.monotonic()
        self._usable.set()

    def _note_held(self, t: float) -> None:
        """After SOUND_AFTER_S without a failure the outage is over: the next one is told aloud."""
        if self._is_out and self._usable.is_set() and t - self._usable_t >= SOUND_AFTER_S:
            self.trouble, self._is_out = None, False

    def _note_failure(self, error: Exception) -> None:
        """The port is gone. Who is asked beside it is asked on: it may be the strip that comes back."""
        self._usable.clear()
        self._answer, self._is_out = "", True
        self.trouble = explain_error(error, self.url)
        log.debug("LED port: %s", self.trouble)

    def _stop_asking(self) -> None:
        if self._asking is not None:
            self._asking.stop_asking()
            self._asking = None

    def _wait_to_retry(self, wait_s: float) -> None:
        """Wait, but no longer than until a device file that was missing is back."""
        device = Path(self.url)
        missing = "://" not in self.url and not device.exists()
        end = time.monotonic() + wait_s
        while (left := end - time.monotonic()) > 0 and not self._closing.wait(min(left, LOOK_S)):
            if missing and device.exists():
                return


def _write_in_time(stream: ByteStream, out: bytes, t: float) -> bool:
    """Whether it has gone out; not where the program was stopped since `t`: that a write has then taken too long is no
    fault of the device, and what was cut off is sent again."""
    try:
        stream.write(out)
    except SerialTimeoutException:
        if time.monotonic() - t <= STOOD_STILL_S:
            raise
        return False
    return True


def _darken_strip(stream: ByteStream, protocol: Protocol, cells: int) -> None:
    """Leave no lamp on: a strip that nobody speaks to keeps its last picture. Boards that answer get time to."""
    out = protocol.encode_frame(LedFrame((DARK,) * cells), time.monotonic())
    end = time.monotonic() + (LAST_WORDS_S if protocol.resend_s is None else 0.0)
    while True:
        if out:
            stream.write(out)
        if time.monotonic() >= end:
            return
        data = stream.read()
        if data:
            protocol.receive_data(data, time.monotonic())
        out = protocol.take_due_bytes(time.monotonic())


IN_USE = "another program has it open, perhaps a referee that is running: close that one"
ADVICE = {
    errno.ENOENT: "there is no such device: plug it in, or start with the port that `referee lights find` shows",
    errno.EACCES: "no permission: run `sudo usermod -aG dialout $USER`, then log in again",
    errno.EAGAIN: IN_USE,
    errno.EBUSY: IN_USE,
    errno.EIO: "unplugged: plug it in again",
    errno.ENOTTY: "is not a serial port: name another",
    errno.EISDIR: "is not a serial port: name another",
    errno.EINVAL: "is not a serial port: name another",
    errno.ECONNREFUSED: "nobody answers at that address",
    errno.ECONNRESET: "the other end hung up: does it speak that protocol?",
    errno.EPIPE: "the other end hung up: does it speak that protocol?",
    errno.ETIMEDOUT: "nobody answers at that address",
    errno.EHOSTUNREACH: "that address cannot be reached: is it switched on, and in this network?",
    errno.ENETUNREACH: "that address cannot be reached: is it switched on, and in this network?",
    socket.EAI_NONAME: "there is no host of that name: give its numeric address, or see `referee lights find`",
    socket.EAI_AGAIN: "no name can be looked up: is this computer in the network?",
}
TAKES_NOTHING = "the device takes nothing: it hangs, or it is none for LEDs"
WITHOUT_REPLY = (errno.ENOENT, errno.EIO, errno.ECONNREFUSED, errno.ECONNRESET, errno.EPIPE, errno.ETIMEDOUT)
SILENCES = (
    STOPPED_ANSWERING,
    NO_ANSWER,
    TAKES_NOTHING,
    "stopped answering",
    *(ADVICE[number] for number in (*WITHOUT_REPLY, errno.EHOSTUNREACH)),
)
"""What one outage is called in its course, as a cable, a strip or its web server goes first."""
SYSTEM_NUMBER = re.compile(r"(?:\[Errno |: \()(-?\d+)[\],]")
"""Where pyserial has put the number of what went wrong."""


def explain_error(error: Exception, url: str) -> str:
    """One line for the user: what happened to the port and what to do."""
    number, text = error.errno if isinstance(error, OSError) else None, str(error)
    if number == errno.EACCES and "://" in url:
        number = errno.EHOSTUNREACH  # as to an address that means everybody
    if number not in ADVICE and (told := SYSTEM_NUMBER.search(text)):
        number = int(told[1])
    if isinstance(error, SerialTimeoutException):
        return f"{url}: {TAKES_NOTHING}"
    if HUNG_UP in text:
        number = errno.EIO
    elif NO_PORT in text:
        number = errno.ENOTTY
    elif HUNG_UP_SOCKET in text:
        number = errno.EPIPE
    return " ".join(f"{url}: {ADVICE.get(number or 0, text)}".split())
