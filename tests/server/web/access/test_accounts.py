"""`referee accounts`: what it keeps, what it shows, and what it refuses."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from server.cli import main
from server.web.access.accounts import read_accounts
from tests.patience import PATIENCE_S

PASSWORD = "correct horse"  # noqa: S105  # of an account that lives for one test


def ran(file: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "server", "accounts", "--file", str(file), *arguments]
    return subprocess.run(command, input=said, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def test_an_account_from_making_to_removing(tmp_path: Path) -> None:
    file = tmp_path / "new" / "accounts.json"
    assert ran(file, "add", "Ann", "--role", "arbiter", "--stdin", said=PASSWORD + "\n").returncode == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    key = ran(file, "key", "Ann").stdout.strip()
    kept = file.read_text(encoding="utf-8")
    assert PASSWORD not in kept and key not in kept and "$argon2id$" in kept
    accounts = read_accounts(file)
    assert accounts.check_key(key) == accounts.check_password("Ann", PASSWORD) == accounts.by_name["Ann"]
    assert accounts.secret not in repr(accounts)
    assert ran(file, "list").stdout.split() == ["Ann", "arbiter", "password,", "1", "keys"]
    assert ran(file, "password", "Ann", "--stdin", said="quite another\n").returncode == 0
    assert read_accounts(file).check_password("Ann", PASSWORD) is None and read_accounts(file).check_key(key)
    assert ran(file, "key", "Ann", "--revoke").returncode == 0
    assert read_accounts(file).check_key(key) is None
    assert ran(file, "remove", "Ann").returncode == 0
    assert not read_accounts(file).by_name


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("add", "Ann", "--role", "player", "--no-password"), "is there already"),
        (("add", " Bob", "--role", "player", "--no-password"), "characters that can be printed"),
        (("add", "Bob", "--role", "king", "--no-password"), "Invalid value for '--role'"),
        (("key", "Bob"), "there is none"),
        (("remove", "Bob"), "there is none"),
    ],
)
def test_unusable_input_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], why: str
) -> None:
    file = tmp_path / "accounts.json"
    with pytest.raises(SystemExit):
        main(["accounts", "--file", str(file), "add", "Ann", "--role", "player", "--no-password"])
    before = file.read_bytes()
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(["accounts", "--file", str(file), *arguments])
    said = capsys.readouterr().err
    assert (left.value.code, len(said.splitlines())) == (2, 1) and why in said
    assert file.read_bytes() == before


def test_short_passwords_and_open_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "accounts.json"
    assert "8 to 200 characters" in ran(file, "add", "Ann", "--role", "player", "--stdin", said="short\n").stderr
    assert "may not be empty" in ran(file, "add", "Ann", "--role", "player", "--stdin").stderr
    file.write_text(json.dumps({"secret": "x", "accounts": {}}), encoding="utf-8")
    file.chmod(0o644)
    assert f"chmod 600 {file}" in ran(file, "list").stderr
    file.chmod(0o600)
    file.write_text('{"secret": "x", "accounts": {"Ann": {"role": "king"}}}', encoding="utf-8")
    assert "mend or remove it" in ran(file, "list").stderr
    file.unlink()
    os.mkfifo(file)
    assert f"{file} is a pipe: name a file" in ran(file, "list").stderr
