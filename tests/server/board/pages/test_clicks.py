"""How many clicks a newcomer needs from the first page to the first move, with a film for a camera; all are real."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import cv2
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.browser import await_script, size
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.visitor import DESK, PHONE

SESSION = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"
SHOWN = 16
"""So many pictures of the recording show more than one move."""
CLICKS = 3
"""To show the picture, to say that the grid lies on the cells, and to begin: none of them can be left out."""


class Newcomer:
    """Clicks where a person could, and counts."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver, self.clicks = driver, 0

    def until(self, expression: str) -> None:
        await_script(self.driver, expression)

    def click(self, selector: str) -> None:
        """The browser refuses where something lies over it; what is greyed out is waited for."""
        self.until(f"!document.querySelector('{selector}').matches(':disabled')")
        self.driver.find_element(By.CSS_SELECTOR, selector).click()
        self.clicks += 1


def film(path: Path, skipped: int) -> Path:
    """The first moves of the bundled game as a video file, without its first pictures: on the first the board is
    empty."""
    timing = json.loads((SESSION / "recording.json").read_text(encoding="utf-8"))
    pictures = list(zip(sorted(SESSION.glob("*.jpg")), timing["repeat"], strict=True))[skipped:SHOWN]
    first = cv2.imread(str(pictures[0][0]))
    assert first is not None
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 8, first.shape[1::-1])
    for picture, repeats in pictures:
        image = cv2.imread(str(picture))
        assert image is not None
        for _ in range(repeats):
            writer.write(image)
    writer.release()
    return path


@pytest.mark.parametrize(("skipped", "wide_high"), [(1, PHONE), (0, DESK)], ids=["pieces stand", "empty at first"])
def test_three_clicks_from_the_first_page_to_the_first_move(
    chromium: webdriver.Chrome, tmp_path: Path, skipped: int, wide_high: tuple[int, int]
) -> None:
    own = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    command = [sys.executable, "-u", "-m", "server", "serve", "--camera", str(film(tmp_path / "film.mp4", skipped))]
    person = Newcomer(chromium)
    with started(
        [*command, "--port", "0"], env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            begun = time.monotonic()
            assert process.stdout is not None and process.stderr is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, process.stderr.read()
            size(chromium, *wide_high)
            chromium.get_log("browser")  # of pages before
            chromium.get(found[0])
            person.until("document.body.dataset.ready === 'yes'")
            person.click("#step-camera button")
            person.until("document.getElementById('fit-told').classList.contains('good')")
            person.click("#keep")
            person.until("document.getElementById('pieces-told').classList.contains('good')")
            person.click("#start")
            began = time.monotonic()
            person.until("document.querySelector('#moves td[data-ply=\"1\"]') !== null")
            print(f"begun after {began - begun:.1f} s, first move after {time.monotonic() - begun:.1f} s")
            assert chromium.get_log("browser") == []
            process.send_signal(signal.SIGINT)
            assert (process.wait(PATIENCE_S), process.stderr.read()) == (0, "")
        finally:
            chromium.get("about:blank")
            process.kill()
    assert person.clicks == CLICKS
