"""Who may use the page from elsewhere: names, roles, and what proves them, in one file that only its owner may read.

Passwords are hashed with Argon2id, which is slow on purpose. Keys of programs are random and long, so a fast hash
keeps them; nothing that proves anything can be read from the file.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import json
import logging
import os
import secrets
import stat
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

from engine import outside
from engine.errors import InputError
from server.disk import write_private
from server.settings import default_path as settings_path

log = logging.getLogger(__name__)

ROLES = ("spectator", "player", "arbiter")
"""Each may do what those before it may."""
SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 200
"""Characters; at least 8 as in NIST SP 800-63B."""
LONGEST_NAME = 40
HASHER = PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)
"""64 MiB and some 50 ms: the recommendation of RFC 9106 for small machines."""


@dataclass(frozen=True, slots=True)
class Account:
    """One person or program. `password` is an Argon2 hash, "" for none; `keys` are SHA-256 of API keys, in hex."""

    name: str
    role: str
    password: str = ""
    keys: tuple[str, ...] = ()

    @property
    def password_mark(self) -> str:
        """Changes with the password, so that sessions begun with the old one end."""
        return hashlib.sha256(self.password.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Accounts:
    """All of them by name, and the secret with which sessions are signed."""

    by_name: Mapping[str, Account] = field(default_factory=lambda: MappingProxyType({}))
    secret: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)

    def with_account(self, account: Account) -> Accounts:
        """With that account, in the place of one of the same name."""
        return replace(self, by_name=MappingProxyType({**self.by_name, account.name: account}))

    def without_account(self, name: str) -> Accounts:
        """Without the account of that name."""
        rest = {known: account for known, account in self.by_name.items() if known != name}
        return replace(self, by_name=MappingProxyType(rest))

    def check_password(self, name: str, password: str) -> Account | None:
        """The account that this opens, None for a wrong name or password; both take the same time."""
        account = self.by_name.get(name)
        try:
            HASHER.verify(account.password if account and account.password else _unmatchable_hash(), password)
        except VerificationError:
            return None
        return account

    def check_key(self, key: str) -> Account | None:
        """The account whose API key this is."""
        digest = _hash_key(key)
        for account in self.by_name.values():
            if any(hmac.compare_digest(digest, known) for known in account.keys):
                return account
        return None


def create_account(name: str, role: str, password: str) -> Account:
    """A new account; an empty password for a program, which has keys only. InputError for what cannot be one."""
    outside.check_text(name, "account")
    outside.check_text(password, f"account {name}: password")
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise InputError(f"account {name!r}: a name has 1 to {LONGEST_NAME} characters that can be printed")
    if password and not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise InputError(f"account {name}: a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    return Account(name, role, HASHER.hash(password) if password else "")


def add_key(account: Account) -> tuple[Account, str]:
    """The account with one more API key, and that key: it is in no other place."""
    key = f"referee-{secrets.token_urlsafe(32)}"
    return replace(account, keys=(*account.keys, _hash_key(key))), key


def default_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Beside the settings."""
    return settings_path(environ).with_name("accounts.json")


def read_accounts(path: Path) -> Accounts:
    """The accounts in a file; none if there is no file. InputError if it cannot be used or others may read it."""
    try:
        if not path.is_file() and path.exists():  # a pipe without a writer would never answer
            raise InputError("it is no file")
        with path.open(encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise InputError(f"others may read it: chmod 600 {path}")
            return _parse_accounts(outside.json_value(file.read()))
    except FileNotFoundError:
        return Accounts()
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"accounts {path}: {error}: mend or remove it") from error


def write_accounts(path: Path, accounts: Accounts) -> None:
    """Replace the file at once, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(path, json.dumps(_accounts_to_json(accounts), ensure_ascii=False, indent=1))


class Door:
    """The accounts in a file as they are now: a change of the file is noticed at the next request."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._seen = self._file_state()
        self._accounts = read_accounts(path)

    @property
    def current_accounts(self) -> Accounts:
        """The newest ones; a file that cannot be used lets nobody in until it is mended."""
        with self._lock:
            if (now := self._file_state()) != self._seen:
                self._seen = now
                try:
                    self._accounts = read_accounts(self.path)
                except InputError as error:
                    log.error("nobody is let in: %s", error)
                    self._accounts = Accounts()
            return self._accounts

    def _file_state(self) -> tuple[int, ...]:
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return (found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode)


def _parse_accounts(stored: Any) -> Accounts:
    known = {}
    for name, one in stored["accounts"].items():
        if one["role"] not in ROLES:
            raise ValueError(f"{name} has the role {one['role']!r}, use {', '.join(ROLES)}")
        known[str(name)] = Account(str(name), one["role"], str(one["password"]), tuple(map(str, one["keys"])))
    return Accounts(MappingProxyType(known), str(stored["secret"]))


def _accounts_to_json(accounts: Accounts) -> dict[str, object]:
    return {
        "secret": accounts.secret,
        "accounts": {
            account.name: {"role": account.role, "password": account.password, "keys": list(account.keys)}
            for account in accounts.by_name.values()
        },
    }


def _hash_key(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


@functools.cache
def _unmatchable_hash() -> str:
    """A hash that no password opens, so that an unknown name takes as long as a known one."""
    return HASHER.hash(secrets.token_hex(32))
