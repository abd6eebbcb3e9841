"""`/hall/join`: what to type at a board so that it joins, and where who shows the code is given an account."""

from __future__ import annotations

import logging
from collections.abc import Callable

from flask import Blueprint, Response, jsonify, render_template, request

from engine.errors import InputError
from server.hall.pages.bodies import body_of, text_of
from server.mqtt.broker import check_name
from server.mqtt.invitations import HALF_LETTERS, Invitations
from server.web.problems import Problem

log = logging.getLogger(__name__)


def joining_page(
    invitations: Invitations,
    join: Callable[[str, str], str],
    boards: Callable[[], list[str]],
    is_here: Callable[[str], bool],
    found_at: str,
) -> Blueprint:
    """The blueprint. `join` gives a board of a name an account, and says how it reaches the broker at an address;
    `boards` are those that have one, and one that `is_here` keeps its name. Other computers find these pages at
    the host `found_at`."""
    routes = Blueprint("joining", __name__)

    @routes.get("/hall/join")
    def page() -> str:
        host, _, port = request.host.rpartition(":")
        is_own = host == "localhost" or host.startswith("127.")  # who looks at it at the hall's own computer
        place = f"{found_at if is_own else host}:{port}" if host and port.isdecimal() else request.host
        return render_template("hall_join.html", code=invitations.current_code(), place=place, boards=boards())

    @routes.post("/api/v1/hall/join")
    def enter() -> Response:
        body = body_of("code", "name")
        secret, name = text_of(body, "code"), text_of(body, "name")
        if len(secret) != HALF_LETTERS or not secret.isascii() or not invitations.verify_secret(secret):
            log.warning("a board showed a code that is not good any more, from %s", request.remote_addr)
            raise Problem(403, "this code is not good any more: take the one that the hall's page shows now")
        host = request.host.rpartition(":")[0] or request.host
        try:
            if is_here(wanted := check_name(name, "name") if name else ""):
                raise Problem(
                    409, f"{wanted} is connected: choose another --board-name, or end the program that has it first"
                )
            address = join(wanted, host.strip("[]"))
        except InputError as error:
            raise Problem(422, str(error)) from error
        return jsonify({"hall": address})

    return routes
