"""The other side of UGI: runs any engine as a process of its own, and says what is wrong with it as a value.

An engine is another's program: it may end, hang, write without end or give moves that are none. None of that is an
exception here, and none of it reaches the game: what comes back is a lawful move or a `Trouble`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from engine.game import Game, Move, Position
from opponent.vocabulary import AMONG, Limits, write_position

NICER = 10
"""How much an engine's priority is lowered: frames of the camera come first."""
HANDSHAKE_S = 20.0
"""For starting and getting ready: on a small computer Python alone takes three seconds to start."""
GRACE_S = 5.0
"""Beyond the time that an engine was given: more waits longer for one that hangs, less fails on a busy machine."""
UNTIMED_S = 600.0
"""For a move that is limited by nodes or depth alone."""
MOST_ANSWER_LINES = 5_000
"""Lines between two answers; a search that says each depth writes a few dozen."""
LONGEST_ANSWER = 8_192
"""Characters of a line from an engine. With the above it bounds what an engine can make this program remember."""
ENDING_S = 1.0
"""Between `quit` and the end by force."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What an engine did wrong: `kind` is not-there, ended, hung, flooded, unreadable or unlawful."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A lawful move, how long it took, and the last info line that the engine wrote about it."""

    move: Move
    text: str
    seconds: float
    info: str = ""


class Engine:
    """One engine process, set to one game. After a `Trouble` it is closed, and every question gives the same one."""

    def __init__(self, command: Sequence[str]) -> None:
        self.name = command[0] if command else ""
        self.trouble: Trouble | None = None
        self._lines: queue.Queue[str | Trouble] = queue.Queue(MOST_ANSWER_LINES)
        self._game: Game | None = None
        try:
            self._process = subprocess.Popen(  # noqa: S603  # a list, no shell: a program that a person named
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError, IndexError) as error:
            self.trouble = Trouble("not-there", f"{self.name}: cannot be started: {error}")
            return
        _lower_priority(self._process.pid)
        if self._process.stdout is not None:
            threading.Thread(target=self._read_lines, args=(self._process.stdout,), daemon=True).start()

    def prepare_game(self, game: Game, options: Sequence[tuple[str, str]] = ()) -> Trouble | None:
        """Greets the engine and sets it to a game; what went wrong, or None."""
        known = self._ask_line("ugi", "ugiok", HANDSHAKE_S)
        if isinstance(known, Trouble):
            return known
        self.name = next((line[8:60] for line in known if line.startswith("id name ")), self.name)
        chosen = [("game", game.name), ("ruleset", game.rules), *options]
        for name, value in chosen:
            self._write_line(f"setoption name {name} value {value}")
        self._game = game
        self._write_line("uginewgame")
        return self._wait_until_ready()

    def find_move(
        self, start: Position, moves: Sequence[str], position: Position, limits: Limits, among: Sequence[str] = ()
    ) -> Reply | Trouble:
        """The engine's move in `position`, which `moves` lead to from `start`; one of `among`, if any are named."""
        if self.trouble is not None:
            return self.trouble
        game = self._game
        if game is None:
            return self._set_trouble("unreadable", "was not prepared for a game")
        began = "startpos" if start == game.start() else f"fen {write_position(game, start)}"
        self._write_line(" ".join(["position", began, *(["moves", *moves] if moves else [])]))
        not_ready = self._wait_until_ready()
        if not_ready is not None:
            return not_ready
        begun = time.monotonic()
        asked = " ".join(["go", limits.format_limits(), *([AMONG, *among] if among else [])]).strip()
        said = self._ask_line(asked, "bestmove", _reply_timeout(limits, position.seat))
        if isinstance(said, Trouble):
            return said
        text = said[-1].removeprefix("bestmove").strip()
        found = game.read(position, text) if text else None
        if not isinstance(found, Move):
            why = found.message if found else "no move was named"
            return self._set_trouble("unlawful", f"answered {text[:40]!r}: {why}")
        info = next((line for line in reversed(said[:-1]) if line.startswith("info depth")), "")
        return Reply(found, text, time.monotonic() - begun, info[:1000])

    def close(self) -> None:
        """Asks the engine to end, and ends it."""
        if not hasattr(self, "_process"):
            return
        self._write_line("quit")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDING_S)
        self._kill_process()

    def _wait_until_ready(self) -> Trouble | None:
        """Waits until the engine has done what it was told, and takes away what it said before."""
        ready = self._ask_line("isready", "readyok", HANDSHAKE_S)
        if isinstance(ready, Trouble):
            return ready
        refused = next((line for line in ready if line.startswith("info string error")), None)
        return self._set_trouble("unreadable", f"refused: {refused[:200]}") if refused else None

    def _ask_line(self, line: str, until: str, seconds: float) -> list[str] | Trouble:
        """The lines that come after `line` up to the one that begins with `until`."""
        if self.trouble is not None:
            return self.trouble
        if not self._write_line(line):
            return self._set_trouble("ended", "ended")
        said: list[str] = []
        for got in self._receive_until(time.monotonic() + seconds):
            if isinstance(got, Trouble):
                return self._set_trouble(got.kind, got.message)
            said.append(got)
            if got.split(" ", 1)[0] == until:
                return said
            if len(said) >= MOST_ANSWER_LINES:
                return self._set_trouble("flooded", f"wrote {MOST_ANSWER_LINES} lines and no {until}")
        return self._set_trouble("hung", f"gave no {until} within {seconds:g} s")

    def _receive_until(self, end: float) -> Iterator[str | Trouble]:
        """What the engine writes, until the time is over."""
        while (left := end - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                yield self._lines.get(timeout=left)

    def _write_line(self, line: str) -> bool:
        """Whether the engine took the line."""
        if self.trouble is not None or self._process.stdin is None:
            return False
        try:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except (OSError, ValueError):
            return False
        return True

    def _read_lines(self, stdout: IO[bytes]) -> None:
        """Lines into the queue; one too long, or too many that nobody asked for, are the end of reading."""
        with stdout, contextlib.suppress(OSError, ValueError):
            while raw := stdout.readline(LONGEST_ANSWER + 1):
                if len(raw) > LONGEST_ANSWER:
                    self._queue_line(Trouble("flooded", f"wrote a line of more than {LONGEST_ANSWER} characters"))
                    return
                line = raw.decode(errors="replace").strip()
                if line and not self._queue_line(line):
                    return
            self._queue_line(Trouble("ended", f"ended{self._describe_exit()}"))

    def _queue_line(self, item: str | Trouble) -> bool:
        try:
            self._lines.put_nowait(item)
        except queue.Full:
            with contextlib.suppress(queue.Empty):
                while True:
                    self._lines.get_nowait()
            self._lines.put(Trouble("flooded", f"wrote more than {MOST_ANSWER_LINES} lines that nobody had asked for"))
            return False
        return True

    def _describe_exit(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return f" with exit status {self._process.wait(ENDING_S)}"
        return ""

    def _set_trouble(self, kind: str, message: str) -> Trouble:
        self.trouble = Trouble(kind, f"{self.name}: {message}")
        if hasattr(self, "_process"):
            self._kill_process()
        return self.trouble

    def _kill_process(self) -> None:
        """Ends the process, and what it may have started."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDING_S)
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()


def _lower_priority(pid: int) -> None:
    """A lower priority, where the system has such a thing."""
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, pid, NICER)


def _reply_timeout(limits: Limits, seat: int) -> float:
    """Seconds after which an engine hangs."""
    if limits.movetime_ms is not None:
        return limits.movetime_ms / 1000 + GRACE_S
    if limits.clocks_ms:
        return limits.clocks_ms[seat] / 1000 + GRACE_S
    return UNTIMED_S
