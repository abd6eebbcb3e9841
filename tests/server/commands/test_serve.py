"""`referee serve` as a user runs it on the bundled recording: page, events, record, resuming, and unusable input."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from server.cli import main
from server.record.evidence import EVIDENCE
from server.record.journal import fold_events
from server.record.store import open_record
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.bundled import GOLDEN, SESSION, cut_film

PROFILE = SESSION / "profile.toml"
GAME = "camelot-0001"


def notations(events: list[dict[str, object]]) -> list[object]:
    return [event["notation"] for event in events if event["event"] == "move"]


@contextmanager
def serving(record: Path, *arguments: str) -> Iterator[str]:
    """The page's address while the service runs; it is ended as by Ctrl-C, which is no error."""
    command = [sys.executable, "-m", "server", "serve", "--profile", str(PROFILE), "--port", "0"]
    with started(
        [*command, "--record", str(record), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            said = ""
            while not (found := re.search(r"http://\S+", said)):
                line = process.stdout.readline()
                assert line, process.stderr.read()
                said += line
            yield found[0]
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_S) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()


def events_until(url: str, last: str, listening: Callable[[], object] = lambda: None) -> list[dict[str, object]]:
    """The stream of events from the first one on, with the one of that name; `listening` is called once it is open."""
    found: list[dict[str, object]] = []
    with urllib.request.urlopen(f"{url}api/v1/events", timeout=PATIENCE_S) as stream:  # noqa: S310  # our own address
        listening()
        end = time.monotonic() + PATIENCE_S
        while not found or found[-1]["event"] != last:
            assert time.monotonic() < end, f"no {last}, only {found}"
            line = stream.readline().decode()
            if line.startswith("data: "):
                found.append(json.loads(line.removeprefix("data: ")))
    return found


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
        return str(answer.read().decode())


def test_the_bundled_game_is_told_recorded_and_resumed(tmp_path: Path) -> None:
    """Its first part: what the referee says of all of it is compared elsewhere (record/traces/test_session.py)."""
    file, pictures = tmp_path / "games.sqlite3", 21
    with serving(file, "--camera", str(cut_film(tmp_path / "film", end=pictures))) as url:
        told = events_until(url, "recording-ended")[:-1]
        game = json.loads(get(f"{url}api/v1/game"))
        assert "<svg" in get(url)
    assert [event["event"] for event in told].count("illegal") == 1
    assert len(notations(told)) == 4
    assert notations(told) == notations(GOLDEN)[:4]
    with open_record(file) as record:
        assert record.find_broken_event(GAME) is None
        assert [event for event in record.read_events(GAME)[1:] if event["event"] != EVIDENCE] == told
        folded = fold_events(record.read_events(GAME), GAME)
    assert len(folded.moves) == game["ply"] == 4
    with serving(file, "--camera", str(SESSION / f"frame_{pictures - 1:04}.jpg")) as url:
        again = json.loads(get(f"{url}api/v1/game"))
    assert (again["moves"], again["cells"]) == (game["moves"], game["cells"])
    with open_record(file) as record:
        assert list(record.event_counts()) == [GAME]


def refused(*arguments: str) -> str:
    """The one line on standard error of a command that cannot be used."""
    command = [sys.executable, "-m", "server", "serve", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def pictures(folder: Path, *sizes: tuple[int, int]) -> str:
    """A folder of grey pictures of these sizes; (0, 0) stands for a file that is no picture."""
    folder.mkdir()
    for number, (width, height) in enumerate(sizes):
        path = folder / f"frame_{number:04}.png"
        if width:
            cv2.imwrite(str(path), np.full((height, width, 3), 128, np.uint8))
        else:
            path.write_bytes(b"no picture")
    return str(folder)


RIGHT, WRONG, BROKEN = (960, 720), (640, 480), (0, 0)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--camera", "nowhere"), "camera nowhere: no such file, folder or device"),
        (("--camera", "nowhere.mp4"), "camera nowhere.mp4: no such file"),
        (("--camera", "broken"), "broken/frame_0000.png: not a picture"),
        (("--camera", "empty"), "camera empty: no pictures"),
        (("--camera", "small"), "its pictures are 640x480, but the board was set up in 960x720"),
        (("--host", "0.0.0.0"), "accounts are needed and there are none"),  # noqa: S104  # it is refused
        (("--behind-proxy", "127.0.0.1"), "accounts are needed and there are none"),
        (
            ("--behind-proxy", "proxy"),
            "--behind-proxy proxy: not an address; name",
        ),
        (("--tls", "own", "--tls-cert", "small"), "leave --tls-cert and --tls-key out"),
        (("--tls-cert", "misspelt.toml"), "both are needed"),
        (("--tls-cert", "misspelt.toml", "--tls-key", "misspelt.toml"), "both must be PEM and belong together"),
        (("--host", "my.house"), "--host my.house: not an address"),
        (("--fps", "0"), "--fps 0.0"),
        (("--clock", "soon"), "clock 'soon': 'soon' is not a stage; write 60m"),
        (("--port", "70000"), "Invalid value for '--port': 70000"),
        (("--profile", "misspelt.toml"), "profile misspelt.toml: unknown key 'gmae'"),
        (("--profile", "none.toml"), "profile none.toml: No such file"),
        (("--rules", "fide"), "fide"),
        (("--lights", "loop://", "--protocol", "tpm2"), "protocol 'tpm2': unknown"),
        (("--lights", "udp://strip"), "write udp://host:port"),
        (("--lights", "loop://", "--baud", "9600"), "not a speed of adalight"),
    ],
)
def test_unusable_input_is_one_line_and_writes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    pictures(tmp_path / "small", WRONG)
    pictures(tmp_path / "broken", BROKEN)
    pictures(tmp_path / "empty")
    (tmp_path / "misspelt.toml").write_text('gmae = "camelot"\n', encoding="utf-8")
    usable = ("--profile", str(PROFILE), "--camera", str(SESSION), "--port", "0", "--record", "games.sqlite3")
    with pytest.raises(SystemExit) as left:
        main(["serve", *usable, *options])
    said = capsys.readouterr()
    assert (left.value.code, said.out, len(said.err.splitlines())) == (2, "", 1)
    assert why in said.err
    assert not (tmp_path / "games.sqlite3").exists()


def test_a_busy_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        arguments = ("--profile", str(PROFILE), "--camera", str(SESSION), "--port", port)
        assert "another program uses it" in refused(*arguments, "--record", str(tmp_path / "games.sqlite3"))


def test_a_recording_of_another_size_from_some_picture_on_is_told_so(tmp_path: Path) -> None:
    folder = pictures(tmp_path / "film", RIGHT, WRONG)
    record = str(tmp_path / "games.sqlite3")
    said = refused("--profile", str(PROFILE), "--camera", folder, "--port", "0", "--record", record)
    assert "the picture is 640x480, but the board was set up in 960x720" in said


def test_the_record_may_be_neither_in_a_file_nor_a_text(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    arguments = ("--profile", str(PROFILE), "--camera", str(SESSION), "--port", "0")
    assert "--record" in refused(*arguments, "--record", str(tmp_path / "file" / "games.sqlite3"))
    shutil.copy(PROFILE, tmp_path / "other.sqlite3")
    assert "name a record" in refused(*arguments, "--record", str(tmp_path / "other.sqlite3"))
