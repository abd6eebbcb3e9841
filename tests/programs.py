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


@contextmanager
def children_stopped() -> Iterator[None]:
    """Each process that this one starts meanwhile is stopped at once: it never answers, as one whose driver hangs."""
    before, over = children(), threading.Event()

    def stop() -> None:
        while not over.wait(0.002):
            for pid in children() - before:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)

    stopping = threading.Thread(target=stop)
    stopping.start()
    try:
        yield
    finally:
        over.set()
        stopping.join()
