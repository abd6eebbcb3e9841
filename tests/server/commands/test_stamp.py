"""Time stamps from a real authority on this machine: OpenSSL's, behind a small web server."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.errors import InputError
from server.cli import referee
from server.record.imports import add, read_games
from server.record.seal import SEALED, STAMPED, sealer
from server.record.store import open_record
from tests.server.record.test_archive import run
from tests.server.record.test_seals import NAME, forged, played

CONFIGURATION = """
[req]
distinguished_name = name
prompt = no
[name]
CN = Authority of a test
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[leaf]
basicConstraints = CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = one
[one]
serial = {folder}/serial
signer_cert = {folder}/leaf.pem
signer_key = {folder}/leaf.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""


def openssl(folder: Path, *words: str) -> None:
    """One command of OpenSSL's."""
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


class Authority(HTTPServer):
    """An authority in a folder; `garbled` spoils what it answers."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked, self.garbled = folder, 0, False
        folder.mkdir()
        (folder / "ca.cnf").write_text(CONFIGURATION.format(folder=folder), encoding="utf-8")
        (folder / "serial").write_text("01")
        new = ["req", "-newkey", "rsa:2048", "-nodes", "-config", "ca.cnf"]
        openssl(folder, *new, "-x509", "-extensions", "root", "-keyout", "root.key", "-out", "root.pem", "-days", "9")
        openssl(folder, *new, "-subj", "/CN=Stamps of a test", "-keyout", "leaf.key", "-out", "leaf.csr")
        signed = ["x509", "-req", "-in", "leaf.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial"]
        openssl(folder, *signed, "-extfile", "ca.cnf", "-extensions", "leaf", "-days", "9", "-out", "leaf.pem")
        super().__init__(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server_port}/tsr"
        self.root = folder / "root.pem"


class Answers(BaseHTTPRequestHandler):
    """As RFC 3161 has it over HTTP."""

    server: Authority

    def do_POST(self) -> None:  # as the base class names it
        """One stamp."""
        self.server.asked += 1
        folder = self.server.folder
        (folder / "asked").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        reply = ["ts", "-reply", "-config", "ca.cnf", "-section", "one", "-queryfile", "asked", "-out", "answer"]
        openssl(folder, *reply)
        answer = b"<html>" if self.server.garbled else (folder / "answer").read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "application/timestamp-reply")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def refused(*arguments: object) -> str:
    """What a command that cannot be done says."""
    error = CliRunner().invoke(referee, [str(one) for one in arguments], standalone_mode=False).exception
    assert isinstance(error, InputError)
    return str(error)


@pytest.fixture(autouse=True)
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMELOT_REFEREE_SEAL_KEY", str(tmp_path / "seal.key"))


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    with Authority(tmp_path / "authority") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_sealed_game_is_stamped_once_and_the_stamp_holds(tmp_path: Path, authority: Authority) -> None:
    path = tmp_path / "r.db"
    code = played(path)
    asked = datetime.now(UTC)
    status, said = run("stamp", "--record", path, "--tsa", authority.url)
    assert status == 0, said
    assert "nothing to stamp" in run("stamp", "--record", path, "--tsa", authority.url)[1]
    assert authority.asked == 1
    status, said = run("verify", "--record", path)
    assert status == 0
    assert "1 time stamps, not looked at" in said
    status, said = run("verify", "--record", path, "--tsa-root", authority.root)
    assert status == 0, said
    (line,) = [line for line in said.splitlines() if "the time stamp holds" in line]
    at = datetime.fromisoformat(line.split(" at ")[1].split(": ")[0])
    assert abs(at - asked) < timedelta(minutes=5)
    status, said = run("verify", "--record", path, "--head", code)
    assert status == 0
    assert "written since" not in said


def test_openssl_itself_believes_the_stamp(tmp_path: Path, authority: Authority) -> None:
    path = tmp_path / "r.db"
    played(path)
    run("stamp", "--record", path, "--tsa", authority.url)
    with open_record(path) as record:
        seal = next(event for event in record.events(NAME) if event["event"] == SEALED)
    (authority.folder / "signature").write_bytes(bytes.fromhex(str(seal["signature"])))
    checked = ["ts", "-verify", "-data", "signature", "-in", "answer", "-CAfile", "root.pem"]
    openssl(authority.folder, *checked)


def test_a_stamp_of_another_seal_or_authority_does_not_hold(tmp_path: Path, authority: Authority) -> None:
    path = tmp_path / "r.db"
    played(path)
    run("stamp", "--record", path, "--tsa", authority.url)
    with Authority(tmp_path / "another") as another:
        status, said = run("verify", "--record", path, "--tsa-root", another.root)
    assert status == 1
    assert f"{NAME}: event 5: its time stamp does not hold" in said
    with open_record(path) as record:
        stamp = record.events(NAME)[-1]
    later = tmp_path / "later.db"
    played(later)
    with open_record(later) as record:
        seal = sealer(lambda: "2026-12-24T10:00:00+00:00")
        assert seal is not None
        record.append(NAME, seal(NAME, 4, record.hashes(NAME)[-1]))
        record.append(NAME, stamp | {"number": 5})
    status, said = run("verify", "--record", later, "--tsa-root", authority.root)
    assert status == 1
    assert f"{NAME}: event 6: its time stamp does not hold" in said


def test_a_game_written_anew_has_no_stamp_of_that_evening(tmp_path: Path, authority: Authority) -> None:
    path = tmp_path / "r.db"
    played(path)
    run("stamp", "--record", path, "--tsa", authority.url)
    forged(path, lambda rows: [(game, text.replace("1-0", "0-1")) for game, text in rows if SEALED not in text])
    status, said = run("verify", "--record", path, "--tsa-root", authority.root)
    assert status == 1
    assert "its time stamp does not hold" in said


def test_what_gives_no_stamp_is_said_in_a_line_and_nothing_is_written(tmp_path: Path, authority: Authority) -> None:
    path = tmp_path / "r.db"
    played(path)
    authority.garbled = True
    for url in (authority.url, "http://127.0.0.1:1/", "ftp://127.0.0.1/", "tsa"):
        assert f"--tsa {url}" in refused("stamp", "--record", path, "--tsa", url)
    assert "--tsa-root" in refused("verify", "--record", path, "--tsa-root", tmp_path / "seal.key")
    with open_record(path) as record:
        assert STAMPED not in [event["event"] for event in record.events(NAME)]


def test_a_stamp_is_not_imported(tmp_path: Path, authority: Authority) -> None:
    path = tmp_path / "r.db"
    played(path)
    run("stamp", "--record", path, "--tsa", authority.url)
    run("games", "export", NAME, "--record", path, "--format", "jsonl", "--out", tmp_path / "game.jsonl")
    with open_record(tmp_path / "other.db") as record:
        (name,) = add(record, read_games(tmp_path / "game.jsonl"))
        assert STAMPED not in [event["event"] for event in record.events(name)]
