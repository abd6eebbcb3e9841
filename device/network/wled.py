"""WLED over its JSON interface: who answers at an address, and whether it still does.

DDP and DRGB are never answered, so that a strip that is switched off looks like one that is lit. WLED's own web server
says its name, firmware, LED count and current limit, and whether it shows what comes (`GET /json/info`,
kno.wled.ge/interfaces/json-api).
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

HTTP_PORT = 80
TIMEOUT_S = 0.9
"""A strip in the same house answers within 0.1 s, a busy ESP8266 within 0.5 s. All of an answer comes within it: what
sends a byte now and then would otherwise be waited for all evening."""
ASK_WLED_S = 1.0
"""How frequently it is asked; a lower number finds an outage sooner and takes the strip's time."""
REPEAT_QUESTION_S = 0.1
"""How soon after a question that went unanswered: one may be lost in a radio."""
MISSES = 2
"""So many questions in a row go unanswered before it is said."""
SENT_IN_VAIN = 3
"""So many answers in a row that nothing comes, each after another picture went out, before it is said: three to four
seconds. Raising it says it later; lowering it takes a strip for one that shows nothing where two pictures were lost in
a radio. WLED itself waits 2.5 s for the next picture, and one is sent each second."""
MOST_BYTES = 65536
STOPPED_ANSWERING = "the WLED strip there does not answer any more"
NOT_AS_WLED = "something answers there, but not as WLED does: is it the strip's address?"
ANSWERS_LATE = (
    f"WLED's web server has not answered within {TIMEOUT_S} s: it is overloaded or hangs: start the strip again"
)
LEFT_UNANSWERED = "WLED's web server hung up before it had answered: close other pages of the strip, or start it again"
SHOWS_NOTHING = (
    "WLED shows nothing of what is sent: is Receive UDP realtime on in its settings, under Sync Interfaces? "
    "Is the port the one for that protocol?"
)
OTHER_RECEIVER = "a web server without WLED's /json/info: another kind of receiver"
LONGEST_STRIP, MOST_TOLD_MILLIAMPS = 65535, 1_000_000
"""More is no strip."""


class NoWledError(ValueError):
    """A web server that knows nothing of WLED's questions: receivers of other makers are lit all the same."""


@dataclass(frozen=True, slots=True)
class WledInfo:
    """What a WLED strip says of itself. `max_milliamps` is 0 where its limiter is off; `is_live`: it shows what is sent
    to it over the network, None where it does not say."""

    name: str
    version: str
    leds: int
    max_milliamps: int
    is_live: bool | None

    @classmethod
    def parse_info(cls, said: object) -> WledInfo:
        """From the object that `/json/info` answers; ValueError for anything that is not WLED's."""
        if not isinstance(said, dict) or not isinstance(said.get("leds"), dict) or "ver" not in said:
            raise ValueError(NOT_AS_WLED)
        leds = said["leds"]
        count, limit = leds.get("count"), leds.get("maxpwr", 0)
        if not _is_count(count, LONGEST_STRIP):
            raise ValueError("WLED answers without its number of LEDs")
        if not _is_count(limit, MOST_TOLD_MILLIAMPS):
            raise ValueError("WLED answers without its current limit")
        live = said.get("live") if isinstance(said.get("live"), bool) else None
        return cls(str(said.get("name", "WLED"))[:40], str(said["ver"])[:20], int(count), int(limit), live)

    def __str__(self) -> str:
        limit = f"limit {self.max_milliamps} mA" if self.max_milliamps else "no current limit"
        return f"WLED {self.version} {self.name!r}, {self.leds} LEDs, {limit}"

    def too_few(self, needed: int) -> str | None:
        """What is wrong where the map has more LEDs than the strip, else None."""
        advice = "name the map of this strip, or tell WLED how long it is"
        return f"{self}: the LED map has {needed}: {advice}" if self.leds < needed else None


def describe_spare(there: int, needed: int) -> str:
    """What is to be said of a strip with more LEDs than the map, which may be another strip's; "" for no more."""
    said = f"; the LED map has only {needed} of them: where wrong places light up, name the map of this strip"
    return said if there > needed else ""


def _is_count(value: object, most: int) -> bool:
    return isinstance(value, int) and 0 <= value <= most


def ask_strip(host: str, port: int = HTTP_PORT) -> WledInfo:
    """The strip at `host`, within TIMEOUT_S; OSError when nobody is there, ValueError for who answers otherwise, or not
    to the end, with what to do."""
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    try:
        connection.connect()
        with _hang_up_later(connection.sock) as late:
            try:
                connection.request("GET", "/json/info")
                answer = connection.getresponse()
                said = answer.read(MOST_BYTES)
            except (OSError, http.client.HTTPException) as error:
                raise ValueError(_explain_failure(error, late=late.is_set())) from error
        if late.is_set():  # what came until then looks like all of it
            raise ValueError(ANSWERS_LATE)
        if answer.length and len(said) < MOST_BYTES:  # it had announced more
            raise ValueError(LEFT_UNANSWERED)
        if answer.status == http.client.NOT_FOUND:
            raise NoWledError(OTHER_RECEIVER)
        if answer.status != http.client.OK:
            raise ValueError(f"its web server answers with error {answer.status}, not as WLED does: start it again")
        return WledInfo.parse_info(_read_json(said))
    finally:
        connection.close()


def _explain_failure(error: Exception, *, late: bool) -> str:
    """Why no answer came, in words for the user; `late`: it was hung up here, as it took too long."""
    if late:
        return ANSWERS_LATE
    if isinstance(error, ConnectionError | http.client.IncompleteRead):
        return LEFT_UNANSWERED
    return NOT_AS_WLED if isinstance(error, http.client.HTTPException) else ANSWERS_LATE


def _read_json(said: bytes) -> object:
    """What was said. ValueError, in our words, for what cannot be read."""
    try:
        return json.loads(said)
    except (ValueError, RecursionError) as error:  # no JSON, no UTF-8, numbers and depths without end
        raise ValueError(NOT_AS_WLED) from error


@contextmanager
def _hang_up_later(line: socket.socket) -> Iterator[threading.Event]:
    """Whatever is still read from `line` after TIMEOUT_S ends there, and the event is set: its own time limit is one
    for each byte."""
    late = threading.Event()

    def hang_up() -> None:
        late.set()
        with suppress(OSError):  # the other end was quicker
            line.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(TIMEOUT_S, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


class WledPoller:
    """Asks a strip again and again, in a thread of its own, because a network may keep it waiting. Close it."""

    def __init__(self, host: str, needed: int, port: int = HTTP_PORT) -> None:
        self.answer = ""
        """Who answers, "" while nobody has."""
        self.problem: str | None = None
        """What is wrong with who answered once; receivers that are no WLED are asked in vain, which is no fault."""
        self.strange_answer = ""
        """What answers instead of a WLED strip where none ever has, and what to do; "" for nobody."""
        self.pictures = 0
        """How many went out to the strip: whoever sends them counts them here."""
        self._pictures_before, self._in_vain = 0, 0
        self._host, self._needed, self._port = host, needed, port
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._ask_repeatedly, name="wled", daemon=True)
        self._thread.start()

    def stop_asking(self) -> None:
        """Ask no more; what is still waited for is left."""
        self._closing.set()

    def _ask_repeatedly(self) -> None:
        missed = 0
        while not self._closing.is_set():
            pictures = self.pictures
            try:
                found = ask_strip(self._host, self._port)
            except NoWledError as error:
                missed, self.answer, self.problem, self.strange_answer = 0, str(error), None, ""
            except (OSError, ValueError) as error:
                missed += 1
                if missed >= MISSES:
                    self._note_unanswered(error)
            else:
                missed, self.strange_answer = 0, ""
                self.answer = f"{found}{describe_spare(found.leds, self._needed)}"
                self.problem = found.too_few(self._needed) or self.find_sent_in_vain(found, pictures)
            self._closing.wait(REPEAT_QUESTION_S if 0 < missed < MISSES else ASK_WLED_S)

    def find_sent_in_vain(self, found: WledInfo, pictures: int) -> str | None:
        """What is wrong where the strip says again and again that nothing comes, else None; so many `pictures` had gone
        out when it was asked."""
        if found.is_live is not False:
            self._in_vain = 0
        elif pictures > self._pictures_before:
            self._in_vain += 1
        self._pictures_before = pictures
        return SHOWS_NOTHING if self._in_vain >= SENT_IN_VAIN else None

    def _note_unanswered(self, error: Exception) -> None:
        """Say what came instead of an answer; that nobody is there is a fault only where somebody was."""
        strange = str(error) if isinstance(error, ValueError) else ""
        if self.answer:
            self.problem = f"{STOPPED_ANSWERING}: {strange or 'is it switched on?'}"
        self.strange_answer = "" if self.answer else strange
