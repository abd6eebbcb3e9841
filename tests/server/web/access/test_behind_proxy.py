"""A proxy in front of `referee hall` and `referee phone`, which serve pages too: as programs, over the network."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from server.board.pages.app import create_app
from server.hall.proxy_site import nginx_site
from server.web.access.accounts import Accounts, Door, create_account, write_accounts
from server.web.access.visitors import Visitors
from server.web.tls import ensure_certificate
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.hall.parts import free_port, hall, mosquitto, nginx
from tests.server.hall.test_standalone import club
from tests.server.script import Script
from tests.server.served import serve_app

ALLOWED = "club.example"
PASSWORD = "correct horse"  # noqa: S105  # of an account that lives for one test
DOCS = Path(__file__).parents[4] / "docs"


@contextmanager
def of_hall(folder: Path, *more: str) -> Iterator[str]:
    with mosquitto(folder) as broker, hall(broker, str(folder / "hall.sqlite3"), *more) as url:
        yield url


@contextmanager
def of_phone(folder: Path, *more: str) -> Iterator[str]:
    port = free_port()
    words = [sys.executable, "-m", "server", "phone", "--out", str(folder / "start.png"), "--port", str(port), *more]
    with started(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == f"Open https://{ALLOWED}/phone on the phone.\n"
        yield f"http://127.0.0.1:{port}/"


def answered(url: str, host: str) -> int:
    """The status of the page for logging in, asked for as a proxy asks that was itself asked for `host`."""
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_S)) as connection:
        connection.request("GET", "/login", headers={"X-Forwarded-Host": host, "X-Forwarded-Proto": "https"})
        with connection.getresponse() as answer:
            return answer.status


@pytest.mark.parametrize("page", [of_hall, of_phone], ids=["hall", "phone"])
@pytest.mark.parametrize(
    ("proxy", "of_another_name"), [("127.0.0.1", 421), ("10.0.0.2", 200)], ids=["the proxy", "past the proxy"]
)
def test_only_the_proxy_says_for_which_name_the_page_was_asked(
    tmp_path: Path, page: Callable[..., AbstractContextManager[str]], proxy: str, of_another_name: int
) -> None:
    """What the proxy says is checked against the names allowed; what others claim is not even looked at."""
    accounts = tmp_path / "accounts.json"
    write_accounts(accounts, Accounts().with_account(create_account("Ann", "arbiter", PASSWORD)))
    with page(tmp_path, "--behind-proxy", proxy, "--accounts", str(accounts), "--allow-host", ALLOWED) as url:
        assert answered(url, ALLOWED) == 200
        assert answered(url, "other.example") == of_another_name


@contextmanager
def of_board(folder: Path, script: Script, base: str) -> Iterator[str]:
    door = Door(folder / "accounts.json")
    visitors = Visitors(door=door, proxy="127.0.0.1", base=base)
    site = serve_app(create_app(script.feed, lambda _: None, script.game, visitors=visitors))
    try:
        yield site.url
    finally:
        script.feed.end_listeners()
        site.stop_server()


def log_in(folder: Path, port: int, base: str = "", name: str = "Ann", password: str = PASSWORD) -> tuple[int, str]:
    """Log in as a browser does that has the page from nginx at that port: the status, and what the answer says."""
    context = ssl.create_default_context(cafile=folder / "tls" / "certificate.pem")
    body = json.dumps({"name": name, "password": password})
    headers = {"Content-Type": "application/json", "Origin": f"https://localhost:{port}"}
    connection = http.client.HTTPSConnection("localhost", port, timeout=PATIENCE_S, context=context)
    with closing(connection):
        connection.request("POST", f"{base}/login", body, headers)
        with connection.getresponse() as answer:
            return answer.status, answer.read().decode()


def prepare_folder(folder: Path) -> tuple[Path, Path]:
    """Accounts, and a certificate with its key."""
    folder.chmod(0o755)
    write_accounts(folder / "accounts.json", Accounts().with_account(create_account("Ann", "arbiter", PASSWORD)))
    tls = ensure_certificate(folder / "tls", ["localhost"])
    return Path(tls.cert), Path(tls.key)


def documented_site(port: int, to: int, base: str, certificate: tuple[Path, Path], page: str = "serving.md") -> str:
    """The lines for nginx as that page of the docs has them, below `base`, before a board at the port `to`."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.search(r"^    (location / \{.*?^    \})", text, re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no lines for nginx"
    lines = found[1].replace("location / {", f"location {base}/ {{").replace("127.0.0.1:5000", f"127.0.0.1:{to}")
    encrypts = f"ssl_certificate {certificate[0]}; ssl_certificate_key {certificate[1]};"
    return f"server {{ listen 127.0.0.1:{port} ssl; {encrypts}\n{lines} }}"


@pytest.mark.parametrize("base", ["", "/camelot"])
def test_the_documented_lines_for_nginx_let_in_at_any_port(tmp_path: Path, script: Script, base: str) -> None:
    """And where they are written with `$host`, which has no port, the refusal says which line to change."""
    certificate, port = prepare_folder(tmp_path), free_port()
    with of_board(tmp_path, script, base) as url:
        site = documented_site(port, urlsplit(url).port or 0, base, certificate)
        with nginx(tmp_path, site, port):
            assert log_in(tmp_path, port, base)[0] == 200
        with nginx(tmp_path, site.replace("$http_host", "$host"), port):
            status, said = log_in(tmp_path, port, base)
    assert status == 403
    assert "proxy_set_header X-Forwarded-Host $http_host;" in said and f"https://localhost:{port}" in said


def test_a_proxy_that_is_not_named_is_told_which_line_is_missing(tmp_path: Path, script: Script) -> None:
    certificate, port = prepare_folder(tmp_path), free_port()
    site = serve_app(create_app(script.feed, lambda _: None, script.game))
    try:
        with nginx(tmp_path, documented_site(port, urlsplit(site.url).port or 0, "", certificate), port):
            status, said = log_in(tmp_path, port)
    finally:
        script.feed.end_listeners()
        site.stop_server()
    assert status == 403 and "proxy_set_header Host $http_host;" in said and "--behind-proxy" in said


def test_the_site_that_init_writes_lets_into_a_hall_at_any_port(tmp_path: Path) -> None:
    certificate, port = prepare_folder(tmp_path), free_port()
    accounts = str(tmp_path / "accounts.json")
    with of_hall(tmp_path, "--behind-proxy", "127.0.0.1", "--accounts", accounts) as url:
        site = nginx_site(
            "localhost", f"127.0.0.1:{port}", tmp_path, url.rstrip("/"), certificate, cache=tmp_path / "cache"
        )
        with nginx(tmp_path, site, port):
            assert log_in(tmp_path, port)[0] == 200


def test_the_documented_lines_for_nginx_lead_to_the_hall_of_a_folder(tmp_path: Path) -> None:
    certificate, port, own = prepare_folder(tmp_path), free_port(), free_port()
    (tmp_path / "hall").mkdir()
    site = documented_site(port, own, "", certificate, "hall.md")
    with club(tmp_path / "hall", own, "--behind-proxy", "127.0.0.1") as running, nginx(tmp_path, site, port):
        assert log_in(tmp_path, port, "", "arbiter", running.password)[0] == 200
