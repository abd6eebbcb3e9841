"""A page of a scripted game, as a user sees it in the browser."""

from __future__ import annotations

import queue
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from engine.games import load
from server.board.live.wishes import Wish
from server.board.pages.app import create_app
from server.board.pages.changes import PageRequest
from server.web.access.accounts import Door
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from tests.browser import await_script, size
from tests.patience import PATIENCE_S
from tests.server.script import Script
from tests.server.served import serve_app

DESK, PHONE = (1280, 900), (390, 844)


class Page:
    """One site with a scripted game; what the visitor asks for is in `asked`."""

    def __init__(
        self, driver: webdriver.Chrome, game: str = "camelot", record: Path | None = None, door: Door | None = None
    ) -> None:
        self.driver, self.feed, self.asked = driver, Feed(), queue.SimpleQueue[PageRequest]()
        self.wishes: list[Wish] = []
        self.script = Script(self.feed, load(game))
        self.app = create_app(self.feed, self.put, self.script.game, record=record, visitors=Visitors(door=door))
        self.site = serve_app(self.app)

    def put(self, wished: PageRequest | Wish) -> None:
        """A page says what each wish was decided on."""
        assert isinstance(wished, Wish)
        assert wished.seen is not None
        assert wished.name
        self.wishes.append(wished)
        self.asked.put(wished.asked)

    def open(self, wide_high: tuple[int, int] = DESK, path: str = "", language: str = "") -> None:
        size(self.driver, *wide_high)
        if language:
            cookie = {"name": "language", "value": language, "url": self.site.url}
            self.driver.execute_cdp_cmd("Network.setCookie", cookie)
        self.driver.get(self.site.url + path)
        self.until("document.body.dataset.ready === 'yes'")

    def resize(self, wide_high: tuple[int, int]) -> None:
        """Another window for the page as it is: that costs a tenth of loading it anew."""
        size(self.driver, *wide_high)
        self.until(f"innerWidth >= {wide_high[0]}")
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def reopen(self) -> None:
        """The site again at its address, after it was closed."""
        self.site = serve_app(self.app, port=urlsplit(self.site.url).port or 0)

    def js(self, expression: str) -> object:
        return self.driver.execute_script(f"return {expression}")

    def until(self, expression: str) -> None:
        await_script(self.driver, expression)

    def text(self, selector: str) -> str:
        return self.one(selector).text

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def tap(self, selector: str) -> None:
        self.one(selector).click()

    def wish(self) -> PageRequest:
        """What was asked for next."""
        return self.asked.get(timeout=PATIENCE_S)

    def close(self) -> None:
        self.driver.get("about:blank")
        self.feed.end_listeners()
        self.site.stop_server()
