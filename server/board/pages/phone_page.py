"""The page that makes a phone the camera, where its pictures go, and how a phone beside the computer comes to it.

The page of the referee itself stays on this computer. A browser opens the camera on encrypted pages only, and nobody
vouches for a certificate that was made here: the phone asks once. So it has a page of its own in the local network, and
a code that leads to it. Whoever has scanned the code may send pictures; nothing else is served there.
"""

from __future__ import annotations

import hmac
import os
import secrets
import sys
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click
from flask import Blueprint, Flask, Response, jsonify, render_template, request

from engine.errors import InputError
from server.board.live.phone import Phone, PictureRefused
from server.masking import print_line
from server.record.exports.qr import qr_svg, qr_text
from server.web import tls
from server.web.access.serving import Serving
from server.web.access.visitors import Visitors, create_application
from server.web.feed import Feed
from server.web.guard import LARGEST_JPEG, PICTURES
from server.web.preferences import create_preference_routes
from server.web.problems import Problem
from server.web.site import Site, create_listener

LONGEST_PHONE_NAME = 40
PORTS_ON = 443
"""By so much the phone's port lies above the page's: the code scanned before the game leads to the game too."""
LAST_PORT = 65535
KEY_BYTES = 12
"""Of the secret in the code: nobody guesses it in the life of a network."""
KEY_FILE = "phone.key"
COOKIE = "phone"
FREE = ("/static/", "/languages/", "/favicon.ico")
"""What is the same for everybody."""


@dataclass(frozen=True, slots=True)
class PhoneAddress:
    """Where a phone finds this computer: an address of its own, and the folder with certificate and secret."""

    folder: Path
    page_port: int
    address: str | None = None
    """None: the one by which this computer goes to others."""


class PhoneLink:
    """The page for one phone, open from now on until `close`."""

    def __init__(self, phone: Phone, at: PhoneAddress) -> None:
        """InputError where this computer is in no network, or the port is taken."""
        address = address_for_phones(at)
        key = _kept_key(at.folder / KEY_FILE)
        port = at.page_port + PORTS_ON
        listening = create_listener(address, port if port <= LAST_PORT else 0)
        self._site = Site(
            _create_phone_app(phone, key), listening, tls.ensure_certificate(at.folder, {address, *tls.own_names()})
        )
        self.url = f"https://{address}:{listening.getsockname()[1]}/phone?key={key}"
        """What the code says."""

    def close_site(self) -> None:
        """Answer no more."""
        self._site.stop_server()


def address_for_phones(at: PhoneAddress) -> str:
    """The address of this computer in the network of the phone. InputError where there is none."""
    address = at.address or next(iter(tls.own_names()))
    if at.address is None and not any(part.isdigit() for part in address.split(".")):
        raise InputError("phone: this computer is in no network; connect it to the one that the phone is in")
    return address


def own_page_for_phones(serving: Serving, at: PhoneAddress) -> str | None:
    """Where a phone finds the page for it on the referee's own site; None where no phone reaches that encrypted, as
    browsers open the camera on encrypted pages only. InputError where this computer is in no network."""
    visitors = serving.visitors
    if visitors.proxy:
        return f"https://{visitors.hosts[0]}{visitors.base}/phone" if visitors.hosts else None
    if serving.tls is None or serving.is_local:
        return None
    here = address_for_phones(at) if serving.is_everywhere else serving.host
    return f"https://{f'[{here}]' if ':' in here else here}:{at.page_port}{visitors.base}/phone"


def open_for_phone(phone: Phone, serving: Serving, at: PhoneAddress, closing: ExitStack) -> str:
    """Where a phone has to go for the game: to the referee's own page where it reaches that, else to a page that is
    opened for it until `closing`. One that was asked in by the code of the set-up goes on sending there in either case.
    InputError where no phone can come."""
    own = own_page_for_phones(serving, at)
    if own and not (at.folder / KEY_FILE).exists():
        return own
    try:
        link = PhoneLink(phone, at)
    except InputError:
        if own:
            return own
        raise
    closing.callback(link.close_site)
    return own or link.url


class PhoneLinks:
    """The link, opened the first time that somebody wants it. For the web's threads."""

    def __init__(self, phone: Phone, at: PhoneAddress) -> None:
        self.phone, self._at = phone, at
        self._lock = threading.Lock()
        self._link: PhoneLink | None = None

    def open_link(self) -> str:
        """Where the phone has to go. InputError where it cannot come."""
        with self._lock:
            self._link = self._link or PhoneLink(self.phone, self._at)
            return self._link.url

    def close_link(self) -> None:
        """Answer no more."""
        with self._lock:
            if self._link is not None:
                self._link.close_site()


def say_to_phone(url: str) -> None:
    """Say where a phone has to go; in a terminal by a code to scan too."""
    if sys.stdout.isatty():
        click.echo(qr_text(url))
    print_line(f"Open {url} on the phone.")


def create_phone_offer_routes(links: PhoneLinks) -> Blueprint:
    """The blueprint with which the set-up page offers a phone: the code to scan, and whether pictures come."""
    routes = Blueprint("phone_offered", __name__, url_prefix="/api/v1/wizard/phone")

    @routes.get("")
    def state() -> Response:
        return jsonify({"sending": links.phone.is_sending})

    @routes.post("")
    def begin() -> Response:
        try:
            return jsonify({"url": links.open_link()})
        except InputError as error:
            raise Problem(503, error) from error

    @routes.get("/qr.svg")
    def code() -> Response:
        return Response(qr_svg(links.open_link()), content_type="image/svg+xml", headers={"Cache-Control": "no-store"})

    return routes


def _create_phone_app(phone: Phone, key: str) -> Flask:
    app = create_application(Visitors(secure=True), Feed())
    app.register_blueprint(create_preference_routes())
    app.register_blueprint(create_phone_routes(phone))

    @app.before_request
    def check() -> None:
        given = request.args.get("key") or request.cookies.get(COOKIE, "")
        if not request.path.startswith(FREE) and not hmac.compare_digest(given.encode(), key.encode()):
            raise Problem(403, "scan the code on the referee's page again")

    @app.after_request
    def keep(response: Response) -> Response:
        if request.path == "/phone" and request.args.get("key") == key:
            response.set_cookie(COOKIE, key, secure=True, httponly=True, samesite="Strict")
        return response

    return app


def _kept_key(path: Path) -> str:
    """The secret of this computer, made the first time; who is told it may go on being the camera in later games."""
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        key = secrets.token_urlsafe(KEY_BYTES)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(key)
        return key


def create_phone_routes(phone: Phone | None) -> Blueprint:
    """The blueprint with /phone; without a `phone` it says how to have one."""
    routes = Blueprint("phone", __name__)

    @routes.get("/phone")
    def page() -> str:
        return render_template("phone.html", wanted=phone is not None)

    @routes.post(PICTURES)
    def frames() -> tuple[Response, int]:
        """One JPEG picture; `?phone=` tells phones apart."""
        if phone is None:
            raise Problem(409, "Another camera is used. To use a phone, choose it when the board is set up.")
        request.max_content_length = LARGEST_JPEG
        if request.mimetype != "image/jpeg":
            raise Problem(415, "send a picture as image/jpeg")
        try:
            taken = phone.put_picture(request.args.get("phone", "")[:LONGEST_PHONE_NAME], request.get_data())
        except PictureRefused as refused:
            raise Problem(refused.status, refused) from refused
        return jsonify({"taken": taken}), 202

    return routes
