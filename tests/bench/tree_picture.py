"""Draws docs/pictures/rooms.svg, the rooms and who asks whom: `python -m tests.bench.tree_picture`.

An arrow that follows from others is left out (if A asks B and B asks C, A may ask C): the rest is what one has to know.
"""

from __future__ import annotations

import html
from pathlib import Path

from tests.test_layers import ARROWS

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "pictures" / "rooms.svg"
TINTS = {
    **{"engine": "#dcfce7", "opponent": "#fee2e2", "calibration": "#fef9c3", "vision": "#dbeafe"},
    **{"device": "#fae8ff", "server": "#ffedd5"},
}
BOX_W, BOX_H, GAP_X, GAP_Y, EDGE = 148, 34, 18, 46, 24
ROW_OF_OTHERS = {name for name in ARROWS if name in TINTS}
"""The values of a layer, drawn with a thicker rim."""


def reached(name: str) -> set[str]:
    """All rooms that `name` may ask, directly or through others."""
    return set().union(*({other} | reached(other) for other in ARROWS[name]), set())


def needed(name: str) -> set[str]:
    """The arrows from `name` that do not follow from others."""
    through = set().union(*(reached(other) for other in ARROWS[name]), set())
    return ARROWS[name] - through


def height(name: str) -> int:
    """The longest way down from a room: its row, counted from below."""
    return 1 + max((height(other) for other in ARROWS[name]), default=-1)


def picture() -> str:
    """The whole drawing as SVG: what is asked stands below what asks."""
    order = list(TINTS)
    rows: dict[int, list[str]] = {}
    for name in sorted(ARROWS, key=lambda n: (order.index(n.partition(".")[0]), n)):
        rows.setdefault(height(name), []).append(name)
    widest = max(len(row) for row in rows.values())
    width = 2 * EDGE + widest * (BOX_W + GAP_X) - GAP_X
    top = max(rows)
    place = {}
    for number, row in rows.items():
        left = (width - len(row) * (BOX_W + GAP_X) + GAP_X) / 2
        for i, name in enumerate(row):
            place[name] = (left + i * (BOX_W + GAP_X), EDGE + (top - number) * (BOX_H + GAP_Y))
    lines, boxes = [], []
    for name, (x, y) in place.items():
        layer = name.partition(".")[0]
        for other in sorted(needed(name)):
            to_x, to_y = place[other][0] + BOX_W / 2, place[other][1]
            from_x, from_y = x + BOX_W / 2, y + BOX_H
            bend = GAP_Y / 1.5
            lines.append(
                f'<path d="M{from_x:.0f},{from_y} C{from_x:.0f},{from_y + bend:.0f} {to_x:.0f},{to_y - bend:.0f} '
                f'{to_x:.0f},{to_y}" fill="none" stroke="#64748b" stroke-width="1.3" marker-end="url(#tip)"/>'
            )
        rim = 2.4 if name in ROW_OF_OTHERS else 1
        boxes.append(
            f'<rect x="{x:.0f}" y="{y}" width="{BOX_W}" height="{BOX_H}" rx="6" fill="{TINTS[layer]}" '
            f'stroke="#334155" stroke-width="{rim}"/><text x="{x + BOX_W / 2:.0f}" y="{y + BOX_H / 2 + 4}" '
            f'text-anchor="middle">{html.escape(name.replace(".", "/"))}</text>'
        )
    tall = 2 * EDGE + top * (BOX_H + GAP_Y) + BOX_H
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {tall}" font-family="sans-serif" '
            'font-size="13">',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0,0 L8,4 L0,8 z" fill="#64748b"/></marker></defs>',
            f'<rect width="{width}" height="{tall}" fill="white"/>',
            *lines,
            *boxes,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
