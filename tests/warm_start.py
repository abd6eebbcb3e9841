"""`python -m server` starts in tests as a copy of a process that has its modules loaded: loading them takes one to two
seconds of a core, which hundreds of starts in a run cost more than what the programs did then.

Each process of tests loads the modules of a command once, as the program itself does. Every start is a copy of that
(fork) with arguments, environment, folder and streams of its own, and a child of the tests like any other. Started anew
is what the copy would not be like: with other variables that Python reads before it runs anything (PYTHON*, LANG,
LD_PRELOAD, ...), with limits or a function before it, by another program. With COLD_STARTS=1 everything is.
"""

from __future__ import annotations

import atexit
import ctypes
import inspect
import json
import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_PRELOAD", "TZ", "MALLOC_", "GLIBC_", "OPENBLAS_", "OMP_", "FAKETIME")
"""Beginnings of the variables that Python, NumPy and the system's library read before the program runs. OpenCV and the
program set some of OpenCV's themselves, with its folder of libraries, as they are loaded."""
PLAIN: dict[str, object] = {
    "preexec_fn": None,
    "close_fds": True,
    "pass_fds": (),
    "restore_signals": True,
    "gid": None,
    "gids": None,
}
PLAIN |= {"uid": None, "umask": -1, "process_group": -1, "executable": None, "shell": False}
"""Of Popen's options those that a copy has."""
PR_SET_CHILD_SUBREAPER = 36
_C = ctypes.CDLL(None)


class WarmPrograms:
    """The loaded processes: one with what all commands need, and copies of it that have a command's own modules too."""

    def __init__(self) -> None:
        self._like, self._limits = read_at_start(os.environ), read_limits()
        self._lock = threading.Lock()
        self._links: dict[str, socket.socket] = {}

    def describe_start(self, options: Mapping[str, Any]) -> dict[str, Any] | None:
        """What a start by these options of Popen is to be like; None where it must be one anew."""
        words, folder, environment = options["args"], options["cwd"], options["env"]
        if not isinstance(words, Sequence) or isinstance(words, str | bytes):
            return None
        words = [os.fspath(word) for word in words]
        is_unbuffered = words[1:2] == ["-u"]
        before = [sys.executable, *["-u"] * is_unbuffered, "-m", "server"]
        environment = dict(os.environ if environment is None else environment)
        if words[: len(before)] != before or not all(isinstance(word, str) for word in words):
            return None
        if any(options[name] != usual for name, usual in PLAIN.items()) or read_at_start(environment) != self._like:
            return None
        if read_limits() != self._limits or not Path(folder or ".").is_dir():
            return None
        return {
            "arguments": words[len(before) :],
            "environment": environment,
            "folder": os.fspath(folder or Path.cwd()),
            "is_unbuffered": is_unbuffered,
            "is_own_session": bool(options["start_new_session"]),
            "mask": read_mask(),
        }

    def start(self, asked: Mapping[str, Any], streams: Sequence[int]) -> int:
        """The number of a program that has been started with these three streams: a child of this process."""
        with self._lock:
            link = self._find_link(*asked["arguments"][:1])
            _C.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # who started it ends at once, and leaves it to this process
            try:
                socket.send_fds(link, [json.dumps(asked).encode()], streams)
                number = link.recv(20)
                assert number, f"{asked['arguments'][:1]}: its modules do not load: with COLD_STARTS=1 one sees why"
                return int(number)
            finally:
                _C.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)

    def _find_link(self, command: str = "") -> socket.socket:
        """To the process that has this command's modules, or to the first where it is none."""
        if "" not in self._links:
            self._links[""], its = _make_link()
            with its:
                # by this name the program knows its like (server.board.setup.checkup)
                name = Path(sys.executable).with_name("referee")
                words = [name, "-m", "tests.warm_program", str(its.fileno()), sys.executable]
                self._first = subprocess.Popen(
                    words, executable=sys.executable, pass_fds=[its.fileno()], cwd=ROOT, stdin=subprocess.DEVNULL
                )
                atexit.register(self._end)
        module = command.replace("-", "_")
        if not module.isidentifier() or not (ROOT / "server" / "commands" / f"{module}.py").is_file():
            return self._links[""]
        if module not in self._links:
            self._links[module], its = _make_link()
            with its:
                asked = json.dumps({"module": f"server.commands.{module}"}).encode()
                socket.send_fds(self._links[""], [asked], [its.fileno()])
        return self._links[module]

    def _end(self) -> None:
        """End them all."""
        for link in self._links.values():
            link.close()
        self._first.wait()


def read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """What of an environment is read before the program runs; that its folder is searched for modules is no matter."""
    found = {name: value for name, value in environment.items() if name.startswith(READ_AT_START)}
    if found.get("PYTHONPATH") in (".", str(ROOT)):
        del found["PYTHONPATH"]
    return found


def read_limits() -> list[tuple[int, int]]:
    """What this process, and what it starts, may use of memory, files and so on."""
    kinds = (getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))
    return [resource.getrlimit(kind) for kind in kinds]


def read_mask() -> int:
    """What files that this process makes may not be."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def install_warm_starts() -> None:
    """From now on Popen, and what uses it, starts the program warm where that makes no difference."""
    programs, start_anew = WarmPrograms(), subprocess.Popen._execute_child
    signature = inspect.signature(start_anew)

    def start(self: subprocess.Popen[Any], *given: Any) -> None:
        options = signature.bind(self, *given).arguments
        asked = programs.describe_start(options)
        if asked is None:
            start_anew(self, *given)
            return
        ends = [options[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")]
        streams = [number if end == -1 else end for number, end in enumerate((ends[0], ends[3], ends[5]))]
        self.pid = programs.start(asked, streams)
        self._child_created = True
        self._close_pipe_fds(*ends)

    subprocess.Popen._execute_child = start


def _make_link() -> tuple[socket.socket, socket.socket]:
    """Both ends of one on which messages stay whole."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
