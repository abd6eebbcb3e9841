"""Writes docs/situations.md and its pictures: python -m tests.bench.situations.

Each situation is led to on a scripted game; what the page says is read off the page, the rest comes from the tables.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

from PIL import Image

from device.text import compose_text
from engine.match.acts import BringBack, Lose
from engine.match.arbiter import ACTS
from tests.browser import browser
from tests.server.board.pages.test_situations import lead
from tests.server.visitor import DESK, PHONE, Page
from tests.situations import SITUATIONS

DOCS = Path(__file__).parents[2] / "docs"
HEAD = """# Situations

Every situation that a game can be in, what people see, what they can do, and how it ends by itself. Made by
`python -m tests.bench.situations` from `tests/situations.py`, the table of acts and the page itself; a test
walks all of it on every page in every language.

![All of them on a desk](pictures/situations.png)

![All of them on a phone](pictures/situations-phone.png)

| situation | what is true | the page says | the display says | people can | ends by itself |
|---|---|---|---|---|---|
"""
COLUMNS = {DESK: 4, PHONE: 7}
WIDTH = {DESK: 480, PHONE: 230}
"""Of each picture on its sheet, in pixels."""


def main() -> None:
    """Write the page and its two sheets of pictures."""
    rows: list[str] = []
    with browser() as driver:
        for size, name in ((DESK, "situations"), (PHONE, "situations-phone")):
            page, shots = Page(driver), list[Image.Image]()
            page.open(size)
            for situation in SITUATIONS:
                lead(page, situation.name)
                state = f"{len(page.script.match.moves)} {page.script.state}"
                page.until(f"document.getElementById('status').dataset.at === '{state}'")
                shots.append(Image.open(BytesIO(driver.get_screenshot_as_png())).convert("RGB"))
                if size == DESK:
                    rows.append(row(page, situation.name))
            page.close()
            sheet(shots, size).quantize(64).save(DOCS / "pictures" / f"{name}.png", optimize=True)
    out = DOCS / "situations.md"
    _, mark, measured = out.read_text(encoding="utf-8").partition("\n## ")  # what is written below by hand stays
    out.write_text(HEAD + "\n".join(rows) + "\n" + mark + measured, encoding="utf-8")


def row(page: Page, name: str) -> str:
    """The line of a situation that the page shows."""
    situation = next(one for one in SITUATIONS if one.name == name)
    match = page.script.match
    may = [
        re.sub("(?<=.)([A-Z])", r" \1", kind.__name__).lower()
        for kind, (_, refused) in ACTS.items()
        if match.phase not in refused and kind not in (Lose, BringBack)  # the computer's own, and of a correction alone
    ]
    said = f"**{page.text('#headline')}** {page.text('#subline')}"
    shown = " / ".join(f"`{line}`" for line in compose_text(match) if line)
    named = name.replace("_", " ")
    return f"| {named} | {situation.holds} | {said} | {shown} | {', '.join(may)} | {situation.ends} |"


def sheet(shots: list[Image.Image], size: tuple[int, int]) -> Image.Image:
    """All pictures on one."""
    columns, width = COLUMNS[size], WIDTH[size]
    height = round(width * shots[0].height / shots[0].width)
    lines = -(-len(shots) // columns)
    out = Image.new("RGB", (columns * width, lines * height), "white")
    for number, shot in enumerate(shots):
        out.paste(shot.resize((width, height)), (number % columns * width, number // columns * height))
    return out


if __name__ == "__main__":
    main()
