"""The camera's pictures of a game, small enough to lie in a page."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2

from engine.errors import InputError
from server.pictures import decode_picture
from server.record.evidence import EVIDENCE, read_picture

PHOTO_WIDTH_PX, PHOTO_QUALITY = 480, 75
"""About 25 KB each: a game of 400 plies makes a page of 14 MB."""


def pictures_after(events: Sequence[Mapping[str, object]]) -> dict[int, str]:
    """Ply -> name of the stored picture of the board after it; of a corrected ply the last one."""
    return {
        int(str(event["ply"])): str(event["after"])
        for event in events
        if event.get("event") == EVIDENCE and "ply" in event and "after" in event
    }


def small_photo_uri(folder: Path, name: str) -> str:
    """A stored picture as a data URI, "" if it had to make room or cannot be read."""
    try:
        image = decode_picture(read_picture(folder, name))
    except (InputError, OSError):
        return ""
    if image is None:
        return ""
    scale = min(1.0, PHOTO_WIDTH_PX / image.shape[1])
    smaller = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    ok, data = cv2.imencode(".jpg", smaller, [cv2.IMWRITE_JPEG_QUALITY, PHOTO_QUALITY])
    return f"data:image/jpeg;base64,{b64encode(data.tobytes()).decode()}" if ok else ""
