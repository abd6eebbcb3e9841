"""Programs that tests start: none outlives its test, and none makes a failed test wait for it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
