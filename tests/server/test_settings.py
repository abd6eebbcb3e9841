"""Settings: the file, then the environment, then the command line; what is wrong in them is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.errors import InputError
from server.board.prepared import check_terms
from server.cli import main, referee
from server.commands.perft import command as perft
from server.commands.serve import command as serve
from server.settings import ChangeableOptions, edit_settings, load_settings, option_names, shown_options

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def written(tmp_path: Path, text: str) -> dict[str, str]:
    """An environment that names a settings file with that text."""
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return {"CAMELOT_REFEREE_SETTINGS": str(file)}


def test_file_then_environment_then_command_line(tmp_path: Path) -> None:
    environ = written(tmp_path, '[serve]\nport = 5001\nmode = "tournament"\nnew = true\n[perft]\ndivide = true\n')
    assert load_settings("serve", serve, environ) == {"port": 5001, "mode": "tournament", "fresh": True}
    environ["CAMELOT_REFEREE_SERVE_PORT"] = "5002"
    assert load_settings("serve", serve, environ)["port"] == "5002"


def test_a_command_takes_its_options_from_there(tmp_path: Path) -> None:
    def lines(*arguments: str, **environ: str) -> int:
        done = CliRunner().invoke(referee, ["perft", "camelot", "1", *arguments], env=environ, standalone_mode=False)
        assert done.exception is None, done.exception
        return len(done.output.splitlines())

    from_file = written(tmp_path, "[perft]\ndivide = true\n")
    assert (lines(), lines("--divide"), lines(**from_file)) == (1, 101, 101)
    assert lines(**from_file, CAMELOT_REFEREE_PERFT_DIVIDE="0") == 1
    assert lines("--divide", CAMELOT_REFEREE_PERFT_DIVIDE="0") == 101


def test_a_command_with_a_second_word_takes_its_options_from_there(tmp_path: Path) -> None:
    environ = written(tmp_path, f'[games.list]\nrecord = "{tmp_path / "none.sqlite3"}"\n')

    def said(**more: str) -> str:
        return str(CliRunner().invoke(referee, ["games", "list"], env=environ | more, standalone_mode=False).exception)

    assert "none.sqlite3" in said()
    assert "other.sqlite3" in said(CAMELOT_REFEREE_GAMES_LIST_RECORD=str(tmp_path / "other.sqlite3"))
    for text, why in (
        ("[games.list]\nrecrod = 1\n", "[games.list] has no option 'recrod', use"),
        ("[games.lost]\nrecord = 1\n", "[games] has no option 'lost', use json, delete, export, import, list, show"),
        ("[games]\nlist = 3\n", "'games.list' must be a table, written [games.list]"),
    ):
        environ = written(tmp_path, text)
        assert why in said()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[serve]\nprot = 5001\n", "[serve] has no option 'prot', use profile, camera"),
        ("serve = 3\n", "'serve' must be a table, written [serve]"),
        ("[serve\n", "settings.toml: "),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        load_settings("serve", serve, written(tmp_path, text))
    assert why in str(error.value)


@pytest.mark.parametrize("value", ["[1, 2]", "{a = 1}", "[[]]"])
def test_a_value_of_another_kind_is_named(tmp_path: Path, value: str) -> None:
    with pytest.raises(InputError, match="port: give one value"):
        load_settings("serve", serve, written(tmp_path, f"[serve]\nport = {value}\n"))


@pytest.mark.parametrize("value", ["1.5", "3", "2024-01-01"])
def test_a_value_that_is_no_yes_or_no_is_refused_as_one_that_was_typed(tmp_path: Path, value: str) -> None:
    environ = written(tmp_path, f"[perft]\ndivide = {value}\n")
    done = CliRunner().invoke(referee, ["perft", "camelot", "1"], env=environ, standalone_mode=False)
    assert "is not a valid boolean" in str(done.exception)


def test_an_option_that_may_be_given_more_than_once_takes_one_too(tmp_path: Path) -> None:
    environ = written(tmp_path, '[serve]\nallow-host = "referee.local"\n')
    assert load_settings("serve", serve, environ) == {option_names(serve)["allow-host"]: ["referee.local"]}


def test_a_named_file_must_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CAMELOT_REFEREE_SETTINGS", str(tmp_path / "none.toml"))
    with pytest.raises(SystemExit) as left:
        main(["perft"])
    assert (left.value.code, capsys.readouterr().err.count("\n")) == (2, 1)
    assert load_settings("perft", perft, {"XDG_CONFIG_HOME": str(tmp_path)}) == {}


def test_the_page_has_every_option_of_serve() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"`([a-z-]+)`", " ".join(rows))) == set(option_names(serve)) - {"help"}


def test_what_a_page_shows_has_no_password() -> None:
    arguments = ["--profile", "p.toml", "--camera", "rtsp://me:secret@camera.local/1"]
    table = shown_options(serve.make_context("serve", arguments))
    assert table["camera"] == "rtsp://…@camera.local/1"
    assert (table["mode"], table["new"]) == ("training", "false")
    assert "clock" not in table


NOTES = """# mine
[perft]
divide = true

[serve] # the club's
  mode = "training"  # for beginners
opponent = [
  "black=5",
]

[hall]
port = 7000
"""


def test_a_page_changes_its_lines_of_the_file_and_nothing_else() -> None:
    after = edit_settings(NOTES, "serve", {"mode": "tournament", "delay": 2.5, "clock": None})
    written = NOTES.replace('  mode = "training"  # for beginners', 'mode = "tournament"')
    assert after == written.replace("[serve] # the club's\n", "[serve] # the club's\ndelay = 2.5\n")
    assert edit_settings("", "serve", {"clock": 'a"\\\n'}) == '[serve]\nclock = "a\\"\\\\\\n"\n'
    assert edit_settings(after, "serve", {"delay": None, "mode": None}).count("=") == NOTES.count("=") - 1


@pytest.mark.parametrize(
    "odd", ['serve = {mode = "training"}\n', 'serve.mode = "training"\n', '[serve]\nclock = """\nmode = 3\n"""\n']
)
def test_a_file_that_cannot_be_changed_line_by_line_is_left_to_people(odd: str) -> None:
    with pytest.raises(InputError, match="do it in the file"):
        edit_settings(odd, "serve", {"mode": "tournament"})


def test_what_is_changed_on_the_page_holds_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMELOT_REFEREE_SERVE_PALETTE", "standard")
    file = tmp_path / "own" / "settings.toml"
    context = serve.make_context("serve", ["--delay", "3"])
    changing = ChangeableOptions("serve", context, file, check_terms)
    assert changing.fixed == {"delay", "palette"}
    changing.change_option("mode", "tournament")
    changing.change_option("clock", " 15m+10s ")
    changing.change_option("pictures", "500")
    wrong = {
        "mode": "chess",
        "clock": "soon",
        "pictures": "0",
        "delay": "5",
        "port": "1",
        "lights": "x",
        "palette": "x",
    }
    for name, value in wrong.items():
        with pytest.raises(InputError, match="the command line" if name in changing.fixed else None):
            changing.change_option(name, value)
    environ = {"CAMELOT_REFEREE_SETTINGS": str(file)}
    assert load_settings("serve", serve, environ) == {"mode": "tournament", "clock": "15m+10s", "pictures_mb": 500}
    changing.change_option("clock", "")
    assert "clock" not in load_settings("serve", serve, environ)
    again = serve.make_context("serve", [], default_map=load_settings("serve", serve, environ))
    assert (again.params["mode"].value, again.params["pictures_mb"]) == ("tournament", 500)
