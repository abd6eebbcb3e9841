"""The set-up page in a real browser: the board found by itself, corners dragged by mouse, finger and keys, and kept."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from calibration import profile as profiles
from calibration.profile import Profile, dump_profile
from calibration.view import Lens, View
from engine.games import load
from engine.match.referee import new_match
from engine.match.state import Phase
from server.board.live.wishes import Replaced
from server.board.pages.app import Running, create_app
from server.board.setup.save import Keeper, backup_of
from server.web.feed import Feed
from tests.patience import PATIENCE_S
from tests.render.cheap import render
from tests.render.scene import cell_xy
from tests.render.script import Recipe, stage_of
from tests.server.served import serve_app
from tests.server.visitor import DESK, PHONE, Page
from vision.frames import Frame
from vision.watch.watcher import Watcher

SIZE = (960, 720)
CAMERA = Recipe(plies=0, look="green", light="day", size_wh=SIZE, elevation=55, azimuth=-80, with_empty=False)
NEAR_PX = 3.0
"""A cell of that board is 30 px wide at the far end."""
FINGER = 24


class SetUp(Page):
    """The page of a referee whose profile is a bit off, with a rendered board before the camera."""

    def __init__(self, driver: webdriver.Chrome, folder: Path) -> None:
        self.driver, self.feed, self.path = driver, Feed(), folder / "board.toml"
        self.game = load("camelot", "wcf")
        stage, _ = stage_of(CAMERA)
        stage.set_up(self.game.start())
        stage.quiet("")
        scene = stage.frames[-1].scene
        image = np.asarray(render(scene).image, np.uint8)
        self.feed.update_image(image)
        self.feed.update_picture(cv2.imencode(".jpg", image)[1].tobytes())
        match = new_match(self.game, self.game.start())
        self.feed.update_snapshot({"phase": match.phase.value}, match)
        board = self.game.board
        middles = np.array([(*cell_xy(board, i), 0.0) for i in range(len(board.cells))])
        self.truth = scene.camera.project(middles)
        self.kept = queue.SimpleQueue[Profile]()
        self.path.write_text("# the old one\n", encoding="utf-8")
        before = Profile("camelot", (), (), source="7", rules="wcf", lights={"port": "screen:"})
        keeper = Keeper(self.path, before, before.source, self.kept.put, lambda _: None)
        self.site = serve_app(create_app(self.feed, print, self.game, running=Running(keep=keeper)))

    def open(self, wide_high: tuple[int, int] = DESK, path: str = "setup", language: str = "") -> None:
        super().open(wide_high, path, language)

    def fitted(self) -> int:
        """The fit that is shown, once it is."""
        self.until("/^Fit [0-9]+ of 100/.test(document.getElementById('fit-told').textContent)")
        return int(self.text("#fit-told").split()[1])

    def middle(self, corner: int) -> tuple[float, float]:
        """Where a corner's grip is in the window."""
        box = f"document.querySelector('[data-corner=\"{corner}\"] .reach').getBoundingClientRect()"
        x, y = self.js(f"(() => {{ const b = {box}; return [b.x + b.width / 2, b.y + b.height / 2]; }})()")  # type: ignore[misc]  # as JSON
        return float(x), float(y)

    def misplaced(self) -> float:
        """How far the grid that was kept is off, at its worst."""
        (view,) = self.kept.get(timeout=PATIENCE_S).views
        seen = view.project_points(np.array(self.game.board.centres_xy))
        return float(np.linalg.norm(seen - self.truth, axis=1).max())

    def save(self) -> None:
        self.until("!document.getElementById('keep').disabled")
        self.tap("#keep")
        self.until("document.getElementById('kept').textContent.startsWith('Saved in')")


@pytest.fixture
def page(chromium: webdriver.Chrome, tmp_path: Path) -> Iterator[SetUp]:
    page = SetUp(chromium, tmp_path)
    yield page
    page.close()


def test_the_board_is_found_and_kept(page: SetUp) -> None:
    page.open()
    page.driver.get_log("browser")
    page.tap("#find")
    assert page.fitted() >= 80
    assert page.js("document.querySelectorAll('#stage .cells polygon').length") == 160
    page.save()
    assert page.misplaced() < NEAR_PX
    stored = profiles.load_profile(page.path)
    assert (stored.source, stored.rules, dict(stored.lights)) == ("7", "wcf", {"port": "screen:"})
    assert backup_of(page.path).read_text(encoding="utf-8") == "# the old one\n"
    assert page.driver.get_log("browser") == []


def test_corners_are_dragged_by_mouse_and_moved_by_keys(page: SetUp) -> None:
    found = page_corners(page, off=(18.0, -14.0))
    page.open()
    poor = page.fitted()
    grip = page.one("[data-corner='2'] .reach")
    scale = scale_of(page)
    ActionChains(page.driver).move_to_element(grip).click_and_hold().move_by_offset(0, 0).perform()
    page.until("document.querySelector('.lens image') !== null")
    ActionChains(page.driver).move_by_offset(round(-18 * scale), round(14 * scale)).release().perform()
    page.until("document.querySelector('.lens image') === null")
    page.until(f"document.getElementById('fit-told').textContent !== 'Fit {poor} of 100'")
    assert page.fitted() >= 80
    before = page.middle(2)
    page.driver.execute_script("document.querySelector('[data-corner=\"2\"]').focus()")
    ActionChains(page.driver).send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_UP).perform()
    page.until(f"document.querySelector('[data-corner=\"2\"] .reach').getBoundingClientRect().x < {before[0] - 20}")
    assert page.fitted() >= 80
    page.save()
    assert page.misplaced() < NEAR_PX
    assert found


def test_corners_are_dragged_by_a_finger(page: SetUp) -> None:
    page_corners(page, off=(18.0, -14.0))
    page.open(PHONE)
    page.fitted()
    assert page.js("document.documentElement.scrollWidth <= innerWidth") is True
    x, y = page.middle(2)
    scale = scale_of(page)
    touch(page, "touchStart", x + 3, y + 3)
    for part in (0.3, 0.6, 1.0):
        touch(page, "touchMove", x + 3 - 18 * scale * part, y + 3 + 14 * scale * part)
    page.until("document.querySelector('.lens image') !== null")
    page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.until("document.querySelector('.lens image') === null")
    page.save()
    assert page.misplaced() < NEAR_PX


def test_a_quarter_turn_names_the_corners_anew(page: SetUp) -> None:
    found = page_corners(page, off=(0.0, 0.0))
    page.open()
    page.fitted()
    for _ in range(2):
        page.tap("#turn")
    page.until(
        "document.querySelector('[data-corner=\"0\"]').getAttribute('aria-label') === "
        f"'Corner A1, at {round(found[2][0])}, {round(found[2][1])}'"
    )


def test_what_is_no_place_is_refused(page: SetUp) -> None:
    page.open()
    client = create_app(page.feed, print, page.game).test_client()
    wrong: list[object] = [3, [], [[[0, 0]]], [[[0, 0], [1, 0], ["x", 1], [0, 1]]], [[[0, 0]] * 4], [[[1e9, 0]] * 4]]
    for corners in wrong:
        answer = client.post("/api/v1/setup/find", json={"corners": corners})
        assert answer.status_code == 422, corners
    assert client.post("/api/v1/setup/save", json={"number": 1}).status_code == 409
    assert client.post("/api/v1/setup/find", json={"by": "arbiter"}).status_code == 200
    assert client.post("/api/v1/setup/save", json={"number": 1}).status_code == 409
    blind = create_app(Feed(), print, page.game).test_client()
    assert blind.post("/api/v1/setup/find", json={}).status_code == 503


def test_the_game_goes_on_with_the_new_place(page: SetUp) -> None:
    page.open()
    page.tap("#find")
    page.fitted()
    page.save()
    renewed = page.kept.get(timeout=PATIENCE_S)
    wrong = profiles.Profile(
        "camelot", tuple(shifted(view, 40.0) for view in renewed.views), (20,)
    )  # fits so ill that none is searched
    watcher = Watcher(wrong, new_match(page.game, page.game.start()))
    image = page.feed.current_state.image
    assert image is not None
    events = [event.name for t in range(12) for event in watcher.take_frame(Frame(t / 8, image))]
    assert "ready" not in events
    asked = Replaced(renewed)
    watcher.replace_profile(asked.profile, 2.0)
    events = [event.name for t in range(12) for event in watcher.take_frame(Frame(2 + t / 8, image))]
    assert "ready" in events
    assert watcher.match.phase is Phase.PLAYING
    assert dump_profile(renewed)


def page_corners(page: SetUp, off: tuple[float, float]) -> list[tuple[float, float]]:
    """Let the referee believe that the board is where it is, but for one corner; where the corners really are."""
    client = create_app(page.feed, print, page.game).test_client()
    corners = client.post("/api/v1/setup/find", json={}).get_json()["corners"][0]
    page.feed.update_views((page_view(page, corners, off),), SIZE, {})
    return [(x, y) for x, y in corners]


def page_view(page: SetUp, corners: list[list[float]], off: tuple[float, float]) -> View:
    moved = [tuple(corner) for corner in corners]
    moved[2] = (moved[2][0] + off[0], moved[2][1] + off[1])
    return View(Lens(SIZE, 900.0), page.game.board.size_wh, tuple(moved))


def shifted(view: View, by: float) -> View:
    return View(view.lens, view.size_cells, tuple((x + by, y) for x, y in view.corners_px))


def scale_of(page: SetUp) -> float:
    """Pixels of the window for one of the picture."""
    found = page.js("document.getElementById('stage').getScreenCTM().a")
    assert isinstance(found, float | int)
    return float(found)


def touch(page: SetUp, kind: str, x: float, y: float) -> None:
    point = {"x": x, "y": y, "radiusX": FINGER, "radiusY": FINGER}
    page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})


def test_levels_have_corners_of_their_own(chromium: webdriver.Chrome) -> None:
    page = Page(chromium, "cam-3d")
    try:
        grey = np.random.default_rng(5).integers(0, 255, (720, 960, 3), np.uint8)
        image = np.asarray(cv2.GaussianBlur(grey, (9, 9), 0), np.uint8)
        page.feed.update_image(image)
        page.feed.update_picture(cv2.imencode(".jpg", image)[1].tobytes())
        page.open(path="setup")
        page.until("!document.getElementById('levels').hidden")
        page.tap("#find")
        page.until("document.getElementById('fit-told').textContent.startsWith('There is no board in the picture')")
        assert page.one("#keep").get_attribute("disabled") is not None
        page.tap("#level [value='2']")
        page.until("document.querySelector('[data-corner=\"0\"] text').textContent === '3A1'")
        page.driver.execute_script("document.querySelector('[data-corner=\"0\"]').focus()")
        ActionChains(page.driver).send_keys(Keys.ARROW_DOWN).perform()
        page.until("document.querySelectorAll('#stage .cells polygon').length === 84")
        assert page.text("#keep") == "Save it all the same"
    finally:
        page.close()
