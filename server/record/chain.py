"""The chain of hashes in a record: each event carries the hash of the one before, so that a change shows.

A hash has a short code, which people type from a sheet of paper.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from engine.errors import InputError

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no letter that looks like a digit."""
READ_AS = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})
CODE_LETTERS, GROUP_LETTERS = 16, 4
"""80 bits: who wants another record with the code of a sheet tries some 10^24 of them. Fewer letters are typed sooner
and forged sooner."""
HEX_LETTERS = 64


def genesis_hash(game: str) -> str:
    """What the first event of a game carries in the place of the hash before."""
    return hashlib.sha256(game.encode()).hexdigest()


def hash_event(previous: str, text: str) -> str:
    """The hash of an event whose text is `text` (`encode_event`) and that comes after `previous`."""
    return hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()


def encode_event(event: Mapping[str, object]) -> str:
    """An event as the record and the wire have it: JSON without spaces, its keys in their own order."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))


def code_of(head: str) -> str:
    """The code of a hash in hex: the first 80 bits, as in 7QK3-M2PD-0VZA-9XTC."""
    bits = int(head[: CODE_LETTERS * 5 // 4], 16)
    letters = "".join(ALPHABET[bits >> shift & 31] for shift in range((CODE_LETTERS - 1) * 5, -1, -5))
    return "-".join(letters[at : at + GROUP_LETTERS] for at in range(0, CODE_LETTERS, GROUP_LETTERS))


def beginning_of(typed: str) -> str:
    """How the hash begins that was typed, as a code or whole in hex. InputError if it is neither."""
    text = typed.strip()
    if len(text) == HEX_LETTERS and set(text.lower()) <= set("0123456789abcdef"):
        return text.lower()
    letters = text.upper().translate(READ_AS)
    if len(letters) != CODE_LETTERS or not set(letters) <= set(ALPHABET):
        raise InputError(
            f"--head {typed[:80]}: a code has {CODE_LETTERS} letters and digits, as in 7QK3-M2PD-0VZA-9XTC; "
            f"or give the whole hash of {HEX_LETTERS} digits"
        )
    bits = 0
    for letter in letters:
        bits = bits << 5 | ALPHABET.index(letter)
    return f"{bits:0{CODE_LETTERS * 5 // 4}x}"
