"""Pages under a path of their own: behind a real nginx, in a real browser, and no address that leaves it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

import server
from engine.errors import InputError
from server.board.pages.app import create_app
from server.board.pages.wizard import Wizard, create_wizard
from server.web.access.visitors import Visitors
from server.web.proxy import Mounts, parse_base
from tests.browser import await_script, size
from tests.patience import PATIENCE_S
from tests.server.bundled import cut_film
from tests.server.hall.parts import free_port, nginx
from tests.server.past import NAME, fill
from tests.server.script import OPENING, Script
from tests.server.served import serve_app

HOUSE = Path(server.__file__).parent
SESSION = Path(__file__).parents[2] / "data" / "sessions" / "camelot_a"
LITERAL = re.compile(r"""["'`=]/(?:[a-z][^"'`]*)?["'`]""")
"""An address that begins at the root of the host, in a script, a style sheet or a template."""
SITES = {
    "base": ("proxy_pass http://127.0.0.1:{to};", Visitors(base="/camelot")),
    "prefix": (
        "rewrite ^/camelot/(.*)$ /$1 break; proxy_pass http://127.0.0.1:{to}; "
        "proxy_set_header X-Forwarded-Prefix /camelot; proxy_set_header X-Forwarded-Host $http_host;",
        Visitors(proxy="127.0.0.1"),
    ),
}
"""The path as it came, or taken off and named in a header."""


@contextmanager
def under(folder: Path, how: str, to: str) -> Iterator[str]:
    """The address of the site `to` behind nginx, which has another site at "/"."""
    port, named = free_port(), to.rstrip("/").rpartition(":")[2]
    rules = SITES[how][0].format(to=named)
    site = f"""server {{ listen 127.0.0.1:{port};
    location /camelot/ {{ {rules} proxy_set_header Host $http_host; proxy_buffering off; }}
    location / {{ return 404 "another site"; }} }}"""
    folder.chmod(0o755)
    with nginx(folder, site, port):
        yield f"http://127.0.0.1:{port}/camelot/"


def strangers(driver: Chrome) -> list[str]:
    """What the browser asked this host for outside of /camelot/, and what it complained of, but for a camera
    that has no picture yet."""
    asked = driver.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
    complaints = [str(line["message"]) for line in driver.get_log("browser") if "503" not in str(line["message"])]
    return [name for name in asked if "/camelot/" not in name] + complaints


def test_no_script_style_or_template_names_an_address_from_the_root() -> None:
    """`address("/games")` in scripts and `url_for` in templates keep the path of a proxy in front."""
    found = []
    for file in [*(HOUSE / "static").rglob("*.*"), *(HOUSE / "templates").glob("*.html")]:
        if file.suffix not in {".js", ".css", ".html", ".json"}:
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            for literal in LITERAL.finditer(line):
                before = line[: literal.start()]
                kept = re.search(r"(address|endsWith)\($|placeholder=$|script_root \}\}\{\{ $", before)
                asked = "may(" in line and file.suffix == ".html"
                if not kept and not asked and not line.lstrip().startswith("//"):
                    found.append(f"{file.name}:{number}: {literal[0]}")
    assert found == []


@pytest.mark.parametrize("how", SITES)
def test_the_pages_behind_nginx(chromium: Chrome, tmp_path: Path, script: Script, how: str) -> None:
    record = tmp_path / "games.sqlite3"
    fill(record)
    app = create_app(script.feed, lambda _: None, script.game, record, SITES[how][1])
    site = serve_app(app)

    until = partial(await_script, chromium)

    try:
        with under(tmp_path, how, site.url) as url:
            size(chromium, 1280, 720)
            chromium.get_log("browser")
            for page in ("", "spectator", "embed"):
                chromium.get(url + page)
                until("document.querySelector('#board [data-piece]') !== null")
                assert strangers(chromium) == []
            chromium.get(url)
            script.play(OPENING[0])
            until("document.querySelector('#moves td[data-ply=\"1\"]') !== null")
            for page in ("games", f"games/{NAME}", "arbiter", "settings", "help", "setup", "phone"):
                chromium.get(url + page)
                until("document.readyState === 'complete'")
                assert strangers(chromium) == [], page
                links = chromium.execute_script("return [...document.querySelectorAll('a[href]')].map((a) => a.href)")
                assert all("/camelot/" in link for link in links if link.startswith("http://127.")), page
            assert (
                chromium.execute_async_script(
                    "fetch(document.querySelector('link[rel=manifest]').href).then((r) => r.json()).then((m) => "
                    "arguments[0](new URL(m.start_url, document.querySelector('link[rel=manifest]').href).pathname))"
                )
                == "/camelot/"
            )
    finally:
        chromium.get("about:blank")
        script.feed.end_listeners()
        site.stop_server()


def test_the_wizard_behind_nginx(chromium: Chrome, tmp_path: Path) -> None:
    wizard = Wizard(tmp_path / "board.toml", 8, str(cut_film(tmp_path / "film", first=1)))
    site = serve_app(create_wizard(wizard, visitors=SITES["base"][1]))

    until = partial(await_script, chromium)

    try:
        with under(tmp_path, "base", site.url) as url:
            size(chromium, 1280, 900)
            chromium.get_log("browser")
            chromium.get(url)
            until("document.body.dataset.ready === 'yes'")
            chromium.execute_script("document.querySelector('#step-camera button.main').click()")
            until("document.getElementById('fit-told').classList.contains('good')")
            chromium.execute_script("document.getElementById('keep').click()")
            until("document.getElementById('pieces-told').classList.contains('good')")
            assert strangers(chromium) == []
            chromium.execute_script("document.getElementById('start').click()")
            assert wizard.done.wait(PATIENCE_S)
    finally:
        chromium.get("about:blank")
        site.stop_server()


def test_a_path_is_taken_off_once(script: Script) -> None:
    app = create_app(script.feed, lambda _: None, script.game, visitors=Visitors(base="/games"))
    mounts = Mounts(app)
    assert [
        (place.root, place.path)
        for place in (mounts.find_application("/games/games", ""), mounts.find_application("/games", ""))
    ] == [
        ("/games", "/games"),
        ("/games", "/"),
    ]
    assert mounts.find_application("/x", "/club/one").root == "/club/one"
    for bad in ("//evil.example", "/a b", "http://x", "/x/", "/" + "a" * 300, '/"><script>'):
        assert mounts.find_application("/x", bad).root == "/games", bad


@pytest.mark.parametrize("text", ["camelot", "//x", "/a/../b", "/a?b", "/ä"])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--base"):
        parse_base(text)
    assert parse_base("/camelot/") == "/camelot"
