"""Which cameras, files and lights a visitor of the set-up page may name: the command line may name any.

Whoever can reach the page could otherwise have files read, written and devices opened by the referee: FFmpeg draws even
texts, a pipe without a writer never answers, and an address of pyserial's may name a file that it writes.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from calibration.door import read_beginning
from device.byte_streams import NETWORK_KINDS
from engine import outside
from engine.errors import InputError
from server.board.setup.within import AllowedAddresses, is_number
from vision.frames import NO_SUCH_SOURCE, PHONE
from vision.modes import MIRRORED_BEFORE, unmirrored_source

DEVICE = re.compile(
    r"picamera:\d?|(\d{1,2}|/dev/video\d{1,2}|/dev/v4l/by-(id|path)/[\w:.+-]{1,120})(@\d{2,5}x\d{2,5})?"
)
PORTS_OF_LIGHTS = re.compile(
    r"auto|screen:|COM\d{1,3}|/dev/tty(ACM|USB|AMA|THS|S)\d{1,3}|/dev/cu\.[\w.-]{1,80}"
    r"|/dev/serial/by-(id|path)/[\w:.+-]{1,120}"
)
STREAMED = frozenset({"http", "https", "rtsp", "rtsps"})
BEGINNING = 4096
"""Bytes of a file by which texts are told from films and pictures."""


def permit_source(source: str, folder: Path, named: str, reach: AllowedAddresses) -> str:
    """`source`, if a visitor may name it: a camera, a stream from within `reach`, a film or pictures under `folder`, or
    what the command line has `named`; each of them `mirrored:` too. InputError for anything else.
    """
    mirrored = source.startswith(MIRRORED_BEFORE)
    opens = _permit_unmirrored(_path_of(unmirrored_source(source)), folder, unmirrored_source(named), reach)
    return MIRRORED_BEFORE + opens if mirrored else opens


def _permit_unmirrored(source: str, folder: Path, named: str, reach: AllowedAddresses) -> str:
    """What is opened for it, which says nothing of mirrors."""
    if source in {named, PHONE} or DEVICE.fullmatch(source):
        return source
    if "://" in source:
        parts = outside.parse_address(source, "camera")
        return _permit_stream(source, parts.scheme.lower(), parts.hostname or "", reach)
    return _permit_file(source, folder)


def permit_lights(port: str, reach: AllowedAddresses) -> None:
    """Return if a visitor may name that port of the lights: a serial one, or one in the network elsewhere, by its
    number, so that it cannot lead to this machine later. InputError for anything else."""
    if PORTS_OF_LIGHTS.fullmatch(port):
        return
    try:
        parts = outside.parse_address(port)
        host = parts.hostname or ""
    except InputError:
        host = ""
    if not host or parts.scheme not in NETWORK_KINDS or parts.path.strip("/") or parts.query or parts.fragment:
        raise InputError(
            "lights {port}: give auto, a serial port as /dev/ttyUSB0, or a strip as udp://192.168.0.30:4048", port=port
        )
    if not is_number(host):
        raise InputError("lights {port}: give the address as numbers, like 192.168.0.30, instead of a name", port=port)
    refused = reach.explain_refusal(host)
    if refused:
        raise InputError("lights {port}: {why}", port=port, why=refused)


def _path_of(said: str) -> str:
    """A path as people paste it: in quotes, or from their home."""
    if len(said) > 1 and said[0] == said[-1] and said[0] in "\"'":
        said = said[1:-1]
    return os.path.expanduser(said) if said.startswith("~/") else said  # noqa: PTH111  # Path's raises without a home


def _permit_stream(source: str, scheme: str, host: str, reach: AllowedAddresses) -> str:
    if scheme not in STREAMED:
        raise InputError("camera {source}: addresses begin with http, https, rtsp or rtsps", source=source)
    if not host.rstrip("."):
        raise InputError(
            "camera {source}: has no host in it; write it like http://192.168.0.20:8080/video", source=source
        )
    refused = reach.explain_refusal(host)
    if refused:
        raise InputError("camera {source}: {why}", source=source, why=refused)
    return source


def _permit_file(source: str, folder: Path) -> str:
    try:
        path, below = Path(source).resolve(), folder.resolve()
    except (OSError, ValueError, RuntimeError):  # no name of a file, or links that lead in a circle
        raise InputError(NO_SUCH_SOURCE, source=source) from None
    if below == Path("/"):
        raise InputError(
            "camera {source}: start the referee in the folder where your films are, instead of in /", source=source
        )
    if below not in (path, *path.parents):
        raise InputError(
            "camera {source}: films must be in {folder} or below it: put it there", source=source, folder=folder
        )
    try:  # only now: nobody is told whether there is a file elsewhere
        kind = path.stat().st_mode
    except OSError:
        raise InputError(NO_SUCH_SOURCE, source=source) from None
    if stat.S_ISDIR(kind):
        return str(path)
    try:
        beginning = read_beginning(path, BEGINNING)
    except InputError:
        raise InputError("camera {source}: neither a film nor a folder of pictures", source=source) from None
    if not beginning:
        raise InputError("camera {source}: the file is empty", source=source)
    if b"\0" not in beginning:
        raise InputError("camera {source}: is a text file, not a film", source=source)
    return str(path)
