"""The picture of docs/certify.md, of a drawn sitting: python -m tests.bench.certify_pictures."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from selenium.webdriver.support.ui import WebDriverWait

from calibration import profile as profiles
from engine import games
from server.board.certify.guided_page import create_page
from server.board.certify.programme import plan_tasks
from server.board.certify.sitting import Sitting
from server.pictures import read_frames
from tests.browser import browser, save, size
from tests.patience import PATIENCE_S
from tests.render.script import Recipe
from tests.server.board.certify.acted import kept
from tests.server.served import serve_app

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
PLIES, SHOWN_AT = 6, 9
"""Of the sitting, and the task at which the page is looked at."""
SHOWN = "return document.querySelector('#done li') !== null && !document.getElementById('picture').hidden"


def main() -> None:
    """Write certify.png."""
    game = games.load("camelot", "wcf")
    tasks = plan_tasks(game, PLIES)
    with TemporaryDirectory() as name, browser() as driver:
        profile, video = kept(Path(name), Recipe(seed=5, size_wh=(640, 480)), tasks)
        sitting = Sitting(profiles.load_profile(profile), game, tasks)
        page = serve_app(create_page(sitting, lambda: "2026-11-24T20:00:00"))
        for frame in read_frames(str(video)):
            sitting.take_frame(frame)
            if sitting.guide.at >= SHOWN_AT:
                size(driver, 1280, 900)
                driver.get(page.url)
                WebDriverWait(driver, PATIENCE_S).until(lambda one: one.execute_script(SHOWN))
                save(driver, FOLDER / "certify.png")
                break
        page.stop_server()


if __name__ == "__main__":
    main()
