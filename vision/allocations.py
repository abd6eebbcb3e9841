"""What a camera in the network may make this program keep in memory, whatever length of picture it claims."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import cv2  # noqa: F401  # brings the library with it that is looked for here

MOST_AT_ONCE = 128_000_000
"""Bytes of one piece of memory that FFmpeg may take: more than a decoded picture of forty megapixels has. By itself it
takes what a stream claims, up to 2 GB, until it gives up on the picture."""
LOADED = Path("/proc/self/maps")


@cache
def bound_allocations() -> bool:
    """Bound FFmpeg's, in all of this process; whether that could be done: its library is found on Linux alone."""
    try:
        lines = LOADED.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    found = {line.split(maxsplit=5)[-1] for line in lines if "/libavutil" in line}
    for path in found:
        bound = ctypes.CDLL(path).av_max_alloc
        bound.argtypes, bound.restype = [ctypes.c_size_t], None
        bound(MOST_AT_ONCE)
    return bool(found)
