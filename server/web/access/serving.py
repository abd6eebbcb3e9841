"""Where and to whom `referee serve` serves the page: the options, and what they come to."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from engine.errors import InputError
from server import logs
from server.masking import print_line
from server.options import A_FILE, FILE_OR_FOLDER, OUT_FILE, gather_options
from server.web import tls
from server.web.access.accounts import Door, default_path
from server.web.access.visitors import Visitors
from server.web.guard import parse_site
from server.web.proxy import parse_base as under
from server.web.proxy import parse_proxy_address
from server.web.site import Tls, allow_connections, create_listener

log = logging.getLogger(__name__)


EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  # nosec B104  # compared with what is asked for


@dataclass(frozen=True, slots=True)
class Serving:
    """What the options come to; nothing is opened yet."""

    host: str
    port: int
    tls: Tls | None
    visitors: Visitors
    kept: socket.socket | None = None
    """A socket that listens all the time: who asks between two sites at one address waits instead of being refused."""
    without_accounts: str = ""
    """Why it is not opened as it is: nobody could log in. A hall of this machine brings accounts of its own."""

    def open_listener(self) -> socket.socket:
        """A socket of the page, for one site: it closes it. InputError when accounts are needed and there are none."""
        if self.visitors.door is None and self.without_accounts:
            raise InputError(self.without_accounts)
        if not self.is_local and self.tls is None and not self.visitors.proxy:
            log.warning("passwords travel unencrypted: add --tls own, or a proxy that encrypts")
        allow_connections()
        if self.kept is not None:
            return self.kept.dup()
        return create_listener(self.host, self.port)

    @property
    def is_local(self) -> bool:
        """Whether other machines do not reach it."""
        return _is_local(self.host)

    @property
    def is_everywhere(self) -> bool:
        """Whether it is served in every network of this machine."""
        return self.host in EVERYWHERE

    def public_address(self, url: str) -> str:
        """Where others find the page that is served at `url`: "every network" is no address to type."""
        mine = next(iter(tls.own_names()))
        reached = url.replace("//0.0.0.0:", f"//{mine}:").replace("//[::]:", f"//{mine}:")
        return f"{reached.rstrip('/')}{self.visitors.base}/"


@dataclass(frozen=True, slots=True)
class Encryption:
    """With which certificate to encrypt: one made here, one that is given, or not at all."""

    own_tls: str | None
    tls_cert: Path | None
    tls_key: Path | None

    def load_certificate(self, folder: Path, names: Sequence[str]) -> Tls | None:
        """The certificate kept in `folder`, for these names, or the one given. InputError for half of one."""
        cert, key = self.tls_cert, self.tls_key
        if self.own_tls and (cert or key):
            raise InputError("--tls own: makes its own certificate; leave --tls-cert and --tls-key out")
        if self.own_tls:
            made = tls.ensure_certificate(folder, names)
            print_line(f"Fingerprint of the certificate (SHA-256): {tls.format_fingerprint(made)}")
            return made
        if (cert is None) != (key is None):
            raise InputError("--tls-cert and --tls-key: both are needed")
        return tls.load_certificate(cert, key) if cert and key else None


def _build_serving(
    host: str,
    port: int,
    allowed: Sequence[str],
    accounts: Path | None,
    encryption: Encryption,
    behind_proxy: str | None,
    base: str,
    sites: Sequence[str],
    log_file: Path | None,
    *,
    log_json: bool,
) -> Serving:
    logs.start_logging(log_file, as_json=log_json)
    shown_on = tuple(map(parse_site, sites))
    local, proxy = _is_local(host), parse_proxy_address(behind_proxy) if behind_proxy else ""
    kept = accounts or default_path()
    door = None if local and not proxy and accounts is None else _find_door(kept)
    certificate = encryption.load_certificate(kept.parent, [*allowed, *([] if local else tls.own_names())])
    visitors = Visitors(
        tuple(allowed),
        door,
        secure=certificate is not None or bool(proxy),
        proxy=proxy,
        sites=shown_on,
        base=under(base),
    )
    needed = "" if local and not proxy and accounts is None else _name_missing_accounts(host, kept)
    return Serving(host, port, certificate, visitors, without_accounts=needed)


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError as error:
        raise InputError(f"--host {host}: not an address; give 127.0.0.1, or 0.0.0.0 for every network") from error


def _find_door(path: Path) -> Door | None:
    """The accounts that come in; None if there are none."""
    door = Door(path)
    return door if door.current_accounts.by_name else None


def _name_missing_accounts(host: str, path: Path) -> str:
    return (
        f"--host {host}: accounts are needed and there are none in {path}; make one: "
        "referee accounts add NAME --role arbiter"
    )


encryption_options = gather_options(
    "encryption",
    Encryption,
    click.option("--tls", "own_tls", type=click.Choice(["own"]), help="Encrypt with a certificate made here."),
    click.option("--tls-cert", type=FILE_OR_FOLDER, help="Encrypt with this certificate (PEM)."),
    click.option("--tls-key", type=FILE_OR_FOLDER, help="The certificate's key (PEM)."),
)
page_port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=5000,
    show_default=True,
    help="Port of the page: the number in its address, http://127.0.0.1:5000.",
)
serving_options = gather_options(
    "serving",
    _build_serving,
    click.option("--host", default="127.0.0.1", show_default=True, help="Address of the page; 0.0.0.0: every network."),
    page_port_option,
    click.option("--allow-host", "allowed", multiple=True, help="Host name under which the page may be asked for."),
    click.option(
        "--accounts",
        type=A_FILE,
        envvar="CAMELOT_REFEREE_ACCOUNTS",
        help="Who may use the page; needed for other machines. Default: what `referee accounts` made.",
    ),
    encryption_options,
    click.option("--behind-proxy", metavar="ADDRESS", help="Believe the proxy at this address about who asks."),
    click.option("--base", default="", metavar="PATH", help="Path that a proxy has the pages under: /camelot."),
    click.option(
        "--embed-on",
        "sites",
        multiple=True,
        metavar="SITE",
        help="Site that may show the board, to anybody, in a frame.",
    ),
    click.option("--log-json", is_flag=True, help="Messages as JSON, one a line, with who asked for what."),
    click.option(
        "--log-file",
        type=OUT_FILE,
        help="Keep messages in this file too; a new one is begun every 5 MB, the last five are kept.",
    ),
)
"""Give a command the argument `serving`."""
