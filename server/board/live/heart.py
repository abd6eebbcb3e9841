"""One heartbeat for all that is shown: while the loop that decides goes on, lights and pages may say what it said.

Where it stands still, or a look of the camera's pictures does not end, or the record cannot be written, lights, text
display, page and `/healthz` say that instead, within three seconds: a hint nobody stands behind any more is a lie. Of
work that is known to be under way they say for a first stretch that it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from calibration.relocate import SEARCHES
from device.lights import DARK, LedFrame, Rgb, draw_halted
from device.port import NOT_OPENED, LedPort
from device.text import (
    HELD_TEXTS,
    READING_TEXT,
    ROOM_TEXTS,
    SET_UP_TEXT,
    STARTING_TEXT,
    WORKING_TEXT,
    compose_text,
)
from engine.board import Board
from engine.match.acts import Mode
from engine.match.state import Match
from server.board.live.camera import LiveFrame
from server.board.live.snapshot import leds_of
from server.board.live.visibility import HALTED, SHOWN, WORKING
from server.board.upkeep.heartbeat import GOES_ON_WITHIN_S, Heartbeat
from server.masking import mask_passwords
from server.waits import NEARLY_FULL
from server.web.feed import Feed
from server.web.vitals import UNANSWERED
from vision.frames import Frame
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.watcher import Watcher

LONGEST_LOOK_S = 0.5
"""So long a look may run before it keeps the heart from beating: the dearest on an ordinary machine take 0.4 s. With
HALTED_S of port and pages that makes two and a half seconds. Raising it leaves old lights standing, lowering it
interrupts the lights of slow machines."""

LONGEST_SEARCH_S = 20.0
"""So long a look may run in which a board that is not where it was is looked for: other boards under the camera took
up to 10 s on two busy cores. Raising it says later that a search hangs, lowering it says of slow machines that the
referee does not go on while it looks for the board."""

STARTS_WITHIN_S = 10.0
"""So long nothing is said of a loop that has not taken its first picture yet: it starts. Raising it is silent longer
where a start hangs, lowering it calls slow machines halted at their start, which took 3 s at a load of 12."""

WORKS_FOR_S = 10.0
"""So long a picture or a look that has begun is called work, after it a halt. At the start the pieces that stand there
are learned in one piece, which took up to 8 s on two busy cores. Raising it says later that a look hangs, lowering it
says of slow machines that the referee has stopped, and has people start it again for nothing."""

LATE_S = 0.6
"""A camera's picture is at most so old when it comes: exposure, its buffers, the network. More explains pixels by
lights that were long out, less leaves lights in the picture that were still on."""


class Heart:
    """The lights' port and the beat. Owned by the main loop. Mutable."""

    def __init__(self, feed: Feed, palette: str, mode: Callable[[], Mode]) -> None:
        """`mode` is asked for when something is lit, in any thread: people switch it."""
        self._feed, self._palette, self._mode = feed, palette, mode
        self._port: LedPort | None = None
        self._unlit = ""
        self._told: dict[str, str | None] = {"lights": None, "hall": None, "disk": None}
        self._halted_leds: Mapping[str, object] = {}
        self._watch: Heartbeat | None = None
        self._dark, self._halted = LedFrame(()), dict[Mode, LedFrame]()
        self._watcher: Watcher | ParallelWatcher | None = None
        self._has_begun = False
        self._starts_t = time.monotonic()
        feed.vitals.lights = self._lights_status

    def use_port(self, port: LedPort | None, unlit: str, watcher: Watcher | ParallelWatcher) -> None:
        """Light `port` from now on; without one `unlit` says why there is none, if there should be.

        Only where looks are made beside the loop is it expected to beat: a recording that is refereed as fast as can be
        waits for each look.
        """
        self._port, self._unlit, self._starts_t = port, unlit, time.monotonic()
        board = watcher.match.game.board
        self._halted = {mode: draw_halted(board, mode, self._palette) for mode in Mode}
        self._halted_leds = leds_of(self._halted[Mode.TRAINING], board)
        self._dark, self._watcher = LedFrame((DARK,) * len(board.cells)), watcher
        beats = isinstance(watcher, ParallelWatcher)
        if port is not None:
            if beats:
                port.set_halted_frame(self._find_halted_frame)
            port.start_connecting()
        self._feed.vitals.is_at_work = self._is_at_work
        if beats:
            self._watch = Heartbeat(lambda: self._feed.vitals, self._publish_halt)
            self._watch.start_checking()

    def mark_begun(self) -> None:
        """The first picture is taken: from now on a loop that does not go on is said; before, it starts."""
        self._has_begun = True

    def mark_alive(self, watcher: Watcher | ParallelWatcher, *, record_waits: bool) -> bool:
        """The loop has gone round; whether something is to be shown anew: it had stood still, or the lights changed."""
        longest = LONGEST_SEARCH_S if SEARCHES.are_under_way else LONGEST_LOOK_S
        alive = not (isinstance(watcher, ParallelWatcher) and watcher.busy_s > longest)
        self._feed.vitals.note_loop_turn(record_waits=record_waits, decides=alive)
        if alive and self._port is not None:
            self._port.mark_alive()
        before, self._told = self._told, self.list_troubles()
        return before != self._told or (alive and self._feed.is_halted)

    def limit_brightness(self, brightness: float) -> None:
        """Light no more brightly than the camera can bear: a share from 0 to 1."""
        if self._port is not None:
            self._port.brightness = brightness

    def light_during_frame(self, frame: Frame) -> list[tuple[Rgb, ...]] | None:
        """What light the board's own LEDs may have given each cell while a camera took this frame; None where nobody
        knows, as it may be older than what they show."""
        if self._port is None or not isinstance(frame, LiveFrame):
            return []
        lit = self._port.light_between(frame.at - LATE_S, frame.at)
        return None if lit and frame.may_be_old else lit

    def show_leds(self, frame: LedFrame, match: Match | None = None) -> None:
        """Light this; before the first picture the text does not ask for pieces that may stand. Where the first ply of
        `match` is waited for, and nothing is asked, its second line says that the disk of the record is full or nearly
        so."""
        is_plain = match is not None and frame.text == compose_text(match)
        if not self._has_begun and frame.text in {SET_UP_TEXT, READING_TEXT}:
            frame = replace(frame, text=STARTING_TEXT)
        trouble = self._feed.vitals.disk()
        if trouble and match is not None and is_plain and _is_before_all(match):
            frame = replace(frame, text=(frame.text[0], ROOM_TEXTS[trouble == NEARLY_FULL]))
        if self._port is not None:
            self._port.show_frame(frame)

    def show_halted(self, board: Board, kind: str) -> dict[str, object]:
        """Nothing can be written down, so nothing is told: the lights say so, and why (a key of HELD_TEXTS), until
        something is shown again. What is to be said of them until then."""
        frame = draw_halted(board, self._mode(), self._palette, HELD_TEXTS[kind])
        self.show_leds(frame)
        return {"leds": leds_of(frame, board)}

    @property
    def lights_trouble(self) -> str | None:
        """What is wrong with the lights, None for nothing."""
        port = self._port
        problem = self._unlit if port is None else port.known_problem or port.suspected_problem
        return mask_passwords(problem) if problem and problem != NOT_OPENED else None

    def list_troubles(self) -> dict[str, str | None]:
        """What is wrong beside the game, which goes on: with the lights, the line to the hall, and the room on the
        disk."""
        hall = self._feed.vitals.hall()
        return {
            "lights": self.lights_trouble,
            "hall": None if hall == "ok" else hall,
            "disk": self._feed.vitals.disk(),
        }

    def close(self) -> None:
        """Let go of the lights."""
        if self._watch is not None:
            self._watch.stop_checking()
        if self._port is not None:
            self._port.close_port()

    def _lights_status(self) -> str:
        """ok, unanswered, or what is wrong, for `/healthz`."""
        port = self._port
        problem = self._unlit if port is None else port.known_problem or port.suspected_problem
        if problem:
            return mask_passwords(problem)
        return "ok" if port is None or port.answered_by else UNANSWERED

    def _is_at_work(self) -> bool:
        """Whether a piece of work is under way that may take as long, or was until just now: the loop has
        GOES_ON_WITHIN_S to go round after it. Called in any thread."""
        watcher = self._watcher
        if not isinstance(watcher, ParallelWatcher):
            return False
        works_s = watcher.works_s
        return works_s <= WORKS_FOR_S if works_s else watcher.rests_s < GOES_ON_WITHIN_S

    def _find_halted_frame(self) -> LedFrame:
        """What is lit while the loop stands still. Called in the port's thread."""
        if not self._has_begun:
            return replace(self._dark, text=STARTING_TEXT)
        return replace(self._dark, text=WORKING_TEXT) if self._is_at_work() else self._halted[self._mode()]

    def _publish_halt(self) -> bool:
        """Called in another thread: the loop stands still. Whether that was said: a start has STARTS_WITHIN_S, and of
        work that is under way it is said first that it is."""
        if not self._has_begun:
            if time.monotonic() - self._starts_t < STARTS_WITHIN_S:
                return False
            self.mark_begun()
        if self._is_at_work():
            if not self._feed.is_halted:
                self._show_cause(WORKING, {})
            return False
        self._show_cause(HALTED, self._halted_leds)
        return True

    def _show_cause(self, cause: str, leds: Mapping[str, object]) -> None:
        """Tell the pages why nothing is said that they could believe."""
        t = (self._feed.newest_snapshot or {}).get("t", 0.0)
        unseen = {"cause": cause, "message": SHOWN[cause], "since": t}
        self._feed.show_halted({"cannot_see": unseen, "leds": leds})


def _is_before_all(match: Match) -> bool:
    """Whether nothing has happened yet that somebody may want to read of."""
    return not (match.moves or match.before or match.note)
