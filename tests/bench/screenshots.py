"""Takes the pictures of the page that the documentation shows: python -m tests.bench.screenshots [--url URL].

Without a URL a scripted game is shown, with a rendered picture in place of the camera's.
"""

from __future__ import annotations

import random
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
from engine.games import load
from server.board.pages.app import Running, create_app
from server.board.pages.wizard import Wizard, create_wizard
from server.web.feed import Feed
from tests.browser import PHONE_WIDTH, browser, prefer, save, size
from tests.patience import PATIENCE_S
from tests.render.cheap import render
from tests.render.scene import cell_xy
from tests.render.script import Recipe, stage_of
from tests.server.past import NAME, fill
from tests.server.script import OPENING, Script
from tests.server.served import serve_app

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
CAMERA = Recipe(plies=0, look="green", light="day", size_wh=(960, 720), elevation=52, azimuth=-86, with_empty=False)


@dataclass(frozen=True)
class Picture:
    """One file: the size of the window and what the person in front of it prefers."""

    name: str
    width: int
    height: int
    scheme: str = "light"
    state: str = "wrong"
    """What the scripted game is led to: a method of Script without arguments."""
    path: str = ""
    cookies: tuple[tuple[str, str], ...] = ()
    tap: str = ""
    """What is tapped before, as CSS."""


DOUBTS: dict[str, dict[str, object]] = {"F5": {"look": "empty", "confidence": 0.83}, "E6": {"confidence": 0.94}}
"""Cells of which the arbiter's page shows something."""
PICTURES = (
    Picture("page", 1280, 1000),
    Picture("page-dark", 1280, 900, scheme="dark", state="partial"),
    Picture("page-phone", 390, 844, state="lifted"),
    Picture("page-phone-refusal", 390, 844),
    Picture("page-german", 1280, 900, cookies=(("language", "de"), ("palette", "red-green"))),
    Picture("arbiter", 1400, 950, path="arbiter"),
    Picture("arbiter-waiting", 1400, 950, path="arbiter", state="waiting"),
    Picture("arbiter-phone", 390, 844, path="arbiter", scheme="dark", state="unclear"),
    Picture("arbiter-ply", 1400, 900, path="arbiter", tap="#moves [data-ply='4'] button"),
    Picture("setup", 1400, 900, path="setup"),
    Picture("setup-phone", 390, 844, path="setup"),
    Picture("spectator", 1280, 900, path="spectator", state="lifted"),
    Picture("games", 1280, 700, path="games"),
    Picture("game", 1280, 1000, path=f"games/{NAME}"),
    Picture("game-phone", 390, 844, path=f"games/{NAME}", scheme="dark"),
    Picture("settings", 1280, 800, path="settings"),
    Picture("help", 1280, 1400, path="help"),
)


SESSION = Path(__file__).parents[1] / "data" / "sessions" / "camelot_a"
WIZARD = (("#step-camera button", "#fit-told.good"), ("#keep", "#pieces-told.good"))
"""What is tapped on the wizard's page, and what comes of it."""
ENABLED = "return document.body.dataset.ready === 'yes' && !document.querySelector(arguments[0]).disabled"
BOARDS = ("tri-camelot", "cam-3d", "camblam", "cam")
BOARD_PLIES = 12


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
            prefer(driver, prefers_color_scheme=picture.scheme, prefers_reduced_motion="reduce")
            driver.get((url or own) + picture.path)
            driver.delete_all_cookies()
            for name, value in picture.cookies:
                driver.add_cookie({"name": name, "value": value})
            driver.refresh()
            WebDriverWait(driver, PATIENCE_S).until(is_drawn)
            if picture.path.startswith("games/"):
                driver.find_element(By.CSS_SELECTOR, "#moves tr:last-child button").click()
                driver.execute_script("scrollTo(0, 0)")
            if picture.tap:
                driver.find_element(By.CSS_SELECTOR, picture.tap).click()
                WebDriverWait(driver, PATIENCE_S).until(is_offered)
            save(driver, out / f"{picture.name}.png")
            click.echo(out / f"{picture.name}.png")
        if "wizard".startswith(only or ""):
            wizard_picture(driver, out / "wizard.png")
            click.echo(out / "wizard.png")
        for game in (name for name in BOARDS if f"board-{name}".startswith(only or "")):
            board_picture(driver, game, out / f"board-{game}.png")
            click.echo(out / f"board-{game}.png")


def wizard_picture(driver: webdriver.Chrome, path: Path) -> None:
    """The page from nothing to the first move, half-way; the bundled game from where the pieces stand is the camera."""
    with TemporaryDirectory() as folder:
        for frame in sorted(SESSION.glob("*.jpg"))[1:]:
            (Path(folder) / frame.name).symlink_to(frame)
        wizard = Wizard(Path(folder) / "board.toml", 8, folder)
        site = serve_app(create_wizard(wizard))
        size(driver, 1280, 1000)
        driver.get(site.url)
        for tapped, done in WIZARD:
            WebDriverWait(driver, PATIENCE_S).until(lambda d, tapped=tapped: d.execute_script(ENABLED, tapped))
            driver.find_element(By.CSS_SELECTOR, tapped).click()
            WebDriverWait(driver, PATIENCE_S).until(lambda d, done=done: d.find_elements(By.CSS_SELECTOR, done))
        driver.execute_script("document.getElementById('source').value = 'evening.mp4'; scrollTo(0, 0)")
        save(driver, path)
        driver.get("about:blank")
        site.stop_server()


def board_picture(driver: webdriver.Chrome, game: str, path: Path) -> None:
    """A game of another kind after some lawful moves, drawn by lot."""
    feed, lot = Feed(), random.Random(3)
    script = Script(feed, load(game))
    for _ in range(BOARD_PLIES):
        position = script.match.position
        script.play(script.game.write(position, lot.choice(script.game.moves(position))))
    site = serve_app(create_app(feed, print, script.game))
    size(driver, 1280, 800)
    prefer(driver, prefers_color_scheme="light", prefers_reduced_motion="reduce")
    driver.get(site.url)
    WebDriverWait(driver, PATIENCE_S).until(lambda d: d.execute_script("return document.body.dataset.ready === 'yes'"))
    save(driver, path)
    driver.get("about:blank")
    feed.end_listeners()
    site.stop_server()


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


def is_offered(driver: webdriver.Chrome) -> bool:
    """Whether the moves that may be chosen instead are there."""
    return bool(driver.execute_script("return document.querySelector('#one-ply-choices button') !== null"))


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
