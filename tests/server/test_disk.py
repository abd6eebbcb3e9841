"""Files that a reader finds whole, that only their owner reads, and that replace nothing unasked."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from engine.errors import InputError
from server import disk
from tests.server.full_disk import files_of_at_most


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


@pytest.mark.parametrize("is_there", [False, True])
def test_a_full_disk_takes_nothing_away_from_what_a_command_writes_over(tmp_path: Path, is_there: bool) -> None:
    """A cut-off file stayed, and what had been there was gone."""
    path = tmp_path / "game.html"
    if is_there:
        path.write_text("before", encoding="utf-8")
    for write in (disk.replace_output, lambda path, data: disk.write_output(path, data, "--out")):
        with files_of_at_most(4096), pytest.raises(InputError, match="File too large") as why:
            write(path, b"x" * 10_000)
        assert str(path) in str(why.value)
        assert [one.name for one in tmp_path.iterdir()] == ["game.html"] * is_there
        assert not is_there or path.read_text(encoding="utf-8") == "before"
    with files_of_at_most(4096), pytest.raises(InputError, match="what was there before still is") as why:
        path.write_text("before", encoding="utf-8")
        disk.replace_output(path, b"x" * 10_000)
    assert str(path) in str(why.value)
    with files_of_at_most(4096), pytest.raises(OSError, match="too large"):
        disk.write_new(tmp_path / "new", b"x" * 10_000)
    assert [one.name for one in tmp_path.iterdir()] == ["game.html"]


def test_a_disk_that_is_full_is_said_with_what_to_do() -> None:
    with pytest.raises(InputError, match=r"^/dev/full: No space left on device: free some space there"):
        disk.replace_output(Path("/dev/full"), b"x")


def test_what_is_written_over_keeps_its_rights_and_its_link(tmp_path: Path) -> None:
    path, link = tmp_path / "game.pgn", tmp_path / "link.pgn"
    path.write_text("before", encoding="utf-8")
    path.chmod(0o640)
    link.symlink_to(path)
    disk.replace_output(link, b"after")
    assert link.is_symlink() and path.read_bytes() == b"after" and mode(path) == 0o640
    disk.write_output(link, b"last", "--out")
    assert not link.is_symlink() and link.read_bytes() == b"last" and path.read_bytes() == b"after"


def test_in_a_folder_that_takes_no_other_file_it_is_written_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, taken = tmp_path / "game.pgn", disk.os.open

    def refused(name: Path, *rest: int) -> int:
        if Path(name).suffix == ".part":
            raise PermissionError(13, "Permission denied")
        return taken(name, *rest)

    monkeypatch.setattr(disk.os, "open", refused)
    with pytest.raises(InputError, match="Permission denied"):
        disk.replace_output(path, b"one")
    path.touch()
    disk.replace_output(path, b"one")
    assert path.read_bytes() == b"one"
