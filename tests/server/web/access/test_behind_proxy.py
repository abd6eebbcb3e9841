"""A proxy in front of `referee hall` and `referee phone`, which serve pages too: as programs, over the network."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from server.web.access.accounts import Accounts, create_account, write_accounts
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.hall.parts import free_port, hall, mosquitto

ALLOWED = "club.example"


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
    write_accounts(accounts, Accounts().with_account(create_account("Ann", "arbiter", "correct horse")))
    with page(tmp_path, "--behind-proxy", proxy, "--accounts", str(accounts), "--allow-host", ALLOWED) as url:
        assert answered(url, ALLOWED) == 200
        assert answered(url, "other.example") == of_another_name
