"""Who may do what once there are accounts: every route with no login, each role, and a key; visits and their ends."""

from __future__ import annotations

import queue
import re
from pathlib import Path

import pytest
from flask import request
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.match.acts import Act, Correct, Mode
from server.board.pages.app import create_app
from server.web.access.accounts import ROLES, Accounts, Door, add_key, create_account, read_accounts, write_accounts
from server.web.access.login import MOST_FROM_ONE
from server.web.access.rights import ANYBODY, NEEDS, required_role
from server.web.access.visitors import Visitors
from server.web.access.visits import TOKEN_HEADER, VISIT_S
from server.web.guard import LARGER_BODIES
from tests.server.script import OPENING, Script

PASSWORD = "correct horse"  # noqa: S105  # of accounts that live for one test
STREAMS = {"/api/v1/events", "/api/v1/spectator/events", "/api/v1/camera.mjpeg"}


@pytest.fixture(scope="module")
def accounts() -> Accounts:
    """One account for each role, named like it; hashing takes time, so once."""
    known = Accounts()
    for role in ROLES:
        known = known.with_account(create_account(role, role, PASSWORD))
    return known


@pytest.fixture
def file(tmp_path: Path, accounts: Accounts) -> Path:
    write_accounts(tmp_path / "accounts.json", accounts)
    return tmp_path / "accounts.json"


@pytest.fixture
def client(file: Path, script: Script, inbox: queue.SimpleQueue[Act]) -> FlaskClient:
    return create_app(script.feed, inbox.put, script.game, visitors=Visitors(door=Door(file))).test_client()


def enter(client: FlaskClient, name: str, password: str = PASSWORD) -> TestResponse:
    return client.post("/login", json={"name": name, "password": password})


def token(client: FlaskClient) -> dict[str, str]:
    cookie = client.get_cookie("csrf")
    return {TOKEN_HEADER: cookie.value} if cookie else {}


def key_of(file: Path, name: str) -> dict[str, str]:
    account, key = add_key(read_accounts(file).by_name[name])
    write_accounts(file, read_accounts(file).with_account(account))
    return {"Authorization": f"Bearer {key}"}


def routes(client: FlaskClient) -> list[tuple[str, str]]:
    return [
        (method, rule.rule)
        for rule in client.application.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


def path_of(rule: str) -> str:
    """A path that the route takes: its variables filled with something that is not there."""
    return re.sub(r"<(?:int|float):\w+>", "1", re.sub(r"<any\((\w+).*?>", r"\1", re.sub(r"<(?:path:)?\w+>", "x", rule)))


def ask(client: FlaskClient, method: str, rule: str, headers: dict[str, str] | None = None) -> TestResponse:
    """A request that is well formed as far as the route tells."""
    if method == "GET":
        return client.get(path_of(rule), headers=headers)
    media, _ = LARGER_BODIES.get(rule, ("application/json", 0))
    return client.open(path_of(rule), method=method, data="{}", content_type=media, headers=headers)


def test_every_route_is_in_the_table_and_nothing_else(client: FlaskClient) -> None:
    assert {f"{method} {rule}" for method, rule in routes(client)} == set(NEEDS)
    assert required_role("POST", "/forgotten") == "arbiter"


def test_no_login_opens_no_route(client: FlaskClient, inbox: queue.SimpleQueue[Act]) -> None:
    for method, rule in routes(client):
        if required_role(method, rule) == ANYBODY:
            continue
        answer = ask(client, method, rule)
        assert (rule, answer.status_code) == (rule, 401)
        assert answer.content_type == "application/problem+json"
        for forged in ({"Authorization": "Bearer referee-guess"}, {"Cookie": "visit=eyJuYW1lIjoiYXJiaXRlciJ9.x.y"}):
            answer = ask(client, method, rule, forged)
            assert (rule, answer.status_code) == (rule, 401)
    page = client.get("/", headers={"Accept": "text/html"})
    assert (page.status_code, page.location) == (303, "/login?next=/")
    assert inbox.empty()


@pytest.mark.parametrize("role", ROLES)
def test_each_role_opens_its_routes_only(client: FlaskClient, file: Path, role: str) -> None:
    key = key_of(file, role)
    for method, rule in routes(client):
        need = required_role(method, rule)
        if need == ANYBODY or rule in STREAMS | {"/"}:
            continue
        status = ask(client, method, rule, key).status_code
        if ROLES.index(role) < ROLES.index(need):
            assert (rule, status) == (rule, 403)
        elif rule != "/api/v1/correct":
            assert status not in {401, 403}, rule
    assert client.get("/", headers=key).status_code == (303 if role == "spectator" else 200)


@pytest.mark.parametrize(
    ("role", "pages"),
    [
        ("spectator", {"/spectator", "/settings", "/help"}),
        ("player", {"/", "/spectator", "/games", "/settings", "/help"}),
    ],
)
def test_pages_lead_only_where_one_may_go(client: FlaskClient, role: str, pages: set[str]) -> None:
    enter(client, role)
    nav = client.get("/help").text.partition("<nav")[2].partition("</nav>")[0]
    assert set(re.findall(r'href="([^"]+)"', nav)) == pages


def test_a_page_for_another_role_asks_to_log_in(client: FlaskClient) -> None:
    enter(client, "player")
    page = client.get("/arbiter", headers={"Accept": "text/html"})
    assert (page.status_code, page.location) == (303, "/login?next=/arbiter")
    told = "You are logged in as player, and that account may not see this page"
    form = client.get(page.location).text
    assert told in form and 'href="/spectator"' in form, "it asked once more, as if nobody had logged in"
    client.post("/logout", headers=token(client))
    assert told not in client.get(page.location).text


def test_in_a_tournament_a_player_is_told_what_players_may_do_and_where(client: FlaskClient, script: Script) -> None:
    script.mode = Mode.TOURNAMENT
    script.show()
    for name, told in (("player", True), ("spectator", False), ("arbiter", False)):
        enter(client, name)
        page = client.get("/", headers={"Accept": "text/html"})
        assert page.location == (None if name == "arbiter" else "/spectator")
        assert ('id="player-may"' in client.get("/spectator").text) is told


def test_a_visit_from_login_to_logout(client: FlaskClient) -> None:
    entered = enter(client, "arbiter")
    assert entered.get_json() == {"name": "arbiter", "role": "arbiter"}
    (cookie,) = [one for one in entered.headers.getlist("Set-Cookie") if one.startswith("visit=")]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Expires=" in cookie
    assert client.get("/api/v1/me").get_json()["name"] == "arbiter"
    assert client.application.permanent_session_lifetime.total_seconds() == VISIT_S
    assert client.get("/").headers["Cache-Control"] == "no-store"
    assert client.post("/api/v1/undo", json={}, headers=token(client)).status_code == 202
    visit = client.get_cookie("visit")
    assert visit is not None
    assert client.post("/logout", json={}, headers=token(client)).status_code == 200
    assert client.get("/api/v1/me").status_code == 401
    client.set_cookie("visit", visit.value)
    assert client.get("/api/v1/me").status_code == 401, "a copied cookie opens nothing after the logout"


def test_a_change_needs_the_token_of_its_own_visit(client: FlaskClient, inbox: queue.SimpleQueue[Act]) -> None:
    enter(client, "arbiter")
    other = token(client)
    enter(client, "arbiter")
    for headers in ({}, {TOKEN_HEADER: ""}, {TOKEN_HEADER: "é"}, other):
        assert client.post("/api/v1/undo", json={}, headers=headers).status_code == 403
        assert client.post("/logout", json={}, headers=headers).status_code == 403
    assert inbox.empty()


def test_a_login_takes_no_visit_over(client: FlaskClient) -> None:
    enter(client, "spectator")
    planted = client.get_cookie("visit")
    assert planted is not None
    enter(client, "arbiter")
    fresh = client.get_cookie("visit")
    assert fresh is not None and fresh.value != planted.value
    client.set_cookie("visit", planted.value)
    assert client.get("/api/v1/me").get_json()["role"] == "spectator"


def test_tls_cookies_do_not_travel_without(file: Path, script: Script) -> None:
    client = create_app(script.feed, print, script.game, visitors=Visitors(door=Door(file), secure=True)).test_client()
    for cookie in enter(client, "player").headers.getlist("Set-Cookie"):
        assert "Secure" in cookie


def test_failed_logins_are_limited_and_tell_nothing(client: FlaskClient, caplog: pytest.LogCaptureFixture) -> None:
    said = [enter(client, name, "wrong-guess").get_json() for name in ("arbiter", "nobody", "", "player", "x")]
    assert len(said) == MOST_FROM_ONE and all(one == said[0] for one in said)
    late = enter(client, "arbiter")
    assert (late.status_code, late.headers["Retry-After"]) == (429, "60")
    assert "wrong-guess" not in caplog.text and PASSWORD not in caplog.text


@pytest.mark.parametrize("body", [[], {}, {"name": "arbiter"}, {"name": 1, "password": []}])
def test_a_login_that_is_none(client: FlaskClient, body: object) -> None:
    assert client.post("/login", json=body).status_code == 422


def test_what_changes_in_the_file_counts_at_once(client: FlaskClient, file: Path, accounts: Accounts) -> None:
    enter(client, "player")
    write_accounts(file, accounts.with_account(create_account("player", "player", "another password")))
    assert client.get("/api/v1/me").status_code == 401
    assert enter(client, "player").status_code == 403
    assert enter(client, "player", "another password").status_code == 200
    write_accounts(file, accounts.without_account("player"))
    assert client.get("/api/v1/me").status_code == 401
    file.write_text("nonsense", encoding="utf-8")
    assert enter(client, "arbiter").status_code == 403


def test_a_player_answers_the_referee_and_is_no_arbiter(
    client: FlaskClient, file: Path, script: Script, inbox: queue.SimpleQueue[Act]
) -> None:
    key = key_of(file, "player")
    answer = {"ply": len(OPENING) + 1, "notation": "H9-F9xF7"}
    assert client.post("/api/v1/correct", json=answer, headers=key).status_code == 403, "nothing was asked"
    for notation in OPENING:
        script.play(notation)
    script.unclear()
    for wrong in ({"ply": 1}, {"notation": "A1-A2"}, {"by": "arbiter"}):
        assert client.post("/api/v1/correct", json=answer | wrong, headers=key).status_code == 403
    assert client.post("/api/v1/undo", json={"by": "arbiter"}, headers=key).status_code == 403
    assert inbox.empty()
    assert client.post("/api/v1/correct", json=answer, headers=key).status_code == 202
    assert inbox.get_nowait() == Correct(6, "H9-F9xF7")
    script.unclear(corrections=("F6-F5",))
    other = {"ply": len(OPENING), "notation": "F6-F5"}
    assert client.post("/api/v1/correct", json=other | {"notation": "H9-F9xF7"}, headers=key).status_code == 403
    assert client.post("/api/v1/correct", json=other, headers=key).status_code == 202
    assert inbox.get_nowait() == Correct(5, "F6-F5")


def test_a_player_says_which_of_two_moves_a_ply_was(
    client: FlaskClient, file: Path, script: Script, inbox: queue.SimpleQueue[Act]
) -> None:
    key, answer = key_of(file, "player"), {"ply": 1, "notation": "F6-F5"}
    script.play("E6-E5")
    assert client.post("/api/v1/correct", json=answer, headers=key).status_code == 403
    script.leave_open("F6-F5")
    assert client.post("/api/v1/correct", json=answer, headers=key).status_code == 202
    assert inbox.get_nowait() == Correct(1, "F6-F5")


@pytest.mark.parametrize(
    "target", ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "/\n"]
)
def test_the_login_leads_to_our_own_pages_only(client: FlaskClient, target: str) -> None:
    assert 'data-then="/"' in client.get("/login", query_string={"next": target}).get_data(as_text=True)
    assert 'data-then="/spectator"' in client.get("/login?next=/spectator").get_data(as_text=True)


def test_a_proxy_tells_who_asks(file: Path, script: Script) -> None:
    app = create_app(
        script.feed, print, script.game, visitors=Visitors(hosts=("club.example",), door=Door(file), proxy="127.0.0.1")
    )
    said = {"X-Forwarded-Host": "club.example", "X-Forwarded-Proto": "https", "X-Forwarded-For": "10.9.8.7"}
    assert app.test_client().get("/healthz", headers=said).status_code == 200
    assert app.test_client().get("/healthz", headers=said | {"X-Forwarded-Host": "evil.example"}).status_code == 421


def test_nobody_else_is_believed_about_who_asks(file: Path, script: Script) -> None:
    """Who reaches the service past the proxy can claim neither an allowed name nor another address."""
    app = create_app(
        script.feed, print, script.game, visitors=Visitors(hosts=("club.example",), door=Door(file), proxy="10.0.0.2")
    )
    said = {"X-Forwarded-Host": "club.example", "X-Forwarded-Proto": "https", "X-Forwarded-For": "10.9.8.7"}
    seen = []
    app.before_request(lambda: seen.append((request.remote_addr, request.host, request.scheme)))
    app.test_client().get("/healthz", headers=said, environ_base={"REMOTE_ADDR": "10.0.0.3"})
    app.test_client().get("/healthz", headers=said, environ_base={"REMOTE_ADDR": "10.0.0.2"})
    assert seen == [("10.0.0.3", "localhost", "http"), ("10.9.8.7", "club.example", "https")]


def test_a_program_without_a_key_is_told_so_and_not_led_to_a_page(client: FlaskClient) -> None:
    for path in ("/metrics", "/api/v1/game"):
        answer = client.get(path, headers={"Accept": "text/plain;version=0.0.4, */*;q=0.1"})
        assert answer.status_code == 401 and "API key" in answer.text, path
    for path, status in (("/metrics", 401), ("/games", 303)):
        assert client.get(path, headers={"Accept": "text/html"}).status_code == status
