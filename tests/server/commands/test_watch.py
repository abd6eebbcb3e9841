"""The stored recordings refereed as from a camera: every ply, every illegal placement, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner

from calibration.profile import Profile, dump_profile
from server.cli import main, referee
from server.record.traces.trace import load_trace
from tests.bench import referee_recording
from tests.bench.takes import first_plies, recording, session_folders
from tests.render.camera.conditions import Conditions
from tests.render.script import Recipe
from tests.vision.filmed import grainy
from tests.vision.pictures import photograph, scene_of, true_views

SESSIONS = session_folders(Path(__file__).parents[2] / "data" / "sessions")
RECIPE = Recipe(look="green", pieces="white_red", light="office", seed=3, size_wh=(640, 480))


@pytest.mark.parametrize("folder", SESSIONS, ids=[folder.name for folder in SESSIONS])
def test_stored_recordings_are_refereed_without_a_mistake(folder: Path) -> None:
    report = referee_recording.referee(*recording(folder))
    assert report.wrong == 0, report.remarks
    assert report.right == report.plies, report.remarks
    assert report.false == 0, report.remarks
    assert report.found == report.illegal, report.remarks
    assert max(report.delays_s) < 4.0


def test_hands_that_rest_for_long() -> None:
    """For 1.6 seconds in every pose, as over a piece that one is not sure to move: once taken for bumps and lamps."""
    report = referee_recording.referee(*first_plies(*recording(SESSIONS[1]), 2), Conditions(hands_s=1.6))
    assert report.plies == 2
    assert report.right == report.plies, report.remarks
    assert report.false == report.wrong == 0, report.remarks


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three seconds of the start position, with profile.toml beside it."""
    folder = tmp_path_factory.mktemp("still")
    _, scene = scene_of(RECIPE)
    image = photograph(scene)
    (folder / "shots").mkdir()
    for number in range(24):  # each with its own noise: a camera that always gives the same picture is frozen
        cv2.imwrite(str(folder / "shots" / f"{number:03d}.png"), grainy(image, number))
    cv2.imwrite(str(folder / "small.png"), image[:240, :320])
    profile = Profile("camelot", tuple(true_views(scene)), (97,), str(folder / "shots"), "wcf")
    (folder / "profile.toml").write_text(dump_profile(profile))
    return folder


def test_watch_writes_lines_of_json(still: Path) -> None:
    arguments = ["watch", "--profile", str(still / "profile.toml"), "--json"]
    result = CliRunner().invoke(referee, arguments, standalone_mode=False)
    assert result.exception is None, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert lines[0]["event"] == "ready"
    assert lines[0]["fit"] >= 60
    assert lines[-1]["event"] == "end"
    assert (lines[-1]["plies"], lines[-1]["frames"]) == (0, 24)
    assert {"sight_ms", "read_ms", "decide_ms"} <= set(lines[-1]["stages"])
    assert 0 < lines[-1]["look_p95_ms"] <= lines[-1]["worst_look_ms"] <= lines[-1]["longest_gap_ms"], "a look is a gap"
    assert len(lines) == 2


@pytest.mark.parametrize("command", [("watch",), ("record", "--out", "film")])
def test_without_a_profile_it_is_your_own(
    still: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    none = CliRunner().invoke(referee, list(command), standalone_mode=False)
    assert "make one with `referee calibrate`" in str(none.exception)
    own = tmp_path / "camelot-referee" / "board.toml"
    own.parent.mkdir()
    own.write_text((still / "profile.toml").read_text())
    done = CliRunner().invoke(referee, list(command), standalone_mode=False)
    assert (done.exception, done.return_value) == (None, 0)


def test_a_recording_in_its_own_time_loses_no_opening(still: Path) -> None:
    """However slow the machine: no frame is left out before the board is ready."""
    arguments = ["watch", "--profile", str(still / "profile.toml"), "--fps", "24", "--realtime", "--json"]
    result = CliRunner().invoke(referee, arguments, standalone_mode=False)
    assert result.exception is None, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["event"] for line in lines] == ["ready", "end"]


def test_a_trace_has_a_line_for_each_look(still: Path) -> None:
    path = still / "trace.jsonl.gz"
    arguments = ["watch", "--profile", str(still / "profile.toml"), "--trace", str(path)]
    said = CliRunner().invoke(referee, arguments, standalone_mode=False).stdout.splitlines()
    trace = load_trace(path)
    assert [trace.header["begin"][name] for name in ("game", "rules")] == ["camelot", "wcf"]
    (look,) = trace.lines  # the rest is known and needs no look
    assert look["in"] == "look"
    assert look["said"] == [json.loads(said[0])]
    assert look["reason"]["rule"] == "as-before"
    again = CliRunner().invoke(referee, arguments, standalone_mode=False)
    assert again.exception is None, again.output
    earlier = path.with_name("trace.jsonl.gz.before-1")
    assert earlier.stat().st_size > 0 and load_trace(path).lines[0] == look


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--camera", "small.png"), "its pictures are 320x240, but the board was set up in 640x480"),
        (("--camera", "none.avi"), "no such file, folder or device"),
        (("--fps", "0"), "--fps"),
        (("--rules", "house"), "house"),
        (("--position", "none.json"), "none.json"),
    ],
)
def test_what_cannot_be_watched(
    options: tuple[str, ...],
    said: str,
    still: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(still)
    with pytest.raises(SystemExit) as end:
        main(["watch", "--profile", "profile.toml", *options])
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
