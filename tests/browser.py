"""A real browser for tests and pictures: headless Chromium, as a phone or on a desk."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from tests.patience import wait_until

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--kiosk",  # without tabs and tools, which are drawn anew at every step of a page and cost more than the page
)
ASKED_EVERY_S = (0.03, 0.25)
"""Each question to a page costs some hundredths of a second of a core, as it goes through three programs."""
PHONE_WIDTH = 500
"""Narrower windows behave as a phone's."""


@contextmanager
def browser(*more_flags: str) -> Iterator[webdriver.Chrome]:
    """One browser, closed at the end. Its console is in `get_log("browser")`."""
    options = Options()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, *more_flags):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def await_script(driver: webdriver.Chrome, expression: str) -> None:
    """Wait until what the page's script finds is true."""
    wait_until(lambda: driver.execute_script(f"return {expression}"), expression, asked_every_s=ASKED_EVERY_S)


def size(driver: webdriver.Chrome, width: int, height: int, scale: float = 1) -> None:
    """Give the window a size in CSS pixels."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < PHONE_WIDTH}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def prefer(driver: webdriver.Chrome, **features: str) -> None:
    """Set media features: prefer(driver, prefers_color_scheme="dark")."""
    wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})


def save(driver: webdriver.Chrome, path: Path) -> None:
    """Write what the window shows as PNG."""
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {})
    path.write_bytes(base64.b64decode(shot["data"]))
