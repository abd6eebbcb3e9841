"""Time stamps of seals (RFC 3161): somebody else's signature says that a seal was there at a time.

The date in a seal is what this computer's clock said. An authority for time stamps, where the operator names one, signs
the hash of a seal's signature with its own date; of the game it learns nothing. Its answer is an event of the record.
"""

from __future__ import annotations

import base64
import http.client
import importlib
import ssl
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

from cryptography.x509 import load_pem_x509_certificates

from engine.errors import InputError
from server.record.seal import STAMPED

ASKED_S = 15.0
"""How long an authority may take: free ones take up to five seconds. More makes people wait longer for one that is
gone; less gives up one that is far away."""
LONGEST_STAMP = 64 * 1024
"""Bytes of an answer; with the certificates of three authorities they have six thousand."""


def library() -> ModuleType:
    """What reads and checks time stamps. InputError where it is not installed."""
    try:
        return importlib.import_module("rfc3161_client")
    except ImportError as error:
        raise InputError(f"time stamps: {error}: they need a library: pip install 'camelot-referee[stamp]'") from error


def stamped(url: str, number: int, seal: Mapping[str, object]) -> dict[str, object]:
    """The event with the time stamp of a seal, which is event `number`. InputError where the authority gives none."""
    tools, data = library(), bytes.fromhex(str(seal["signature"]))
    asked = tools.TimestampRequestBuilder().data(data).hash_algorithm(tools.HashAlgorithm.SHA256).build()
    answer = _answer(url, asked.as_bytes())
    try:
        stamp = tools.decode_timestamp_response(answer)
        granted = tools.PKIStatus(stamp.status) is tools.PKIStatus.GRANTED
        same = granted and stamp.tst_info.nonce == asked.nonce
        same = same and stamp.tst_info.message_imprint.message == asked.message_imprint.message
    except ValueError as error:
        raise InputError(f"--tsa {url}: answers with no time stamp: {error}") from error
    if not same:
        raise InputError(f"--tsa {url}: {'its stamp is of something else' if granted else 'it refuses to stamp'}")
    at = stamp.tst_info.gen_time.isoformat()
    return {"event": STAMPED, "number": number, "at": at, "stamp": base64.b64encode(answer).decode()}


class Roots:
    """The certificates of authorities that are trusted."""

    def __init__(self, path: Path) -> None:
        """A PEM file of them. InputError if it is none."""
        try:
            self._known = load_pem_x509_certificates(path.read_bytes())
        except (OSError, ValueError) as error:
            raise InputError(f"--tsa-root {path}: no certificates in PEM: {error}") from error

    def time_of(self, event: Mapping[str, object], seal: Mapping[str, object]) -> str:
        """When a seal was stamped, as the stamp itself says. InputError if the stamp does not hold."""
        tools = library()
        try:
            stamp = tools.decode_timestamp_response(base64.b64decode(str(event["stamp"]), validate=True))
            builder = tools.VerifierBuilder(roots=self._known)
            builder.build().verify_message(stamp, bytes.fromhex(str(seal["signature"])))
        except (tools.VerificationError, ValueError, KeyError) as error:
            raise InputError(f"its time stamp does not hold: {error}") from error
        return str(stamp.tst_info.gen_time.isoformat())


def _answer(url: str, asked: bytes) -> bytes:
    """What an authority answers."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InputError(f"--tsa {url[:80]}: give the address of an authority, http://... or https://...")
    try:
        if parts.scheme == "https":
            place: http.client.HTTPConnection = http.client.HTTPSConnection(
                parts.hostname, parts.port, timeout=ASKED_S, context=ssl.create_default_context()
            )
        else:
            place = http.client.HTTPConnection(parts.hostname, parts.port, timeout=ASKED_S)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            place.request("POST", path, asked, {"Content-Type": "application/timestamp-query"})
            said = place.getresponse()
            answer = said.read(LONGEST_STAMP + 1)
        finally:
            place.close()
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise InputError(f"--tsa {url}: {error or type(error).__name__}") from error
    if said.status != 200 or len(answer) > LONGEST_STAMP:
        raise InputError(f"--tsa {url}: answers {said.status} with {len(answer)} bytes, and no time stamp")
    return answer
