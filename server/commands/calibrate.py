"""`referee calibrate`: from one picture of the board to a profile."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np

from calibration.find_board import find_by_itself
from calibration.lens import load_lens
from calibration.markers import marker_places
from calibration.profile import Profile, WhitePieces, dump_profile
from calibration.solve import MARKED_FIT, Solution, solve_by_corners, solve_by_markers, solve_by_points
from engine import games
from engine.board import Board
from engine.errors import InputError
from engine.game import Game, looks_at_start
from server.board.setup.devices import lasting_source
from server.board.setup.way_round import find_way_round
from server.disk import write_output
from server.exits import ANSWER_IS_NO, DONE
from server.masking import print_line
from server.options import A_SOURCE, FILE_OR_FOLDER, OUT_FILE, FilePath
from server.pictures import still_picture
from server.saying import describe_default_rules
from vision.ground import Image
from vision.overlay import draw_grid

NOT_TOLD = (
    "a mirrored picture of this board looks the same: look whether A1 is at White's left hand in it, "
    "and write mirrored: before the camera if it is not; the page of `referee serve` asks"
)


@click.command(help="Find the board in a picture and write its profile.")
@click.option("--game", required=True, help="Which game's board it is.")
@click.option("--rules", help="Rule set to note in the profile.")
@click.option(
    "--camera", required=True, type=A_SOURCE, help="Device, stream URL, video, picture or folder of pictures."
)
@click.option("--out", type=OUT_FILE, help="Profile to write (TOML).")
@click.option("--markers", is_flag=True, help="Use the printed ArUco markers.")
@click.option("--points", help='Pixel centres of named cells: "A4=812.5,633 L4=1204,640 ...".')
@click.option("--corners", help='Corners of the bounding rectangle: "x,y x,y x,y x,y" (A1, last/1, last/last, A/last).')
@click.option(
    "--white",
    type=click.Choice([side.value for side in WhitePieces]),
    default=WhitePieces.LIGHTER.value,
    show_default=True,
    help="Whether White plays the lighter or the darker pieces.",
)
@click.option("--lens", "lens_file", type=FILE_OR_FOLDER, help="Lens file of `referee calibrate-lens`.")
@click.option("--frame", "number", default=0, show_default=True, help="Which frame of the source.")
@click.option("--preview", type=OUT_FILE, help="Draw the grid over the picture here.")
@click.option("--reference", type=FilePath(exists=True, path_type=Path), help="Picture of a known position, to note.")
@click.option("--reference-position", type=FilePath(exists=True, path_type=Path), help="That position (JSON), to note.")
@click.option("--force", is_flag=True, help="Write the profile even if the fit is poor.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(**given: Any) -> int:
    """Exit 0 when the profile was written, 1 when the fit is too poor for one."""
    asked = CalibrateOptions(**given)
    asked.check_combination()
    game = games.load(asked.game, asked.rules)
    image = still_picture(asked.camera, asked.number)
    solutions = _locate_board(asked, game, image)
    fit = min(solution.fit for solution in solutions)
    _print_fit(game.board, solutions, as_json=asked.as_json)
    if asked.preview is not None:
        _write_picture(asked.preview, draw_grid(image, game.board, [s.view for s in solutions]))
    if fit < MARKED_FIT and not asked.force:
        poorest = min(solutions, key=lambda s: s.fit)
        print_line(
            f"referee: fit {fit} is under {MARKED_FIT}, {poorest.doubt or f'worst around {poorest.worst}'}: "
            "nothing written; look at --preview, give better places, or --force",
            err=True,
        )
        return ANSWER_IS_NO
    if asked.out is not None:
        profile = _build_profile(asked, game, solutions)
        write_output(asked.out, dump_profile(profile).encode(), "--out")
        if "light" in game.looks:
            print_line(f"referee: White plays the {asked.white} pieces; --white says otherwise", err=True)
        if profile.way_round is None:
            print_line(f"referee: {NOT_TOLD}", err=True)
        if asked.rules is None and (said := describe_default_rules(str(asked.out), game)):
            print_line(f"referee: {said}", err=True)
    return DONE


@dataclass(frozen=True)
class CalibrateOptions:
    """The options of the command, by their names."""

    game: str
    rules: str | None
    camera: str
    out: Path | None
    markers: bool
    points: str | None
    corners: str | None
    white: str
    lens_file: Path | None
    number: int
    preview: Path | None
    reference: Path | None
    reference_position: Path | None
    force: bool
    as_json: bool

    def check_combination(self) -> None:
        """InputError if they do not go together."""
        if self.out is None and not self.as_json and self.preview is None:
            raise InputError("calibrate: nothing to write; give --out PROFILE.toml")
        if self.number < 0:
            raise InputError(f"--frame {self.number}: frames count from 0")
        if sum((self.markers, self.points is not None, self.corners is not None)) > 1:
            raise InputError("calibrate: give only one of --markers, --points and --corners")


def _locate_board(asked: CalibrateOptions, game: Game, image: Image) -> Sequence[Solution]:
    """Where the board is, one solution a level."""
    board, levels = game.board, range(max(game.board.levels) + 1)
    lens = load_lens(asked.lens_file, (image.shape[1], image.shape[0])) if asked.lens_file else None
    if asked.corners is not None:
        if len(levels) > 1:
            raise InputError(f"--corners: {asked.game} has {len(levels)} levels; use --markers or --points")
        return [solve_by_corners(board, image, _parse_corners(asked.corners), lens=lens)]
    if asked.points is not None:
        named = _parse_points(board, asked.points)
        return [solve_by_points(board, image, named, level, lens) for level in levels]
    if asked.markers:
        return [solve_by_markers(board, image, marker_places(board, level), level, lens) for level in levels]
    looks = looks_at_start(WhitePieces(asked.white).name_looks(game))
    return find_by_itself(board, image, looks, lens)


def _build_profile(asked: CalibrateOptions, game: Game, solutions: Sequence[Solution]) -> Profile:
    """What the owner of the board keeps of it."""
    board = game.board
    marked = solutions[0].by == "markers"
    return Profile(
        game=asked.game,
        views=tuple(s.view for s in solutions),
        fits=tuple(s.fit for s in solutions),
        source=lasting_source(asked.camera),
        rules=asked.rules,
        reference=str(asked.reference.resolve()) if asked.reference else "",
        reference_position=str(asked.reference_position.resolve()) if asked.reference_position else "",
        markers={n: p for k in range(len(solutions)) for n, p in marker_places(board, k).items()} if marked else {},
        way_round=find_way_round(game, solutions),
        white=WhitePieces(asked.white),
    )


def _print_fit(board: Board, solutions: Sequence[Solution], *, as_json: bool) -> None:
    error = max(solution.error_cells for solution in solutions)
    fit = min(solution.fit for solution in solutions)
    if not as_json:
        print_line(f"by {solutions[0].by}: reprojection error {error:.3f} cells, fit {fit} of 100")
        return
    cells: dict[str, list[float]] = {}
    for level, solution in enumerate(solutions):
        here = [i for i, plane in enumerate(board.levels) if plane == level]
        pixels = solution.view.project_points(np.array([board.centres_xy[i] for i in here]))
        cells |= {
            board.cells[i]: [round(float(x), 2), round(float(y), 2)] for i, (x, y) in zip(here, pixels, strict=True)
        }
    click.echo(json.dumps({"fit": fit, "error_cells": round(error, 4), "by": solutions[0].by, "cells_px": cells}))


def _parse_corners(text: str) -> list[tuple[float, float]]:
    pairs = text.split()
    if len(pairs) != 4:
        raise InputError(f'--corners: {len(pairs)} corners given, four are needed: "x,y x,y x,y x,y"')
    return [_parse_pixel(pair, "--corners") for pair in pairs]


def _parse_points(board: Board, text: str) -> dict[str, tuple[float, float]]:
    out: dict[str, tuple[float, float]] = {}
    for item in text.split():
        name, equals, pair = item.partition("=")
        if not equals or name.upper() not in board.index:
            raise InputError(f"--points: {item!r}: write CELL=x,y with a cell of the board")
        if name.upper() in out:
            raise InputError(f"--points: {name.upper()} is given twice")
        out[name.upper()] = _parse_pixel(pair, "--points")
    return out


def _parse_pixel(text: str, where: str) -> tuple[float, float]:
    x, comma, y = text.partition(",")
    try:
        pair = float(x), float(y)
    except ValueError:
        pair = (float("nan"), float("nan"))
    if not comma or not all(abs(v) < 1e5 for v in pair):
        raise InputError(f"{where}: {text!r} is no pixel position; write x,y")
    return pair


def _write_picture(path: Path, image: Image) -> None:
    suffix = path.suffix if path.suffix.lower() in {".png", ".jpg", ".jpeg"} else ".png"
    ok, data = cv2.imencode(suffix, image)
    if not ok:
        raise InputError(f"--preview {path}: cannot be encoded as {suffix}")
    write_output(path, data.tobytes(), "--preview")
