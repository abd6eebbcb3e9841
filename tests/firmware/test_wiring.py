"""The drawings of the wiring are those of the pins in the firmware, and the documentation knows the protocol."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from device.codec import PacketKind
from tests.firmware.board import FIRMWARE, ROOT

WIRING = runpy.run_path(str(FIRMWARE / "wiring.py"))
PAGE = ROOT / "docs" / "hardware.md"


@pytest.mark.parametrize("chip", list(WIRING["BOARDS"]))
def test_the_drawing_is_the_one_of_the_header(chip: str) -> None:
    drawn = (ROOT / "docs" / "pictures" / WIRING["file_name"](chip)).read_text(encoding="utf-8")
    assert drawn == WIRING["draw_wiring"](chip)


def test_the_supply_is_that_of_the_table_and_more_than_the_strip_is_let_draw() -> None:
    supply = WIRING["read_supply"]()
    allowed = re.search(r"#define MAX_MILLIAMPS (\d+)", WIRING["HEADER"].read_text(encoding="utf-8"))
    assert allowed is not None and int(allowed[1]) < 1000 * float(supply.removesuffix(" A"))
    assert f"| {supply}, fast |" in PAGE.read_text(encoding="utf-8"), "the fuse"
    for chip in WIRING["BOARDS"]:
        assert f">{supply} or more</text>" in WIRING["draw_wiring"](chip)


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, str(FIRMWARE / "wiring.py")]
    for given in ([str(tmp_path / "none")], []):
        done = subprocess.run([*command, *given], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        said = ": there is no such folder: name the one for the drawings\n"
        assert done.stderr == f"{[*command, *given][-1]}{said}"


def test_the_page_has_every_packet() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| {kind.name} | {kind:02x} |" in page for kind in PacketKind)


def test_the_page_shows_pictures_that_are_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    pictures = [part.split(")")[0] for part in page.split("](")[1:]]
    assert all((Path(PAGE.parent) / picture).exists() for picture in pictures)
