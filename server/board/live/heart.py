"""One heartbeat for all that is shown: while the loop that decides goes on, lights and pages may say what it said.

Where it stands still, or a look of the camera's pictures does not end, or the record cannot be written, lights, text
display, page and `/healthz` say that instead, within three seconds: a hint nobody stands behind any more is a lie.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from calibration.relocate import SEARCHES
from device.lights import DARK, LedFrame, Rgb, draw_halted
from device.port import NOT_OPENED, LedPort
from device.text import HELD_TEXTS, STARTING_TEXT
from engine.board import Board
from server.board.live.camera import LiveFrame
from server.board.live.snapshot import leds_of
from server.board.live.visibility import HALTED, SHOWN
from server.board.upkeep.heartbeat import Heartbeat
from server.masking import mask_passwords
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

LATE_S = 0.6
"""A camera's picture is at most so old when it comes: exposure, its buffers, the network. More explains pixels by
lights that were long out, less leaves lights in the picture that were still on."""


class Heart:
    """The lights' port and the beat. Owned by the main loop. Mutable."""

    def __init__(self, feed: Feed, palette: str) -> None:
        self._feed, self._palette = feed, palette
        self._port: LedPort | None = None
        self._unlit = ""
        self._told: dict[str, str | None] = {"lights": None, "hall": None}
        self._halted_leds: Mapping[str, object] = {}
        self._watch: Heartbeat | None = None
        self._board: Board | None = None
        self._has_begun = False
        self._starts_t = time.monotonic()
        feed.vitals.lights = self._lights_status

    def use_port(self, port: LedPort | None, unlit: str, watcher: Watcher | ParallelWatcher) -> None:
        """Light `port` from now on; without one `unlit` says why there is none, if there should be.

        Only where looks are made beside the loop is it expected to beat: a recording that is refereed as fast as can be
        waits for each look.
        """
        self._port, self._unlit, self._starts_t = port, unlit, time.monotonic()
        self._board = board = watcher.match.game.board
        self._halted_leds = leds_of(draw_halted(board, self._palette), board)
        beats = isinstance(watcher, ParallelWatcher)
        if port is not None:
            if beats:
                port.set_halted_frame(LedFrame((DARK,) * len(board.cells), text=STARTING_TEXT))
            port.start_connecting()
        if beats:
            self._watch = Heartbeat(lambda: self._feed.vitals, self._publish_halt)
            self._watch.start_checking()

    def mark_begun(self) -> None:
        """The first picture is taken: from now on a loop that does not go on is said; before, it starts."""
        self._has_begun = True
        if self._port is not None and self._watch is not None and self._board is not None:
            self._port.set_halted_frame(draw_halted(self._board, self._palette))

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

    def light_during_frame(self, frame: Frame) -> list[tuple[Rgb, ...]]:
        """What light the board's own LEDs may have given each cell while a camera took this frame."""
        if self._port is None or not isinstance(frame, LiveFrame):
            return []
        return self._port.light_between(frame.at - LATE_S, frame.at)

    def show_leds(self, frame: LedFrame) -> None:
        """Light this."""
        if self._port is not None:
            self._port.show_frame(frame)

    def show_halted(self, board: Board, kind: str) -> dict[str, object]:
        """Nothing can be written down, so nothing is told: the lights say so, and why (a key of HELD_TEXTS), until
        something is shown again. What is to be said of them until then."""
        frame = draw_halted(board, self._palette, HELD_TEXTS[kind])
        self.show_leds(frame)
        return {"leds": leds_of(frame, board)}

    @property
    def lights_trouble(self) -> str | None:
        """What is wrong with the lights, None for nothing."""
        port = self._port
        problem = self._unlit if port is None else port.known_problem or port.suspected_problem
        return mask_passwords(problem) if problem and problem != NOT_OPENED else None

    def list_troubles(self) -> dict[str, str | None]:
        """What is wrong beside the game, which goes on: with the lights, and with the line to the hall."""
        hall = self._feed.vitals.hall()
        return {"lights": self.lights_trouble, "hall": None if hall == "ok" else hall}

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

    def _publish_halt(self) -> bool:
        """Called in another thread: the loop stands still. Whether that was said: a start has STARTS_WITHIN_S."""
        if not self._has_begun:
            if time.monotonic() - self._starts_t < STARTS_WITHIN_S:
                return False
            self.mark_begun()
        t = (self._feed.newest_snapshot or {}).get("t", 0.0)
        unseen = {"cause": HALTED, "message": SHOWN[HALTED], "since": t}
        self._feed.show_halted({"cannot_see": unseen, "leds": self._halted_leds})
        return True
