"""Thousands of odd requests by each role: only documented answers, no trace in the log, and the record stays whole."""

from __future__ import annotations

import json
import logging
import os
import random
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import schemathesis
from flask.testing import FlaskClient
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance

from server.board.pages.app import create_app
from server.record.evidence import folder_of
from server.record.store import open_record
from server.record.verifying import find_record_faults
from server.web.access.accounts import ROLES, Accounts, Door, add_key, create_account, write_accounts
from server.web.access.rights import NEEDS, required_role
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from tests.server.documented import tried
from tests.server.past import NAME, fill
from tests.server.script import OPENING, Script
from tests.server.web.access.test_rights import path_of

REQUESTS = int(os.environ.get("REQUESTS", "200"))
"""By hand; `make attack` asks for 3000."""
EXAMPLES = int(os.environ.get("EXAMPLES", "1"))
"""By schemathesis, for each role and operation; `make attack` asks for 20, which are some 2,500."""
NOBODY = ""
ANSWERED = {200, 201, 202, 204, 302, 303, 304}
REFUSED = {400, 401, 403, 404, 405, 408, 409, 411, 413, 415, 416, 421, 422, 429}
LATER = {503}
"""What docs/api.md and the OpenAPI document know of."""

folder = Path(tempfile.mkdtemp())
record = folder / "games.sqlite3"
script = Script(Feed())
for notation in OPENING:
    script.play(notation)
script.feed.update_image(np.full((48, 64, 3), 128, np.uint8))
fill(record, begun=3, chain=True)
accounts, keys = Accounts(), dict[str, dict[str, str]]()
for role in ROLES:
    account, key = add_key(create_account(role, role, ""))
    accounts, keys[role] = accounts.with_account(account), {"Authorization": f"Bearer {key}"}
keys[NOBODY] = {}
write_accounts(folder / "accounts.json", accounts)
visitors = Visitors(door=Door(folder / "accounts.json"))
app = create_app(script.feed, lambda act: None, script.game, record, visitors)
schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app, headers=keys["arbiter"])


@pytest.fixture(autouse=True)
def nothing_breaks(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No fault of the program in the log."""
    with caplog.at_level(logging.WARNING):
        yield
    assert [one.getMessage() for one in caplog.records if one.exc_info] == []


@pytest.mark.parametrize("role", [NOBODY, *ROLES])
@schema.exclude(path_regex=r"\.mjpeg$").parametrize()
@tried(EXAMPLES)
def test_operations_answer_each_role_with_what_is_documented(case: schemathesis.Case, role: str) -> None:
    answer = case.call(headers=keys[role])
    case.validate_response(answer, checks=[not_a_server_error, content_type_conformance])
    assert answer.status_code in ANSWERED | REFUSED | LATER
    if role == NOBODY and not case.path.endswith("openapi.json"):
        assert answer.status_code in REFUSED


TEXTS = ["", "x" * 9000, "\0", "../../etc/passwd", "%2e%2e/", "'; DROP TABLE events;--", "\u202e", "ÅÄ́", "E6-C8", NAME]
ODD: list[object] = [None, True, -1, 0, 10**400, 1e308, 0.1, [], {}, [[]] * 50, {"x": {"x": {}}}, *TEXTS]
RAW = [
    b"",
    b"{",
    b"[" * 16000,
    b'"\\ud800"',
    b"\xff\xfe",
    b'{"a":1,"a":2}',
    b"1e999",
    b"NaN",
    b"{}" * 3000,
    b"\0" * 100,
]
KEYS = ["ply", "notation", "side", "game", "position", "text", "name", "details", "mode", "what", "corners", "number"]
HEADERS = [
    {},
    {"Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Host": "evil.example"},
    {"Host": "[::1"},
    {"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "evil.example"},
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/json; charset=utf-7"},
    {"Authorization": "Bearer \u00ff\u00fe"},
    {"Authorization": "Basic x"},
    {"Cookie": "visit=x.y.z; csrf=\u00ff"},
    {"Range": "bytes=9-1,-"},
    {"Last-Event-ID": "9" * 400},
    {"Accept": "text/html;q=nan,*/*;q=2"},
    {"If-None-Match": '"' * 2000},
]
QUERIES = ["", "?after=-1", "?after=" + "9" * 500, "?q=%ff%00&page=0", "?page=1e9", "?snapshots=%", "?" + "a&" * 900]


def body(dice: random.Random) -> bytes:
    if dice.random() < 0.3:
        return dice.choice(RAW)
    value = {dice.choice(KEYS): dice.choice(ODD) for _ in range(dice.randrange(5))}
    return json.dumps(value if dice.random() < 0.8 else dice.choice(ODD)).encode()


def ask(client: FlaskClient, dice: random.Random, method: str, rule: str, role: str) -> tuple[int, str, int]:
    """Status, media type and length of the answer to one request of which something is odd."""
    path = path_of(rule)
    if dice.random() < 0.3:
        path = path.replace("/x", f"/{dice.choice([NAME, '..%2f..', '%00', 'a' * 900, '%ff', 'camelot-0002'])}")
    headers = keys[role] | dice.choice(HEADERS)
    path += dice.choice(QUERIES)
    if method == "GET":
        answer = client.get(path, headers=headers, buffered=False)
    else:
        content = headers.pop("Content-Type", "application/json")
        answer = client.open(path, method=method, data=body(dice), content_type=content, headers=headers)
    length = answer.content_length or 0
    answer.close()
    return answer.status_code, answer.content_type or "", length


def test_what_is_made_by_hand_is_answered_too() -> None:
    dice, client, seen = random.Random(28), app.test_client(), dict[int, int]()
    asked = [(*row.split(" ", 1), role) for row, role in product(NEEDS, [NOBODY, *ROLES]) if "mjpeg" not in row]
    for number in range(REQUESTS):
        method, rule, role = asked[number % len(asked)] if number < len(asked) else dice.choice(asked)
        status, media, _ = ask(client, dice, method, rule, role)
        assert status in ANSWERED | REFUSED | LATER, (method, rule, role, status)
        seen[status] = seen.get(status, 0) + 1
        need = required_role(method, rule)
        if need in ROLES and (role == NOBODY or ROLES.index(role) < ROLES.index(need)):
            assert status in REFUSED | {303}, (method, rule, role, status)
        if status in REFUSED - {405} and "html" not in media:
            assert media == "application/problem+json", (method, rule, role, status, media)
    print(f"{REQUESTS} by hand: {dict(sorted(seen.items()))}")
    assert client.get("/api/v1/game", headers=keys["player"]).get_json()["ply"] == len(OPENING), "the game stands"
    with open_record(record) as opened:
        assert find_record_faults(opened, folder_of(record))[0] == []
