"""A hall out of nothing: one command in an empty folder, and boards that join by typing its code."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from server.board.hall_link.entering import FIND_HALL, join_by_code, read_hall_address, try_broker
from server.board.hall_link.publisher import Publisher
from server.cli import main
from server.hall.hall_folder import HALL_FILE
from server.mqtt import nearby
from server.mqtt.broker import broker_of
from server.mqtt.invitations import CODE, MOST_WRONG, VALID_S, Invitations, normalize_code, redeem_code
from server.web.tls import own_names
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import free_port
from tests.server.script import NAME, OPENING

COMMAND = [sys.executable, "-m", "server", "hall", "--host", "127.0.0.1"]
EVENT = ["tournament", "new", "open", "--rounds", "3"]
ENV = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, cwd=folder, env=ENV, capture_output=True, text=True)


class Club:
    """`referee hall` in a folder, and an arbiter who has logged in."""

    def __init__(self, folder: Path, port: int, *more: str, everywhere: bool = False) -> None:
        host = ["0.0.0.0"] if everywhere else COMMAND[-1:]  # noqa: S104
        command = [*COMMAND[:-1], *host, "--port", str(port), *more]
        if not (folder / HALL_FILE).exists() and "--broker-port" not in more:
            command += ["--broker-port", str(free_port())]  # the usual one may be another test's when it starts again
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=ENV)
        self.said = ""
        assert self.process.stdout is not None
        while "Ctrl-C" not in self.said:
            line = self.process.stdout.readline()
            assert line, self.said
            self.said += line
        self.place = ("127.0.0.1", port)
        self.code = next((text for text in self.said.split() if CODE.fullmatch(text)), "")
        found = re.search(r"password (\S+)", self.said)
        self.password = found[1] if found else ""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=context), urllib.request.HTTPCookieProcessor()
        )

    def ask(self, path: str, body: dict[str, object] | None = None) -> str:
        data = None if body is None else json.dumps(body).encode()
        address = f"https://{self.place[0]}:{self.place[1]}{path}"
        request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
        with self._opener.open(request, timeout=PATIENCE_S) as answer:
            return str(answer.read().decode())

    def stored(self) -> list[int]:
        return [row["events"] for row in json.loads(self.ask("/api/v1/hall/games"))["games"]]


@contextmanager
def club(folder: Path, port: int, *more: str, everywhere: bool = False) -> Iterator[Club]:
    running = Club(folder, port, *more, everywhere=everywhere)
    try:
        yield running
    finally:
        running.process.send_signal(signal.SIGINT)
        running.process.communicate(timeout=PATIENCE_S)


def test_one_command_and_a_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From an empty folder to a board's moves in the hall; then one that was killed starts out of the same folder."""
    (tmp_path / "hall").mkdir()
    (tmp_path / "board").mkdir()
    settings, table, port = tmp_path / "settings.toml", Table(tmp_path / "board"), free_port()
    with club(tmp_path / "hall", port) as running:
        running.ask("/login", {"name": "arbiter", "password": running.password})
        assert f"{running.code}@127.0.0.1:{port}" in running.ask("/hall/join")
        with socket.socket() as elsewhere:
            assert elsewhere.connect_ex(("127.0.0.2", port)), "an address that was named is the only one"
        monkeypatch.setattr("server.board.hall_link.entering.find_halls", lambda: iter([running.place]))
        with pytest.raises(InputError, match="not good any more"):
            redeem_code("2222" + running.code[4:], None, [running.place])
        with pytest.raises(InputError, match="another code"):
            redeem_code(running.code[:-4] + "2222", None, [running.place])
        address = join_by_code(FIND_HALL, None, settings, lambda: f" {running.code.lower()} ")
        assert broker_of(address).user == "table-1"
        assert (
            read_hall_address(settings)
            == address
            == join_by_code(FIND_HALL, None, settings, lambda: pytest.fail("asked again"))
        )
        where = f"{running.code}@{running.place[0]}:{running.place[1]}"
        assert broker_of(join_by_code(where, None, tmp_path / "other.toml", str)).user == "table-2"
        (tmp_path / "third.toml").touch()
        monkeypatch.setenv("CAMELOT_REFEREE_SETTINGS", str(tmp_path / "third.toml"))
        with pytest.raises(SystemExit) as joined:
            main(["hall", "join", *where.lower().replace("-", " ").split()])
        assert joined.value.code == 0
        assert broker_of(read_hall_address(tmp_path / "third.toml")).user == "table-3", "by either command"
        monkeypatch.delenv("CAMELOT_REFEREE_SETTINGS")
        publisher = Publisher(broker_of(address), "table-1", table.path, table.script.feed, NAME)
        publisher.start()
        table.play(OPENING[0])
        wait_until(lambda: running.stored() == [2])
        with pytest.raises(InputError, match="table-1 is connected: choose another"):
            join_by_code(where, "table-1", tmp_path / "other.toml", str)
        second = run([*COMMAND, "--port", str(free_port())], tmp_path / "hall")
        assert (second.returncode, second.stderr.count("\n")) == (2, 1)
        assert "runs already" in second.stderr
        made = run([*COMMAND[:3], *EVENT], tmp_path / "hall")
        assert made.returncode == 0, made.stderr
        assert json.loads(running.ask("/api/v1/hall/tournaments"))["tournaments"] == ["open"]
        running.process.kill()
    with club(tmp_path / "hall", port) as running:
        assert not running.password, "the account is there"
        assert running.code != "", "and boards may still join"
        assert f"its broker listens to boards on port {broker_of(address).port} of every network" in running.said
        table.play(OPENING[1])
        wait_until(lambda: table.stored() == {NAME: 3})
        publisher.stop_publishing()
    table.record.close_file()
    (tmp_path / "hall" / "hall.sqlite3").rename(tmp_path / "elsewhere")
    assert "elsewhere: name it with --database" in run([*COMMAND[:3], "tournament", "list"], tmp_path / "hall").stderr
    assert {oct(path.stat().st_mode)[-2:] for path in (tmp_path / "hall").glob("*.json")} == {"00"}


def test_a_copy_of_the_folder_is_the_hall_wherever_it_lies(tmp_path: Path) -> None:
    """As when its computer is lost: boards that have joined are heard, and others may join."""
    (tmp_path / "hall").mkdir()
    (tmp_path / "board").mkdir()
    table, port, copy = Table(tmp_path / "board"), free_port(), tmp_path / "on another disk"
    with club(tmp_path / "hall", port, "--broker-port", str(chosen := free_port())) as running:
        address = redeem_code(running.code, None, [running.place])
        assert broker_of(address).port == chosen
        password = running.password
        with (tmp_path / "hall" / "mosquitto.conf").open("a", encoding="utf-8") as config:
            config.write("# The club's own line.\n")
    other = run([*COMMAND, "--broker-port", str(free_port())], tmp_path / "hall")
    assert f"use port {chosen}" in other.stderr, "they would not find it at another"
    shutil.copytree(tmp_path / "hall", copy)
    shutil.rmtree(tmp_path / "hall")
    with club(copy, port, everywhere=True) as running:
        publisher = Publisher(broker_of(address), "table-1", table.path, table.script.feed, NAME)
        publisher.start()
        table.play(OPENING[0])
        running.ask("/login", {"name": "arbiter", "password": password})
        wait_until(lambda: running.stored() == [2])
        assert f"{running.code}@{next(iter(own_names()))}:{port}" in running.ask("/hall/join"), "not 127.0.0.1"
        try_broker(broker_of(redeem_code(running.code, None, [running.place])))
        publisher.stop_publishing()
    table.record.close_file()
    assert not (tmp_path / "hall").exists()
    assert "# The club's own line." in (copy / "mosquitto.conf").read_text(encoding="utf-8")


def test_a_broker_that_stands_still_is_ended_when_its_hall_starts_again(tmp_path: Path) -> None:
    """Its hall was killed; so many have knocked since that it takes no more."""
    port, waiting = free_port(), []
    with club(tmp_path, port, "--broker-port", str(broker := free_port())) as running:
        pid = int((tmp_path / "mosquitto.pid").read_text(encoding="ascii"))
        os.kill(pid, signal.SIGSTOP)
        running.process.kill()
    for _ in range(300):
        waiting.append(socket.socket())
        waiting[-1].setblocking(False)
        waiting[-1].connect_ex(("127.0.0.1", broker))
    with club(tmp_path, port) as running:
        assert int((tmp_path / "mosquitto.pid").read_text(encoding="ascii")) != pid
        running.process.send_signal(signal.SIGINT)
        running.process.wait(PATIENCE_S)
    for one in waiting:
        one.close()


def test_a_folder_with_other_files_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["hall"])
    said = capsys.readouterr().err
    assert (left.value.code, said.count("\n")) == (2, 1)
    assert "empty folder" in said
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_code_is_good_for_a_while_and_not_for_who_tries() -> None:
    now = [0.0]
    invitations = Invitations(b"a certificate", lambda: now[0])
    code = invitations.current_code()
    secret = code.replace("-", "")[:8]
    assert invitations.verify_secret(secret)
    assert invitations.verify_secret(secret.lower()), "for every board"
    now[0] = VALID_S / 4
    assert invitations.current_code() == code
    now[0] = VALID_S * 0.6
    assert invitations.current_code() != code, "what is shown is good for a quarter of an hour at least"
    secret = invitations.current_code().replace("-", "")[:8]
    for _ in range(MOST_WRONG):
        assert not invitations.verify_secret("22222222")
    assert not invitations.verify_secret(secret), "whoever tries gets nowhere"
    assert invitations.current_code().replace("-", "")[:8] != secret


@pytest.mark.parametrize(
    "code", ["", "x", "AAAA-BBBB-CCCC", "0000-0000-0000-0000", "A" * 400, "2222-2222-2222-2222@a b"]
)
def test_what_is_no_code_is_named(code: str) -> None:
    with pytest.raises(InputError, match="four times four"):
        redeem_code(code, None, [])


@pytest.mark.parametrize("at", ["", "@192.168.1.2", "@hall.example:5001"])
def test_a_code_is_taken_however_it_is_typed(at: str) -> None:
    shown = f"N3HH-ZFP7-K2M4-9XTC{at}"
    for typed in ("n3hh zfp7 k2m4 9xtc", "N3HHZFP7K2M49XTC", " n3hh - zfp7–K2M4_9xtc ", "n3 hh zf-p7 k2m4 9xtc"):
        assert normalize_code(typed + at) == shown
    assert normalize_code("mqtt://table-1:n3hhzfp7@192.168.1.2/camelot") is None
    assert normalize_code("192.168.1.2") is None
    with pytest.raises(InputError, match="four times four"):
        normalize_code(f"n3hh zfp7 k2m4 9xt0{at}")


def test_a_hall_is_found_in_the_network() -> None:
    packet = nearby.build_answer("club", 5000)
    assert nearby.is_question(nearby.build_question())
    assert not nearby.is_question(packet)
    assert nearby.port_in(packet) == 5000
    assert nearby.port_in(nearby.build_question()) is None
    announcer = nearby.Announcer("club", port := free_port())
    announcer.start()
    assert port in {place[1] for place in nearby.find_halls()}
    announcer.stop_answering()


@given(st.binary(max_size=300), st.integers(0, 60))
def test_nothing_odd_from_the_network_is_a_hall(noise: bytes, at: int) -> None:
    packet = nearby.build_answer("club", 5000)
    for odd in (noise, packet[:at] + noise, packet[:at] + noise + packet[at:]):
        assert nearby.port_in(odd) is None or isinstance(nearby.port_in(odd), int)
        assert nearby.is_question(odd) in {True, False}
