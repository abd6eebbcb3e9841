"""Sessions: recorded, played again byte for byte, and refused when they are none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.match.acts import NewGame, Undo
from engine.match.arbiter import apply_act
from server.cli import main, referee
from server.exits import ANSWER_IS_NO
from server.record.traces.refold import SAID_AGAIN
from server.record.traces.session import EVENTS_FILE, GameTally, replay_session
from server.web.feed import Feed
from tests.server.script import OPENING, Script

BUNDLED = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"


def run(*arguments: object) -> tuple[int, str]:
    """Exit status and output of a command that is expected to answer."""
    result = CliRunner().invoke(referee, [str(a) for a in arguments], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value, result.output


def test_a_recorded_session_replays_byte_for_byte(tmp_path: Path) -> None:
    out = tmp_path / "evening"
    profile = BUNDLED / "profile.toml"
    _, said = run("record", "--profile", profile, "--camera", BUNDLED, "--seconds", "4", "-o", out)
    assert "1 plies (4 s are over)" in said
    events = [json.loads(line) for line in (out / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [e["notation"] for e in events if e["event"] == "move"] == ["E6-C8"]
    assert len(json.loads((out / "recording.json").read_text())["t"]) == len(list(out.glob("frame_*.jpg"))) == 33
    status, said = run("replay", out, "--quiet")
    assert status == 0
    assert f"the same {len(events)} events" in said


def test_the_plies_of_all_games_are_counted() -> None:
    """The pieces may be put up again while it is recorded; what was taken back is no ply."""
    script, tally = Script(Feed()), GameTally()
    tally.note_events((), script.match)
    assert str(tally) == "0 plies"
    for count, notation in enumerate(OPENING[:3], start=1):
        script.play(notation)
        tally.note_events((), script.match)
        assert str(tally) == f"{count} plies"
    before, events = apply_act(script.match, Undo(), 4.0)
    tally.note_events(events, before)
    after, events = apply_act(before, NewGame(), 5.0)
    tally.note_events(events, after)
    assert str(tally) == "2 games, 2 plies"
    script.match = after
    script.play(OPENING[0])
    tally.note_events((), script.match)
    assert str(tally) == "2 games, 3 plies"


def test_a_session_is_a_fixture_and_a_camera() -> None:
    """The bundled recording has the same form, so any user's session can stand where it stands.

    Another processor rounds otherwise: there a piece that is in the air may be told a look sooner or later, or be in
    the air too shortly to be told, and a share is another one in its third decimal.
    """
    now = [json.loads(line) for line in replay_session(BUNDLED)]
    then = [json.loads(line) for line in (BUNDLED / EVENTS_FILE).read_text(encoding="utf-8").splitlines()]
    assert list(map(drop_figure, list_others(now))) == list(map(drop_figure, list_others(then)))
    told, stored = (set(list_lifts(events)) for events in (now, then))
    assert len(told ^ stored) <= 1


def list_others(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """All but what is lifted."""
    return [event for event in events if event["event"] != "lifted"]


def drop_figure(event: dict[str, Any]) -> dict[str, Any]:
    """An event without what was measured: the rule that decided it stays; and without what says the same again."""
    told = {key: value for key, value in event.items() if key not in SAID_AGAIN}
    return told | {"reason": told["reason"] and told["reason"]["rule"]} if "reason" in told else told


def list_lifts(events: Sequence[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """Each lifted cell, and after how many moves."""
    moves = 0
    for event in events:
        moves += event["event"] == "move"
        if event["event"] == "lifted":
            yield event["cell"], moves


def test_a_difference_is_shown(tmp_path: Path) -> None:
    out = tmp_path / "s"
    run("record", "--profile", BUNDLED / "profile.toml", "--camera", BUNDLED, "--seconds", "2", "-o", out)
    events = out / "events.jsonl"
    events.write_text(events.read_text(encoding="utf-8").replace('"fit": 100', '"fit": 99'), encoding="utf-8")
    status, said = run("replay", out, "--quiet")
    assert status == ANSWER_IS_NO
    assert '"fit": 99' in said
    assert '"fit": 100' in said


def test_a_recorded_session_ends_when_its_space_is_full(tmp_path: Path) -> None:
    out = tmp_path / "s"
    _, said = run("record", "--profile", BUNDLED / "profile.toml", "--camera", BUNDLED, "--most", "1", "-o", out)
    assert "1 MB are full" in said
    assert sum(p.stat().st_size for p in out.glob("frame_*.jpg")) < 1_300_000


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    keep = [
        "record",
        "--profile",
        str(BUNDLED / "profile.toml"),
        "--camera",
        str(BUNDLED),
        "-o",
        str(tmp_path / "mine"),
    ]
    for arguments in (["replay", str(tmp_path)], ["replay", str(tmp_path / "none")], keep):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize("name", ["events.jsonl", "profile.toml", "recording.json", "position.json"])
def test_a_link_out_of_a_session_is_refused(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A session may have come from anybody, and what is printed of it goes into a report of trouble."""
    session, secret = tmp_path / "session", tmp_path / "secret"
    shutil.copytree(BUNDLED, session)
    secret.write_text("root:*:20228\n", encoding="utf-8")
    (session / name).unlink(missing_ok=True)
    (session / name).symlink_to(secret)
    with pytest.raises(SystemExit) as ended:
        main(["replay", "--quiet", str(session)])
    said = capsys.readouterr()
    assert ended.value.code == 2 and "20228" not in said.out + said.err
    assert said.err == f"referee: {session / name}: is a link that leads out of its folder: put the file itself there\n"
    (session / name).unlink()
    (session / "elsewhere").mkdir()
    (tmp_path / "linked").symlink_to(session)
    if (BUNDLED / name).exists():
        shutil.copy(BUNDLED / name, session / "elsewhere")
        (session / name).symlink_to(session / "elsewhere" / name)
    check_session(tmp_path / "linked")


def check_session(folder: Path) -> None:
    assert next(replay_session(folder)), "links within it, and to all of it, are followed"
