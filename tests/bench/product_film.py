"""A film of a first evening: python -m tests.bench.product_film writes film.gif.

Everything in it is the real program: `referee serve` is started without a profile, a video of a recorded game is its
camera, a browser goes the newcomer's way, and what it shows is taken down. Only the captions are added.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import cv2
from PIL import Image, ImageChops, ImageDraw, ImageFont
from selenium import webdriver

from tests.browser import await_script, browser, size
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.vision.filmed import grainy
from vision.frames import DEFAULT_FPS

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "server" / "demo"
OUT = Path("film.gif")
WINDOW = (1280, 1000)
WIDTHS, LARGEST = (880, 760, 640, 560, 480), 2_900_000
"""Widths of the film that are tried until it is smaller than so many bytes."""
COLOURS, SAMPLES, SWATCH = 160, 6, 60
"""Of the film, all taken from so many of its pictures, and from squares of so many pixels in colours it must have."""
STRIP = 0.07
"""Height of the strip with the caption, of the window's height."""
READ_S, LAST_S = 2.6, 4.0
LOOK_EVERY_S, LONGEST_S, STILL_S = 0.3, 1.2, 3.5
"""While a game goes on a picture is taken so often; shown for no longer than the second; one that stays, the third."""
TRIED, LEFT, USUAL = 32.0, 10.0, 3.0
"""How much longer than it was filmed a picture is held in which something unlawful stands, or a capture is not done;
and any other without hands: a browser on a busy machine is slow."""
TRIED_AT, LEFT_AT, UNTIL = (11.2, 12.5), (8.0, 9.2), 16.0
"""Seconds of the recording: when that is, and where the film ends."""
CAPTIONS = {
    "set-up": "The pieces are compared with the start position",
    "playing": "Every move is written down by itself",
    "lifted": "A piece is in the air: the lights show where it may go",
    "partial": "A captured piece is still on the board: it blinks",
    "trouble": "An unlawful move is refused, with the rule that it breaks",
    "showing": "Show me why: the rule's own movement, on page and lights",
}


@dataclass
class Reel:
    """Pictures with their captions and times."""

    driver: webdriver.Chrome
    shots: list[tuple[Image.Image, float]] = field(default_factory=list)
    bright: tuple[tuple[int, int, int], ...] = ()
    """Colours that the film must have although little of it has them: those of lights."""

    def take(self, caption: str, seconds: float = READ_S) -> None:
        """What the window shows now; the same again makes the last one longer."""
        image = _captioned(self.picture(), caption)
        if self.shots and ImageChops.difference(image, self.shots[-1][0]).getbbox() is None:
            self.shots[-1] = image, min(STILL_S, self.shots[-1][1] + seconds)
        else:
            self.shots.append((image, seconds))

    def picture(self) -> Image.Image:
        """What the window shows now."""
        data = self.driver.execute_cdp_cmd("Page.captureScreenshot", {})["data"]
        return Image.open(BytesIO(base64.b64decode(data))).convert("RGB")

    def write(self, out: Path) -> int:
        """As a GIF that is small enough; its bytes."""
        for width in WIDTHS:
            height = round(width * self.shots[0][0].height / self.shots[0][0].width)
            small = [image.resize((width, height), Image.Resampling.LANCZOS) for image, _ in self.shots]
            chosen = small[:: max(1, len(small) // SAMPLES)]
            sheet = Image.new("RGB", (width, height * len(chosen)))
            for number, image in enumerate(chosen):
                sheet.paste(image, (0, number * height))
            for number, colour in enumerate(self.bright):
                sheet.paste(colour, (0, number * SWATCH, SWATCH, (number + 1) * SWATCH))
            palette = sheet.quantize(COLOURS, dither=Image.Dither.NONE)
            flat = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in small]
            times = [round(1000 * seconds) for _, seconds in self.shots]
            times[-1] = round(1000 * LAST_S)
            flat[0].save(out, "GIF", save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=True)
            if out.stat().st_size <= LARGEST:
                break
        return out.stat().st_size


def _captioned(image: Image.Image, caption: str) -> Image.Image:
    strip = round(STRIP * image.height)
    out = Image.new("RGB", (image.width, image.height + strip), "#23262a")
    out.paste(image, (0, 0))
    font = ImageFont.load_default(size=0.5 * strip)
    ImageDraw.Draw(out).text((image.width / 2, image.height + strip / 2), caption, "#ffffff", font, "mm")
    return out


def video(path: Path) -> None:
    """The recorded game as a camera gives it: each frame with its own noise, what is to be read held for longer."""
    spec = json.loads((RECORDING / "recording.json").read_text(encoding="utf-8"))
    pictures = sorted(RECORDING.glob("frame_*.jpg"))
    writer: cv2.VideoWriter | None = None
    number, t = 0, 0.0
    for picture, repeat in list(zip(pictures, spec["repeat"], strict=True))[1:]:
        image = cv2.imread(str(picture))
        assert image is not None
        if writer is None:
            writer = cv2.VideoWriter(
                str(path), cv2.VideoWriter.fourcc(*"MJPG"), DEFAULT_FPS, (image.shape[1], image.shape[0])
            )
        for _ in range(round(repeat * _held(t, repeat))):
            writer.write(grainy(image, number))
            number += 1
        t += repeat / DEFAULT_FPS
        if t > UNTIL:
            break
    if writer is not None:
        writer.release()


def _held(t: float, repeat: int) -> float:
    if repeat <= 2:
        return 1.0
    within = {TRIED_AT: TRIED, LEFT_AT: LEFT}
    return next((times for (begin, end), times in within.items() if begin <= t + 1.25 <= end), USUAL)


def way(reel: Reel, url: str, camera: Path) -> Iterator[str]:
    """From the first page to the recording's end; each step that was reached."""
    driver = reel.driver

    until = partial(await_script, driver)

    def tap(selector: str) -> None:
        driver.execute_script("document.querySelector(arguments[0]).click()", selector)

    driver.get(url)
    until("document.body.dataset.ready === 'yes'")
    reel.take("The first evening: game, rules and camera (here a film)")
    driver.execute_script("document.getElementById('source').value = arguments[0]", str(camera))
    tap("#step-camera button")
    until("!document.getElementById('keep').disabled")
    until("document.getElementById('fit-told').classList.contains('good')")
    reel.take("The board is found by itself")
    yield "found"
    tap("#keep")
    until("document.getElementById('pieces-told').classList.contains('good')")
    reel.take("Every piece stands where it belongs")
    tap("#start")
    until("document.getElementById('board') !== null && document.body.dataset.ready === 'yes'")
    yield "started"
    yield from _game(reel, tap)


def _game(reel: Reel, tap: object) -> Iterator[str]:
    driver, asked, shown, at = reel.driver, False, False, time.monotonic()
    while True:
        now = driver.execute_async_script(
            "const done = arguments[0]; fetch('/api/v1/game').then((a) => a.json()).then(done, () => done(null))"
        )
        if now is None:
            continue
        if (now["cannot_see"] or {}).get("cause") == "recording-ended":
            return
        phase = "showing" if now.get("showing") else now["phase"]
        shown |= phase == "showing"
        if shown and phase == "trouble":
            continue  # it has been seen
        spent, at = min(LONGEST_S, time.monotonic() - at), time.monotonic()
        reel.take(CAPTIONS.get(phase, CAPTIONS["playing"]), max(LOOK_EVERY_S, spent))
        yield phase
        if phase == "trouble" and not asked and callable(tap):
            asked = True
            time.sleep(READ_S)
            reel.take(CAPTIONS[phase])
            tap("#reason [data-ask=show-why]")
        time.sleep(LOOK_EVERY_S)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=OUT)
def command(out: Path) -> None:
    """Film the newcomer's way."""
    with TemporaryDirectory() as name, browser() as driver:
        folder = Path(name)
        camera = folder / "camera.avi"
        video(camera)
        own = os.environ | {"XDG_CONFIG_HOME": name, "XDG_DATA_HOME": name, "PYTHONPATH": str(ROOT)}
        serve = [sys.executable, "-u", "-m", "server", "serve", "--port", "0", "--realtime"]
        with started(serve, cwd=folder, env=own, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found
            size(driver, *WINDOW)
            reel = Reel(driver)
            reached = list(dict.fromkeys(way(reel, found[0], camera)))
            process.terminate()
            process.wait(PATIENCE_S)
    taken = reel.write(out)
    length = sum(seconds for _, seconds in reel.shots)
    click.echo(f"{out}: {len(reel.shots)} pictures, {length:.0f} s, {taken / 1e6:.1f} MB, through {', '.join(reached)}")


if __name__ == "__main__":
    command()
