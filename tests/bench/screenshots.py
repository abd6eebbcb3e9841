"""Takes the pictures of the page that the documentation shows: python -m tests.bench.screenshots [--url URL].

Without a URL a scripted game is shown, with a rendered picture in place of the camera's.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import cv2
import numpy as np
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from calibration.view import Lens, View
from server.board.pages.app import Running, create_app
from server.web.feed import Feed
from tests.browser import PHONE_WIDTH, await_script, browser, prefer, save, size
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.render.cheap import render
from tests.render.scene import cell_xy
from tests.render.script import Recipe, stage_of
from tests.server.past import fill
from tests.server.script import OPENING, Script
from tests.server.served import serve_app

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
CAMERA = Recipe(plies=0, look="green", light="day", size_wh=(960, 720), elevation=52, azimuth=-86, with_empty=False)


@dataclass(frozen=True)
class Picture:
    """One file: the size of the window, and what it shows."""

    name: str
    width: int
    height: int
    state: str = "wrong"
    """What the scripted game is led to: a method of Script without arguments."""
    path: str = ""


DOUBTS: dict[str, dict[str, object]] = {"F5": {"look": "empty", "confidence": 0.83}, "E6": {"confidence": 0.94}}
"""Cells of which the arbiter's page shows something."""
PICTURES = (
    Picture("page-phone", 390, 844, state="lifted"),
    Picture("page-phone-refusal", 390, 844),
    Picture("arbiter-waiting", 1400, 950, path="arbiter", state="waiting"),
)


DEMO = (sys.executable, "-u", "-m", "server", "demo", "--port", "0")
REFUSED = "document.getElementById('film-caption')?.textContent.startsWith('Black must jump')"
LIT_S = 1.0
"""After the caption the page shows the refusal and the lights. Longer shows pieces that are put back, shorter less."""


@click.command()
@click.option("--url", help="A running referee; default: a scripted game.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=FOLDER, show_default=True)
@click.option("--only", help="Only the pictures whose names begin so.")
def main(url: str | None, out: Path, only: str | None) -> None:
    """Write the pictures."""
    out.mkdir(parents=True, exist_ok=True)
    with browser() as driver, scripted() as (own, script):
        for picture in (one for one in PICTURES if one.name.startswith(only or "")):
            getattr(script, picture.state)()
            size(driver, picture.width, picture.height, scale=2 if picture.width < PHONE_WIDTH else 1)
            prefer(driver, prefers_color_scheme="light", prefers_reduced_motion="reduce")
            driver.get((url or own) + picture.path)
            driver.delete_all_cookies()
            driver.refresh()
            WebDriverWait(driver, PATIENCE_S).until(is_drawn)
            save(driver, out / f"{picture.name}.png")
            click.echo(out / f"{picture.name}.png")
        if "demo".startswith(only or ""):
            demo_picture(driver, out / "demo.png")
            click.echo(out / "demo.png")


def demo_picture(driver: webdriver.Chrome, path: Path) -> None:
    """`referee demo` while it refuses a move."""
    with TemporaryDirectory() as folder:
        own = os.environ | {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        with started(DEMO, env=own, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            found = next(found for line in process.stdout if (found := re.search(r"http://[^\s,;]+", line)))
            size(driver, 1280, 720)
            driver.get(found[0])
            await_script(driver, REFUSED)
            time.sleep(LIT_S)
            driver.find_element(By.CSS_SELECTOR, "[data-film=pause]").click()
            await_script(driver, "document.querySelector('[data-film=go-on]') !== null")
            save(driver, path)
            driver.get("about:blank")


def is_drawn(driver: webdriver.Chrome) -> bool:
    """Whether board and, where it is in sight, the camera's picture are there; pages without a feed are at once."""
    return bool(
        driver.execute_script(
            "const box = document.getElementById('camera')?.getBoundingClientRect();"
            "const drawn = !box || document.querySelector('#camera svg') !== null;"
            "const ready = document.body.dataset.ready === 'yes' || !document.body.dataset.feed;"
            "const fit = document.getElementById('fit-told');"
            "const seen = document.querySelector('.seen b');"
            "const told = !seen || /[0-9]/.test(seen.textContent);"
            "return told && ready && (!fit || /[0-9]/.test(fit.textContent)) && (drawn || box.top > innerHeight)"
        )
    )


@contextmanager
def scripted() -> Iterator[tuple[str, Script]]:
    """A site of its own with a game in which Black must jump."""
    feed = Feed()
    script = Script(feed)
    for notation in OPENING:
        script.play(notation)
    look(feed, script)
    options = {"profile": "board.toml", "camera": "0", "mode": "tournament", "clock": "60m+30s", "delay": 15.0}
    with TemporaryDirectory() as folder:
        record = Path(folder) / "games.sqlite3"
        fill(record, begun=12, chain=True)
        site = serve_app(create_app(feed, print, script.game, record=record, running=Running(options=options)))
        yield site.url, script
        feed.end_listeners()
        site.stop_server()


def look(feed: Feed, script: Script) -> None:
    """Put a rendered picture of the position and the outlines of its cells into the feed."""
    stage, _ = stage_of(CAMERA)
    stage.set_up(script.match.position)
    stage.quiet("")
    scene = stage.frames[-1].scene
    _, jpeg = cv2.imencode(".jpg", render(scene).image)
    feed.update_picture(jpeg.tobytes())
    board = script.game.board
    outline = np.array([(*corner, 0.0) for corner in board.outline_xy])
    cells = {
        name: [(float(x), float(y)) for x, y in scene.camera.project(outline + (*cell_xy(board, i), 0.0))]
        for i, name in enumerate(board.cells)
    }
    feed.update_views((), CAMERA.size_wh, cells)
    feed.update_image(np.asarray(render(scene).image, np.uint8))
    looks = {
        c: script.game.looks[script.game.look_of[p]]
        for c, p in zip(board.cells, script.match.position.placement, strict=True)
    }
    sure = {"confidence": 0.999, "hidden": False}
    feed.update_beliefs({c: sure | {"look": look, "expected": look} | DOUBTS.get(c, {}) for c, look in looks.items()})
    client = create_app(feed, print, script.game).test_client()
    found = client.post("/api/v1/setup/find", json={}).get_json()["corners"][0]
    view = View(Lens(CAMERA.size_wh, CAMERA.size_wh[0]), board.size_wh, tuple((x, y) for x, y in found))
    feed.update_views((view,), CAMERA.size_wh, cells)


if __name__ == "__main__":
    main()
