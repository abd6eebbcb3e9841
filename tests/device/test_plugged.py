"""Which port is taken for the LED board, from lists of what is plugged in; nothing is opened."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from serial.tools.list_ports_common import ListPortInfo

from device.plugged import find_led_port, resolve_port
from engine.errors import InputError
from tests.patience import PATIENCE_S
from tests.programs import started

UNO = "usb-Arduino__www.arduino.cc__0043_75830303934351618141-if00"
CLONE = "usb-1a86_USB_Serial-if00-port0"
MODEM = "usb-Huawei_Mobile-if00-port0"
UNO_NUMBERS, MODEM_NUMBERS = (0x2341, 0x0043), (0x12D1, 0x1506)


def listed(device: str, numbers: tuple[int, int]) -> ListPortInfo:
    info = ListPortInfo(device)
    info.vid, info.pid = numbers
    return info


def folder(path: Path, *names: str) -> Path:
    for name in names:
        (path / name).touch()
    return path


def test_a_port_that_was_named_is_taken_as_it_is() -> None:
    assert resolve_port("/dev/ttyS7") == "/dev/ttyS7"


def test_the_name_that_outlives_a_replug_comes_first(tmp_path: Path) -> None:
    assert find_led_port(folder(tmp_path, UNO, MODEM), [listed("/dev/ttyACM0", UNO_NUMBERS)]) == str(tmp_path / UNO)


def test_without_names_the_usb_numbers_decide(tmp_path: Path) -> None:
    ports = [listed("/dev/ttyUSB0", MODEM_NUMBERS), listed("/dev/ttyACM0", UNO_NUMBERS), ListPortInfo("/dev/ttyS0")]
    assert find_led_port(tmp_path / "none", ports) == "/dev/ttyACM0"


def test_two_boards_are_named_and_none_is_taken(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"name one of .*{CLONE}, .*{UNO}"):
        find_led_port(folder(tmp_path, UNO, CLONE), [])


def test_what_is_no_board_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="plug it in, or name its port"):
        find_led_port(folder(tmp_path, MODEM), [listed("/dev/ttyUSB0", MODEM_NUMBERS)])


def test_a_port_that_another_program_has_is_told_so() -> None:
    far, near = pty.openpty()
    command = [sys.executable, "-m", "server", "lights", "test", "--port", os.ttyname(near), "--protocol", "adalight"]
    with started([*command, "--seconds", str(PATIENCE_S)], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None and "red" in first.stdout.readline()
        second = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        first.terminate()
    os.close(far)
    os.close(near)
    assert second.returncode == 2
    assert second.stderr.endswith("another program has it open, perhaps a referee that is running: close that one\n")
