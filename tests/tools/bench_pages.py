"""How soon each page can be used and what it weighs, in a real browser on loopback: python -m tests.tools.bench_pages.

The cache is emptied before each visit. A page with a board can be used when it is drawn, another when it is loaded.
"""

from __future__ import annotations

from statistics import median

import click
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser import browser, size
from tests.server.past import NAME
from tests.tools.screenshots import PATIENCE_S, scripted

PAGES = ("", "arbiter", "spectator", "setup", "games", f"games/{NAME}", "settings", "help")
VISITS = 5
USABLE = (
    "const { feed, ready } = document.body.dataset;"
    "return (feed ? ready === 'yes' : document.readyState === 'complete') && performance.now()"
)
WEIGHT = (
    "return performance.getEntries().filter((e) => e.decodedBodySize && !e.name.includes('camera'))"
    ".reduce((sum, e) => sum + e.decodedBodySize, 0)"
)


@click.command()
def main() -> None:
    """Measure every page."""
    with browser() as driver, scripted() as (url, _):
        size(driver, 1280, 900)
        for path in PAGES:
            times = [visit(driver, url + path) for _ in range(VISITS)]
            weight = driver.execute_script(WEIGHT) / 1000
            click.echo(f"/{path}: median {median(times):.0f} ms, worst {max(times):.0f} ms, {weight:.0f} KB")


def visit(driver: webdriver.Chrome, url: str) -> float:
    """Milliseconds from the request until the page can be used."""
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.get("about:blank")
    driver.get(url)
    return float(WebDriverWait(driver, PATIENCE_S, 0.005).until(lambda d: d.execute_script(USABLE)))


if __name__ == "__main__":
    main()
