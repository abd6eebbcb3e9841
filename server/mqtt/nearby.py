"""Halls are found in the local network as printers are, by multicast DNS (RFC 6762, 6763): `_camelot-hall._tcp.local`.

A hall answers who asks for it; a board asks and takes what is answered within moments. What is found is only an
address: the code that somebody types says which hall is meant (server.mqtt.invitations).
"""

from __future__ import annotations

import contextlib
import logging
import socket
import struct
import threading
import time
from collections.abc import Iterator

log = logging.getLogger(__name__)

MDNS_GROUP, MDNS_PORT = "224.0.0.251", 5353
HALL_SERVICE = "_camelot-hall._tcp.local"
PTR, SRV, IN = 12, 33, 1
UNICAST = 0x8000
"""In a question: answer to me alone."""
ANSWER = 0x8400
TTL_S = 120
LOOK_FOR_S, ASK_EVERY_S = 3.0, 0.7
"""How long halls are looked for, and how often they are asked meanwhile: wireless networks lose single packets."""
LARGEST_PACKET = 9000
MOST_RECORDS = 64

PagesAddress = tuple[str, int]
"""Address and port of a hall's pages."""


def _encode_name(name: str) -> bytes:
    return b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"


def build_question() -> bytes:
    """The packet that asks for halls."""
    return struct.pack("!6H", 0, 0, 1, 0, 0, 0) + _encode_name(HALL_SERVICE) + struct.pack("!2H", PTR, IN | UNICAST)


def is_question(packet: bytes) -> bool:
    """Whether somebody asks for halls."""
    return len(packet) > 12 and not packet[2] & 0x80 and _encode_name(HALL_SERVICE).lower() in packet.lower()


def build_answer(name: str, port: int) -> bytes:
    """What a hall of that name with its pages at that port answers; its address is where the packet comes from."""
    instance, host = _encode_name(f"{name}.{HALL_SERVICE}"), _encode_name(f"{name}.local")
    place = struct.pack("!3H", 0, 0, port) + host
    rows = [(_encode_name(HALL_SERVICE), PTR, instance), (instance, SRV, place)]
    records = b"".join(owner + struct.pack("!2HIH", kind, IN, TTL_S, len(data)) + data for owner, kind, data in rows)
    return struct.pack("!6H", 0, ANSWER, 0, len(rows), 0, 0) + records


def port_in(packet: bytes) -> int | None:
    """The port that an answer names for a hall, None for any other packet, whatever is in it."""
    with contextlib.suppress(struct.error, IndexError, ValueError):
        _, flags, questions, *counts = struct.unpack_from("!6H", packet)
        if not flags & 0x8000 or _encode_name(HALL_SERVICE)[:-1].lower() not in packet.lower():
            return None
        at = 12
        for _ in range(min(questions, MOST_RECORDS)):
            at = _skip_name(packet, at) + 4
        for _ in range(min(sum(counts), MOST_RECORDS)):
            at = _skip_name(packet, at)
            kind, _, _, length = struct.unpack_from("!2HIH", packet, at)
            at += 10
            if kind == SRV:
                return int(struct.unpack_from("!3H", packet, at)[2])
            at += length
    return None


def _skip_name(packet: bytes, at: int) -> int:
    """Where what follows a name begins; ValueError if it does not end."""
    while at < len(packet):
        length = packet[at]
        if length >= 0xC0:  # the rest of the name stands elsewhere in the packet
            return at + 2
        at += 1 + length
        if not length:
            return at
    raise ValueError("a name that does not end")


def find_halls() -> Iterator[PagesAddress]:
    """Each hall that answers, once; OSError where nobody can be asked."""
    seen = set[PagesAddress]()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
        asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
        end, next_s = time.monotonic() + LOOK_FOR_S, 0.0
        while (now := time.monotonic()) < end:
            if now >= next_s:
                asking.sendto(build_question(), (MDNS_GROUP, MDNS_PORT))
                next_s = now + ASK_EVERY_S
            asking.settimeout(max(0.01, min(next_s, end) - now))
            with contextlib.suppress(TimeoutError):
                packet, (address, _) = asking.recvfrom(LARGEST_PACKET)
                port = port_in(packet)
                if port and (address, port) not in seen:
                    seen.add((address, port))
                    yield address, port


class Announcer(threading.Thread):
    """Answers who asks for halls, until it is closed. Where the network takes no multicast, it says so and ends."""

    def __init__(self, name: str, port: int) -> None:
        super().__init__(name="announcer", daemon=True)
        self._answer, self._closed = build_answer(name, port), False
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def stop_answering(self) -> None:
        """Answer no more."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def run(self) -> None:
        """The thread."""
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if hasattr(socket, "SO_REUSEPORT"):
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            self._socket.bind(("", MDNS_PORT))
            membership = socket.inet_aton(MDNS_GROUP) + socket.inet_aton("0.0.0.0")  # noqa: S104  # nosec B104  # any network
            self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
            while not self._closed:
                packet, asker = self._socket.recvfrom(LARGEST_PACKET)
                if is_question(packet):
                    self._socket.sendto(self._answer, asker)
        except OSError as error:
            if not self._closed:
                log.warning("boards do not find this hall by themselves: %s: give its address with the code", error)
