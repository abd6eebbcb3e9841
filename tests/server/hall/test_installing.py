"""What `referee hall init` writes, tried by the programs that use it; and a board that joins by its code."""

from __future__ import annotations

import os
import re
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
import yaml

from engine.errors import InputError
from server.board.hall_link.entering import save_hall_address
from server.cli import main
from server.hall.installing import STATE_FOLDER
from server.mqtt.certificates import pin_of
from server.web.tls import ensure_certificate
from tests.patience import PATIENCE_S, wait_until
from tests.programs import started
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import Postgres, free_port, hall, is_open, nginx
from tests.server.hall.test_hall_run import ask
from tests.server.script import NAME, OPENING


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return int(left.value.code or 0)


class Installed:
    """A hall's folder, with an encrypted broker that runs from it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> None:
        self.folder, self.port = folder / "hall", free_port()
        at = f"mqtts://127.0.0.1:{self.port}/camelot"
        words = ("hall", "init", "--boards", "2", "--at", at, "--one-game", "table-1=table-2", *more, str(self.folder))
        assert run(*words) == 0
        said = capsys.readouterr().out
        self.codes = dict(re.findall(r"^referee hall join '(mqtts://(table-\d)\S*)'$", said, re.MULTILINE))
        self.codes = {name: code for code, name in self.codes.items()}
        self.halls = re.findall(r"^referee hall --broker '(\S+)'$", said, re.MULTILINE)


@pytest.fixture
def installed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Installed]:
    made = Installed(tmp_path, capsys)
    with started(["mosquitto", "-c", made.folder / "mosquitto.conf"], stderr=subprocess.DEVNULL):
        wait_until(lambda: is_open(made.port))
        yield made


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAMELOT_REFEREE_SETTINGS", str(tmp_path / "config" / "settings.toml"))
    return tmp_path / "config" / "settings.toml"


def test_a_board_joins_by_its_code_typed_or_shown(installed: Installed, settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_text("", encoding="utf-8")
    assert run("hall", "join", installed.codes["table-1"]) == 0
    assert settings.read_text(encoding="utf-8") == f'[serve]\nhall = "{installed.codes["table-1"]}"\n'
    assert settings.stat().st_mode & 0o077 == 0
    card = settings.parent / "card.png"
    drawn = cv2.resize(cv2.QRCodeEncoder.create().encode(installed.codes["table-2"]), None, fx=6, fy=6, interpolation=0)
    table = np.full((720, 960), 90, np.uint8)
    table[60 : 60 + drawn.shape[0], 200 : 200 + drawn.shape[1]] = drawn
    cv2.imwrite(str(card), table)
    assert run("hall", "join", "--camera", str(card)) == 0
    assert settings.read_text(encoding="utf-8") == f'[serve]\nhall = "{installed.codes["table-2"]}"\n'


def test_a_code_that_cannot_be_used_is_one_line_and_changes_nothing(
    installed: Installed, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.parent.mkdir()
    settings.write_text("", encoding="utf-8")
    code = installed.codes["table-1"]
    password, pin = code.split(":")[2].partition("@")[0], code.partition("pin=")[2]
    for wrong in (
        code.replace(password, "x"),
        code.replace(
            pin,
            pin_of(Path(ensure_certificate(settings.parent / "other", ["127.0.0.1"]).cert).read_text(encoding="ascii")),
        ),
        code.replace(f":{installed.port}", f":{free_port()}"),
        code.replace("mqtts", "http"),
        code.replace(f"table-1:{password}@", ""),
    ):
        capsys.readouterr()
        assert run("hall", "join", wrong) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert run("hall", "join") == 2
    assert settings.read_text(encoding="utf-8") == ""


def test_the_settings_keep_all_else(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    before = '# mine\n[watch]\nrules = "wcf"\n\n[serve]\nport = 5001\nhall = "old"\n\n[hall]\ndelay = 5\n'
    file.write_text(before, encoding="utf-8")
    save_hall_address(file, "mqtt://a:b@host/camelot")
    assert file.read_text(encoding="utf-8") == before.replace('"old"', '"mqtt://a:b@host/camelot"')
    file.write_text('[watch]\nrules = "wcf"\n', encoding="utf-8")
    save_hall_address(file, "mqtt://a:b@host/camelot")
    assert file.read_text(encoding="utf-8").startswith('[watch]\nrules = "wcf"\n\n[serve]\nhall = ')
    file.write_text("serve = {port = 5001}\n", encoding="utf-8")
    with pytest.raises(InputError, match="settings"):
        save_hall_address(file, "mqtt://a:b@host/camelot")
    assert file.read_text(encoding="utf-8") == "serve = {port = 5001}\n"


def test_systemd_takes_the_units(installed: Installed) -> None:
    """And goes on trying, however late what a hall needs is up after a power cut."""
    lines = (installed.folder / "camelot-hall.service").read_text(encoding="utf-8").splitlines()
    assert {"StartLimitIntervalSec=0", "Restart=on-failure", "RestartSec=5"} <= set(lines)
    assert any(line.startswith("After=") and "postgresql.service" in line for line in lines)
    for unit in installed.folder.glob("*.service"):
        program = installed.folder / "referee"
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        program.chmod(0o755)
        text = unit.read_text(encoding="utf-8")
        unit.write_text(text.replace("/opt/camelot-referee/.venv/bin/referee", str(program)), encoding="utf-8")
        command = ["systemd-analyze", "verify", "--man=no", unit]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_nginx_takes_the_site_and_encrypts(installed: Installed, tmp_path: Path) -> None:
    port, live = free_port(), tmp_path / "live"
    tmp_path.chmod(0o755)
    live.mkdir()
    (live / "boards.json").write_text('{"boards": []}', encoding="utf-8")
    text = (installed.folder / "nginx.conf").read_text(encoding="utf-8")
    text = text.replace("listen 443", f"listen 127.0.0.1:{port}").replace("/var/lib/camelot-hall/live", str(live))
    with nginx(tmp_path, text.replace("/var/cache/nginx-camelot", str(tmp_path / "cache")), port):
        trusting = ssl.create_default_context(cafile=installed.folder / "certificate.pem")
        where = f"https://127.0.0.1:{port}/live/boards.json"
        with urllib.request.urlopen(where, timeout=PATIENCE_S, context=trusting) as answer:
            assert answer.read() == b'{"boards": []}'


def test_the_compose_file_names_what_was_written(installed: Installed) -> None:
    services = yaml.safe_load((installed.folder / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert set(services) == {"broker", "hall", "proxy"}
    assert services["hall"]["command"][0] == "hall"
    for service in services.values():
        for volume in service["volumes"]:
            source = Path(volume.split(":")[0])
            assert source.exists() or source.is_relative_to("/var/lib/camelot-hall")


def test_the_compose_files_commands_run_as_they_stand_there(installed: Installed, tmp_path: Path) -> None:
    """Without containers: the broker runs by its line already; the hall is started by its own, with its environment."""
    services = yaml.safe_load((installed.folder / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert services["broker"]["command"].split() == ["mosquitto", "-c", f"{installed.folder}/mosquitto.conf"]
    state = tmp_path / "state"
    state.mkdir()
    arguments = [text.replace(str(STATE_FOLDER), str(state)) for text in services["hall"]["command"]]
    lines = Path(services["hall"]["env_file"]).read_text(encoding="utf-8").splitlines()
    environment = os.environ | dict(line.split("=", 1) for line in lines)
    referee = [sys.executable, "-m", "server"]
    account = ["accounts", "--file", installed.folder / "accounts.json", "add", "anna", "--role", "arbiter", "--stdin"]
    subprocess.run([*referee, *account], input="a long password\n", text=True, check=True, capture_output=True)
    command = [*referee, *arguments, "--port", "0"]
    with started(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert re.search(r"https?://\S+", process.stdout.readline())
        wait_until((state / "live" / "boards.json").exists)
        assert (state / "hall.sqlite3").exists()
        assert process.poll() is None


def test_what_is_secret_is_for_its_owner_alone(installed: Installed) -> None:
    assert installed.folder.stat().st_mode & 0o077 == 0
    assert "table-1" in (installed.folder / "cards.html").read_text(encoding="utf-8")


def test_two_boards_of_one_game_read_each_others_moves_and_nobody_elses(installed: Installed) -> None:
    said = (installed.folder / "acl").read_text(encoding="utf-8")
    one, other = said.split("user table-1\n")[1].split("\nuser table-2\n")
    assert "topic read camelot/table-2/moves" in one
    assert "topic read camelot/table-1/moves" in other
    assert said.count("topic read camelot/table-") == 6  # with the commands to each, and what is stored of it


def test_two_halls_have_accounts_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On one database and one broker each goes on, knows the other, and shows the board."""
    made = Installed(tmp_path, capsys, "--halls", "2")
    assert [url.split(":")[1] for url in made.halls] == ["//hall", "//hall-2"]
    table, database = Table(tmp_path), Postgres()
    with (
        started(["mosquitto", "-c", made.folder / "mosquitto.conf"], stderr=subprocess.DEVNULL),
        ExitStack() as closing,
    ):
        closing.callback(database.close)
        wait_until(lambda: is_open(made.port))
        pages = [closing.enter_context(hall(SimpleNamespace(url=url), database.url)) for url in made.halls]  # type: ignore[arg-type]
        broker = SimpleNamespace(url=made.codes["table-1"])
        publisher = table.publisher(broker)  # type: ignore[arg-type]
        table.play(OPENING[0])
        wait_until(lambda: table.stored() == {NAME: 2})
        for page in pages:
            wait_until(lambda: not ask(f"{page}healthz")["faults"])  # noqa: B023  # waited for within the loop
            wait_until(lambda: shows_ply(page, 1))  # noqa: B023
        publisher.stop_publishing()
    table.record.close_file()


def shows_ply(page: str, ply: int) -> bool:
    """Whether a hall's boards are one, which has come so far."""
    boards = ask(f"{page}api/v1/hall/boards")["boards"]
    return isinstance(boards, list) and [board["state"] and board["state"]["ply"] for board in boards] == [ply]
