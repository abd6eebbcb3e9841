"""From where the streams may come that a visitor of the set-up page names: addresses that the operator lists, or all
but this machine's own.

A name may lead elsewhere the next time somebody asks for it, and a stream may send its reader on to another address. So
`resolve_host` is asked again at each connection (server.board.setup.gate), and what it gives is what is connected to.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import InputError

HOST_LETTERS = 253
"""The longest name that the internet's name service has."""


NOT_LISTED = "not one of the addresses in the setting cameras-at"
OF_THIS_MACHINE = (
    "an address of this machine itself: name it as the option camera of `referee serve`, where that is started"
)


@dataclass(frozen=True, slots=True)
class AllowedAddresses:
    """Addresses, networks as 192.168.4.0/24 and names that streams may come from; empty for any but our own."""

    listed: tuple[str, ...] = ()

    def resolve_host(self, host: str) -> list[str]:
        """Where to connect for a host, in the order to try; none where that is not allowed or nobody knows it."""
        found = _look_up_host(host)
        if self.listed:
            named = _normalize_name(host) in map(_normalize_name, self.listed)
            return [one for one in found if named or self._is_listed(one)]
        return [] if any(map(is_own, found)) else found

    def explain_refusal(self, host: str) -> str:
        """Why no stream of a host may be opened, "" where it may, or where opening will say that nobody knows it."""
        name = _normalize_name(host)
        if self.listed:
            known = name in map(_normalize_name, self.listed) or bool(self.resolve_host(host))
            return "" if known else NOT_LISTED
        if not name or name == "localhost" or name.endswith(".localhost") or any(map(is_own, _look_up_host(host))):
            return OF_THIS_MACHINE
        return ""

    def _is_listed(self, address: str) -> bool:
        found = _parse_ip(address)
        networks = (network for said in self.listed if (network := _parse_network(said)) is not None)
        return any(found.version == network.version and found in network for network in networks)


def parse_addresses(said: Sequence[str]) -> AllowedAddresses:
    """What the setting says. InputError for what is neither an address, a network nor a name."""
    for one in said:
        if _parse_network(one) is None and ("/" in one or not one.strip() or len(one) > HOST_LETTERS or ":" in one):
            raise InputError(f"--cameras-at {one[:60]!r}: give an address, a network as 192.168.4.0/24, or a name")
    return AllowedAddresses(tuple(said))


def is_number(host: str) -> bool:
    """Whether a host is an address and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_own(address: str) -> bool:
    """Whether whoever connects to an address meets this machine: it can be listened at."""
    found = _parse_ip(address)
    if found.is_loopback or found.is_link_local or found.is_unspecified:
        return True
    family = socket.AF_INET if found.version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as trial:
        try:
            trial.bind((str(found), 0))
        except OSError:
            return False
    return True


def _look_up_host(host: str) -> list[str]:
    """Where a name leads; none where nobody knows it."""
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        return []


def _parse_ip(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address as a number, one of IPv4 in IPv6 as that of IPv4."""
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _parse_network(said: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(said.strip(), strict=False)
    except ValueError:
        return None


def _normalize_name(name: str) -> str:
    return name.strip().lower().rstrip(".")
