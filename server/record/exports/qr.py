"""An address as a QR code, for who has a phone at hand."""

from __future__ import annotations

import cv2
import numpy as np

DARK_BELOW = 128
"""Grey level under which a module of the code is dark."""
BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""Upper and lower module, each dark or not -> what a terminal with light letters shows; phones read the reverse too."""


def qr_text(text: str) -> str:
    """The code of `text` for a terminal: two rows of modules a line, light on dark or dark on light, with a margin."""
    dark = np.pad(cv2.QRCodeEncoder.create().encode(text) < DARK_BELOW, ((0, 1), (0, 0)))
    rows = zip(dark[0:-1:2], dark[1::2], strict=False)
    return "\n".join("".join(BLOCKS[bool(up), bool(low)] for up, low in zip(*pair, strict=True)) for pair in rows)


def qr_svg(text: str) -> str:
    """The code of `text` as SVG, dark on white with its quiet margin."""
    modules = cv2.QRCodeEncoder.create().encode(text)
    height, width = modules.shape[:2]
    path = "".join(f"M{x} {y}h1v1h-1z" for y in range(height) for x in range(width) if modules[y, x] < DARK_BELOW)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{width}v{height}H0z"/><path d="{path}"/></svg>'
    )
