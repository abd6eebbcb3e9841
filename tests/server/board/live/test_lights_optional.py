"""Lights are optional: a port that cannot be used stops no game, and no lamp is left on when the service ends."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import tty
from pathlib import Path

import pytest
from click.testing import CliRunner

from device.byte_streams import check_url
from device.ledmap import build_plain_map
from device.lights import LedFrame
from device.port import LedPort
from device.protocols import load_protocol
from engine.errors import InputError
from server.cli import referee
from tests.device.test_port import BOARD, DARK, GREEN, RED, Plug
from tests.patience import PATIENCE_S, wait_until
from tests.programs import started
from tests.server.commands.test_serve import PROFILE, SESSION, get

BAD = {
    'port = "udp://strip"': "write udp://host:port",
    'port = "hwgrep://("': "hwgrep",
    'port = "foo://bar"': "foo",
    'port = "/dev/none"\nprotocol = "tpm2"': "protocol 'tpm2'",
    'port = "/dev/none"\nmap = "nowhere.toml"': "nowhere.toml",
    'port = "spy:///dev/none?file=/none/x"': "spy:// is not a kind of port",
    'port = "\\u0000"': "",
}


@pytest.mark.parametrize("lights", BAD)
def test_a_bad_port_in_the_profile_does_not_lock_its_owner_out(tmp_path: Path, lights: str) -> None:
    profile = tmp_path / "board.toml"
    profile.write_text(f"{PROFILE.read_text(encoding='utf-8')}\n[lights]\n{lights}\n", encoding="utf-8")
    command = [sys.executable, "-m", "server", "serve", "--profile", str(profile), "--camera", str(SESSION)]
    command += ["--port", "0", "--record", str(tmp_path / "games.sqlite3")]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            said = ""
            while not (found := re.search(r"http://\S+", said)):
                line = process.stdout.readline()
                assert line, process.stderr.read()
                said += line
            health = json.loads(get(f"{found[0]}healthz"))
            while "lights" not in health:
                health = json.loads(get(f"{found[0]}healthz"))
            assert BAD[lights] in health["lights"]
            wait_until(lambda: json.loads(get(f"{found[0]}api/v1/game"))["lights"] == health["lights"])
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_S) == 0
            told = process.stderr.read()
            assert BAD[lights] in told
            assert "Traceback" not in told
        finally:
            process.kill()


def test_settings_do_not_lock_out_either_but_what_is_typed_is_refused(tmp_path: Path) -> None:
    """Who types a wrong port is there to type another one; nobody is when the system starts the service."""
    typed = ["serve", "--profile", str(PROFILE), "--camera", str(SESSION), "--port", "0", "--lights", "udp://strip"]
    answer = CliRunner().invoke(referee, [*typed, "--record", str(tmp_path / "a.sqlite3")], standalone_mode=False)
    assert isinstance(answer.exception, InputError)
    (tmp_path / "settings.toml").write_text('[serve]\nlights = "udp://strip"\n')
    environ = os.environ | {"CAMELOT_REFEREE_SETTINGS": str(tmp_path / "settings.toml")}
    command = [sys.executable, "-m", "server", *typed[:-2], "--record", str(tmp_path / "games.sqlite3")]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        try:
            assert "page is at" in process.stdout.readline()
        finally:
            process.kill()


@pytest.mark.parametrize("url", ["hwgrep://(", "foo://bar", "alt:///dev/x?class=Foo", "udp://strip", "cp2110://1"])
def test_what_is_no_port_is_one_error(url: str) -> None:
    with pytest.raises(InputError):
        check_url(url)


@pytest.mark.parametrize("url", ["\0", "udp://ü..ü:5", "loop://?x=1", "/etc", "hwgrep://zzz"])
def test_whatever_opening_raises_is_said_and_tried_again(url: str) -> None:
    port = LedPort(url, lambda: load_protocol("adalight", build_plain_map(BOARD)), print)
    port.start_connecting()
    wait_until(lambda: port.known_problem != "not opened yet")
    assert port.known_problem and "\n" not in port.known_problem
    assert any(thread.name == "led-port" and thread.is_alive() for thread in threading.enumerate())
    port.close_port()


def test_adalight_goes_dark_at_the_end(tmp_path: Path) -> None:
    plug = Plug(tmp_path / "ttyLights")
    plug.put_in()
    port = LedPort(str(plug.path), lambda: load_protocol("adalight", build_plain_map(BOARD)), print)
    port.start_connecting()
    port.show_frame(LedFrame((RED, GREEN)))
    plug.until((RED, GREEN))
    port.close_port()
    os.set_blocking(plug.far, False)
    plug.until((DARK, DARK))
    plug.pull_out()


@pytest.mark.parametrize("protocol", ["ddp", "drgb"])
def test_network_strips_go_dark_at_the_end(protocol: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as strip:
        strip.bind(("127.0.0.1", 0))
        strip.settimeout(PATIENCE_S)
        url = f"udp://127.0.0.1:{strip.getsockname()[1]}"
        port = LedPort(url, lambda: load_protocol(protocol, build_plain_map(BOARD)), print)
        port.start_connecting()
        port.show_frame(LedFrame((RED, GREEN)))
        assert strip.recv(100)[-6:] == bytes((*RED, *GREEN))
        port.close_port()
        strip.setblocking(False)
        last = b""
        while True:
            try:
                last = strip.recv(100)
            except BlockingIOError:
                break
        assert last[-6:] == bytes(6)


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_service_leaves_no_lamp_on(tmp_path: Path, way: signal.Signals) -> None:
    """Whichever of the usual ways ends it: a terminal that is closed is one."""
    command = [sys.executable, "-m", "server", "serve", "--profile", str(PROFILE), "--camera", str(SESSION), "--port"]
    command += ["0", "--record", str(tmp_path / "games.sqlite3"), "--lights"]
    assert _end_while_lit(command, way) == 0


@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGHUP])
def test_cells_that_are_tried_are_not_left_lit(way: signal.Signals) -> None:
    command = [sys.executable, "-m", "server", "lights", "show", "--protocol", "adalight", "--cells", "E6", "--port"]
    _end_while_lit(command, way)


def _end_while_lit(command: list[str], way: signal.Signals) -> int:
    """What a program exits with that is ended while it lights an Adalight strip, whose last picture must be dark. The
    name of the port is the last of its `command`."""
    far, near = pty.openpty()
    tty.setraw(near)
    with started([*command, os.ttyname(near)]) as process:
        try:
            seen = b""
            while not any(seen[seen.rfind(b"Ada") + 6 :]) or len(seen) < 1000:
                seen += os.read(far, 4096)
            process.send_signal(way)
            os.set_blocking(far, False)
            while process.poll() is None:
                try:
                    seen += os.read(far, 4096)
                except BlockingIOError:
                    time.sleep(0.01)
        finally:
            process.kill()
    try:
        while True:
            seen += os.read(far, 4096)
    except BlockingIOError:
        pass
    last = seen[seen.rfind(b"Ada") + 6 :]
    os.close(far)
    os.close(near)
    assert len(last) == 3 * 160
    assert not any(last)
    return int(process.returncode)
