"""Seals: what a game was when it ended, signed by this referee, with a short code to print on the score sheet.

The hashes of a record say that it fits together. Who may write the file can make another that fits together as well;
the key of the seals is not in it, and the code on a sheet of paper is out of everybody's reach.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from engine.errors import InputError
from server.disk import write_private
from server.record.chain import code_of
from server.record.store import default_path

log = logging.getLogger(__name__)

SEALED = "sealed"
"""The event that carries a seal: the one before it is the last that is sealed."""
RESULT_EVENT = "result"
ENDINGS = frozenset({RESULT_EVENT, "adjourned"})
"""Events after which a game is sealed; names that are changed after a result are sealed again."""


@dataclass(frozen=True)
class Sealer:
    """Seals games with a key that only this referee has; `today` says date and time, "" for recordings."""

    key: Ed25519PrivateKey
    today: Callable[[], str] = str

    def __call__(self, game: str, number: int, head: str) -> dict[str, object]:
        """The event that seals a game up to event `number`, whose hash is `head`."""
        at = self.today()
        return {
            "event": SEALED,
            "number": number,
            "head": head,
            "code": code_of(head),
            **({"at": at} if at else {}),
            "key": public_key_hex(self.key),
            "signature": self.key.sign(_signed_bytes(game, number, head, at)).hex(),
        }


def public_key_hex(key: Ed25519PrivateKey) -> str:
    """The public half, in hex: all that a reader needs to check a seal."""
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def read_own_public_key() -> str:
    """The public half of this referee's key, "" if there is none yet. InputError as `read_own_key`."""
    key = read_own_key(key_path())
    return public_key_hex(key) if key else ""


def short_key(key: str) -> str:
    """A public key as it is said to people."""
    return code_of(hashlib.sha256(key.encode()).hexdigest())[:9]


def key_path() -> Path:
    """Where this referee's key is: in the user's data folder, whichever record is played into."""
    named = os.environ.get("CAMELOT_REFEREE_SEAL_KEY")
    return Path(named) if named else default_path().with_name("seal.key")


def load_sealer(today: Callable[[], str] = str) -> Sealer | None:
    """Who seals the games of this referee; its key is made at the first start. None, with a line in the log, where it
    can be neither read nor made: a game goes on without seals."""
    try:
        return Sealer(read_own_key(key_path()) or _create_key(key_path()), today)
    except InputError as error:
        log.warning("games are not sealed: %s", error)
        return None


def read_own_key(path: Path) -> Ed25519PrivateKey | None:
    """The key in a file, None if there is none yet. InputError if it is no such key or cannot be read."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"key of the seals {path}: {error.strerror}: only its owner may read it") from error
    except (ValueError, TypeError):
        raise InputError(f"key of the seals {path}: no private key: take a copy of it back, or remove it") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(f"key of the seals {path}: not an Ed25519 key: take a copy of it back, or remove it")
    return key


def _create_key(path: Path) -> Ed25519PrivateKey:
    key = Ed25519PrivateKey.generate()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode())
    except OSError as error:
        raise InputError(f"key of the seals {path}: {error.strerror}: its folder must be writable") from error
    return key


def seal_faults(game: str, events: Iterable[Mapping[str, object]], hashes: Iterable[str]) -> list[str]:
    """What is wrong with the seals of a game, a line each; `hashes` are those of its events, in order."""
    faults, before = [], ""
    for number, (event, head) in enumerate(zip(events, hashes, strict=True), start=1):
        if event.get("event") == SEALED and not _is_valid_seal(game, event, number - 1, before):
            faults.append(f"{game}: event {number}: its seal does not belong to the game")
        before = head
    return faults


def last_seal(events: Iterable[Mapping[str, object]]) -> Mapping[str, object] | None:
    """The last seal of a game, None if it has none."""
    found = None
    for event in events:
        found = event if event.get("event") == SEALED else found
    return found


def _is_valid_seal(game: str, event: Mapping[str, object], number: int, head: str) -> bool:
    """Whether a seal says what stands before it, and was signed with the key that it names."""
    if event.get("number") != number or event.get("head") != head or event.get("code") != code_of(head):
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(str(event["key"])))
        key.verify(bytes.fromhex(str(event["signature"])), _signed_bytes(game, number, head, str(event.get("at", ""))))
    except (InvalidSignature, ValueError, KeyError):
        return False
    return True


def _signed_bytes(game: str, number: int, head: str, at: str) -> bytes:
    """What is signed: one line each, none of which can hold a line's end."""
    return "\n".join(("camelot-referee seal 1", game, str(number), head, at)).encode()
