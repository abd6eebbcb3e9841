"""A certificate of this machine's own, so that passwords are not sent in the open on the local network.

Nobody vouches for it: a browser asks once whether to trust it, and its fingerprint is printed at the start to compare.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import socket
import ssl
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from engine.errors import InputError
from server.disk import replace_durably
from server.web.site import Tls

VALID = timedelta(days=825)
"""The longest that phones accept."""
RENEWED_BEFORE = timedelta(days=30)
SUBJECT = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "camelot-referee")])
"""Of every certificate that is made here."""
ELSEWHERE = ("192.0.2.1", 9)
"""An address that nobody has (RFC 5737), to ask the system which of ours it would use; nothing is sent there."""


def load_certificate(cert: Path, key: Path) -> Tls:
    """A certificate from elsewhere. InputError if the files cannot be used together."""
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)
    except (OSError, ssl.SSLError) as error:
        raise InputError(f"certificate {cert} with key {key}: {error}: both must be PEM and belong together") from error
    return Tls(str(cert), str(key))


def ensure_certificate(folder: Path, names: Collection[str]) -> Tls:
    """The certificate kept in `folder`; a new one if there is none, if it runs out, or if it lacks one of `names`."""
    tls = Tls(str(folder / "certificate.pem"), str(folder / "certificate.key"))
    if not _is_usable_for(Path(tls.cert), names):
        _create_certificate(tls, sorted({*names, "localhost", "127.0.0.1", "::1"}))
    return load_certificate(Path(tls.cert), Path(tls.key))


def load_own(cert: Path) -> x509.Certificate | None:
    """The certificate of that file if it was made here; None for one from elsewhere, for several, and for none."""
    try:
        found = x509.load_pem_x509_certificates(cert.read_bytes())
    except (OSError, ValueError):
        return None
    return found[0] if len(found) == 1 and found[0].subject == found[0].issuer == SUBJECT else None


def renew_certificate(folder: Path) -> x509.Certificate:
    """Another certificate in place of the one that was made in `folder`, for the same key and names: who knows the key
    knows it again. InputError where there is none that was made here, or it cannot be written."""
    cert, key = folder / "certificate.pem", folder / "certificate.key"
    before = load_own(cert)
    if before is None:
        raise InputError(f"{cert}: is no certificate that was made here: name the folder of a hall that has one")
    try:
        secret = serialization.load_pem_private_key(key.read_bytes(), None)
        if not isinstance(secret, ec.EllipticCurvePrivateKey) or secret.public_key() != before.public_key():
            raise InputError(f"{key}: is not the key of {cert}: take the folder's copy back")
        known = before.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        renewed = _sign_certificate(secret, list(known))
        beside = cert.with_name(f"{cert.name}.new")
        with beside.open("wb") as file:
            file.write(renewed.public_bytes(serialization.Encoding.PEM))
            file.flush()
            os.fsync(file.fileno())
        replace_durably(beside, cert)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{error.filename or cert}: {error.strerror}: it must be readable and writable") from error
    except (ValueError, TypeError, x509.ExtensionNotFound) as error:
        raise InputError(f"certificate {cert}: {error}: take the folder's copy back") from error
    return renewed


def format_fingerprint(tls: Tls) -> str:
    """SHA-256 of the certificate, as browsers show it."""
    der = x509.load_pem_x509_certificate(Path(tls.cert).read_bytes()).public_bytes(serialization.Encoding.DER)
    return ":".join(f"{byte:02X}" for byte in hashlib.sha256(der).digest())


def own_names() -> Sequence[str]:
    """Names and the address under which other machines find this one."""
    name = socket.gethostname()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(ELSEWHERE)
            address = [str(asking.getsockname()[0])]
        except OSError:
            address = []  # no network
    return [*address, name, f"{name}.local"]


def _is_usable_for(cert: Path, names: Collection[str]) -> bool:
    if not cert.exists():
        return False
    try:
        found = x509.load_pem_x509_certificate(cert.read_bytes())
        known = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, x509.ExtensionNotFound) as error:
        raise InputError(f"certificate {cert}: {error}: remove it") from error
    covered = {*known.get_values_for_type(x509.DNSName), *map(str, known.get_values_for_type(x509.IPAddress))}
    return set(names) <= covered and found.not_valid_after_utc > datetime.now(UTC) + RENEWED_BEFORE


def _create_certificate(tls: Tls, names: Sequence[str]) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    cert = _sign_certificate(key, [_general_name(name) for name in names])
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    Path(tls.key).parent.mkdir(parents=True, exist_ok=True)
    Path(tls.key).unlink(missing_ok=True)
    with os.fdopen(os.open(tls.key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secret)
    Path(tls.cert).write_bytes(cert.public_bytes(serialization.Encoding.PEM))


def _sign_certificate(key: ec.EllipticCurvePrivateKey, names: Sequence[x509.GeneralName]) -> x509.Certificate:
    begin = datetime.now(UTC) - timedelta(days=1)  # a phone's clock may be behind
    return (
        x509.CertificateBuilder()
        .subject_name(SUBJECT)
        .issuer_name(SUBJECT)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + VALID)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
