"""How soon each page can be used, what it weighs and how much it moves, in a real browser on loopback.

python -m tests.bench.bench_pages

The cache is emptied before each visit. A page with a board can be used when it is drawn, another when it is loaded.
"""

from __future__ import annotations

import time
from statistics import median

import click
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from tests.bench.screenshots import PATIENCE_S, scripted
from tests.browser import browser, size
from tests.server.past import NAME

PAGES = ("", "arbiter", "spectator", "setup", "games", f"games/{NAME}", "settings", "help")
VISITS = 5
SETTLED_S = 2.0
"""After this nothing moves any more: the camera's picture and the state of the board have come."""
USABLE = (
    "const { feed, ready } = document.body.dataset;"
    "return (feed ? ready === 'yes' : document.readyState === 'complete') && performance.now()"
)
WEIGHT = (
    "return performance.getEntries().filter((e) => e.encodedBodySize && !/camera|evidence/.test(e.name))"
    ".reduce((sum, e) => sum + e.encodedBodySize, 0)"
)
"""Bytes sent, without the pictures of the camera."""
SHIFTS = (
    "new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput)"
    " window.shifted = (window.shifted ?? 0) + e.value; }).observe({ type: 'layout-shift', buffered: true });"
)
"""Adds up by how much the page moved under the eyes of who reads it (Cumulative Layout Shift)."""


@click.command()
def main() -> None:
    """Measure every page."""
    with browser() as driver, scripted() as (url, _):
        size(driver, 1280, 900)
        for path in PAGES:
            times = [visit(driver, url + path) for _ in range(VISITS)]
            weight = driver.execute_script(WEIGHT) / 1000
            driver.execute_script(SHIFTS)
            time.sleep(SETTLED_S)
            shifted = driver.execute_script("return window.shifted ?? 0")
            told = f"median {median(times):.0f} ms, worst {max(times):.0f} ms, {weight:.0f} KB, shifted {shifted:.3f}"
            click.echo(f"/{path}: {told}")


def visit(driver: webdriver.Chrome, url: str) -> float:
    """Milliseconds from the request until the page can be used."""
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.get("about:blank")
    driver.get(url)
    return float(WebDriverWait(driver, PATIENCE_S, 0.005).until(lambda d: d.execute_script(USABLE)))


if __name__ == "__main__":
    main()
