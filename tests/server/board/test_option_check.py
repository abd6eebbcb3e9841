"""What is wrong with the options of `referee serve` is said in a line, before a page asks for a board."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.board.pages.own_board import SetupEnd
from server.cli import main
from tests.server.commands.test_serve import BROKEN, PROFILE, SESSION, pictures


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--clock", "banana"), "clock 'banana'"),
        (("--camera", "nofile.mp4"), "camera nofile.mp4: no such file"),
        (("--camera", "broken"), "not a picture"),
        (("--trace", "none/x.trace"), "--trace none/x.trace: there is no folder none"),
        (("--trace", "/proc/x.trace"), "--trace /proc/x.trace: nothing can be written into /proc"),
        (("--broadcast", "none/site"), "--broadcast none/site: there is no folder none"),
        (("--record", "none/games.sqlite3"), "--record none/games.sqlite3: there is no folder none"),
        (("--lights", "loop://", "--protocol", "tpm2"), "protocol 'tpm2': unknown"),
        (("--lights", "udp://strip"), "write udp://host:port"),
        (("--lights", "loop://", "--baud", "9600"), "not a speed of adalight"),
        (("--opponent", "black=no-such-engine"), "neither a level"),
        (("--opponent", "puce=3"), "write SIDE=LEVEL"),
        (("--player", "puce=Anna"), "players: each by its side"),
        (("--rating", "white=-5x"), "rating of white"),
        (("--rules", "fide"), "fide"),
        (("--position", "none.json"), "none.json"),
        (("--fps", "0"), "--fps 0.0"),
        (("--cameras-at", "192.168.4.0/99"), "--cameras-at"),
    ],
)
@pytest.mark.parametrize("profile", ["none yet", "there"])
def test_what_no_board_makes_usable_is_said_at_the_start(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    why: str,
    profile: str,
) -> None:
    """Before anybody is asked for a board, and with nothing written."""
    monkeypatch.chdir(tmp_path)
    pictures(tmp_path / "broken", BROKEN)
    for variable, folder in (("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")):
        monkeypatch.setenv(variable, str(tmp_path / folder))
    known = ("--profile", str(PROFILE), "--camera", str(SESSION)) if profile == "there" else ()
    monkeypatch.setattr("server.board.prepared.set_up", lambda *_, **__: pytest.fail("a page asks for the board"))
    with pytest.raises(SystemExit) as left:
        main(["serve", "--port", "0", *known, *options])
    said = capsys.readouterr()
    assert (left.value.code, said.out, len(said.err.splitlines())) == (2, "", 1)
    assert why in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["broken"]


def test_options_that_some_game_takes_lead_on_to_the_page_that_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, folder in (("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")):
        monkeypatch.setenv(variable, str(tmp_path / folder))
    asked: list[object] = []
    monkeypatch.setattr("server.board.prepared.set_up", lambda *told, **_: asked.append(told) or SetupEnd.ENDED)
    for options in (("--player", "red=Anna"), ("--rules", "brainking"), ("--lights", "auto"), ("--camera", "0")):
        with pytest.raises(SystemExit) as left:
            main(["serve", "--port", "0", *options])
        assert left.value.code == 0
    assert len(asked) == 4


def test_lights_that_are_not_plugged_in_are_said_and_may_come_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("server.board.prepared.set_up", lambda *_, **__: SetupEnd.ENDED)
    with pytest.raises(SystemExit) as left:
        main(["serve", "--port", "0", "--record", str(tmp_path / "games.sqlite3"), "--lights", "/dev/ttyNOPE"])
    assert left.value.code == 0
    assert "Lights: /dev/ttyNOPE: there is no such device: plug it in" in capfd.readouterr().err
