"""`referee lights` as a user runs it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from device.mapfile import load_default_map, parse_map
from engine.games import load
from server.commands.lights import WALK_ON, _describe_light
from tests.device.test_answers import INFO, answering, lit, strip
from tests.device.test_port import Plug
from tests.patience import PATIENCE_S, wait_until


def lights(*arguments: str, told: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "server", "lights", *arguments]
    return subprocess.run(command, input=told, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def test_show_draws_the_board_on_the_terminal() -> None:
    done = lights("show", "--port", "screen:", "--protocol", "screen", "--cells", "E6", "--seconds", "0.3")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\x1b[48;2;0;160;160m") == 1


def test_test_says_what_the_strip_draws() -> None:
    done = lights("test", "--port", "loop://", "--protocol", "adalight", "--seconds", "0.2")
    assert done.stderr.splitlines() == ["loop://: a trial without lights: nobody is there who could answer"]
    assert "white: 160 LEDs, 1995 mA" in done.stdout


def test_walk_writes_the_map_that_the_user_told(tmp_path: Path) -> None:
    board, out = load("camelot").board, tmp_path / "mine.toml"
    told = "\n".join(("nowhere", "", *reversed(board.cells))) + "\n"
    done = lights("walk", "--port", "loop://", "--protocol", "adalight", "--leds", "161", "--out", str(out), told=told)
    assert done.returncode == 0, done.stderr
    owners = parse_map(out.read_text(), board, "camelot").owners
    assert owners == ((), *((i,) for i in reversed(range(160))))


def test_a_slip_on_a_walk_is_taken_back(tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    told = "back\nF1\nG1\nC2\nback\nback\nD2\nE2\nend\n"
    lights("walk", "--port", "loop://", "--protocol", "null", "--out", str(out), told=told)
    assert out.read_text().endswith("[cell]\nF1 = 0\nD2 = 1\nE2 = 2\n")


def test_a_walk_that_named_nothing_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    out.write_text("before")
    for to, told in ((out, "\n\nend\n"), (tmp_path / "none" / "mine.toml", "F1\nend\n")):
        done = lights("walk", "--port", "loop://", "--protocol", "null", "--out", str(to), told=told)
        assert (done.returncode, done.stderr.splitlines()[-1].startswith(f"referee: --out {to}: ")) == (2, True)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.toml"]
    assert out.read_text() == "before"


def test_a_port_without_a_name_is_told_what_to_name() -> None:
    done = lights("test", "--port", "")
    said = "referee: port '': name the port of the LEDs, like /dev/ttyUSB0, or `auto`\n"
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.parametrize("seconds", ["nan", "-1", "soon"])
def test_seconds_that_are_none_are_refused(seconds: str) -> None:
    assert lights("show", "--port", "loop://", "--protocol", "null", "--seconds", seconds).returncode == 2


@pytest.mark.parametrize("port", [[], ["--port", "loop://"]])
def test_a_trial_without_lights_expects_no_answer(port: list[str]) -> None:
    done = lights("show", *port, "--protocol", "null", "--seconds", "0.1")
    assert done.stderr.splitlines() == ["loop://: a trial without lights: nobody is there who could answer"]


def test_a_walk_ends_where_its_board_is_gone(tmp_path: Path) -> None:
    """A cell that is named for an LED that is not lit is a guess."""
    out, said, plug = tmp_path / "mine.toml", tmp_path / "said", Plug(tmp_path / "ttyLights")
    plug.put_in()
    command = [sys.executable, "-m", "server", "lights", "walk", "--port", str(plug.path), "--protocol", "adalight"]
    command += ["--out", str(out)]
    with said.open("w") as told:
        walk = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=told, text=True, bufsize=1
        )
    try:
        assert walk.stdin is not None
        walk.stdin.write("F1\n")
        wait_until(out.exists)
        plug.pull_out()
        wait_until(lambda: "unplugged" in said.read_text() or "no such device" in said.read_text())
        walk.stdin.write("G1\nC2\nend\n")
        walk.stdin.close()
        assert walk.wait(PATIENCE_S) == 2
    finally:
        walk.kill()
    last = said.read_text().splitlines()[-1]
    assert last.startswith(f"referee: port {plug.path}: ") and last.endswith(f"; {WALK_ON}")
    assert out.read_text().endswith("[cell]\nF1 = 0\n")


@pytest.mark.parametrize(("url", "name"), [("loop://", "ddp"), ("loop://", "drgb"), ("udp://127.0.0.1:9", "adalight")])
def test_a_protocol_is_not_sent_where_nothing_can_understand_it(url: str, name: str) -> None:
    done = lights("show", "--port", url, "--protocol", name, "--seconds", "0")
    assert done.returncode == 2
    assert re.fullmatch(f"referee: protocol {name}: it .*{re.escape(url)}.*\n", done.stderr), done.stderr


def test_a_port_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = lights("test", "--port", str(tmp_path / "none"), "--protocol", "adalight")
    assert done.returncode == 2
    said = "there is no such device: plug it in, or start with the port that `referee lights find` shows"
    assert done.stderr == f"referee: port {tmp_path}/none: {said}\n"


@pytest.mark.parametrize("end", ["end\n", ""], ids=["it is said", "nobody types any more"])
def test_a_walk_that_ends_early_is_kept_and_says_what_is_missing(tmp_path: Path, end: str) -> None:
    out = tmp_path / "mine.toml"
    done = lights("walk", "--port", "loop://", "--protocol", "null", "--out", str(out), told=f"F1\nG1\n{end}")
    assert done.returncode == 1
    assert "no LED for C2, D2" in done.stdout
    assert "F1 = 0\nG1 = 1\n" in out.read_text()
    assert "walk on with the same --out" in done.stdout


def test_a_walk_goes_on_at_the_first_led_without_a_cell(tmp_path: Path) -> None:
    """Who is called away after four LEDs types four answers once."""
    board, out = load("camelot").board, tmp_path / "mine.toml"
    arguments = ("walk", "--port", "loop://", "--protocol", "null", "--out", str(out))
    first, *rest = board.cells
    lights(*arguments, "--leds", "161", told=f"{first}\n\n{rest[0]}\n{rest[1]}\nend\n")
    done = lights(*arguments, told="\n".join(("back", first, "", *rest[2:])) + "\n")
    assert "LED 1: cell" in done.stdout.splitlines()[1], done.stdout
    assert "LED 2: cell" not in done.stdout
    assert (done.returncode, [file.name for file in tmp_path.iterdir()]) == (0, ["mine.toml"]), done.stdout
    cells = [board.cells[owners[0]] if owners else "" for owners in parse_map(out.read_text(), board, "camelot").owners]
    assert cells == [first, "", *rest]


def test_a_walk_over_a_whole_map_begins_anew(tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    whole = (resources.files("device") / "maps" / "camelot.toml").read_text(encoding="utf-8")
    for before in (
        whole,
        'board = "camelot"\nleds = 160\n[[run]]\ncells = ["F1"]\n',
        'board = "camblam"\nleds = 9\n[cell]\nA1 = 0\n',
    ):
        out.write_text(before)
        lights("walk", "--port", "loop://", "--protocol", "null", "--out", str(out), told="G1\nend\n")
        assert out.read_text().endswith("[cell]\nG1 = 0\n")
        assert before in {file.read_text() for file in tmp_path.iterdir()}


def test_a_protocol_that_speaks_to_nothing_needs_no_port() -> None:
    done = lights("test", "--protocol", "null", "--seconds", "0.2")
    assert (done.returncode, "white: " in done.stdout) == (0, True), done.stderr


def test_what_a_strip_makes_of_its_own_limit_is_said() -> None:
    leds = load_default_map("camelot", load("camelot").board)
    white = leds.encode_strip([(255, 255, 255)] * 160)
    assert _describe_light(leds, white, 1500).endswith("1995 mA, dimmed by the strip's own limit to 1500 mA")
    assert _describe_light(leds, white, 0).endswith("1995 mA")
    limited = json.dumps(INFO | {"leds": {"count": 160, "maxpwr": 1500}}).encode()
    with strip() as url, answering(limited) as http, lit(url, "ddp", leds, http) as port:
        assert port.wait_for_answer()
        assert port.limit_milliamps == 1500


def test_a_port_that_is_not_there_is_said_before_anything_is_built() -> None:
    for port, said in (("/dev/ttyUSB97", "there is no such device"), ("auto", "port auto: no LED board")):
        done = lights("flash", "--port", port)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert said in done.stderr
