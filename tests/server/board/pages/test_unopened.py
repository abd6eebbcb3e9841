"""A game that cannot be opened after the set-up: the page says within seconds what happened and what to do."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import pytest
from selenium import webdriver

from server.record.playing import claim_record
from tests.browser import await_script, size
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.board.pages.test_page_wizard import SESSION, STANDS_AT_S
from tests.server.board.setup import streams
from vision.frames import frame_at

ROOT = Path(__file__).parents[4]
GAME = "location.pathname === '/' && document.querySelector('#board [data-piece]') !== null"


class Evening:
    """A referee of its own, and a browser that looks at it."""

    def __init__(self, chromium: webdriver.Chrome, process: subprocess.Popen[str], home: Path) -> None:
        self.driver, self.process, self.home = chromium, process, home
        assert process.stdout is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found
        chromium.execute_cdp_cmd("Network.clearBrowserCookies", {})  # another test may have chosen a language
        size(chromium, 1280, 900)
        chromium.get(found[0])

    def until(self, expression: str) -> None:
        await_script(self.driver, expression)

    def tap(self, selector: str) -> None:
        self.until(f"document.querySelector('{selector}')?.matches(':enabled')")
        self.driver.execute_script("document.querySelector(arguments[0]).click()", selector)

    def set_up(self, camera: Path | str) -> None:
        """As far as the button that starts the game."""
        self.until("document.body.dataset.ready === 'yes'")
        self.driver.execute_script("document.getElementById('source').value = arguments[0]", str(camera))
        self.tap("#step-camera button.main")
        self.until("document.getElementById('fit-told').classList.contains('good')")
        self.tap("#keep")
        self.until("document.getElementById('pieces-told').classList.contains('good')")

    def fails(self, why: str) -> None:
        """The page that says so has come."""
        self.until("location.pathname === '/' && document.getElementById('failure') !== null")
        said = self.driver.execute_script("return document.querySelector('#failure .fault').textContent")
        assert why in said, said
        self.until("document.body.dataset.ready === 'yes'")

    def ends(self) -> None:
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE_S) == 0


@contextmanager
def evening(chromium: webdriver.Chrome, home: Path, what: str = "serve", *more: str) -> Iterator[Evening]:
    own = os.environ | {"XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-u", "-m", "server", what, "--port", "0", *more]
    with started(command, cwd=home, env=own, stdout=subprocess.PIPE, text=True) as process:
        yield Evening(chromium, process, home)
        chromium.delete_all_cookies()
        chromium.get("about:blank")


@pytest.fixture
def filmed(film: Path, tmp_path: Path) -> Path:
    """A film that may be taken away."""
    return Path(shutil.copytree(film, tmp_path / "film"))


def test_a_record_that_another_referee_holds(chromium: webdriver.Chrome, filmed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "camelot-referee"
    folder.mkdir()
    with evening(chromium, tmp_path) as now:
        now.set_up(filmed)
        with claim_record(folder / "games.sqlite3"):
            now.tap("#start")
            now.fails("another referee is using it")
            now.tap("#again")  # it is held still
            now.until(
                "document.getElementById('failure') === null || document.getElementById('again-told').textContent"
            )
            now.fails("another referee is using it")
        now.tap("#again")
        now.until(GAME)
        now.ends()


def test_a_camera_that_is_gone(chromium: webdriver.Chrome, filmed: Path, tmp_path: Path) -> None:
    """It is said in the language of who looks; another one can be chosen there, or the same when it is back."""
    other = tmp_path / "other"
    shutil.copytree(filmed, other)
    with evening(chromium, tmp_path, "serve", "--camera", str(other)) as now:  # what is chosen on the page holds
        now.until("document.body.dataset.ready === 'yes'")
        now.tap(".offer:not([hidden]) [value=brainking]")
        now.set_up(filmed)
        filmed.rename(tmp_path / "away")
        now.driver.execute_script("document.cookie = 'language=de'")
        now.tap("#start")
        now.fails("gibt es nicht")
        known = now.driver.execute_script(
            "return ['game', 'source'].map((id) => document.getElementById(id).value).concat("
            "document.querySelector('#rules :checked').value)"
        )
        assert known == ["camelot", str(filmed), "brainking"]
        now.set_up(tmp_path / "away")
        now.tap("#start")
        now.until(GAME)
        now.ends()


def test_another_camera_for_one_that_is_gone(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    """A camera in the network has got another address: the game goes on with it, without a restart."""
    shown = frame_at(str(SESSION), STANDS_AT_S).image
    unseen = "document.getElementById('unseen')?.textContent"
    with evening(chromium, tmp_path, "serve", "--cameras-at", "127.0.0.2") as now:
        with streams.mjpeg("127.0.0.2", lambda _: shown) as (url, _):
            now.set_up(url)
        now.tap("#start")
        now.until(GAME)
        now.until(f"{unseen}?.includes('The camera gives no picture')")
        now.tap("#unseen button")
        now.fails("gives no picture")
        with streams.mjpeg("127.0.0.2", lambda _: shown) as (url, _):
            now.set_up(url)
            now.tap("#start")
            now.until(GAME)
            now.until(f"{unseen} === ''")
            now.until("document.getElementById('fit').textContent.endsWith('%')")
            now.ends()


def test_a_profile_that_is_refused(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    """After a recording the own board is opened without another set-up, as its profile is there."""
    profile = tmp_path / "camelot-referee" / "board.toml"
    profile.parent.mkdir()
    profile.write_text("game = 3\n", encoding="utf-8")
    with evening(chromium, tmp_path, "demo", "--no-open") as now:
        now.until("document.body.dataset.ready === 'yes' && document.querySelector('#board [data-piece]') !== null")
        now.tap("[data-film=own-board]")
        now.fails(str(profile))
        known = (SESSION / "profile.toml").read_text(encoding="utf-8")
        source = re.sub(r"(?m)^source = .*$", f"source = {json.dumps(str(SESSION))}", known)
        profile.write_text(source, encoding="utf-8")
        now.tap("#again")
        now.until(GAME)
        now.ends()


def test_a_film_of_another_size_than_the_own_board(chromium: webdriver.Chrome, filmed: Path, tmp_path: Path) -> None:
    """It is another set-up, made on the page that says so; that of the own board is kept."""
    for picture in filmed.glob("*.jpg"):
        cv2.imwrite(str(picture), cv2.resize(cv2.imread(str(picture)), (640, 480), interpolation=cv2.INTER_AREA))
    profile = tmp_path / "camelot-referee" / "board.toml"
    profile.parent.mkdir()
    own = re.sub(r"(?m)^source = .*$", 'source = "0"', (SESSION / "profile.toml").read_text(encoding="utf-8"))
    profile.write_text(own, encoding="utf-8")
    with evening(chromium, tmp_path, "serve", "--camera", str(filmed)) as now:
        now.fails(f"{filmed}: its pictures are 640x480, but the board was set up in 960x720")
        assert now.driver.execute_script("return document.getElementById('source').value") == str(filmed)
        now.set_up(filmed)
        now.tap("#start")
        now.until(GAME)
        now.ends()
    assert profile.with_name("board.toml.before-1").read_text(encoding="utf-8") == own


def test_a_referee_that_hangs(chromium: webdriver.Chrome, filmed: Path, tmp_path: Path) -> None:
    """It answers nothing, as a machine whose disk or camera driver does not; when it goes on, so does the page."""
    with evening(chromium, tmp_path) as now:
        now.set_up(filmed)
        now.process.send_signal(signal.SIGSTOP)
        now.tap("#start")
        now.until("document.getElementById('start-fault').textContent.includes('at the window it was started in')")
        now.process.send_signal(signal.SIGCONT)
        now.until(GAME)
        now.ends()
