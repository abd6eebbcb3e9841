"""Is everything there to referee with: camera, serial port, LED map, room on the disk, a clock that runs."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from importlib.metadata import packages_distributions
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from calibration.profile import Profile
from device.ledmap import LedMap
from device.lights import DARK, PALETTES, STANDARD, LedFrame
from device.plugged import list_led_ports
from device.port import ADVICE, IN_USE, LedPort
from engine.board import Board
from engine.errors import InputError
from server.board.setup.checkup_picture import Finding, check_picture
from server.board.setup.opening import guarded_opener, open_source
from server.web.vitals import UNANSWERED
from vision.frames import DEFAULT_FPS, CameraLost, Frame, is_live
from vision.modes import best_modes_by_size, choose_mode, device_of, file_of, in_size, is_plugged, list_modes

LOOK_FRAMES, CHECKUP_S = 30, 3.0
"""A camera is looked at for a second at 30 frames a second, a slow one for no longer than this."""
LEAST_RATE = 4.0
"""Frames a second below which a camera is called slow: a quick move is over between two of them. More warns of cameras
that would do; less lets one pass that misses quick moves."""
ROOM_GB, LITTLE_GB = 1.0, 5.0
"""Evidence pictures of a long game take 0.3 GB."""
CLOCK_SLACK_S = 86400.0
TELLS_WITHIN_S = 2.0
"""How long a referee that is running has to say how its lights are; it answers in milliseconds. Raising it keeps who
waits for the check-up beside one that hangs, lowering it asks a busy machine in vain."""
LISTENING = "0A"
"""How the system writes the state of a socket at which connections are awaited."""
DISTRIBUTION = "camelot-referee"
OUR_PACKAGES = ("engine", "opponent", "calibration", "vision", "device", "server")


def check_camera(source: str, profile: Profile | None, cameras_at: Sequence[str] = ()) -> Iterator[Finding]:
    """Findings about the camera and what it shows; one that a page named leads nowhere but `cameras_at`."""
    source = source if profile is None else in_size(source, profile.size_wh)
    refused = _check_device_file(source)
    if refused is not None:
        yield refused
        return
    begun = time.monotonic()
    seen: list[Frame] = []
    try:  # in a process of its own: a driver may hang or crash
        frames = guarded_opener(source, profile, DEFAULT_FPS, cameras_at) or partial(
            open_source, source, DEFAULT_FPS, every_s=0.0
        )
        for frame in islice(frames(), LOOK_FRAMES):
            seen.append(frame)
            if time.monotonic() - begun > CHECKUP_S:
                break
    except (CameraLost, InputError) as error:
        yield Finding("camera", "wrong", str(error).removeprefix("camera "), "see `referee cameras`")
        return
    h, w = seen[-1].image.shape[:2]
    yield Finding("camera", "ok", f"{source}: {w}x{h}")
    yield from _check_modes(source, (w, h))
    if is_live(source):
        yield from _check_frame_rate(seen, time.monotonic() - begun)
    yield from check_picture(seen[-1].image, profile)


def _check_device_file(source: str) -> Finding | None:
    """A device file that is not there or not ours; None where it is worth trying to open."""
    if not is_plugged(source):
        return None
    device = Path(file_of(source))
    if not device.exists():
        return Finding("camera", "wrong", f"{device} is not there", "plug the camera in; see `referee cameras`")
    if not os.access(device, os.R_OK | os.W_OK):
        advice = "run `sudo usermod -aG video $USER`, then log in again"
        return Finding("camera", "wrong", f"{device}: no permission", advice)
    return None


def _check_modes(source: str, size_wh: tuple[int, int]) -> Iterator[Finding]:
    """In which mode a camera that is plugged in gives its pictures, and what else it could do."""
    found = list_modes(file_of(source)) if is_plugged(source) else []
    used, could = choose_mode(found, size_wh), choose_mode(found)
    if used is None or could is None:
        return
    others = ", ".join(f"{mode.size_wh[0]}x{mode.size_wh[1]}" for mode in best_modes_by_size(found) if mode != used)
    said = f"{used.name}" + (f"; other sizes: {others}" if others else "")
    pixels, most = (mode.size_wh[0] * mode.size_wh[1] for mode in (used, could))
    advice = f"calibrate again with --camera {device_of(source)} to use {could.name}" if pixels < most else ""
    yield Finding("mode", "note" if advice else "ok", said, advice)


def _check_frame_rate(seen: list[Frame], seconds: float) -> Iterator[Finding]:
    """Whether frames come, how quickly, and whether they are new."""
    rate = (len(seen) - 1) / max(seen[-1].t - seen[0].t, 1e-6) if len(seen) > 1 else 1 / max(seconds, 1e-6)
    slow = rate < LEAST_RATE
    advice = "use a smaller picture, more light, a shorter or quicker connection" if slow else ""
    yield Finding("rate", "wrong" if slow else "ok", f"{rate:.1f} frames a second", advice)
    if len(seen) > 1:
        fresh = any(not np.array_equal(a.image, b.image) for a, b in pairwise(seen))
        words = "frames differ from each other" if fresh else "all frames are the same, to the bit"
        advice = "" if fresh else "the camera hangs or shows a still picture: plug it in again, or wake the phone"
        yield Finding("fresh", "ok" if fresh else "wrong", words, advice)


def check_port(port: LedPort, cells: int) -> Finding:
    """Whether the LED port of a board of so many `cells` opens, and who answers. Opening resets some Arduinos, which
    then show their greeting."""
    port.start_connecting()
    port.show_frame(LedFrame((DARK,) * cells))  # an address at which nobody listens refuses the first picture
    answer, problem = port.wait_for_answer(), port.known_problem
    port.close_port()
    if problem and IN_USE in problem and (referees := list_referees(port.url)):
        return describe_held_port(port.url, referees)
    if problem:
        missing, _, remedy = ADVICE[errno.ENOENT].partition(": ")
        if problem == f"{port.url}: {missing}: {remedy}":
            there = " or ".join(list_led_ports())
            remedy = f"plug it in, or name {there}" if there else remedy
            return Finding("port", "wrong", f"{port.url}: {missing}", remedy)
        return Finding("port", "wrong", problem)
    if answer:
        return Finding("port", "ok", f"{port.url}: {answer}")
    advice = "look at the colours of `referee lights test`"
    return Finding("port", "note", f"{port.url}: {port.describe_silence()}", advice)


def describe_held_port(url: str, referees: Sequence[Path]) -> Finding:
    """What the referee that has the port says of its lights."""
    said = next((told for process in referees if (told := _ask_about_lights(process)) is not None), None)
    held = f"{url}: a referee that is running has it"
    if said is None:
        return Finding("port", "note", held, "its own page says what is wrong with its lights, if anything is")
    if said == UNANSWERED:
        return Finding("port", "note", f"{held}, and nobody has answered it")
    if said != "ok":
        return Finding("port", "wrong", f"{held} and says: {said.removeprefix(f'{url}: ')}")
    return Finding("port", "note", f"{held}, as it should during a game")


def list_referees(device: str) -> list[Path]:
    """The other referees of this user that have that device open, each by its folder under /proc, as far as the system
    tells."""
    found = []
    for handle in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):  # it belongs to somebody else, or is closed by now
            process = handle.parents[1]
            if process.name != str(os.getpid()) and handle.samefile(device) and _is_referee(process):
                found.append(process)
    return found


def _ask_about_lights(process: Path) -> str | None:
    """What a referee that is running tells of its lights in `/healthz`; None where it tells nothing."""
    addresses = list[tuple[str, int]]()
    with suppress(OSError):  # it may have ended since
        addresses = _list_listening(process)
    for host, port in addresses:
        asked = HTTPConnection(host, port, timeout=TELLS_WITHIN_S)
        with suppress(OSError, HTTPException, ValueError), closing(asked):
            asked.request("GET", "/healthz")
            told = json.loads(asked.getresponse().read())
            if isinstance(told, dict) and isinstance(lights := told.get("lights"), str):
                return lights
    return None


def _list_listening(process: Path) -> list[tuple[str, int]]:
    """The addresses at which a process waits for pages that are opened; where that is any, the one within."""
    own, found = set[str](), []
    for handle in (process / "fd").iterdir():
        with suppress(OSError):
            own.add(str(handle.readlink()))
    for line in (process / "net" / "tcp").read_text().splitlines()[1:]:
        _, local, _, state, *_, inode = line.split()[:10]
        if state == LISTENING and f"socket:[{inode}]" in own:
            address, port = local.split(":")
            host = socket.inet_ntoa(int(address, 16).to_bytes(4, sys.byteorder))
            found.append((host if int(address, 16) else "127.0.0.1", int(port, 16)))
    return found


def _is_referee(process: Path) -> bool:
    """Whether a process, by its folder under /proc, is this program."""
    words = (process / "cmdline").read_bytes().split(b"\0")
    return any(Path(os.fsdecode(word)).name == "referee" for word in words[:2]) or words[1:3] == [b"-m", b"server"]


def check_led_map(board: Board, read: Callable[[], LedMap]) -> tuple[LedMap, Finding]:
    """The LED map that is to be used, and whether it can be. For one that cannot a single LED stands, which every
    strip has."""
    try:
        leds = read()
    except InputError as error:
        advice = "correct the file, make one with `referee lights walk`, or name another in the profile's [lights]"
        return LedMap(board, ((0,),)), Finding("LED map", "wrong", str(error), advice)
    return leds, Finding("LED map", "ok", f"{len(leds.owners)} LEDs for {len(board.cells)} cells")


def check_palette(profile: Profile) -> Finding | None:
    """A palette in the profile that there is none of; None where nothing is wrong with it."""
    name = profile.lights.get("palette", STANDARD)
    advice = f"write one of {', '.join(PALETTES)} in the profile's [lights]"
    return None if name in PALETTES else Finding("palette", "wrong", f"there is no palette {name!r}", advice)


def check_packages() -> Finding:
    """Whether what is imported is ours: the packages have plain names, which others beside them may have too."""
    known = packages_distributions()
    others = {name: sorted(set(known.get(name, ())) - {DISTRIBUTION}) for name in OUR_PACKAGES}
    shared = [f"{name} is also in {', '.join(found)}" for name, found in others.items() if found]
    if not shared:
        return Finding("packages", "ok", f"{', '.join(OUR_PACKAGES)} are this program's alone")
    advice = "install the program by itself: `pipx install camelot-referee`"
    return Finding("packages", "wrong", "; ".join(shared), advice)


def check_machine(folder: Path) -> Iterator[Finding]:
    """Room where games are kept, and the clock."""
    free = shutil.disk_usage(folder).free / 1e9
    words, advice = f"{free:.1f} GB free in {folder}", "make room: every move keeps its pictures"
    if free < ROOM_GB:
        yield Finding("disk", "wrong", words, advice)
    else:
        yield Finding("disk", "note" if free < LITTLE_GB else "ok", words, advice if free < LITTLE_GB else "")
    made = Path(__file__).stat().st_mtime
    behind = time.time() < made - CLOCK_SLACK_S
    today = time.strftime("%Y-%m-%d %H:%M")
    advice = "set it, or `sudo timedatectl set-ntp true`: records carry the date" if behind else ""
    yield Finding(
        "clock", "wrong" if behind else "ok", f"{today}{', before this program was installed' * behind}", advice
    )
