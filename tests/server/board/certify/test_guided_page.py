"""The page of a sitting in a real browser: what is to be done, what came of it, and the certificate beside it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial

import cv2
import pytest
from selenium import webdriver

from calibration.profile import Profile
from server.board.certify.guided_page import create_page
from server.board.certify.programme import plan_tasks
from server.board.certify.sitting import Sitting
from tests.browser import await_script, size
from tests.server.board.certify.test_quality import GOOD, still
from tests.server.served import serve_app
from vision.frames import Frame


@pytest.fixture
def sitting() -> Sitting:
    _, game, views = still(GOOD)
    return Sitting(Profile(game.name, views, (95,) * len(views), rules=game.rules), game, plan_tasks(game, 4))


@pytest.fixture
def site(sitting: Sitting, chromium: webdriver.Chrome) -> Iterator[str]:
    """The page, while a camera goes on that shows the same board."""
    image, over = still(GOOD)[0], threading.Event()

    def look() -> None:
        number = 0
        while not over.wait(0.05):
            shown = cv2.add(image, number % 2)
            sitting.take_frame(Frame(number / 8, shown))
            number += 1

    watching = threading.Thread(target=look)
    page = serve_app(create_page(sitting, lambda: "2026-11-24T20:00:00"))
    watching.start()
    yield page.url
    chromium.get("about:blank")  # a page whose server is gone asks for ever
    over.set()
    watching.join()
    page.stop_server()


def test_a_newcomer_is_led_from_task_to_task(chromium: webdriver.Chrome, site: str, sitting: Sitting) -> None:
    until = partial(await_script, chromium)

    def tap(what: str) -> None:
        chromium.execute_script("document.querySelector(arguments[0]).click()", f"[data-say={what}]")

    size(chromium, 1280, 900)
    chromium.get("about:blank")
    chromium.get_log("browser")  # what pages before this one left there
    chromium.get(site)
    until("document.body.dataset.ready === 'yes' && document.querySelectorAll('#pieces > *').length > 0")
    first = sitting.guide.tasks[0]
    until(f"document.getElementById('task').textContent === {first.composed_sentence!r}")
    assert chromium.execute_script("return document.querySelectorAll('#pieces > *').length") == 27
    marked = chromium.execute_script("return document.querySelector('#lights > *').dataset.cell")
    assert marked == first.values["cell"]
    tap("skip")
    until(f"document.getElementById('task').textContent === {sitting.guide.tasks[1].composed_sentence!r}")
    until("document.querySelectorAll('#done li').length === 1")
    until("!document.getElementById('picture').hidden")
    narrow = "document.documentElement.scrollWidth <= innerWidth"
    size(chromium, 390, 844)
    assert chromium.execute_script(f"return {narrow}")
    tap("end")
    until("!document.getElementById('over').hidden")
    assert chromium.get_log("browser") == []
    chromium.get(f"{site}certificate")
    until("document.querySelectorAll('tbody tr').length >= 12")
    assert "No move was played" in chromium.execute_script("return document.body.textContent")
    assert chromium.get_log("browser") == []


def test_only_what_there_is_can_be_said(sitting: Sitting) -> None:
    client = create_page(sitting, str).test_client()
    assert client.get("/api/v1/camera.jpg").status_code == 204
    for body in ({}, {"what": "sing"}, {"what": "end", "more": 1}, ["end"]):
        assert client.post("/api/v1/certify", json=body).status_code == 422
    assert client.post("/api/v1/certify", json={"what": "end"}).status_code == 202
    assert client.get("/api/v1/certify").get_json()["of"] == len(sitting.guide.tasks)


def test_the_page_speaks_four_languages(sitting: Sitting) -> None:
    client = create_page(sitting, str).test_client()
    said = {
        client.get("/api/v1/certify", headers={"Accept-Language": code}).get_json()["text"]
        for code in ("en", "de", "fr", "pt")
    }
    assert len(said) == 4
