"""The cameras that this computer has, as Linux lists them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from vision.modes import Size, best_modes_by_size, device_of, file_of, in_size, is_plugged, list_modes

LISTED_IN, FILES = Path("/sys/class/video4linux"), Path("/dev")


@dataclass(frozen=True)
class VideoDevice:
    """One camera: the number to give as --camera, its file, the name it tells, and whether we may open it.

    `lasting` is a file of the same camera that keeps its name when others are plugged in, None if the system has none.
    """

    number: int
    path: Path
    name: str
    allowed: bool
    lasting: Path | None = None


def video_devices(listed: Path = LISTED_IN, files: Path = FILES) -> list[VideoDevice]:
    """All cameras, lowest number first. One camera may have several files: the further ones give no pictures."""
    found = []
    for entry in listed.glob("video*"):
        number = entry.name.removeprefix("video")
        index = entry / "index"
        if not number.isdigit() or (index.exists() and index.read_text(encoding="utf-8").strip() != "0"):
            continue
        path = files / entry.name
        name = (entry / "name").read_text(encoding="utf-8").strip() if (entry / "name").exists() else entry.name
        found.append(
            VideoDevice(
                int(number),
                path,
                name,
                allowed=os.access(path, os.R_OK | os.W_OK),
                lasting=_find_lasting_link(path, files),
            )
        )
    return sorted(found, key=lambda device: device.number)


def lasting_source(source: str, listed: Path = LISTED_IN, files: Path = FILES) -> str:
    """The same camera by a name that it keeps when others are plugged in, with the size asked of it; else `source`."""
    device = device_of(source)
    before, after = source.split(device, 1) if device else ("", "")
    for found in video_devices(listed, files):
        if found.lasting is not None and device in (str(found.number), str(found.path)):
            return f"{before}{found.lasting}{after}"
    return source


def modes_offered(camera: str, size_wh: Size) -> list[dict[str, object]]:
    """What is offered of a camera that is plugged in: the best mode of each size, and how to name it."""
    found = list_modes(file_of(camera)) if is_plugged(camera) else []
    return [
        {
            "camera": in_size(device_of(camera), mode.size_wh),
            "size": list(mode.size_wh),
            "format": mode.code,
            "fps": round(mode.fps),
            "used": mode.size_wh == size_wh,
        }
        for mode in best_modes_by_size(found)
    ]


def _find_lasting_link(path: Path, files: Path) -> Path | None:
    """The link to a camera's file that is named after its maker and serial number, or after the socket it is in."""
    links = (link for kind in ("by-id", "by-path") for link in sorted((files / "v4l" / kind).glob("*")))
    return next((link for link in links if link.resolve() == path.resolve()), None)
