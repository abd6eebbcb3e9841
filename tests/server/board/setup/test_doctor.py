"""The check-up on real pictures, a real network camera and real ports: each fault is told with what to do."""

from __future__ import annotations

import json
import os
import pty
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import cv2
import numpy as np
import pytest
import serial
from click.testing import CliRunner

from calibration.find_board import find_by_itself
from calibration.profile import Profile, dump_profile
from calibration.view import Image
from device import mapfile, protocols
from device.mapfile import load_default_map
from device.port import UNKNOWN_SPEAKER, LedPort
from engine import games
from server.board.led_setup import read_profile_map
from server.board.setup.checkup import check_camera, check_led_map, check_machine, check_port, describe_held_port
from server.board.setup.checkup_picture import Finding, check_picture
from server.commands import doctor
from tests.device.test_answers import INFO, device
from tests.phone import phone
from tests.programs import started
from vision.frames import load_picture

SESSION = Path(__file__).parents[3] / "data/sessions/blue_ivory_office"
GAME = games.load("camelot")
CELLS = len(GAME.board.cells)


@pytest.fixture(scope="module")
def image() -> Image:
    return load_picture(SESSION / "frame_0001.jpg")


@pytest.fixture(scope="module")
def profile(image: Image) -> Profile:
    looks = [GAME.looks[GAME.look_of[piece]] for piece in GAME.start().placement]
    (found,) = find_by_itself(GAME.board, image, looks)
    return Profile("camelot", (found.view,), (found.fit,), str(SESSION))


def states(findings: Iterator[Finding]) -> dict[str, str]:
    return {finding.check: finding.state for finding in findings}


def changed(image: Image, gain: float, blur: float = 0.0) -> Image:
    soft = cv2.GaussianBlur(image, (0, 0), blur) if blur else image
    noise = np.random.default_rng(1).normal(0, 2, image.shape)
    return np.asarray((soft * gain + noise).clip(0, 255), np.uint8)


def test_a_good_picture_has_no_faults(image: Image, profile: Profile) -> None:
    findings = list(check_picture(image, profile))
    assert {finding.state for finding in findings} == {"ok"}
    assert not any(finding.advice for finding in findings)


@pytest.mark.parametrize(
    ("gain", "blur", "check", "advice"),
    [(0.2, 0.0, "exposure", "light"), (1.9, 0.0, "exposure", "lower"), (1.0, 4.0, "sharpness", "focus")],
)
def test_a_bad_picture_is_told_with_what_to_do(
    image: Image, profile: Profile, gain: float, blur: float, check: str, advice: str
) -> None:
    for known in (profile, None):
        findings = {finding.check: finding for finding in check_picture(changed(image, gain, blur), known)}
        assert findings[check].state == "wrong"
        assert advice in findings[check].advice


def test_a_moved_board_and_another_size_are_told(image: Image, profile: Profile) -> None:
    moved = np.roll(image, 40, axis=1)
    assert states(check_picture(moved, profile))["board"] == "wrong"
    assert states(check_picture(cv2.resize(image, None, fx=0.5, fy=0.5), profile))["picture size"] == "wrong"


def test_a_lamp_at_one_side_is_told(image: Image, profile: Profile) -> None:
    slope = np.linspace(-0.2, 1.0, image.shape[1]).clip(0.05)[None, :, None]
    assert states(check_picture(np.asarray(image * slope, np.uint8), profile))["light"] == "wrong"
    slope = 0.5 + 0.5 * slope
    assert states(check_picture(np.asarray(image * slope, np.uint8), profile))["light"] != "wrong"


def test_a_missing_camera_names_the_way_out() -> None:
    (finding,) = check_camera("97", None)
    assert finding.state == "wrong"
    assert "referee cameras" in finding.advice
    (finding,) = check_camera("/nowhere/at/all", None)
    assert finding.state == "wrong"


def test_what_is_missing_is_said_once(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("game = ")
    for path, said in [(tmp_path / "none.toml", "No such file"), (broken, "put it right, or move the file away")]:
        answer = CliRunner().invoke(
            doctor.command, ["--profile", str(path), "--camera", "/nowhere.avi"], standalone_mode=False
        )
        assert answer.return_value == 1
        profile, camera, *_ = answer.output.splitlines()
        assert said in profile
        assert (profile.count("profile"), profile.count("referee calibrate")) == (1, 1)
        assert camera.startswith("WRONG camera: /nowhere.avi: no such file")


@pytest.mark.parametrize("still", [True, False])
def test_a_network_camera_that_hangs_is_told(still: bool, image: Image) -> None:
    rng = np.random.default_rng(0)
    pictures = [image if still else (image * rng.uniform(0.9, 1.0)).astype(np.uint8) for _ in range(4)]
    parts = [cv2.imencode(".jpg", one)[1].tobytes() for one in pictures]

    with phone(lambda: islice(cycle(parts), 40)) as url:
        found = states(check_camera(url, None))
    assert found["camera"] == "ok"
    assert found["fresh"] == ("wrong" if still else "ok")


def test_ports_found_missing_and_busy() -> None:
    ours, theirs = pty.openpty()
    url = os.ttyname(theirs)
    try:
        silent = check_port(lights(url), CELLS)
        assert silent.state == "note" and silent.message.startswith(f"{url}: open, but nothing answers;")
        with serial.serial_for_url(url, exclusive=True):
            assert "another program" in check_port(lights(url), CELLS).message
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("there", [(), ("/dev/ttyUSB3", "/dev/ttyACM1")])
def test_a_port_that_is_not_there_has_one_remedy(monkeypatch: pytest.MonkeyPatch, there: tuple[str, ...]) -> None:
    monkeypatch.setattr("server.board.setup.checkup.list_led_ports", lambda: list(there))
    found = check_port(lights("/dev/ttyUSB97"), CELLS)
    advice = "plug it in, or start with the port that `referee lights find` shows"
    advice = "plug it in, or name /dev/ttyUSB3 or /dev/ttyACM1" if there else advice
    assert found == Finding("port", "wrong", "/dev/ttyUSB97: there is no such device", advice)


def test_an_address_at_which_nobody_listens_is_wrong() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"udp://127.0.0.1:{taken.getsockname()[1]}"
    found = check_port(lights(url, "ddp"), CELLS)
    assert (found.state, found.message) == ("wrong", f"{url}: nobody answers at that address")


def test_a_referee_that_is_running_may_have_the_port() -> None:
    """During a game that is as it should be; whoever else has it is to be closed."""
    with device() as (url, _):
        command = [sys.executable, "-m", "server", "lights", "show", "--port", url, "--cells", "E6"]
        with started(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None and url in process.stderr.readline()
            found = check_port(lights(url), CELLS)
        assert (found.state, "a referee that is running has it" in found.message) == ("note", True)


def test_what_is_typed_for_serve_is_checked(tmp_path: Path) -> None:
    """And no other port is offered for a strip in the network."""
    run = CliRunner().invoke
    (tmp_path / "map.toml").write_text('board = "camelot"\nleds = 1\n', encoding="utf-8")
    for typed, said in (
        (("--protocol", "nonsense"), "protocol 'nonsense'"),
        (("--baud", "42"), "baud 42"),
        (("--map", str(tmp_path / "map.toml")), "WRONG LED map"),
    ):
        answer = run(doctor.command, ["--lights", "/dev/ttyUSB97", *typed], standalone_mode=False)
        assert said in answer.output and answer.return_value == 1
    answer = run(doctor.command, ["--lights", "udp://127.0.0.1:9"], standalone_mode=False)
    assert "/dev/tty" not in answer.output


def test_a_port_that_chatters_is_not_called_silent() -> None:
    """A thermometer, or a strip at another baud rate: something speaks there."""
    ours, theirs = pty.openpty()
    over = threading.Event()

    def chatter() -> None:
        while not over.wait(0.05):
            os.write(ours, b"21.5 C\r\n")

    thread = threading.Thread(target=chatter)
    thread.start()
    try:
        found = check_port(lights(os.ttyname(theirs)), CELLS)
    finally:
        over.set()
        thread.join()
        os.close(ours)
        os.close(theirs)
    assert (found.state, UNKNOWN_SPEAKER in found.message) == ("note", True)


def lights(url: str, protocol: str = "adalight") -> LedPort:
    leds = load_default_map("camelot", GAME.board)
    return LedPort(url, lambda: protocols.load_protocol(protocol, leds), print)


def test_an_led_map_with_a_cell_missing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "board.toml"

    def finding_of(lights: dict[str, str]) -> Finding:
        return check_led_map(GAME.board, lambda: read_profile_map(GAME, lights, path))[1]

    assert finding_of({}).state == "ok"
    short = tmp_path / "short.toml"
    short.write_text('board = "camelot"\nleds = 2\n[[run]]\nstart = 0\ncells = ["F1:G1"]\n')
    for name in (str(short), "short.toml"):  # also as it is named from where the profile lies
        finding = finding_of({"map": name})
        assert finding.state == "wrong"
        assert str(short) in finding.message
    assert finding_of({"map": "gone.toml"}).state == "wrong"


@contextmanager
def wled_on_usb(leds: int) -> Iterator[str]:
    """The port of a strip of that length, which says what it is when it is asked."""
    said = json.dumps({"info": INFO | {"leds": {"count": leds}}}).encode() + b"\r\n"
    over = threading.Event()
    with device() as (path, far):
        os.set_blocking(far, False)

        def answer() -> None:
            while not over.wait(0.01):
                with suppress(BlockingIOError):
                    if b'{"v":true}' in os.read(far, 4096):
                        os.write(far, said)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield path
        finally:
            over.set()
            thread.join()


def test_lights_are_looked_at_as_a_game_would_use_them(
    profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the frame of 28 LEDs it was said that it has fewer than 160, and that its map, beside the profile, is none."""
    shutil.copy(Path(mapfile.__file__).with_name("maps") / "camelot-frame.toml", tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    path = tmp_path / "board.toml"
    with wled_on_usb(leds=28) as port:
        lights = {"port": port, "protocol": "adalight", "map": "camelot-frame.toml"}
        path.write_text(dump_profile(replace(profile, lights=lights)))
        found = {finding.check: finding for finding in doctor.collect_findings(path)}
        assert (found["port"].state, found["LED map"].state) == ("ok", "ok"), found
        assert "28 LEDs" in found["port"].message and "28 LEDs" in found["LED map"].message
        path.write_text(dump_profile(replace(profile, lights={"port": port, "protocol": "adalight"})))
        found = {finding.check: finding for finding in doctor.collect_findings(path)}
        assert found["port"].state == "wrong" and "the map of this strip" in found["port"].message


def test_a_palette_that_is_none_is_told(profile: Profile, tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_text(dump_profile(replace(profile, lights={"palette": "pink"})))
    (finding,) = (one for one in doctor.collect_findings(path) if one.check == "palette")
    assert finding.state == "wrong" and "colour-blind" in finding.advice


def test_disk_and_clock_are_looked_at(tmp_path: Path) -> None:
    assert set(states(check_machine(tmp_path))) == {"disk", "clock"}


def test_the_command_answers_yes_and_no(profile: Profile, tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_text(dump_profile(profile))
    picture_file = str(SESSION / "frame_0001.jpg")
    run = CliRunner().invoke
    good = run(doctor.command, ["--profile", str(path), "--camera", picture_file, "--json"], standalone_mode=False)
    answer = json.loads(good.output)
    assert {"ok", "checks"} == set(answer)
    assert [row["check"] for row in answer["checks"]][:3] == ["profile", "camera", "exposure"]
    assert good.return_value == (0 if answer["ok"] else 1)
    bad = run(
        doctor.command, ["--profile", str(tmp_path / "no.toml"), "--port", "/dev/ttyUSB97"], standalone_mode=False
    )
    assert bad.return_value == 1
    assert "WRONG profile" in bad.output
    assert "referee calibrate" in bad.output


def test_a_referee_that_has_ended_since_tells_nothing() -> None:
    """Looking for where it listens raised an error of the system."""
    said = describe_held_port("/dev/ttyUSB0", [Path("/proc/0")])
    assert (said.state, said.message) == ("note", "/dev/ttyUSB0: a referee that is running has it")
