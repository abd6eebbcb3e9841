"""A broker's certificate: by what a board knows it again, and in words why it is not accepted."""

from __future__ import annotations

import base64
import hashlib
import ssl
from contextlib import suppress
from datetime import UTC, datetime

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PIN_BYTES = 16
"""Of a hash: nobody makes a second key with the same."""
WHATEVER_THE_DATE = ssl.VerifyFlags(0x200000)
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME, for which Python has no name."""
TOO_EARLY, TOO_LATE = 9, 10
"""OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED."""
ASKED_S = 5.0


def pin_of(certificate: str) -> str:
    """The pin of a certificate (PEM): 128 bits of the SHA-256 of its public key, in characters that an address may
    have. One that is renewed with its key has the same."""
    key = x509.load_pem_x509_certificate(certificate.encode()).public_key()
    digest = hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    return base64.urlsafe_b64encode(digest[:PIN_BYTES]).decode().rstrip("=")


def trust_alone(certificate: str) -> ssl.SSLContext:
    """Trusts this certificate (PEM) and no other, whatever name it is for, and whatever its dates are.

    Who knows the key learns nothing from the dates; a hall would end in the middle of a game, and a board whose
    computer begins in 1970 would never join.
    """
    context = ssl.create_default_context(cadata=certificate)
    context.check_hostname = False
    context.verify_flags |= WHATEVER_THE_DATE
    return context


def why_not_accepted(place: tuple[str, int], error: ssl.SSLCertVerificationError) -> str:
    """Why the certificate of the broker there is not accepted, in a line, and what to do."""
    if error.verify_code in {TOO_EARLY, TOO_LATE}:
        with suppress(OSError, ValueError):
            return describe_dates(ssl.get_server_certificate(place, timeout=ASKED_S))
    return f"its certificate is not accepted: {error.verify_message}"


def describe_dates(certificate: str) -> str:
    """What to say of a certificate (PEM) that is not good today."""
    found, now = x509.load_pem_x509_certificate(certificate.encode()), datetime.now(UTC)
    whose, renewal = "the broker's certificate", "who runs the broker renews it"
    if found.issuer == found.subject:
        whose, renewal = (
            "the hall's certificate",
            "its operator renews it with `referee hall renew` in the hall's folder",
        )
    if now < found.not_valid_before_utc:
        begin = f"{whose} begins on {found.not_valid_before_utc:%Y-%m-%d}"
        return f"{begin}, and the clock of this computer says {now:%Y-%m-%d}: set the clock; if it is right, {renewal}"
    end = f"{whose} ended on {found.not_valid_after_utc:%Y-%m-%d}"
    return f"{end}: {renewal}; unless the clock of this computer is wrong, which says {now:%Y-%m-%d}"
