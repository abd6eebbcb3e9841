"""The chain of hashes in a record: each event carries the hash of the one before, so that a change shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping


def genesis_hash(game: str) -> str:
    """What the first event of a game carries in the place of the hash before."""
    return hashlib.sha256(game.encode()).hexdigest()


def hash_event(previous: str, text: str) -> str:
    """The hash of an event whose text is `text` (`encode_event`) and that comes after `previous`."""
    return hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()


def encode_event(event: Mapping[str, object]) -> str:
    """An event as the record and the wire have it: JSON without spaces, its keys in their own order."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))
