"""WLED strips in the local network, by a one-shot multicast DNS query (RFC 6762, section 5.1): no daemon is needed."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress

MULTICAST = ("224.0.0.251", 5353)
SERVICE = b"\x05_wled\x04_tcp\x05local\x00"
WHICH_STRIPS = b"\0\0\0\0\0\1\0\0\0\0\0\0" + SERVICE + b"\0\x0c\0\1"
"""One question: which services of this kind are there (PTR, class IN)?"""
LISTEN_S = 1.5
"""Answers may be delayed by half a second (section 6); a radio that sleeps takes one more."""
REPLY_BYTES = 9000
POINTER = 0xC0


def find_strips(group: tuple[str, int] = MULTICAST, listen_s: float = LISTEN_S) -> dict[str, str]:
    """Address -> name of each WLED strip that answers within that time; {} where the network carries no multicast."""
    found: dict[str, str] = {}
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
        asking.sendto(WHICH_STRIPS, group)
        end = time.monotonic() + listen_s
        while (left := end - time.monotonic()) > 0:
            asking.settimeout(left)
            reply, (address, _) = asking.recvfrom(REPLY_BYTES)
            for name in read_strip_names(reply):
                found[address] = name
    return found


def read_strip_names(reply: bytes) -> Iterator[str]:
    """The names of the WLED services that an answer tells of; nothing for what is no answer."""
    with suppress(IndexError, ValueError):
        questions, records = (int.from_bytes(reply[at : at + 2], "big") for at in (4, 6))
        at = 12
        for _ in range(questions):
            at = _skip_name(reply, at) + 4
        for _ in range(records):
            owner = _read_labels(reply, at)
            at = _skip_name(reply, at)
            kind, length = (int.from_bytes(reply[at + skip : at + skip + 2], "big") for skip in (0, 8))
            if kind == 12 and owner[:2] == ["_wled", "_tcp"]:
                yield _read_labels(reply, at + 10)[0]
            at += 10 + length


def _read_labels(reply: bytes, at: int) -> list[str]:
    """The parts of a name, pointers followed; a name that goes on for ever is none."""
    labels: list[str] = []
    for _ in range(64):
        length = reply[at]
        if length >= POINTER:
            at = (length & 0x3F) << 8 | reply[at + 1]
        elif length:
            labels.append(reply[at + 1 : at + 1 + length].decode("utf-8", "replace"))
            at += 1 + length
        else:
            return labels
    raise ValueError("a name without end")


def _skip_name(reply: bytes, at: int) -> int:
    """Where what follows a name begins."""
    while (length := reply[at]) and length < POINTER:
        at += 1 + length
    return at + (2 if length else 1)
