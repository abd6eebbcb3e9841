"""`referee read`: what one picture shows, without rules."""

from __future__ import annotations

import json
from pathlib import Path

import click

from calibration import profile as profiles
from calibration.profile import Profile
from engine.errors import InputError
from engine.game import Game, Position
from server.board.live.camera_view import describe_beliefs
from server.exits import DONE
from server.inputs import read_position
from server.masking import print_line
from server.options import FILE_OR_FOLDER
from server.pictures import frame_number
from vision.frames import describe_other_size
from vision.ground import Image
from vision.reading.level import Reading
from vision.reading.level_readers import WIDESPREAD, LevelReaders


@click.command(help="Read one picture: what each cell shows, without rules.")
@click.option("--profile", "path", required=True, type=FILE_OR_FOLDER, help="Profile of the board.")
@click.option("--camera", required=True, help="Device, stream URL, video, picture or folder of pictures.")
@click.option("--frame", "number", default=0, show_default=True, help="Which frame of the camera.")
@click.option("--reference", help="Source whose first frame shows a known position; default: the profile's.")
@click.option("--reference-position", help="Position (JSON) in the reference; default: the start position.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(
    path: Path, camera: str, number: int, reference: str | None, reference_position: str | None, *, as_json: bool
) -> int:
    """Looks are learned from the reference picture, so it must be taken from where the profile was made."""
    if number < 0:
        raise InputError(f"--frame {number}: frames count from 0")
    profile = profiles.load_profile(path)
    source = reference or profile.reference
    if not source:
        raise InputError(
            f"profile {path}: names no picture to learn the pieces from: give --reference, a picture of the start "
            "position from the same place (of another position with --reference-position)"
        )
    known = reference_position or (profile.reference_position if not reference else "") or None
    game, position = read_position(profile.game, profile.rules, known)
    eyes = _build_eyes(profile, game, position, _read_frame(profile, source, 0))
    answer = describe_beliefs(game, _read_board(eyes, _read_frame(profile, camera, number)))
    if as_json:
        click.echo(json.dumps({"cells": answer}))
    else:
        for cell, seen in answer.items():
            hidden = ", hidden" if seen["hidden"] else ""
            print_line(f"{cell} {seen['look']} ({seen['confidence']}{hidden})")
    return DONE


def _read_frame(profile: Profile, source: str, number: int) -> Image:
    """A frame of the size that the profile was made for."""
    image = frame_number(source, number).image
    h, w = image.shape[:2]
    if (w, h) != profile.size_wh:
        text, values = describe_other_size((w, h), profile.size_wh)
        raise InputError(text, **values)
    return image


def _build_eyes(profile: Profile, game: Game, position: Position, image: Image) -> LevelReaders:
    """Eyes that have learned from a picture of a known position."""
    pieces = list(position.placement)
    if not any(pieces):
        raise InputError("--reference-position: no piece on the board; show at least one of each look")
    eyes = LevelReaders(game.board, profile.views, game.look_of, image, pieces)
    unseen = {look for piece, look in enumerate(game.look_of) if look and piece} - {game.look_of[p] for p in pieces}
    if unseen:
        names = ", ".join(game.looks[look] for look in sorted(unseen))
        raise InputError(f"--reference-position: shows no {names} piece, so that none could be recognised")
    return eyes


def _read_board(eyes: LevelReaders, image: Image) -> Reading:
    """What the picture shows, also if the camera was bumped since the reference was taken."""
    reading = eyes.read_image(image)
    if float(reading.changed.mean()) <= WIDESPREAD:
        return reading
    moved = eyes.find_again(image)
    if moved is not None and moved.fit is None:
        raise InputError("camera: the board is not where the profile says; calibrate again")
    return reading if moved is None else eyes.read_image(image)
