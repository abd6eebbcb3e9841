"""The program with its modules loaded, which starts as often as it is asked to, as a copy of this process each time.

tests/warm_start.py runs this file as a program, asks it, and says why."""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import runpy
import socket
import sys
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 20
"""Of one message: it has a whole environment in it."""


def await_start(link: socket.socket) -> dict[str, Any]:
    """Answer what is asked until the tests are over, which ends this process. Returns in each program that is started,
    with what was asked for it."""
    while True:
        text, handles, *_ = socket.recv_fds(link, MOST_BYTES, 4)
        if not text:
            os._exit(0)
        asked: dict[str, Any] = json.loads(text)
        if "module" in asked:
            if os.fork() == 0:
                link.close()
                link = socket.socket(fileno=handles.pop())
                importlib.import_module(asked["module"])
                gc.freeze()  # so that programs share these modules' memory
        elif (number := start_orphan()) == 0:
            link.close()
            take_streams(handles, is_unbuffered=asked["is_unbuffered"])
            return asked
        else:
            link.send(str(number).encode())
        for handle in handles:
            os.close(handle)


def start_orphan() -> int:
    """A copy of this process whose parent is gone, so that the tests adopt it and are told of its end: 0 in the copy,
    its number here."""
    told, tell = os.pipe()
    between = os.fork()
    if between == 0:
        number = os.fork()
        if number == 0:
            os.close(told)
            os.close(tell)
            return 0
        os.write(tell, str(number).encode())
        os._exit(0)
    os.waitpid(between, 0)
    number = int(os.read(told, 20))
    os.close(told)
    os.close(tell)
    return number


def take_streams(handles: list[int], *, is_unbuffered: bool) -> None:
    """These are standard input, output and error, as Python opens them at its start."""
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
        os.close(handle)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, name)
        raw = io.FileIO(number, "w" if number else "r", closefd=False)
        kept = raw if number and is_unbuffered else io.BufferedWriter(raw) if number else io.BufferedReader(raw)
        stream = io.TextIOWrapper(
            kept,
            before.encoding,
            before.errors,
            newline="\n" if number else None,
            line_buffering=number == 2 or raw.isatty(),
            write_through=is_unbuffered,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def main() -> None:
    """Wait to be started, and be `python -m server` then."""
    link = socket.socket(fileno=int(sys.argv[1]))
    sys.executable = sys.argv[2]
    importlib.import_module("server.cli")
    gc.freeze()
    asked = await_start(link)
    os.environ.clear()
    os.environ.update(asked["environment"])
    if asked["is_own_session"]:
        os.setsid()
    if asked["folder"]:
        os.chdir(asked["folder"])
    os.umask(asked["mask"])
    sys.path.insert(0, str(Path.cwd()))
    sys.argv[1:] = asked["arguments"]
    runpy.run_module("server", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
