"""Where the broker is, and a client for it: `mqtt://name:password@host:1883/prefix`, or mqtts:// over TLS.

The code by which a board joins is such an address. Its `pin` says which key the broker's certificate has, so that no
other file has to be carried to the board.
"""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from engine import outside
from engine.errors import InputError
from server.masking import mask_passwords
from server.mqtt.certificates import pin_of, trust_alone

PORTS = {"mqtt": 1883, "mqtts": 8883}
DEFAULT_PREFIX = "camelot"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
"""Of boards and prefixes: they are levels of topics, and parts of names in Home Assistant."""
UNKNOWN_HERE = ("Not authorized", "Bad user name or password")
"""What brokers say to an account that they do not have, as after a backup of the hall from before it joined."""
KEEPALIVE_S = 10
"""A dead line is noticed after one and a half of these."""
SHORTEST_RETRY_S, LONGEST_RETRY_S = 0.2, 1.0
"""Between attempts to connect, of boards and of the hall; a broker that comes back is found within the longer one. With
2 s everything waited for the hall: of 2.7 s after a broker was killed 2 were its pause before the next attempt. Shorter
spends the network on attempts when a broker is away for long."""


BREAKS, BREAKS_WITHIN_S = 5, 15.0
"""A line that broke so often within that time is no accident: two of one name take it from each other once a second.
Brokers seldom get to say so (`Session taken over`) before they close it."""


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker's address, and the prefix of all topics."""

    host: str
    port: int
    prefix: str
    tls: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: str | None = None
    """A file with the certificate that signed the broker's; None for those that the system trusts."""
    pin: str | None = None
    """What the key of the broker's own certificate hashes to (`pin_of`); trusted is that one and no other."""

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}/{self.prefix}"

    def create_client(self, name: str, *, returns: bool = False) -> mqtt.Client:
        """A client of that name for MQTT 5, not connected yet; `returns` to a broker that was away by itself.

        InputError if the CA file cannot be used, or the broker has another certificate than the pin says; OSError if
        there is a pin and no broker to ask.
        """
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            name,
            protocol=mqtt.MQTTv5,
            reconnect_on_failure=returns,
        )
        client.reconnect_delay_set(SHORTEST_RETRY_S, LONGEST_RETRY_S)  # type: ignore[arg-type]  # any number does
        if self.user is not None:
            client.username_pw_set(self.user, self.password)
        if self.tls and self.pin:
            client.tls_set_context(self._pinned_context())
        elif self.tls:
            try:
                client.tls_set(ca_certs=self.ca)
            except (OSError, ValueError) as error:
                raise InputError(f"--hall: ca {self.ca}: {error}: name a certificate (PEM)") from error
        return client

    def _pinned_context(self) -> ssl.SSLContext:
        """Trusts the broker's certificate alone; the connection must have that same one."""
        certificate = ssl.get_server_certificate((self.host, self.port), timeout=KEEPALIVE_S)
        if pin_of(certificate) != self.pin:
            raise InputError(f"broker {self}: has another key than the code says: ask for a new code")
        return trust_alone(certificate)


def broker_of(url: str, password: str | None = None) -> Broker:
    """The broker at `url`; `password` where the address has none. InputError says what is wrong with it."""
    shown = mask_passwords(url)
    try:
        parts = outside.parse_address(url)
    except InputError:
        raise InputError(f"broker {shown}: not a valid address, or its port is not a number up to 65535") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise InputError(f"broker {shown}: write it mqtt://host/prefix, or mqtts:// for TLS")
    port = parts.port or PORTS[parts.scheme]
    prefix = parts.path.strip("/") or DEFAULT_PREFIX
    options = parse_qs(parts.query)
    if strange := set(options) - {"ca", "pin"}:
        raise InputError(f"broker {shown}: {sorted(strange)[0]!r} is not an option, only ca=FILE and pin=CODE are")
    return Broker(
        parts.hostname,
        port,
        check_name(prefix, "prefix"),
        tls=parts.scheme == "mqtts",
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else password,
        ca=options["ca"][0] if "ca" in options else None,
        pin=options["pin"][0] if "pin" in options else None,
    )


def check_name(text: str, what: str) -> str:
    """A name that can be a level of a topic; InputError otherwise."""
    if not NAME.fullmatch(text):
        raise InputError(f"{what} {text[:50]!r}: a to z, 0 to 9 and hyphens, at most 40, not a hyphen first")
    return text


def connect_properties(**values: int) -> Properties:
    """Properties of a connection, like SessionExpiryInterval=3600."""
    return _build_properties(PacketTypes.CONNECT, values)


def publish_properties(**values: int) -> Properties:
    """Properties of a message, like MessageExpiryInterval=60."""
    return _build_properties(PacketTypes.PUBLISH, values)


def _build_properties(kind: int, values: dict[str, int]) -> Properties:
    properties = Properties(kind)  # type: ignore[no-untyped-call]  # so in the library
    for name, value in values.items():
        setattr(properties, name, value)
    return properties


def why_broken(reason: object) -> str:
    """Why a line ended, in words: the client calls it an unspecified error when the other side has closed it."""
    said = str(reason)
    return "the broker, or what is between, has closed it" if said == "Unspecified error" else said


BOARD_UNKNOWN = (
    "the hall does not know this board ({said}): join again with the code that the hall's page shows under Add a "
    "board, or the board's card has: referee hall join CODE; then start the referee again"
)
HALL_UNKNOWN = (
    "it does not know the hall's account, or another password for it ({said}): start the hall with those of its file "
    "of passwords, in --broker or in CAMELOT_REFEREE_HALL_PASSWORD"
)


def why_refused(reason: object, unknown: str) -> str:
    """Why the broker lets somebody not in, in words; `unknown` is what to do where it does not know who comes."""
    said = str(reason)
    return unknown.format(said=said) if said in UNKNOWN_HERE else said
