"""`referee evidence`: the pictures behind a ply."""

from __future__ import annotations

from pathlib import Path

import click
import cv2
import numpy as np

from engine.errors import InputError
from engine.explain.reasons import read_reason
from server.disk import replace_output
from server.exits import DONE
from server.masking import print_line, print_text
from server.options import A_FILE, OUT_FILE
from server.pictures import decode_picture
from server.record.archive import read_game_events
from server.record.evidence import EVIDENCE, find_picture_fault, folder_of, read_picture
from server.record.store import open_record, require_record
from vision.ground import Image


@click.command(help="Show how the board stood before and after a ply, side by side in one picture.")
@click.argument("game", metavar="GAME")
@click.argument("ply", type=click.IntRange(1), metavar="PLY")
@click.option("--record", "path", type=A_FILE, help="Default: your own record.")
@click.option("-o", "--out", required=True, type=OUT_FILE, help="PNG or JPEG file.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(game: str, ply: int, path: Path | None, out: Path, *, force: bool) -> int:
    """Exit 0 when written; the scores go to standard output. InputError if there are no such pictures."""
    if out.suffix.lower() not in {".png", ".jpg", ".jpeg"}:
        raise InputError(f"{out}: give a name that ends in .png or .jpg")
    if out.exists() and not force:
        raise InputError(f"{out}: is there already; --force writes over it")
    file = require_record(path)
    with open_record(file) as record:
        said = [e for e in read_game_events(record, game) if e.get("ply") == ply]
    kept = [e for e in said if e.get("event") == EVIDENCE]
    if not kept:
        raise InputError(f"game {game}: no pictures of ply {ply} were kept")
    folder = folder_of(file)
    pictures = [_read_picture(folder, str(kept[-1][side])) for side in ("before", "after") if side in kept[-1]]
    _, data = cv2.imencode(out.suffix.lower(), _join_side_by_side(pictures))
    replace_output(out, data.tobytes())
    print_line(f"{out}: {game}, ply {ply}, scores {kept[-1].get('scores', 'not kept')}")
    reason = next((read_reason(e.get("reason")) for e in reversed(said) if e.get("event") == "move"), None)
    print_text(f"decided by: {reason.rule}: {reason.english_sentence}" if reason else "decided by: not kept")
    return DONE


def _join_side_by_side(pictures: list[Image]) -> Image:
    """The pictures in one, as high as the lowest."""
    height = min(picture.shape[0] for picture in pictures)
    return np.hstack([cv2.resize(p, (round(p.shape[1] * height / p.shape[0]), height)) for p in pictures])


def _read_picture(folder: Path, name: str) -> Image:
    """A stored picture. InputError if it is gone or is another."""
    wrong = find_picture_fault(folder, name)
    if wrong:
        raise InputError(f"{wrong}; `referee verify` looks at all of them")
    image = decode_picture(read_picture(folder, name))
    if image is None:
        raise InputError(f"picture {name}: was stored as it is, and cannot be read as a picture")
    return image
