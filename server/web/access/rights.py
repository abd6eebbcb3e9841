"""Who may do what: the one table of every route, and the check of each request against it.

On 127.0.0.1 alone there are no accounts and this is not installed. A route that is not in the table is the arbiter's.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from flask import Flask, Response, g, redirect, request, url_for
from flask.typing import ResponseReturnValue

from engine.match.acts import Mode
from server.web.access import visits
from server.web.access.accounts import ROLES, Account, Door
from server.web.access.visits import TOKEN_HEADER, Visit
from server.web.feed import Feed
from server.web.problems import Problem

log = logging.getLogger(__name__)

SPECTATOR, PLAYER, ARBITER = ROLES
ANYBODY = "anybody"

NEEDS: Mapping[str, str] = {
    "GET /static/<path:filename>": ANYBODY,
    "GET /favicon.ico": ANYBODY,
    "GET /worker.js": ANYBODY,
    "GET /offline": ANYBODY,
    "GET /healthz": ANYBODY,
    "GET /login": ANYBODY,
    "POST /login": ANYBODY,
    "POST /logout": SPECTATOR,
    "GET /languages/<code>.js": ANYBODY,
    "GET /spectator": SPECTATOR,
    "GET /embed": SPECTATOR,
    "GET /overlay": SPECTATOR,
    "GET /settings": SPECTATOR,
    "GET /help": SPECTATOR,
    "GET /api/v1/spectator/game": SPECTATOR,
    "GET /api/v1/spectator/events": SPECTATOR,
    "GET /api/v1/openapi.json": SPECTATOR,
    "GET /api/v1/me": SPECTATOR,
    # What is live and not delayed is for those at the board.
    "GET /": PLAYER,
    "GET /metrics": PLAYER,
    "GET /games": PLAYER,
    "GET /games/<name>": PLAYER,
    "GET /games/<name>/export.<kind>": PLAYER,
    "GET /games/<name>/analysis": PLAYER,
    "GET /api/v1/games": PLAYER,
    "GET /api/v1/games/<name>/events": PLAYER,
    "GET /api/v1/games/<name>/links": PLAYER,
    "GET /api/v1/games/<name>/export.<kind>": PLAYER,
    "GET /api/v1/game": PLAYER,
    "GET /api/v1/events": PLAYER,
    "GET /api/v1/camera.jpg": PLAYER,
    "GET /api/v1/camera.mjpeg": PLAYER,
    "GET /api/v1/camera/grid": PLAYER,
    "GET /api/v1/camera/cells": PLAYER,
    "GET /api/v1/lawful": PLAYER,
    "GET /api/v1/correction": PLAYER,
    "GET /api/v1/evidence/<name>/<int:ply>": PLAYER,
    "GET /api/v1/evidence/<name>/<int:ply>/<any(before, after):side>.jpg": PLAYER,
    "POST /api/v1/undo": PLAYER,
    "POST /api/v1/draw": PLAYER,  # an offer, until the others agree: see server.board.live.wishes
    "POST /api/v1/decline-draw": PLAYER,
    "POST /api/v1/resign": PLAYER,
    "POST /api/v1/settle": PLAYER,
    "POST /api/v1/put-back": PLAYER,
    "GET /api/v1/stands": PLAYER,
    "POST /api/v1/press": PLAYER,
    "POST /api/v1/show-why": PLAYER,
    "POST /api/v1/opponent": PLAYER,
    "POST /api/v1/tutor": PLAYER,
    "POST /api/v1/correct": PLAYER,  # players answer the referee's question with it, and no more: see _answers
    "GET /arbiter": ARBITER,
    "GET /phone": ARBITER,
    "POST /api/v1/camera/frames": ARBITER,
    "GET /setup": ARBITER,
    "GET /api/v1/setup": ARBITER,
    "POST /api/v1/setup/find": ARBITER,
    "POST /api/v1/setup/diagnosis": ARBITER,
    "POST /api/v1/setup/save": ARBITER,
    "POST /api/v1/setup/way-round": ARBITER,
    "POST /api/v1/bring-back": ARBITER,
    "POST /api/v1/as-played": ARBITER,
    "POST /api/v1/position": ARBITER,
    "POST /api/v1/forfeit": ARBITER,
    "POST /api/v1/add-time": ARBITER,
    "POST /api/v1/stands-so": ARBITER,
    "POST /api/v1/pause": ARBITER,
    "POST /api/v1/adjourn": ARBITER,
    "POST /api/v1/resume": ARBITER,
    "POST /api/v1/count-lost": ARBITER,
    "POST /api/v1/mode": ARBITER,
    "POST /api/v1/settings": ARBITER,
    "POST /api/v1/new-game": ARBITER,
    "POST /api/v1/take-up": ARBITER,
    "POST /api/v1/onward": ARBITER,
    "POST /api/v1/games/import": ARBITER,
    "POST /api/v1/games/<name>/delete": ARBITER,
    "POST /api/v1/games/<name>/result": ARBITER,
    "POST /api/v1/details": ARBITER,
    "GET /games/<name>/qr.svg": PLAYER,
}
"""Method and route -> the least role that may use it."""
SHOWN_TO_ANYBODY = frozenset(
    f"GET {rule}" for rule in ("/embed", "/overlay", "/api/v1/spectator/game", "/api/v1/spectator/events")
)
"""What anybody may see once the board is shown on other sites."""
FOR_PROGRAMS = ("/api/", "/metrics")
"""Where programs ask, which would take the page for logging in for the answer."""
OPEN_AT_HALLS = frozenset({"GET /readyz", "POST /api/v1/hall/join"})
"""What anybody may ask a hall: whether it works, and to be let in as a board by the code that its page says."""
WATCHED = frozenset(f"GET {rule}" for rule in ("/watch", "/live/<path:name>", "/api/v1/watch/events"))
"""What anybody may see of a hall: it is as late as the hall's delay. All else there is the arbiter's."""


@dataclass(frozen=True, slots=True)
class Requester:
    """Who asks: an account, by the visit of a browser or, with None, by an API key."""

    account: Account
    visit: Visit | None


def install_rights(app: Flask, door: Door, feed: Feed, *, shown: bool = False) -> None:
    """Let only those use each route of `app` whose account may; `shown`: what spectators see is for anybody."""
    for_all = WATCHED | SHOWN_TO_ANYBODY if shown else WATCHED

    @app.before_request
    def check() -> ResponseReturnValue | None:
        if request.url_rule is None:
            return None
        if f"{request.method} {request.url_rule.rule}" in OPEN_AT_HALLS:
            return None
        need = required_role(request.method, request.url_rule.rule, tournament=_in_tournament(feed))
        if need == ANYBODY:
            g.stranger = True
            return None
        asker = _identify_asker(door)
        if request.method in {"GET", "HEAD"} and f"GET {request.url_rule.rule}" in for_all:
            need = ANYBODY
        if asker is None and need == ANYBODY:
            g.stranger = True
            return None
        if asker is None:
            return _refuse_unknown()
        g.account = asker.account
        g.stands = functools.partial(is_still_valid, app, door, asker)
        if not _is_enough(asker.account, need):
            if request.path == "/" and "pages.spectator" in app.view_functions:
                return redirect(url_for("pages.spectator"), 303)
            if _is_page():
                return _to_login()
            raise Problem(403, f"this is for the role {need}: log in with such an account")
        if request.method not in {"GET", "HEAD", "OPTIONS"}:
            _check_change(asker, feed)
        return None

    @app.context_processor
    def for_templates() -> dict[str, object]:
        """`may(path)`: whether who asks may see the page at `path`; pages name no other."""
        return {
            "may": lambda path: (
                "account" in g and _is_enough(g.account, required_role("GET", path, tournament=_in_tournament(feed)))
            )
        }

    @app.after_request
    def keep_to_oneself(response: Response) -> Response:
        """What only some may see is kept in no cache."""
        if "account" in g:
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def required_role(method: str, rule: str, *, tournament: bool = False) -> str:
    """The least role for a route; OPTIONS is answered to whoever may read the route.

    In a tournament the screen is the arbiter's: players may ask, and look on with the spectators.
    """
    method = "GET" if method in {"HEAD", "OPTIONS"} else method
    need = NEEDS.get(f"{method} {rule}", ARBITER)
    return ARBITER if tournament and need == PLAYER and method == "GET" else need


def _is_enough(account: Account, need: str) -> bool:
    return need == ANYBODY or ROLES.index(account.role) >= ROLES.index(need)


def _in_tournament(feed: Feed) -> bool:
    return feed.newest_snapshot is not None and feed.newest_snapshot.get("mode") == Mode.TOURNAMENT


def _identify_asker(door: Door) -> Requester | None:
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        account = door.current_accounts.check_key(key.strip())
        return Requester(account, None) if account else None
    found = visits.find_visitor(door)
    return Requester(*found) if found else None


def is_still_valid(app: Flask, door: Door, asker: Requester) -> bool:
    """Whether the account is as it was and the visit goes on: streams are open for hours, and are asked again."""
    known = door.current_accounts.by_name.get(asker.account.name)
    if asker.visit is None:
        return known == asker.account
    goes_on = not visits.is_over(app, asker.visit)
    return goes_on and known is not None and (known.password_mark, known.role) == (asker.visit.mark, asker.account.role)


def _refuse_unknown() -> ResponseReturnValue:
    if _is_page():
        return _to_login()
    raise Problem(401, "log in at /login, or send an API key as Authorization: Bearer")


def _is_page() -> bool:
    """Whether somebody looks at a page, who is better served by the login than by a problem."""
    is_for_programs = request.path.startswith(FOR_PROGRAMS)
    return request.method == "GET" and not is_for_programs and request.accept_mimetypes.accept_html


def _to_login() -> ResponseReturnValue:
    return redirect(url_for("login.page", next=request.full_path.rstrip("?")), 303)


def _check_change(asker: Requester, feed: Feed) -> None:
    """A change comes from a page of this visit, and claims no more than the role."""
    if asker.visit and not asker.visit.is_sent_by_its_page(request.headers.get(TOKEN_HEADER, "")):
        raise Problem(403, f"the header {TOKEN_HEADER} is missing or of another visit: load the page again")
    body = request.get_json(silent=True)
    if asker.account.role != ARBITER and isinstance(body, dict):
        if body.get("by") == ARBITER:
            raise Problem(403, "only the arbiter asks as the arbiter")
        if request.path == "/api/v1/correct" and not _answers_question(body, feed.newest_snapshot):
            raise Problem(403, "players answer what the referee asks; past moves are corrected by the arbiter")
    log.info("%s asks for %s", asker.account.name, request.path)


def _answers_question(body: Mapping[str, object], snapshot: Mapping[str, object] | None) -> bool:
    """Whether a correction chooses one of the moves that the referee asks about now: what was played since, instead of
    the last ply, or as a ply of which only the position is known."""
    if not snapshot:
        return False
    ply, note = int(str(snapshot["ply"])), snapshot["note"] if isinstance(snapshot["note"], dict) else {}
    undecided = snapshot.get("undecided")
    asked = [(ply + 1, note.get("options") or ()), (ply, note.get("corrections") or ())]
    asked += [(one["ply"], one["options"]) for one in undecided] if isinstance(undecided, list) else []
    return any(body.get("ply") == number and body.get("notation") in answers for number, answers in asked)
