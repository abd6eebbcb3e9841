"""A camera in the network: its pictures in the size that they have, and what it answered where it gives none.

A stream of JPEG pictures is decoded here and not by OpenCV, which squeezes every later picture into the size of the
first: one that was turned upright would look like a board that was pushed aside.
"""

from __future__ import annotations

import http.client
import math
import queue
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit, urlunsplit

import cv2
import numpy as np

from engine.errors import Worded
from vision.allocations import bound_allocations
from vision.ground import Image

STREAM_S = 6.0
"""So long may a camera in the network take to answer, and to send the next picture. Lowering it loses cameras behind a
slow router; raising it makes people wait longer to hear that an address is wrong."""
SLOW_ANSWER_S = 30.0
"""The same for one that sent a picture or two and then nothing for STREAM_S: it may be slow, and opening it again and
again would never show how slow. Raising it takes a camera that hangs so for longer until it is opened again, lowering
it calls no-picture what sends one in half a minute."""
FEW_PICTURES = 3
"""More than these before the silence, and the camera is not slow but gone. Raising it waits long for cameras that have
died, lowering it opens slow ones again and again; one that sends a picture in ten seconds gave one before STREAM_S."""
ANSWERS_WITHIN_S = 3.0
"""So long is waited for what a camera answers that gives no pictures. It only makes the sentence clearer; raising it
says it later, lowering it says of slow cameras that nothing answers."""
JPEG_STREAM = int.from_bytes(b"MJPG", "little")
LAST_MARKER = b"\xff\xd9"
"""Without it a part of the picture is missing."""

NOTHING_ANSWERS = "camera {source}: no pictures come from there; is the camera on, and the address right?"
NO_MORE = "camera {source}: gives no more pictures; check the cable or the network"
NOT_READABLE = "camera {source}: its pictures cannot be read; set it to JPEG or H.264, or start it again"
SENDS_NONE = "camera {source}: answers but sends no picture; restart it, or give it a better network"
WANTS_LOGIN = (  # what is said of one
    "camera {source}: wants a name and a password (it answered {status}): put name:password@ into the address, right "
    "after its two slashes"
)
WRONG_LOGIN = (  # likewise
    "camera {source}: refuses this name and password (it answered {status}): correct them in the address, or allow "
    "this user to see the stream in the camera's settings"
)
NOT_THERE = "camera {source}: has nothing at this address (it answered {status}); look up the path of its stream"
OWN_FAULT = "camera {source}: reports a fault of its own (it answered {status}); restart the camera"
SENDS_AROUND = (
    "camera {source}: only redirects to other addresses (it answered {status}); give the address of the stream itself"
)
WEB_PAGE = (
    "camera {source}: that is a web page, not a stream; give the address of the stream itself (see the camera's "
    "manual or its own page)"
)
OTHER_KIND = "camera {source}: sends {kind}, not pictures; give the address of its stream"
SENTENCES = (
    NOTHING_ANSWERS,
    NO_MORE,
    NOT_READABLE,
    SENDS_NONE,
    WANTS_LOGIN,
    WRONG_LOGIN,
    NOT_THERE,
    OWN_FAULT,
    SENDS_AROUND,
    WEB_PAGE,
    OTHER_KIND,
)
"""All that is said of a stream."""


class StreamLost(Worded):  # it becomes a CameraLost, as what Raspberry Pi cameras raise
    """The stream cannot be opened or gives no more pictures: what was answered, and what to do."""


def read_stream(source: str) -> Iterator[tuple[float, Image]]:
    """Seconds since the beginning and picture, each in its own size. StreamLost at the end.

    One that answers but gave a few pictures or none before STREAM_S of silence is opened once more and waited for
    longer.
    """
    start, waits_s = time.monotonic(), STREAM_S
    while True:
        last, count = time.monotonic(), 0
        try:
            for image in _read_connection(source, waits_s):
                last, count = time.monotonic(), count + 1
                yield last - start, image
        except StreamLost as error:
            is_silent = time.monotonic() - last > STREAM_S * 0.8 and error.text in {NO_MORE, SENDS_NONE}
            if waits_s == SLOW_ANSWER_S or not is_silent or count > FEW_PICTURES:
                raise
        waits_s = SLOW_ANSWER_S


def explain_answer(source: str) -> Worded:
    """What a camera answers that gives no pictures, and what to do. It is asked once, for ANSWERS_WITHIN_S at most."""
    said: queue.SimpleQueue[Worded] = queue.SimpleQueue()
    if source.startswith(("http://", "https://")):
        threading.Thread(target=lambda: said.put(_ask_camera(source)), name="ask camera", daemon=True).start()
        try:
            return said.get(timeout=ANSWERS_WITHIN_S)
        except queue.Empty:
            pass
    return Worded(NOTHING_ANSWERS, source=source)


def decode_jpeg(data: bytes) -> Image | None:
    """A JPEG picture, one that is too large for its size at a quarter of it; None for what is cut off or is none."""
    if LAST_MARKER not in data[-4096:]:
        return None
    raw = np.frombuffer(data, np.uint8)
    for how in (cv2.IMREAD_COLOR, cv2.IMREAD_REDUCED_COLOR_4):
        try:
            image = cv2.imdecode(raw, how | cv2.IMREAD_IGNORE_ORIENTATION)
        except cv2.error:  # it has more pixels than are taken from outside
            continue
        return None if image is None else np.asarray(image, np.uint8)
    return None


def _read_connection(source: str, waits_s: float) -> Iterator[Image]:
    """The pictures of one connection, of which the next may take so long. StreamLost at its end."""
    bound_allocations()
    began = time.monotonic()
    limits = [
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
        round(waits_s * 1e3),
        cv2.CAP_PROP_READ_TIMEOUT_MSEC,
        round(waits_s * 1e3),
    ]
    capture = cv2.VideoCapture(source, cv2.CAP_FFMPEG, limits)
    try:
        if not capture.isOpened():
            why = explain_answer(source)
            is_late = time.monotonic() - began > waits_s * 0.8
            raise StreamLost(SENDS_NONE if is_late and why.text == NOT_READABLE else why.text, **why.values)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        packed = int(capture.get(cv2.CAP_PROP_FOURCC)) == JPEG_STREAM and capture.set(cv2.CAP_PROP_FORMAT, -1)
        bad_since = (
            math.inf
        )  # of pictures without a good one between them: a program that was stopped saw none for long
        while True:
            ok, given = capture.read()
            if not ok:
                raise StreamLost(NO_MORE, source=source)
            image = decode_jpeg(given.tobytes()) if packed else np.asarray(given, np.uint8)
            if image is not None:
                yield image
                bad_since = math.inf
            elif time.monotonic() - (bad_since := min(bad_since, time.monotonic())) > STREAM_S:
                raise StreamLost(NOT_READABLE, source=source)
    finally:
        capture.release()


def _ask_camera(source: str) -> Worded:
    """What is answered at an address, in a sentence."""
    parts = urlsplit(source)
    login, _, host = parts.netloc.rpartition("@")
    address = urlunsplit(parts._replace(netloc=host, fragment=""))
    known = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    if login:
        name, _, password = login.partition(":")
        known.add_password(None, address, unquote(name), unquote(password))
    unchecked = ssl.create_default_context()  # cameras sign for themselves; they are told no more than by FFmpeg
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler(),  # the environment's, as FFmpeg: a camera may only be reached through a gate
        urllib.request.HTTPSHandler(context=unchecked),
        urllib.request.HTTPBasicAuthHandler(known),
        urllib.request.HTTPDigestAuthHandler(known),
    )
    try:
        with opener.open(address, timeout=ANSWERS_WITHIN_S) as answer:
            kind = answer.headers.get_content_type()
    except urllib.error.HTTPError as error:
        error.close()
        return Worded(_sentence_for(error.code, has_login=bool(login)), source=source, status=error.code)
    except (OSError, http.client.HTTPException, ValueError):
        return Worded(NOTHING_ANSWERS, source=source)
    if kind in {"text/html", "application/xhtml+xml"}:
        return Worded(WEB_PAGE, source=source)
    if kind.startswith(("image/", "video/", "multipart/")):
        return Worded(NOT_READABLE, source=source)
    return Worded(OTHER_KIND, source=source, kind=kind)


def _sentence_for(status: int, *, has_login: bool) -> str:
    """What a status of HTTP comes to (RFC 9110, section 15)."""
    if status in {401, 403, 407}:
        return WRONG_LOGIN if has_login else WANTS_LOGIN
    if status < 400:
        return SENDS_AROUND
    return OWN_FAULT if status >= 500 else NOT_THERE
