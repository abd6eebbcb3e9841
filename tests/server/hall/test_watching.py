"""Spectators of a hall: the page /watch in a browser and through nginx, and a crowd of them (`make bench-watch`)."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from server.hall.proxy_site import nginx_site
from tests.patience import PATIENCE_S
from tests.server.hall.parts import Listener, free_port, hall, mosquitto, nginx, wait_until
from tests.server.hall.test_publishing import Table
from tests.server.script import NAME, OPENING
from tests.tools.bench_hall_spectators import watch


def test_many_spectators_through_nginx_and_none_early() -> None:
    seen = watch(100, 2, 10, 8, 1.5)
    assert seen.checks >= 20
    assert seen.received > seen.checks


def test_the_page_for_spectators_through_nginx(tmp_path: Path, chromium: Chrome) -> None:
    tmp_path.chmod(0o755)
    live, port, table = tmp_path / "live", free_port(), Table(tmp_path)
    options = ("--spectators", str(live), "--delay", "0")
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3"), *options) as url:
        heard = Listener(broker)
        site = nginx_site("localhost", f"127.0.0.1:{port}", live, url.rstrip("/"), cache=tmp_path / "cache")
        with nginx(tmp_path, site, port):
            publisher = table.publisher(broker)
            table.play(OPENING[0])
            chromium.get(f"http://127.0.0.1:{port}/watch")

            def text() -> str:
                return chromium.find_element(By.ID, "boards").text

            wait_until(lambda: f"Last move: {OPENING[0]}" in text())
            table.play(OPENING[1])
            wait_until(lambda: f"Last move: {OPENING[1]}" in text())
            assert len(chromium.find_elements(By.CSS_SELECTOR, "[data-board=table-1] svg .piece")) == 28
            for name in (f"http://127.0.0.1:{port}", url.rstrip("/")):
                file = f"{name}/live/table-1/{NAME}.jsonl"
                lines = urllib.request.urlopen(file, timeout=PATIENCE_S).read().splitlines()  # noqa: S310
                events = [json.loads(line)["event"]["event"] for line in lines if b'"sequence"' in line]
                assert events == ["begin", "move", "move"]
                rest = urllib.request.Request(file, headers={"Range": f"bytes={len(lines[0]) + 1}-"})  # noqa: S310
                with urllib.request.urlopen(rest, timeout=PATIENCE_S) as answer:  # noqa: S310
                    assert (answer.status, answer.read().splitlines()) == (206, lines[1:])
                for outside in ("/live/../hall.sqlite3", "/live/table-1/.now.json.new", "/live/%2e%2e/hall.sqlite3"):
                    with pytest.raises(urllib.error.HTTPError, match=r"40[034]"):
                        urllib.request.urlopen(name + outside, timeout=PATIENCE_S)  # noqa: S310
            publisher.close()
        heard.close()
    table.record.close()
