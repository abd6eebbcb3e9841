"""Disturbances of a recording: `python -m tests.bench.camera_picture`, for docs/developing/camera-model.md."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import cv2
import numpy as np

from tests.render.camera.conditions import DISTURBANCES, Conditions, drawn
from tests.render.camera.film import film, unseeable
from tests.render.stream import corners_of, recorded
from vision.frames import Frame

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "tests" / "data" / "sessions" / "dark_white_day"
OUT = ROOT / "docs" / "pictures" / "camera-model.jpg"
TILE_WH, ACROSS = (320, 240), 6
MOST_BYTES = 490_000
SHOWN = ("ordinary", "hard")
SEED, WIDTH, FPS, QUIET_S = 3, 640, 3.0, 6.0
FIRST, LAST = 1, 10
"""Pictures of the recording that are filmed."""


def strangest(disturbance: str, strength: str) -> Frame:
    """The frame of a short film that differs most from the recording."""
    shots = list(recorded(RECORDING))[FIRST:LAST]
    chosen = replace(drawn(disturbance, strength, SEED), width_px=WIDTH, fps=FPS, quiet_s=QUIET_S, thinking_every=0)
    clean = Conditions(width_px=WIDTH, room=chosen.room, noise_sd=0.0, flicker=0.0)
    usual = {number: frame.image for number, frame in film(shots, clean, SEED, corners_of(RECORDING))}
    best, most = None, -1.0
    for number, frame in film(shots, chosen, SEED, corners_of(RECORDING)):
        off = float(cv2.absdiff(frame.image, usual[number]).mean()) if number in usual else 0.0
        if off > most and not unseeable(chosen, SEED, frame.t, WIDTH):
            best, most = frame, off
    assert best is not None
    return best


def tile(disturbance: str) -> np.ndarray:
    """A frame in ordinary conditions over one in hard ones, each with a part of it at full size in its corner."""
    halves = []
    for strength in SHOWN:
        image = strangest(disturbance, strength).image
        whole = cv2.resize(image, TILE_WH, interpolation=cv2.INTER_AREA)
        h, w = image.shape[:2]
        whole[-90:, :120] = image[h // 2 - 45 : h // 2 + 45, w // 2 - 60 : w // 2 + 60]
        cv2.rectangle(whole, (0, TILE_WH[1] - 91), (120, TILE_WH[1]), (255, 255, 255), 1)
        halves.append(whole)
    both = np.vstack(halves)
    cv2.rectangle(both, (0, 0), (TILE_WH[0] - 1, 20), (0, 0, 0), -1)
    cv2.putText(both, disturbance, (6, 15), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA)
    cv2.putText(both, "hard", (TILE_WH[0] - 46, TILE_WH[1] + 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 3)
    cv2.putText(both, "hard", (TILE_WH[0] - 46, TILE_WH[1] + 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1)
    return both


@click.command()
def command() -> None:
    """Draw it."""
    cv2.setNumThreads(1)
    tiles = [tile(name) for name in DISTURBANCES if name != "gone"]
    tiles += [np.full_like(tiles[0], 255)] * (-len(tiles) % ACROSS)
    rows = [np.hstack(tiles[n : n + ACROSS]) for n in range(0, len(tiles), ACROSS)]
    for quality in range(80, 20, -5):
        cv2.imwrite(str(OUT), np.vstack(rows), [cv2.IMWRITE_JPEG_QUALITY, quality])
        if OUT.stat().st_size < MOST_BYTES:
            break
    click.echo(f"{OUT}: {OUT.stat().st_size // 1000} kB")


if __name__ == "__main__":
    command()
