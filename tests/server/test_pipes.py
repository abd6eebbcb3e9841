"""A named pipe in the place of a file, for every option of every command that names one: a line, no endless wait."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
import pytest

from server.cli import main, referee
from server.options import FilePath
from tests.patience import PATIENCE_S
from tests.server.commands.test_serve import PROFILE, SESSION


def commands(group: click.Group, name: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        if isinstance(command, click.Group):
            yield from commands(command, (*name, word))
        elif command is not None:
            yield (*name, word), command


OPTIONS = [
    pytest.param((*name, option.opts[-1]), id=" ".join((*name, option.opts[-1])))
    for name, command in commands(referee)
    for option in command.params
    if isinstance(option, click.Option) and isinstance(option.type, click.Path) and option.type.file_okay
]


def test_options_were_found() -> None:
    names = {param.id for param in OPTIONS}
    assert {"serve --trace", "serve --log-file", "serve --tls-cert", "serve --tls-key", "serve --record"} <= names


@pytest.mark.parametrize("words", OPTIONS)
def test_a_pipe_is_refused_in_a_line(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(SystemExit) as ended:
        main([*words, str(pipe)])
    said = capsys.readouterr().err
    assert (ended.value.code, said.count("\n")) == (2, 1)
    assert f"{pipe} is a pipe: name a file" in said and words[-1] in said


def test_the_whole_program_does_not_wait(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "server", "serve", "--profile", PROFILE, "--camera", SESSION, "--trace", pipe]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 2
    assert done.stderr == f"referee: Invalid value for '--trace': {pipe} is a pipe: name a file\n"


KERNEL = Path("/proc/kmsg")
"""Calls itself a file, of 0 bytes, and whoever reads it waits for what the kernel says next; for root alone."""
READS = {
    "import": ("games", "import", KERNEL),
    "serve": ("serve", "--profile", KERNEL),
    "replay": ("replay", KERNEL),
    "map": ("lights", "show", "board", "--protocol", "null", "--map", KERNEL),
    "position": ("legal", "camelot", "--position", KERNEL),
    "tournament": ("tournament", "import", KERNEL, "open", "--database", "hall.sqlite3"),
    "boards": ("hall", "--broker", "mqtt://127.0.0.1/x", "--boards", KERNEL),
    "check": ("check", KERNEL),
    "restore": ("restore", KERNEL),
    "verify": ("verify", "--record", KERNEL),
    "calibrate": ("calibrate", "--game", "camelot", "--camera", KERNEL, "--out", "profile.toml"),
    "written": ("verify", "--write-witness", KERNEL),
    "database": ("tournament", "list", "--database", KERNEL),
    "record of a link": ("games", "list", "--record", "link"),
}


@pytest.mark.skipif(not os.access(KERNEL, os.R_OK), reason="root alone may read it")
@pytest.mark.parametrize("words", READS)
def test_what_calls_itself_a_file_and_waits_is_refused_in_a_line(tmp_path: Path, words: str) -> None:
    handle = os.open(KERNEL, os.O_RDONLY | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        while os.read(handle, 100_000):
            pass
    os.close(handle)
    (tmp_path / "link").symlink_to(KERNEL)
    command = [sys.executable, "-m", "server", *map(str, READS[words])]
    environ = os.environ | {"XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environ, cwd=tmp_path
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert str(KERNEL) in done.stderr or "link" in done.stderr


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("asked", ["settings", "boards"])
def test_settings_and_addresses_are_files_and_no_larger_than_theirs(tmp_path: Path, kind: str, asked: str) -> None:
    """Named by the environment, which no option looks at, or by a device, which never ends."""
    named = tmp_path / "pipe" if kind == "pipe" else Path("/dev/zero")
    if kind == "pipe":
        os.mkfifo(named)
    whole = {"settings": ["games"], "boards": ["hall", "--broker", "mqtt://127.0.0.1/x", "--boards", str(named)]}[asked]
    environ = os.environ | ({"CAMELOT_REFEREE_SETTINGS": str(named)} if asked == "settings" else {})
    command = [sys.executable, "-m", "server", *whole]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environ)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert str(named) in done.stderr


def test_what_a_shell_has_opened_is_taken() -> None:
    """`/dev/stdout` before a bar is a pipe with somebody at its other end."""
    reading, writing = os.pipe()
    try:
        path = f"/dev/fd/{writing}"
        assert FilePath(path_type=Path).convert(path, None, None) == Path(path)
    finally:
        os.close(reading)
        os.close(writing)
