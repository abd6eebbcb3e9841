"""What service managers, Prometheus and collectors of messages read."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from engine.errors import TROUBLE_OVER, InputError
from engine.match.events import CAUSES
from server import logs
from server.board.live.visibility import SHOWN
from server.board.pages.app import create_app
from server.web.feed import Feed
from server.web.vitals import STUCK_S, Vitals
from tests.server.script import OPENING, Script

VITAL = {
    "camera": "starting",
    "frame_age_s": None,
    "lag_s": 0.0,
    "record": "ok",
    "record_waiting": 0,
    "disk_free_mb": None,
    "lights": "ok",
    "loop": "ok",
}
"""Of a game that is told without camera and record."""


def test_metrics_can_be_read_by_prometheus() -> None:
    script = Script(Feed())
    script.play(OPENING[0])
    client = create_app(script.feed, print, script.game).test_client()
    client.get("/api/v1/game")
    client.open("/wp-login.php", method="GET")
    text = client.get("/metrics").get_data(as_text=True)
    said = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert said["referee_plies",] == 1
    assert said["referee_board_fit",] == 97
    assert said["referee_phase", "playing"] == 1
    assert said["referee_open_streams",] == 0
    assert said["referee_http_requests_total", "GET", "200"] == 1
    assert said["referee_http_requests_total", "other", "404"] == 1
    assert said["process_resident_memory_bytes",] > 1e6


def test_whether_the_board_is_seen_is_measured_and_a_blind_referee_is_degraded() -> None:
    script = Script(Feed())
    client = create_app(script.feed, print, script.game).test_client()

    def measured() -> tuple[dict[str, float], float]:
        families = {
            family.name: family.samples
            for family in text_string_to_metric_families(client.get("/metrics").get_data(as_text=True))
        }
        causes = {sample.labels["cause"]: sample.value for sample in families["referee_cannot_see"]}
        (seconds,) = families["referee_unseen_seconds"]
        return causes, seconds.value

    assert measured() == (dict.fromkeys(SHOWN, 0.0), 0.0)
    script.cannot_see("dark")
    answer = client.get("/healthz")
    assert answer.status_code == 200, "starting the referee again would not put a light on"
    assert answer.get_json() == VITAL | {"status": "degraded", "cause": "dark", "message": CAUSES["dark"]}
    assert measured()[0] == dict.fromkeys(SHOWN, 0.0) | {"dark": 1.0}
    script.seen_again()
    assert client.get("/healthz").get_json() == VITAL | {"status": "ok"}
    assert measured() == (dict.fromkeys(SHOWN, 0.0), 1.0)
    script.ended()
    answer = client.get("/healthz").get_json()
    assert (answer["status"], answer["cause"]) == ("ok", "recording-ended")
    assert measured()[1] == 1.0, "what is over is not missed"


def test_signs_of_life_are_told_and_a_loop_that_stands_still_is_stuck(tmp_path: Path) -> None:
    clock = [100.0]
    script = Script(Feed())
    script.feed.vitals = Vitals(lambda: clock[0])
    client = create_app(script.feed, print, script.game, record=tmp_path / "games.sqlite3").test_client()

    def measured() -> dict[str, float]:
        families = text_string_to_metric_families(client.get("/metrics").get_data(as_text=True))
        return {sample.name: sample.value for family in families for sample in family.samples}

    script.feed.vitals.note_frame(0.25)
    script.feed.vitals.note_loop_turn(record_waits=False)
    clock[0] += 2.0
    answer = client.get("/healthz").get_json()
    assert (answer["camera"], answer["frame_age_s"], answer["lag_s"], answer["record"]) == ("ok", 2.0, 0.25, "ok")
    assert answer["disk_free_mb"] > 0
    assert measured()["referee_frame_age_seconds"] == 2.0
    assert measured()["referee_frame_lag_seconds"] == 0.25
    assert measured()["referee_camera_ok"] == measured()["referee_record_ok"] == measured()["referee_lights_ok"] == 1
    script.feed.vitals.note_loop_turn(record_waits=True)
    assert client.get("/healthz").get_json()["message"]
    clock[0] += 2.0
    answer = client.get("/healthz")
    assert (answer.status_code, answer.get_json()["status"], answer.get_json()["record"]) == (200, "degraded", "held")
    assert answer.get_json()["camera"] == "lost"
    assert measured()["referee_camera_ok"] == measured()["referee_record_ok"] == 0
    script.feed.vitals.is_live = False
    assert client.get("/healthz").get_json()["camera"] == "ok", "a recording waits for its reader"
    assert answer.get_json()["loop"] == "ok"
    clock[0] += 0.5
    answer = client.get("/healthz").get_json()
    assert (answer["status"], answer["loop"]) == ("degraded", "halted"), "within three seconds"
    assert measured()["referee_loop_ok"] == 0
    clock[0] += STUCK_S
    answer = client.get("/healthz")
    assert (answer.status_code, answer.get_json()["status"]) == (503, "stuck"), "starting it again would help"


def test_before_the_first_snapshot_there_is_no_game_to_measure() -> None:
    script = Script(Feed())
    text = create_app(Feed(), print, script.game).test_client().get("/metrics").get_data(as_text=True)
    assert "referee_plies" not in text
    assert "referee_open_streams 0.0" in text


def test_messages_as_json_are_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    try:
        logs.start_logging(as_json=True)
        logging.getLogger("server.test").info("two\nlines of %s", "text")
        try:
            raise ValueError("bad")
        except ValueError:
            logging.getLogger("server.test").exception("broken")
    finally:
        root.handlers[:], root.level = before
    told, broken = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert (told["level"], told["logger"], told["message"]) == ("INFO", "server.test", "two\nlines of text")
    assert "ValueError: bad" in broken["trace"]


def test_people_are_told_of_trouble_and_its_end_with_the_time_of_day(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    try:
        logs.start_logging(as_json=False)
        logging.getLogger("server.test").warning("gone")
        logging.getLogger("server.test").log(TROUBLE_OVER, "back")
        logging.getLogger("server.test").info("nobody's concern")
    finally:
        root.handlers[:], root.level = before
    gone, back = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d WARNING server.test: gone", gone)
    assert re.fullmatch(r"\d\d:\d\d:\d\d RESOLVED server.test: back", back)


def test_a_file_of_messages_is_turned_over_and_belongs_to_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "LARGEST_FILE", 5000)
    root, file = logging.getLogger(), tmp_path / "referee.log"
    before = root.handlers[:], root.level
    try:
        logs.start_logging(as_json=True, file=file)
        for number in range(500):
            logging.getLogger("server.test").info("rtsp://ann:secret@cam/ %s", number)
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers[:], root.level = before
    kept = sorted(tmp_path.iterdir())
    assert len(kept) == 1 + logs.OLDER_FILES
    assert all(path.stat().st_size <= 5000 and path.stat().st_mode & 0o077 == 0 for path in kept)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines[-1]["message"].endswith(" 499")
    assert not any("secret" in path.read_text(encoding="utf-8") for path in kept)
    with pytest.raises(InputError, match="--log-file"):
        logs.start_logging(as_json=True, file=tmp_path / "nowhere" / "referee.log")
