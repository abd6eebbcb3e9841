"""Programs that tests start: none outlives its test, and none makes a failed test wait for it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


@contextmanager
def started(command: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[Any]]:  # Popen's own
    """`subprocess.Popen(command, **options)`, killed at the end: `with Popen` alone would wait for it for good."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def children() -> set[int]:
    """The processes that this one has started."""
    return {int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()}


def has_begun(pid: int) -> bool:
    """Whether a process runs its own program by now. Until then who started it waits in the kernel for that, and if it
    is stopped there nothing ends the wait, no time limit either."""
    with suppress(OSError):  # it is over
        return Path(f"/proc/{pid}/cmdline").read_bytes() != Path("/proc/self/cmdline").read_bytes()
    return False


@contextmanager
def children_stopped() -> Iterator[None]:
    """Each process that this one starts meanwhile is stopped as it begins: it never answers, as if its driver hung."""
    before, over = children(), threading.Event()

    def stop() -> None:
        while not over.wait(0.002):
            for pid in filter(has_begun, children() - before):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)

    stopping = threading.Thread(target=stop)
    stopping.start()
    try:
        yield
    finally:
        over.set()
        stopping.join()
