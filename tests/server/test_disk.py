"""Files that a reader finds whole, that only their owner reads, and that replace nothing unasked."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from server import disk


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_private_file_is_replaced_whole_and_leaves_no_half_of_one(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("old", encoding="utf-8")
    path.with_name("keys.new").write_text("of a power cut", encoding="utf-8")
    disk.write_private(path, "né")
    assert path.read_text(encoding="utf-8") == "né" and mode(path) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["keys"]


def test_a_new_file_is_nobody_elses_and_takes_no_name_that_is_there(tmp_path: Path) -> None:
    disk.write_new(tmp_path / "key", b"\0")
    assert mode(tmp_path / "key") == 0o600
    with pytest.raises(FileExistsError):
        disk.write_new(tmp_path / "key", b"other")
    disk.create_private(tmp_path / "key")
    assert (tmp_path / "key").read_bytes() == b"\0"
    disk.create_private(tmp_path / "nowhere" / "key")
    disk.create_private(tmp_path / "empty")
    assert mode(tmp_path / "empty") == 0o600


def test_what_was_there_is_kept_beside_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "profile.toml"
    disk.set_existing_aside(path)
    path.touch()
    disk.set_existing_aside(path)
    assert not capsys.readouterr().err, "nothing, and nothing in it"
    for text in ("one", "two"):
        path.write_text(text, encoding="utf-8")
        disk.set_existing_aside(path)
    kept = {number: path.with_name(f"profile.toml.before-{number}").read_text() for number in (1, 2)}
    assert kept == {1: "one", 2: "two"} and not path.exists()
    assert capsys.readouterr().err.splitlines()[-1] == f"{path}: was there already, and is profile.toml.before-2 now"
