"""The code by which boards join a hall: short enough to type, good for half an hour, and for this hall alone.

Half of it is a secret that the hall asks for; the other half says which certificate the hall has, so that a board gives
the secret to nobody else. Slow hashing makes it dear to find another certificate with the same half.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import secrets
import ssl
import threading
import time
from collections.abc import Callable, Iterable

from engine import outside
from engine.errors import InputError
from server.mqtt.nearby import PagesAddress

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""32, without those that are taken for each other."""
HALF_LETTERS = 8
"""Letters of each half: 40 bits."""
CODE = re.compile(rf"[{LETTERS}]{{4}}(?:-[{LETTERS}]{{4}}){{3}}(?:@\S+)?")
"""As it is shown, and where the hall is if that is said."""
BETWEEN = re.compile(r"[\s_\-\u2010-\u2015]+")
"""What people type between the letters, or leave out."""
CODE_LIKE = re.compile(r"(?i)[A-Z0-9]{12,20}")
"""What is meant as a code, and mistyped."""
VALID_S = 1800.0
MOST_WRONG = 20
"""Wrong codes after which the right one is another: nobody finds 40 bits in so many."""
HASHING = {"n": 2**14, "r": 8, "p": 1}
"""Of scrypt, with 16 MB: some 50 ms a try, for 2^40 of them."""
JOIN_S = 10.0
LARGEST_WELCOME = 64 * 1024


def normalize_code(typed: str) -> str | None:
    """A code as CODE, however it was typed; None for what is no code. InputError for one that was mistyped."""
    letters, at, place = typed.partition("@")
    letters, place = BETWEEN.sub("", letters).upper(), place.strip()
    shown = "-".join(letters[number : number + 4] for number in range(0, len(letters), 4)) + at + place
    if CODE.fullmatch(shown):
        return shown
    if CODE_LIKE.fullmatch(letters):
        raise InputError(f"code {typed[:40]!r}: four times four letters, as the hall's page shows them")
    return None


def half_of(certificate: bytes) -> str:
    """The half of a code that says which certificate (DER) a hall has."""
    digest = hashlib.scrypt(certificate, salt=b"camelot-hall", dklen=5, **HASHING)
    number = int.from_bytes(digest, "big")
    return "".join(LETTERS[number >> 5 * at & 31] for at in range(HALF_LETTERS))


class Invitations:
    """The code of a hall that is good now; any thread may ask."""

    def __init__(self, certificate: bytes, clock: Callable[[], float] = time.monotonic) -> None:
        self._half, self._clock, self._lock = half_of(certificate), clock, threading.Lock()
        self._secret, self._until, self._wrong = "", 0.0, 0

    def current_code(self) -> str:
        """As it is shown; it is good for at least half of VALID_S from now."""
        with self._lock:
            if self._until - self._clock() < VALID_S / 2:
                self._secret = "".join(secrets.choice(LETTERS) for _ in range(HALF_LETTERS))
                self._until, self._wrong = self._clock() + VALID_S, 0
            text = self._secret + self._half
            return "-".join(text[at : at + 4] for at in range(0, len(text), 4))

    def verify_secret(self, secret: str) -> bool:
        """Whether that is the secret half of the code that is good now."""
        with self._lock:
            if self._clock() >= self._until:
                return False
            if secrets.compare_digest(self._secret.encode(), secret.upper().encode()):
                return True
            self._wrong += 1
            if self._wrong >= MOST_WRONG:
                self._until = 0.0
            return False


def redeem_code(code: str, name: str | None, places: Iterable[PagesAddress]) -> str:
    """The address by which a board publishes from now on, given by the hall of that code among `places`.

    InputError if there is none, or it does not take the code.
    """
    known = normalize_code(code)
    if known is None:
        raise InputError(f"code {code[:40]!r}: four times four letters, as the hall's page shows them")
    letters = known.partition("@")[0].replace("-", "")
    secret, half = letters[:HALF_LETTERS], letters[HALF_LETTERS:]
    said = "no hall was found in this network: is `referee hall` running, and is this the same network? "
    said += "Where it is not found, write the code with its address: CODE@192.168.1.2"
    for place in places:
        try:
            answer = _ask_hall(place, half, {"code": secret} | ({"name": name} if name else {}))
        except OSError as error:
            said = f"hall at {place[0]}:{place[1]}: {error}"
            continue
        if answer is not None:
            return answer
        said = f"the hall at {place[0]}:{place[1]} has another code"
    raise InputError(f"--hall: {said}")


def _ask_hall(place: PagesAddress, half: str, body: dict[str, str]) -> str | None:
    """What the hall there answers; None if it is not the one that the code is of. OSError if it does not answer."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # the code itself says whom to trust
    connection = http.client.HTTPSConnection(*place, timeout=JOIN_S, context=context)
    try:
        connection.connect()
        certificate = connection.sock.getpeercert(binary_form=True)
        if certificate is None or half_of(certificate) != half:
            return None
        connection.request("POST", "/api/v1/hall/join", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = outside.json_value(answer.read(LARGEST_WELCOME))
    except (http.client.HTTPException, ValueError) as error:
        raise OSError(f"{type(error).__name__} {error}"[:200]) from error
    finally:
        connection.close()
    if answer.status != http.HTTPStatus.OK or not isinstance(said, dict) or not isinstance(said.get("hall"), str):
        why = said.get("detail") if isinstance(said, dict) else None
        raise InputError(f"--hall: the hall does not take it: {str(why or answer.status)[:200]}")
    return str(said["hall"])


def place_of(address: str, port: int) -> PagesAddress:
    """`host` or `host:port`. InputError if it is neither."""
    host, _, said = address.rpartition(":") if ":" in address else (address, "", str(port))
    number = outside.parse_number(said) or 0
    if not host or not 0 < number < 65536:
        raise InputError(f"--hall: {address[:60]!r} is not an address: write HOST or HOST:PORT")
    return host, number
