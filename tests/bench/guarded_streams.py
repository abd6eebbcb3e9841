"""Cameras in the network behind the gate for a long time: `python -m tests.bench.guarded_streams SECONDS [DROPS]`.

One by MJPEG, one by RTSP and one by HLS at once, at the usual limit of 1,024 open files. Each picture has its number.
The connections are dropped as frequently as is asked, as by a router that starts again. Exit 1 where a picture is
missing but for those, or where a process has more open files at the end than it began with.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from server.board.setup.opening import open_source
from server.board.setup.within import AllowedAddresses
from tests.server.board.setup import streams
from tests.server.board.setup.streams import Watched
from vision.frames import CameraLost

ADDRESS = "127.0.0.2"
USUAL_FILES = 1024
SETTLED = 100
"""Pictures after which the number of open files is taken for the first time."""


@dataclass
class Seen:
    """What came of one camera."""

    numbers: list[int] = field(default_factory=list)
    began: list[int] = field(default_factory=list)
    """How many pictures there were at each beginning of a connection but the first."""
    said: list[str] = field(default_factory=list)

    @property
    def missing(self) -> int:
        """Pictures that did not come, or not in their order, though the connection stood."""
        pairs = zip(self.numbers, self.numbers[1:], strict=False)
        steps = [after - before - 1 for before, after in pairs]
        return sum(abs(step) for at, step in enumerate(steps, start=1) if at not in self.began)


def watch(url: str, end: float) -> Seen:
    """All pictures of a camera until the time `end`, opened again whenever it is lost."""
    seen = Seen()
    while time.monotonic() < end:
        with closing(open_source(url, 8.0, every_s=0.0, reach=AllowedAddresses((ADDRESS,)))) as pictures:
            try:
                for frame in pictures:
                    seen.numbers.append(streams.number_of(frame.image))
                    if time.monotonic() >= end:
                        break
            except CameraLost as error:
                seen.began.append(len(seen.numbers))
                seen.said.append(str(error))
    return seen


def open_files() -> dict[int, int]:
    """Open files of this process and of those that it started, by their number."""
    own, found = os.getpid(), {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            if int(process.name) == own or (parent == own and b"opening" in (process / "cmdline").read_bytes()):
                found[int(process.name)] = len(list((process / "fd").iterdir()))
        except OSError:
            continue
    return found


def main(seconds: float, drops: int) -> int:
    """Watch, drop, and print what came; 0 if nothing is missing."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (USUAL_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with (
        tempfile.TemporaryDirectory() as folder,
        streams.mjpeg(ADDRESS) as by_pictures,
        streams.rtsp(ADDRESS) as by_rtsp,
        streams.hls(ADDRESS, Path(folder)) as by_lists,
    ):
        cameras: dict[str, tuple[str, Watched]] = {"MJPEG": by_pictures, "RTSP": by_rtsp, "HLS": by_lists}
        found: dict[str, Seen] = {}
        end = time.monotonic() + seconds

        def look(name: str, url: str) -> None:
            found[name] = watch(url, end)

        threads = [threading.Thread(target=look, args=(name, url)) for name, (url, _) in cameras.items()]
        for thread in threads:
            thread.start()
        time.sleep(min(SETTLED / streams.RATE, seconds / 4))
        counts = [open_files()]
        for _ in range(drops):
            time.sleep(seconds / (drops + 2))
            counts.append(open_files())
            for _, watched in cameras.values():
                watched.drop()
        time.sleep(max(0.0, end - time.monotonic() - 1))
        counts.append(open_files())
        for thread in threads:
            thread.join()
    for name, seen in found.items():
        print(f"{name}: {len(seen.numbers)} pictures, {len(seen.began)} times begun again, {seen.missing} missing else")
        for message in dict.fromkeys(seen.said):
            print(f"  {message}")
    own = os.getpid()
    ours = [count[own] for count in counts]
    others = [max((n for pid, n in count.items() if pid != own), default=0) for count in counts]
    print(f"open files, here: {ours}; most of a process that opens: {others}")
    # A list of films is read again by FFmpeg itself, which leaves out what went by: only its end would be a fault.
    good = all(seen.missing == 0 for name, seen in found.items() if name != "HLS" or not drops)
    return 0 if good and others[-1] <= others[0] and all(len(seen.numbers) > SETTLED for seen in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5))
