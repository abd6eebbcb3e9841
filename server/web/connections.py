"""The connections that are open: nobody keeps others out by holding many of them and asking for nothing.

A connection that waits for its next request costs some kilobytes and can be had again. So when too many are open, in
all or from one address, the one that has waited longest makes way for the new one; who is being answered, or follows a
stream, never does.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable
from typing import Protocol

NETWORK_BITS = 64
"""Of an IPv6 address: who has one has all of that network."""
SHARE_OF_ONE = 4
"""One address may hold one in so many of the connections: a club behind one router has a thousand and a half."""


class Guest(Protocol):
    """A connection as the crowd knows it."""

    network: str

    def close_now(self) -> None:
        """Close at once."""


class Connections:
    """The connections of one site. Belongs to its event loop."""

    def __init__(self, most: Callable[[], int], proxy: str = "") -> None:
        """So many may be open. At the address `proxy` one connects for all: there only their number counts."""
        self._most = most
        self._proxy = network_of(proxy) if proxy else None
        self._here: Counter[str] = Counter()
        self._waiting: dict[Guest, None] = {}
        self._waiting_of: dict[str, dict[Guest, None]] = {}

    def admit_guest(self, guest: Guest) -> bool:
        """A new connection, which waits for its first request; whether there was, or was made, room for it."""
        most = self._most()
        share = 1 if guest.network == self._proxy else SHARE_OF_ONE
        crowded = self._here[guest.network] >= max(1, most // share)
        if crowded or self._here.total() >= most:
            longest = next(iter(self._waiting_of.get(guest.network, ()) if crowded else self._waiting), None)
            if longest is None:
                return False
            self.remove_guest(longest)
            longest.close_now()
        self._here[guest.network] += 1
        self.mark_waiting(guest)
        return True

    def replace_guest(self, before: Guest, after: Guest) -> None:
        """The one in the place of the other, which waits from now on; it has no network if the other had gone."""
        network = before.network
        self.remove_guest(before)
        after.network = network
        if network:
            self._here[network] += 1
            self.mark_waiting(after)

    def mark_busy(self, guest: Guest) -> None:
        """A request of it is being answered."""
        self._waiting.pop(guest, None)
        of_it = self._waiting_of.get(guest.network, {})
        of_it.pop(guest, None)
        if not of_it:
            self._waiting_of.pop(guest.network, None)

    def mark_waiting(self, guest: Guest) -> None:
        """It has been answered, and nothing more was asked yet."""
        self._waiting[guest] = None
        self._waiting_of.setdefault(guest.network, {})[guest] = None

    def remove_guest(self, guest: Guest) -> None:
        """It is closed; may be said twice."""
        self.mark_busy(guest)
        if guest.network and self._here[guest.network]:
            self._here[guest.network] -= 1
            if not self._here[guest.network]:
                del self._here[guest.network]
        guest.network = ""


def network_of(address: str) -> str:
    """What counts as one address."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address or "?"
    return str(found) if found.version == 4 else str(ipaddress.ip_network((found, NETWORK_BITS), strict=False))
