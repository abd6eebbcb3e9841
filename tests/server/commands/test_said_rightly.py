"""Errors name the right cause, and the exit code says no where the answer is no."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.server.past import fill

ROOT = Path(__file__).parents[3]
SESSION = ROOT / "tests" / "data" / "sessions" / "camelot_a"
FILMED = ("--profile", str(SESSION / "profile.toml"), "--camera", str(SESSION), "--port", "0")
NO_FOLDER = "/proc/games.sqlite3"
"""Where nobody may make a file, whoever asks."""
WRONG = {
    ("check", "nowhere.pgn"): "nowhere.pgn: No such file",
    ("restore", "nowhere.sqlite3"): "nowhere.sqlite3: there is no such file; name a copy that `referee backup` made",
    ("demo", "--port", "often"): "'often' is not a number",
    ("lights", "test", "--port", "/dev/null", "--protocol", "adalight"): "/dev/null: is not a serial port",
    ("serve", *FILMED, "--record", NO_FOLDER): f"record {NO_FOLDER}: its folder must be writable",
    ("print", "board", "camelot", "-o", "nowhere/board.pdf"): "nowhere/board.pdf: No such file",
    ("games", "list", "--record", "nowhere.sqlite3"): "record nowhere.sqlite3: there is none",
    ("why", "camelt", "E6-C8"): "game 'camelt': not known",
    (
        "calibrate",
        "--game",
        "camelot",
        "--camera",
        "nowhere.mp4",
        "--out",
        "b.toml",
    ): "camera nowhere.mp4: no such file",
    ("match", "1", "nobody", "--nodes", "10"): "nobody",
}


def referee(*arguments: str, home: Path, **variables: str) -> tuple[int, str, str]:
    own = os.environ | {"XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)} | variables
    done = subprocess.run(
        [sys.executable, "-m", "server", *arguments], env=own, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def settings(home: Path, text: str) -> Path:
    path = home / "camelot-referee" / "settings.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("typed", "meant"), [("serv", "referee serve"), ("docter", "referee doctor"), ("zzz", "--help")]
)
def test_a_command_that_is_none_gets_the_one_that_was_meant(tmp_path: Path, typed: str, meant: str) -> None:
    code, _, said = referee(typed, home=tmp_path)
    assert (code, said.count("\n"), meant in said) == (2, 1, True)


@pytest.mark.parametrize("text", ['[why]\nrulez = "wcf"', '[wy]\nrules = "wcf"'])
def test_a_wrong_key_in_the_settings_is_named_with_its_file(tmp_path: Path, text: str) -> None:
    path = settings(tmp_path, text)
    code, _, said = referee("why", "camelot", "E6-C8", home=tmp_path)
    assert (code, said.count("\n"), str(path) in said) == (2, 1, True)
    assert ("rulez" if "rulez" in text else "wy") in said


def test_a_wrong_value_in_the_settings_is_named_with_its_file(tmp_path: Path) -> None:
    path = settings(tmp_path, '[demo]\nport = "often"')
    code, _, said = referee("demo", home=tmp_path)
    assert (code, str(path) in said, "--port" in said) == (2, True, True)


def test_a_camera_that_does_not_answer_is_said_in_one_line_and_ffmpeg_says_nothing(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/video"
        code, said, wrong = referee(
            "calibrate", "--game", "camelot", "--camera", address, "--out", "b.toml", home=tmp_path
        )
    assert (code, said, wrong.count("\n")) == (2, "", 1)
    assert address in wrong and "no pictures come from there" in wrong


def test_a_film_that_is_none_is_said_in_one_line(tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    film.write_bytes(b"\0\0\0\x18ftypmp42" + bytes(4000))
    code, _, wrong = referee("calibrate", "--game", "camelot", "--camera", str(film), "--out", "b.toml", home=tmp_path)
    assert (code, wrong.count("\n"), str(film) in wrong) == (2, 1, True)


def test_a_port_for_lights_that_is_none_is_named(tmp_path: Path) -> None:
    code, _, wrong = referee("lights", "test", "--port", "ttyUSB", "--protocol", "adalight", home=tmp_path)
    assert (code, wrong.count("\n"), "ttyUSB: there is no such device" in wrong) == (2, 1, True)


def test_a_record_that_cannot_be_kept_is_named_with_its_path(tmp_path: Path) -> None:
    film = tmp_path / "note.txt"
    film.write_text("a file", encoding="utf-8")
    code, _, wrong = referee("serve", *FILMED, "--record", str(film / "games.sqlite3"), home=tmp_path)
    assert (code, wrong.count("\n"), str(film) in wrong) == (2, 1, True)


@pytest.mark.parametrize("typed", WRONG, ids=" ".join)
def test_what_cannot_be_used_is_named_in_one_line(tmp_path: Path, typed: tuple[str, ...]) -> None:
    code, _, wrong = referee(*typed, home=tmp_path)
    assert (code, wrong.count("\n")) == (2, 1), wrong
    assert WRONG[typed] in wrong


def test_a_copy_that_cannot_be_written_does_not_call_the_record_damaged(tmp_path: Path) -> None:
    fill(tmp_path / "games.sqlite3")
    code, _, wrong = referee("backup", NO_FOLDER, "--record", str(tmp_path / "games.sqlite3"), home=tmp_path)
    assert (code, wrong.count("\n"), NO_FOLDER in wrong, "damaged" in wrong) == (2, 1, True, False)


def test_why_says_no_with_its_exit_code(tmp_path: Path) -> None:
    assert referee("why", "camelot", "E6-C8", home=tmp_path)[0] == 0
    assert referee("why", "camelot", "E6-E9", home=tmp_path)[0] == 1
    assert referee("why", "camelot", "E6-E9", "--json", home=tmp_path)[0] == 1


def test_the_doctor_says_how_to_begin_where_there_is_no_board_yet(tmp_path: Path) -> None:
    code, said, wrong = referee("doctor", home=tmp_path)
    assert (code, "referee serve" in said, wrong) == (0, True, "")


def test_the_doctor_looks_after_the_own_board(tmp_path: Path) -> None:
    own = tmp_path / "camelot-referee" / "board.toml"
    own.parent.mkdir()
    text = (SESSION / "profile.toml").read_text(encoding="utf-8")
    own.write_text(text.replace("tests/data/sessions/camelot_a", str(SESSION)), encoding="utf-8")
    _, said, _ = referee("doctor", home=tmp_path)
    assert f"profile: {own}: camelot" in said


def test_the_doctor_names_who_shares_the_names_of_our_packages(tmp_path: Path) -> None:
    other = tmp_path / "site" / "weather_server-2.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: weather-server\nVersion: 2.1\n", encoding="utf-8")
    (other / "top_level.txt").write_text("server\n", encoding="utf-8")
    _, said, _ = referee("doctor", "--port", "screen:", home=tmp_path)
    assert "ok    packages" in said
    code, said, _ = referee("doctor", "--port", "screen:", home=tmp_path, PYTHONPATH=f"{other.parent}:{ROOT}")
    assert (code, "WRONG packages: server is also in weather-server: install" in said) == (1, True)


@pytest.mark.parametrize("option", ["--lights", "--port"])
def test_the_lights_are_named_by_one_option_whatever_the_command(tmp_path: Path, option: str) -> None:
    """Who has learned `serve --lights` tries the strip with it; --port of `serve` is the page's."""
    code, said, wrong = referee("lights", "test", option, "null:", "--protocol", "null", home=tmp_path)
    assert "No such option" not in wrong, (code, said)
    for command in ("serve", "demo"):
        told = " ".join(referee(command, "--help", home=tmp_path)[1].split())
        assert "Port of the page: the number in its address" in told
        assert "Where the LEDs are" in told and "Port of the LEDs" not in told


def test_the_wheel_brings_the_recording_of_the_demo() -> None:
    """By the patterns that setuptools packs by; the demo's folder is a link to the recording of the tests."""
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    names = {path.name for pattern in packed["server"] for path in (ROOT / "server").glob(pattern)}
    assert {"profile.toml", "recording.json"} <= names
    assert sum(name.startswith("frame_") for name in names) > 50
