"""A hall's certificate that ends: it is renewed with its key, so that boards need nothing, and it is said in time."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from engine.errors import InputError
from server.board.hall_link.entering import try_broker
from server.board.hall_link.publisher import Publisher
from server.hall.hall_folder import describe_certificate, renew_if_due
from server.mqtt.broker import broker_of
from server.mqtt.certificates import pin_of
from server.mqtt.invitations import redeem_code
from server.web import tls
from tests.patience import wait_until
from tests.programs import started
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import Mosquitto, free_port, hall, is_open
from tests.server.hall.test_hall_run import ask
from tests.server.hall.test_standalone import COMMAND, ENV, club, run
from tests.server.script import NAME, OPENING

FAKED = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
RENEW = [*COMMAND[:3], "hall", "renew"]


def at_time(said: str) -> dict[str, str]:
    """The environment of a program whose clock is so."""
    assert FAKED, "libfaketime is missing: sudo apt-get install faketime"
    return ENV | {"LD_PRELOAD": str(FAKED[0]), "FAKETIME": said, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def day(days: int) -> str:
    return f"{datetime.now(UTC) + timedelta(days):%Y-%m-%d}"


def renew_for(folder: Path, valid: timedelta, monkeypatch: pytest.MonkeyPatch) -> str:
    """Renew the certificate of a folder for so long, from a day ago on; the day on which it ends."""
    with monkeypatch.context() as patched:
        patched.setattr(tls, "VALID", valid)
        return f"{tls.renew_certificate(folder).not_valid_after_utc:%Y-%m-%d}"


def test_a_hall_that_is_started_after_the_end_renews_it_and_boards_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hall").mkdir()
    (tmp_path / "board").mkdir()
    table, port, own = Table(tmp_path / "board"), free_port(), tmp_path / "hall" / "certificate.pem"
    with club(own.parent, port) as running:
        password, address = running.password, redeem_code(running.code, None, [running.place])
        assert "certificate of the hall" not in running.said
    on = renew_for(own.parent, timedelta(hours=1), monkeypatch)
    before = own.read_bytes()
    publisher = Publisher(broker_of(address), "table-1", table.path, table.script.feed, NAME)
    publisher.start()
    with club(own.parent, port) as running:
        assert f"good until {day(824)}, in place of one that ended on {on}. Boards" in running.said
        assert own.read_bytes() != before
        table.play(OPENING[0])
        running.ask("/login", {"name": "arbiter", "password": password})
        wait_until(lambda: running.stored() == [2] and table.stored() == {NAME: 2})
        assert json.loads(running.ask("/healthz"))["status"] == "ok", running.ask("/healthz")
        assert "runs already" in run(RENEW, own.parent).stderr
    publisher.stop_publishing()
    table.record.close_file()


def test_what_a_hall_says_of_its_certificate_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hall").mkdir()
    own = tmp_path / "hall" / "certificate.pem"
    with club(tmp_path / "hall", free_port()) as running:
        address = redeem_code(running.code, None, [running.place])

        def why() -> str:
            return str(json.loads(running.ask("/healthz"))["why"].get("certificate", ""))

        assert not why()
        for valid, ends in ((timedelta(20), "ends"), (timedelta(hours=1), "ended")):
            on = renew_for(own.parent, valid, monkeypatch)
            wait_until(lambda said=f"it {ends} on {on}: ": why().startswith(said))  # type: ignore[misc]
            assert f"`referee hall renew {own.parent}`" in why()
        assert not json.loads(running.ask("/readyz"))["faults"], "it hears and stores all the same"
    assert describe_certificate(own), "it ended"
    assert run(RENEW, own.parent).returncode == 0
    assert not describe_certificate(own)
    assert renew_if_due(own.parent) == "", "it is good for long"
    with club(own.parent, free_port()):  # boards that joined know it
        try_broker(broker_of(address))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho drops a socket that it refused
def test_a_broker_whose_certificate_ended_is_not_called_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who is given the certificate as a file asks for its dates: hall and board name the day, and what to type."""
    folder, port = tmp_path / "prepared", free_port()
    made = run(
        [*COMMAND[:3], "hall", "init", "--boards", "1", "--at", f"mqtts://127.0.0.1:{port}", str(folder)], tmp_path
    )
    words = [word.strip("'") for word in made.stdout.split()]  # quoted for the shell
    code, known = (next(word for word in words if word.startswith(f"mqtts://{name}:")) for name in ("table-1", "hall"))
    by_hall = f"{known.partition('?')[0]}?ca={folder / 'certificate.pem'}"
    by_file = f"{code.partition('?')[0]}?ca={folder / 'certificate.pem'}"
    on = renew_for(folder, timedelta(hours=1), monkeypatch)
    table = Table(tmp_path)
    at = cast(Mosquitto, SimpleNamespace(url=by_hall))
    broker = ["mosquitto", "-c", str(folder / "mosquitto.conf")]
    with started(broker, stderr=subprocess.DEVNULL), hall(at, str(tmp_path / "hall.sqlite3")) as url:
        wait_until(lambda: is_open(port))

        def why() -> dict[str, str]:
            return cast(dict[str, str], ask(f"{url}healthz")["why"])

        ended = f"the hall's certificate ended on {on}: its operator renews it with `referee hall renew`"
        wait_until(lambda: ended in why().get("broker", ""))
        wait_until(lambda: f"`referee hall renew {folder}`" in why().get("certificate", ""))
        publisher = Publisher(broker_of(by_file), "table-1", table.path, table.script.feed, NAME)
        publisher.start()
        wait_until(lambda: ended in str(table.script.feed.vitals.hall()))
        publisher.stop_publishing()
        with pytest.raises(InputError, match="ended on"):
            try_broker(broker_of(by_file))
        try_broker(broker_of(code))
    subprocess.run([*RENEW, str(folder)], env=at_time("+9d"), check=True)
    with started(broker, stderr=subprocess.DEVNULL), hall(at, str(tmp_path / "hall.sqlite3")) as url:
        wait_until(lambda: is_open(port))
        clock = f"begins on {day(8)}, and the clock of this computer says {day(0)}: set the clock"
        wait_until(lambda: clock in why().get("broker", ""))
        wait_until(lambda: "set the clock" in why().get("certificate", ""))
        try_broker(broker_of(code))  # by the key, whatever this computer's clock says
    assert run([*RENEW, str(folder)], tmp_path).returncode == 0
    assert not describe_certificate(folder / "certificate.pem")
    with started(broker, stderr=subprocess.DEVNULL):
        wait_until(lambda: is_open(port))
        for address in (by_file, code):
            try_broker(broker_of(address))
    table.record.close_file()


def test_what_was_not_made_here_is_not_renewed(tmp_path: Path) -> None:
    refused = run(RENEW, tmp_path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "name the folder of a hall that has one" in refused.stderr
    made = tls.ensure_certificate(tmp_path, ["hall.example"])
    pin, other = pin_of(Path(made.cert).read_text(encoding="ascii")), tmp_path / "other"
    tls.renew_certificate(tmp_path)
    assert pin_of(Path(made.cert).read_text(encoding="ascii")) == pin
    tls.load_certificate(Path(made.cert), Path(made.key))
    assert tls.ensure_certificate(tmp_path, ["hall.example"]) == made
    assert pin_of(Path(made.cert).read_text(encoding="ascii")) == pin, "the names are in it"
    Path(made.key).write_bytes(Path(tls.ensure_certificate(other, []).key).read_bytes())
    with pytest.raises(InputError, match="is not the key of"):
        tls.renew_certificate(tmp_path)
    Path(made.key).write_text("nonsense", encoding="utf-8")
    with pytest.raises(InputError, match="take the folder's copy back"):
        tls.renew_certificate(tmp_path)
