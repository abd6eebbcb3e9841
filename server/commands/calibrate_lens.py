"""`referee calibrate-lens`: what the lens does to straight lines, from a printed sheet held before the camera."""

from __future__ import annotations

import time
from pathlib import Path

import click

from calibration.lens import MOST_SHEET_PICTURES, Sighting, dump_lens, find_sheet, is_new, solve_lens
from engine.errors import InputError
from server.disk import write_output
from server.exits import ANSWER_IS_NO, DONE
from server.masking import print_line
from server.options import A_SOURCE, OUT_FILE
from server.pictures import read_frames
from vision.frames import is_live

SHEET_S = 60.0
"""A minute is enough to show the sheet from all sides."""


@click.command(help="Measure the camera's lens with the sheet of `referee print lens`; optional.")
@click.option(
    "--camera", required=True, type=A_SOURCE, help="Device, stream URL, video, picture or folder of pictures."
)
@click.option("--out", required=True, type=OUT_FILE, help="Lens file to write (TOML).")
@click.option("--seconds", default=SHEET_S, show_default=True, help="How long to look at a live camera.")
def command(camera: str, out: Path, seconds: float) -> int:
    """Exit 0 when the lens was written, 1 when the sheet told too little of it."""
    kept: list[Sighting] = []
    size_wh, begun = (0, 0), time.monotonic()
    for frame in read_frames(camera):
        h, w = frame.image.shape[:2]
        if size_wh not in {(0, 0), (w, h)}:
            raise InputError(f"camera {camera}: pictures of {size_wh[0]}x{size_wh[1]} and of {w}x{h}; use one size")
        size_wh = (w, h)
        sighting = find_sheet(frame.image)
        if sighting is not None and is_new(sighting, kept, w):
            kept.append(sighting)
            if is_live(camera):
                print_line(f"{len(kept)} pictures; now hold it in another way", err=True)
        if len(kept) == MOST_SHEET_PICTURES or (is_live(camera) and time.monotonic() - begun > seconds):
            break
    fit = solve_lens(kept, size_wh)
    said = f"focal length {fit.lens.focal_px:.0f} px, k1 {fit.lens.k1:+.4f}, {fit.error_px:.2f} px off"
    if not fit.is_good:
        print_line(f"referee: {said}: nothing written; is the sheet flat and sharp?", err=True)
        return ANSWER_IS_NO
    write_output(out, dump_lens(fit).encode(), "--out")
    print_line(f"{out}: {said}, from {fit.pictures} pictures")
    return DONE
