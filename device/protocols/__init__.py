"""LED protocols: one file each, found by its name. A protocol turns frames into bytes and bytes into presses.

A protocol touches no port and reads no clock: the port thread (device/port.py) makes a fresh one for each
connection, calls `encode`, `feed` and `due` with the time, and writes what they return. So a protocol without
answers is one function, and one with acknowledgements is a state machine that tests can feed by hand.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType

from device.byte_streams import DDP_PORT, DRGB_PORT, udp_address
from device.ledmap import LedMap
from device.plugged import AUTO
from device.protocol import Protocol
from engine.errors import InputError

UDP_PORTS = {"ddp": DDP_PORT, "drgb": DRGB_PORT}
"""Of the protocols that go over the network, where WLED takes them."""


def list_names() -> list[str]:
    """Every protocol there is."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def guess_protocol(url: str) -> str:
    """What is most likely spoken at a port: our own display is all that `auto` looks for, and any network port that is
    not DRGB's is taken for DDP's."""
    if url == AUTO:
        return "camref"
    if url == "screen:":
        return "screen"
    if url.startswith("udp://"):
        return "drgb" if udp_address(url)[1] == DRGB_PORT else "ddp"
    return "adalight"


def load_protocol(name: str, leds: LedMap, baud: int | None = None, *, url: str = "") -> Protocol:
    """A fresh protocol for one connection to `url`, or InputError naming the ones there are, or the kind of port that
    it needs.

    `baud` is one of the protocol's BAUDS, None for the first; protocols without a serial port have none.
    """
    if name not in list_names():
        raise InputError(f"protocol {name!r}: unknown, use one of {', '.join(list_names())}")
    module = importlib.import_module(f"{__name__}.{name}")
    bauds: tuple[int, ...] = getattr(module, "BAUDS", ())
    if baud is not None and baud not in bauds:
        speeds = f"use {' or '.join(map(str, bauds))}" if bauds else "it has no serial port, leave it out"
        raise InputError(f"baud {baud}: not a speed of {name}: {speeds}")
    if url:
        _check_port(name, url, module, has_speed=bool(bauds))
    made: Callable[..., Protocol] = getattr(module, f"{name.capitalize()}Protocol")
    return made(leds) if baud is None else made(leds, baud)


def _check_port(name: str, url: str, module: ModuleType, *, has_speed: bool) -> None:
    """InputError for a port at which nobody can understand that protocol, with what to name instead."""
    networked = url.startswith("udp://")
    if getattr(module, "NETWORKED", networked) != networked:
        strip = f"udp://host:{UDP_PORTS[name]}"
        raise InputError(f"protocol {name}: it goes over the network, and {url} does not: name the strip {strip}")
    if networked and has_speed:
        raise InputError(f"protocol {name}: it needs a serial port, and {url} is none: use ddp or drgb")
    if url == "screen:" and has_speed:
        raise InputError(f"protocol {name}: it needs a serial port, and {url} is none: leave the protocol out")
    if name == "screen" and url != "screen:":
        raise InputError(f"protocol {name}: it draws on a terminal, and {url} is none: name the port screen:")
    if name in UDP_PORTS:
        port = udp_address(url)[1]
        for other, usual in UDP_PORTS.items():
            if name != other and port == usual:
                said = f"WLED takes {other} there: name that protocol, or port {UDP_PORTS[name]}"
                raise InputError(f"protocol {name}: {url} is not its port: {said}")
