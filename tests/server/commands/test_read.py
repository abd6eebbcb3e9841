"""`referee read` and `referee calibrate --reference` as a person calls them, on rendered pictures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner, Result

from calibration import profile as profiles
from engine.text import positions
from server.cli import main, referee
from tests.render.scene import Scene
from tests.render.script import Recipe
from tests.vision.pictures import corners_of, photograph, position_after, scene_of

RECIPE = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(960, 720))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(referee, [str(a) for a in arguments], standalone_mode=False)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line on standard error of a call that cannot be done."""
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with start.png, later.png (another position, later.json) and profile.toml."""
    folder = tmp_path_factory.mktemp("table")
    game, scene = scene_of(RECIPE)
    position = position_after(game, 10, 4)
    shown: Scene = replace(scene, pieces=scene_of(RECIPE, position)[1].pieces, seed=8)
    cv2.imwrite(str(folder / "start.png"), photograph(scene))
    cv2.imwrite(str(folder / "later.png"), photograph(shown))
    cv2.imwrite(str(folder / "small.png"), photograph(scene)[::2, ::2])
    (folder / "later.json").write_text(json.dumps(positions.to_json(game, position)))
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners_of(scene))
    (folder / "corners.txt").write_text(corners)
    made = run(
        *("calibrate", "--game", "camelot", "--rules", "wcf", "--camera", folder / "start.png"),
        *("--corners", corners, "--out", folder / "profile.toml", "--reference", folder / "start.png"),
    )
    assert made.return_value == 0, made.output
    return folder


def looks(folder: Path, *more: object) -> dict[str, str]:
    result = run("read", "--profile", folder / "profile.toml", "--json", *more)
    assert result.exception is None, result.output
    cells = json.loads(result.stdout)["cells"]
    assert all(set(seen) == {"look", "confidence", "hidden"} for seen in cells.values())
    assert all(0 < seen["confidence"] <= 1 for seen in cells.values())
    return {cell: seen["look"] for cell, seen in cells.items()}


def expected(position_file: Path) -> dict[str, str]:
    cells = json.loads(position_file.read_text())["cells"]
    return {cell: "light" if code[0] == "W" else "dark" for cell, code in cells.items()}


def occupied(found: dict[str, str]) -> dict[str, str]:
    return {cell: look for cell, look in found.items() if look != "empty"}


def test_a_profile_without_rules_says_which_hold(table: Path, tmp_path: Path) -> None:
    corners = (table / "corners.txt").read_text()
    for game, rules, said in (
        ("camelot", (), "so BrainKing rules apply; for World Camelot Federation rules give --rules wcf"),
        ("camelot", ("--rules", "wcf"), ""),
    ):
        out = tmp_path / f"{game}{len(rules)}.toml"
        made = run(
            *("calibrate", "--game", game, *rules, "--camera", table / "start.png", "--corners", corners, "--out", out)
        )
        assert made.return_value == 0, made.output
        assert ("names no rule set" in made.stderr) == bool(said)
        assert said in made.stderr


def test_commands_say_which_rules_hold_where_nobody_named_them(table: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text((table / "profile.toml").read_text().replace('rules = "wcf"', ""))
    at_board = ("--profile", profile, "--camera", table / "start.png")
    for command in (
        ("watch", *at_board, "--json"),
        ("certify", *at_board, "--plies", "1", "--out", tmp_path / "certificate.html"),
        ("match", "random", "random", "--game", "camelot", "--games", "2", "--movetime", "1"),
    ):
        assert "so BrainKing rules apply; for World Camelot Federation rules give" in run(*command).output, command
        assert "rules apply" not in run(*command, "--rules", "wcf").output, command


def test_by_the_profiles_reference(table: Path) -> None:
    assert profiles.load_profile(table / "profile.toml").reference == str(table / "start.png")
    found = looks(table, "--camera", table / "later.png")
    assert len(found) == 160
    assert occupied(found) == expected(table / "later.json")


def test_a_board_is_read_by_another_reference_picture(table: Path) -> None:
    options = ("--reference", table / "later.png", "--reference-position", table / "later.json")
    found = looks(table, "--camera", table / "start.png", *options)
    game, _ = scene_of(RECIPE)
    start = {n: game.looks[game.look_of[p]] for n, p in zip(game.board.cells, game.start().placement, strict=True)}
    assert found == start


def test_read_says_in_words_what_stands_on_each_cell(table: Path) -> None:
    result = run("read", "--profile", table / "profile.toml", "--camera", table / "start.png")
    assert "C6 light (" in result.stdout


def test_without_a_reference_picture_one_is_asked_for(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = replace(profiles.load_profile(table / "profile.toml"), reference="")
    (tmp_path / "bare.toml").write_text(profiles.dump_profile(bare))
    said = refused(capsys, "read", "--profile", tmp_path / "bare.toml", "--camera", table / "later.png", "--json")
    assert "give --reference, a picture of the start position from the same place" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--camera", "small.png"), "the picture is 480x360, but the board was set up in 960x720"),
        (("--camera", "start.png", "--frame", "1"), "there is no frame 1"),
        (("--camera", "start.png", "--frame", "-1"), "frames count from 0"),
        (("--camera", "none.png"), "no such file"),
        (("--camera", "start.png", "--reference", "none.png"), "no such file"),
        (("--camera", "start.png", "--reference", "start.png", "--reference-position", "none.json"), "none.json"),
    ],
)
def test_what_cannot_be_read(
    options: tuple[str, ...],
    said: str,
    table: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(table)
    assert said in refused(capsys, "read", "--profile", "profile.toml", *options)


def test_a_reference_must_show_every_look(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "white.json").write_text(
        '{"game": "camelot", "rules": "wcf", "to_move": "white", "cells": {"C6": "WN"}}'
    )
    said = refused(
        capsys,
        *("read", "--profile", table / "profile.toml", "--camera", table / "start.png"),
        *("--reference", table / "start.png", "--reference-position", tmp_path / "white.json"),
    )
    assert "shows no dark piece" in said
