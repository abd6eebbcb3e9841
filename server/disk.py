"""Files that a power cut leaves whole: under their name is the old one or the new one, and the name is on the disk."""

from __future__ import annotations

import os
from pathlib import Path


def put_in_place(unfinished: Path, path: Path) -> None:
    """Rename a file that was flushed; the new name is on the disk when this returns."""
    unfinished.replace(path)
    keep_names(path.parent)


def keep_names(folder: Path) -> None:
    """Flush which files a folder has: without it a power cut may take back a name that the record counts on."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
