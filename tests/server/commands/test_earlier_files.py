"""A command that writes a file keeps what was there under its name: it may have been somebody's only copy. It writes
none that is a record, or that it reads itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest

from server.cli import referee
from server.disk import OF_DATABASE
from server.options import OutFile
from server.record.store import open_record
from tests.server.bundled import SESSION
from tests.server.record.test_archive import played
from tests.server.test_hostile_formats import run
from tests.server.test_pipes import commands

OUTPUTS = {
    (*name, option.opts[-1] if isinstance(option, click.Option) else str(option.name)): option
    for name, command in commands(referee)
    for option in command.params
    if isinstance(option.type, OutFile)
}
"""The words of each command and its option -> the option with which it writes a file."""
OF_NAME = ("-wal", "-shm", ".lock")


def test_each_option_that_writes_is_known_as_one() -> None:
    assert {" ".join(words) for words in OUTPUTS} == {
        "backup out", "calibrate --out", "calibrate --preview", "calibrate-lens --out", "certify --out",
        "evidence --out", "games export --out", "lights walk --out", "match --record",
        "phone --log-file", "phone --out", "print --out", "report --out", "serve --log-file", "serve --trace",
        "tournament report --out", "verify --write-witness", "watch --trace",
    }  # fmt: skip
    help_of = {
        " ".join((*name, option.opts[-1])): option.help or ""
        for name, command in commands(referee)
        for option in command.params
        if isinstance(option, click.Option) and isinstance(option.type, click.Path) and option.type.file_okay
    }
    writing = {name for name, said in help_of.items() if any(word in said.lower() for word in ("write", "draw"))}
    assert writing - {" ".join(words) for words in OUTPUTS} == {"verify --witness", "lights flash --hex"}, "are read"


@pytest.mark.parametrize("words", OUTPUTS, ids=" ".join)
def test_no_option_writes_over_a_record_or_what_belongs_to_it(
    tmp_path: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever it is called, and whether the command has anything to do with it."""
    file, given = tmp_path / "games.sqlite3", words if words[-1].startswith("-") else words[:-1]
    with open_record(file) as record:
        played(record, "camelot", 4)
        shutil.copy(file, whole := tmp_path / "whole")
        (tmp_path / "soft").symlink_to(file)
        (tmp_path / "hard").hardlink_to(file)
        (tmp_path / "hard journal").hardlink_to(f"{file}-wal")
        (tmp_path / "games.sqlite3.lock").touch()
        targets = [*(f"{file}{ending}" for ending in ("", *OF_NAME)), *(tmp_path / name for name in LINKS)]
        for target in targets:
            before = Path(target).read_bytes()
            assert run(*given, str(target)) == 2, target
            said = capsys.readouterr().err
            assert said.count("\n") == 1 and "is a database, or belongs to one: name another file" in said, said
            assert Path(target).read_bytes() == before
        assert whole.read_bytes() == file.read_bytes()
    assert run(*given, f"{file}{OF_DATABASE[0]}") == 2, "nor one that SQLite will make"


LINKS = ("soft", "hard", "hard journal")


def test_no_command_writes_what_it_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In either order of its options, under any name; nor two things into one file."""
    picture, session = Path(shutil.copy(SESSION / "frame_0000.jpg", tmp_path)), tmp_path / "session"
    shutil.copytree(SESSION, session)
    (tmp_path / "hard").hardlink_to(picture)
    new, calibrate = tmp_path / "new.sqlite3", ("calibrate", "--game", "camelot")
    ways: list[tuple[object, ...]] = [
        (*calibrate, "--camera", picture, "--preview", picture),
        (*calibrate, "--preview", picture, "--camera", picture),
        (*calibrate, "--camera", picture, "--out", tmp_path / "hard"),
        (*calibrate, "--camera", session, "--preview", session / "frame_0001.jpg"),
        (*calibrate, "--camera", picture, "--out", tmp_path / "one", "--preview", tmp_path / "one"),
        ("serve", "--record", new, "--trace", new),
        ("serve", "--trace", f"{new}-wal", "--record", new),
        ("serve", "--log-file", f"{new}.lock", "--record", new),
        ("serve", "--profile", session / "profile.toml", "--trace", session / "profile.toml"),
    ]
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for way in ways:
        assert run(*way) == 2, way
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and "would be written, and is used by this command" in said, said
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_forced_export_keeps_the_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        game = played(record, "camelot", 4)
    before = file.read_bytes()
    for ending in ("", "-wal"):
        export = ("games", "export", game, "--record", file, "--format", "pgn", "--force", "-o", f"{file}{ending}")
        assert run(*export) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert file.read_bytes() == before and [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("command", ["verify", "match", "report", "preview", "print", "certify"])
def test_what_was_there_is_kept_beside(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = {"preview": "file.png", "print": "file.svg"}.get(command, "file.txt")
    out, record, database = tmp_path / name, tmp_path / "games.sqlite3", tmp_path / "hall.sqlite3"
    with open_record(record) as opened:
        played(opened, "camelot", 6)
    new = ("tournament", "new", "open", "--rounds", "1", "--database", database, "--begins", "2026-11-24")
    assert run(*new) == 0
    ways: dict[str, tuple[object, ...]] = {
        "verify": ("verify", "--record", record, "--write-witness", out),
        "match": ("match", "random", "random", "--game", "camette", "--games", "2", "--nodes", "1", "--record", out),
        "preview": (
            *("calibrate", "--game", "camelot", "--camera", SESSION / "frame_0000.jpg", "--preview", out),
            *("--out", tmp_path / "profile.toml"),
        ),
        "print": ("print", "lens", "-o", out),
        "certify": (
            *("certify", "--profile", SESSION / "profile.toml", "--camera", SESSION / "frame_0000.jpg", "--no-page"),
            *("--plies", "1", "--out", out),
        ),
        "report": ("tournament", "report", "open", "--database", database, "-o", out),
    }
    out.write_text("the only copy", encoding="utf-8")
    for _ in range(2):
        assert run(*ways[command]) == (command == "certify")
    assert out.with_name(f"{name}.before-1").read_text(encoding="utf-8") == "the only copy"
    again, last = out.with_name(f"{name}.before-2").read_bytes(), out.read_bytes()
    assert again and (again == last or command == "certify"), "it has the time in it"
    assert f"is {name}.before-1 now" in capsys.readouterr().err
