"""A thread that can connect to one port only and write no file, by the kernel's word (Landlock, Linux 6.7 and later).

It holds for all threads and processes that the thread starts afterwards, and cannot be taken off again. Where the
kernel has none of it nothing happens: what is locked must be kept in by other means first.
Source: the kernel's documentation, userspace-api/landlock.
"""

from __future__ import annotations

import ctypes
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls, on every processor the same."""
GIVE_VERSION = 1
KNOWS_CONNECTIONS = 4
"""The version of Landlock that knows of connections."""
READ_FILE, READ_DIR, ALL_OF_FILES = 1 << 2, 1 << 3, (1 << 15) - 1
WRITING = ALL_OF_FILES & ~(READ_FILE | READ_DIR)
BIND, CONNECT = 1 << 0, 1 << 1
A_PORT = 2
NO_NEW_PRIVILEGES = 38


class _Handled(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("connections", ctypes.c_uint64))


class _Allowed(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("what", ctypes.c_uint64), ("port", ctypes.c_uint64))


def restrict_thread(port: int) -> bool:
    """Have this thread connect to no port but this, listen nowhere and write no file; whether the kernel could."""
    if sys.platform != "linux":
        return False
    call = ctypes.CDLL(None, use_errno=True).syscall
    if call(CREATE_RULESET, None, ctypes.c_size_t(0), GIVE_VERSION) < KNOWS_CONNECTIONS:
        return False
    handled, allowed = _Handled(WRITING, BIND | CONNECT), _Allowed(CONNECT, port)
    rules = call(CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(ctypes.sizeof(handled)), 0)
    if rules < 0:
        return False
    if call(ADD_RULE, rules, A_PORT, ctypes.byref(allowed), 0) < 0:
        return False
    ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(call(RESTRICT_SELF, rules, 0) == 0)
