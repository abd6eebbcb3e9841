"""Games out of pages of prose and of other servers; what cannot be read is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.errors import InputError
from server.cli import referee
from server.record.imports import parse_text
from server.record.journal import fold_events
from tests.server.record.reading import read_games

PAGE = """World Championship Match, Game 1

White: Dan Troyka
Black: Michael Nolan

1.D6-F8 1....H11-F9 A quiet beginning; on 4 boards of 12 this was played.
2.C6-E8-G8 (2.D7-D8 was tried in 1931.) 2....J11-H11
White follows with 3.H6-H8 and Black answers 3....E11-G9!
4.J6-H6 C11-E11 5. I6-I8 D11-D9
6.I8-J9 6....D10-D8xD6?
7.E6xC6 7....I10xK8 and the rest is a matter of technique. 1-0
"""


def moves(tmp_path: Path, text: str) -> tuple[str, list[str]]:
    path = tmp_path / "page.txt"
    path.write_text(text, encoding="utf-8")
    ((_, events),) = read_games(path)
    match = fold_events(events, "page")
    return match.game.rules, [str(event["notation"]) for event in events if event["event"] == "move"]


def test_a_page_is_read_as_it_is(tmp_path: Path) -> None:
    rules, played = moves(tmp_path, PAGE)
    assert rules == "wcf"
    assert (len(played), played[:4], played[-1]) == (14, ["D6-F8", "H11-F9", "C6-E8-G8", "J11-H11"], "I10xK8")


def test_names_and_result_of_a_page_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    path.write_text(PAGE, encoding="utf-8")
    ((_, events),) = read_games(path)
    assert events[1]["details"] == {"players": {"white": "Dan Troyka", "black": "Michael Nolan"}}
    assert events[-1]["result"] == "1-0"


def test_canters_may_be_written_with_a_hat(tmp_path: Path) -> None:
    assert moves(tmp_path, "1. D6^F8 H11^F9 2. C6^E8^G8 J11^H11")[1][2] == "C6-E8-G8"


def test_a_game_of_brainking_is_read_under_its_rules(tmp_path: Path) -> None:
    text = (
        '[Site "BrainKing.com"]\n[White "anna"]\n[Black "ben"]\n[Result "*"]\n\n1. D6-D5 D11-D12 2. D5-C4 D12-C13 *\n'
    )
    assert moves(tmp_path, text) == ("brainking", ["D6-D5", "D11-D12", "D5-C4", "D12-C13"])


@pytest.mark.parametrize(
    ("wrong", "right", "line", "said"),
    [
        ("7.E6xC6", "7.E6-E5", 11, "must-jump"),
        ("5. I6-I8 D11-D9\n6.", "8.", 9, "without move 5"),
        ("H6-H8", "H6-Z8", 8, "off-board"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, wrong: str, right: str, line: int, said: str
) -> None:
    with pytest.raises(InputError) as fault:
        moves(tmp_path, PAGE.replace(wrong, right))
    assert said in str(fault.value) and "line " in str(fault.value)
    assert f"line {line}:" in str(fault.value)


def test_a_page_without_a_game_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no game"):
        moves(tmp_path, "Nothing but words, and 3 of them.")


SHORT = "1. h7-f5 d10-c9 2. f6-e5 j11-j10"


@pytest.mark.parametrize(
    ("end", "result"),
    [
        (" 0.5-0.5", "1/2-1/2"),
        (" 0,5 : 0,5", "1/2-1/2"),
        (" ½:½", "1/2-1/2"),
        ("\n1 - 0", "1-0"),
        (" 1-0 3 pieces were left", "1-0"),
        (" 0–1. Black won.", "0-1"),
    ],
)
def test_results_are_read_as_people_write_them(tmp_path: Path, end: str, result: str) -> None:
    path = tmp_path / "page.txt"
    path.write_text(SHORT + end, encoding="utf-8")
    ((_, events),) = read_games(path)
    assert events[-1]["result"] == result
    assert not parse_text(SHORT + end, path).lacks_result


@pytest.mark.parametrize("score", ["1/2", "½", "+:-", "-:+", "0:5-0:5", "0-0", "2-1"])
def test_a_score_that_is_no_result_is_refused_with_its_line(tmp_path: Path, score: str) -> None:
    with pytest.raises(InputError, match=r"line 2: not readable as a result; write 1-0, 0-1, 1/2-1/2, or "):
        moves(tmp_path, f"{SHORT}\n{score}")


@pytest.mark.parametrize("number", ["3", "3)", "3:", "3.", "3 ."])
def test_a_move_after_a_number_of_another_form_is_never_left_out(tmp_path: Path, number: str) -> None:
    with pytest.raises(InputError, match="line 2: not readable as a move here"):
        moves(tmp_path, f"{SHORT}\n{number} J6~H8~F6 I11-I9")
    if number == "3:":
        with pytest.raises(InputError, match=r"line 2: not readable as a move .* written like 3\. D6-F8"):
            moves(tmp_path, f"{SHORT}\n{number} J6-H8-F6-D4 I11-I9")


@pytest.mark.parametrize(
    ("end", "missing"),
    [("\nDraw agreed", False), (" remis", False), (" White resigned, and 12-15 pieces were left", True), (" *", False)],
)
def test_a_game_of_which_only_words_say_how_it_ended_is_said_to_have_no_result(
    tmp_path: Path, end: str, *, missing: bool
) -> None:
    path = tmp_path / "page.txt"
    path.write_text(SHORT + end, encoding="utf-8")
    for command in (["check"], ["games", "import", "--record", str(tmp_path / "r.sqlite3")]):
        answer = CliRunner().invoke(referee, [*command, str(path)])
        assert ("no result was found" in answer.output) == missing, answer.output


LAST_PAIR = "1. D6-D5 D11-D12\n2. C6-C5 {} E11-E12\n0-1"


@pytest.mark.parametrize("beside", ["{Anna thinks}", "$14", "!", "; so far\n", "(2. D5-D4)", "(2. D5-D4 {hm} ) $3"])
def test_what_may_stand_beside_moves_with_tags_may_without(tmp_path: Path, beside: str) -> None:
    assert moves(tmp_path, LAST_PAIR.format(beside))[1] == ["D6-D5", "D11-D12", "C6-C5", "E11-E12"]


@pytest.mark.parametrize("beside", ["oops", "oops {hm}", "2 ...,", "; or D11-D10\n", "{", "}", "(", "2. D7-D6"])
def test_a_move_after_what_cannot_be_read_is_refused_with_its_line(tmp_path: Path, beside: str) -> None:
    with pytest.raises(InputError, match=r"line [23]: "):
        moves(tmp_path, LAST_PAIR.format(beside))


@pytest.mark.parametrize(
    "written", ["E11 to E12", "E11", "E11-", "E11 E12", "E11- oops E12", "E11-{hm}E12", "E11-E1oops2"]
)
def test_half_a_last_move_is_refused_with_its_line(tmp_path: Path, written: str) -> None:
    for number in ("", "2... "):
        with pytest.raises(InputError, match="line 2: "):
            moves(tmp_path, LAST_PAIR.format("").replace("E11-E12", number + written))


GAMES = (
    "1. D6-F8 H11-F9 2. C6-E8-G8 J11-H11 3. H6-H8 E11-G9 4. J6-H6 C11-E11 1-0",
    "1.D6-F8 1...H11-F9\n2.C6^E8^G8 2...J11-H11\n3.H6-H8 0-1",
    "1) D6-D5 D11-D12\n2) C6-C5 E11-E12",
    "1 D6-D5  D11-D12\n2 C6-C5  E11-E12\n1/2-1/2",
    "Anna played 1. D6-F8 and Ben 1... H11-F9! 2. C6-E8-G8 (2. D7-D8) J11-H11 *",
)
INSERTED = (
    "{Anna thinks}",
    "{a\nb (c}",
    "$14",
    "!",
    "oops",
    "; hm\n",
    "(2. D7-D8)",
    "(or so)",
    "{",
    "}",
    "(",
    "-",
    "2.",
    "x",
)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("gap", ["", " "])
def test_whatever_is_put_into_a_game_leaves_no_ply_out(game: str, gap: str) -> None:
    """All plies are read, or none."""
    played = plies_of(game)
    for inserted in INSERTED:
        for at in range(len(game) + 1):
            text = f"{game[:at]}{gap}{inserted}{gap}{game[at:]}"
            try:
                found = plies_of(text)
            except InputError as fault:
                assert "page" in str(fault)
            else:
                assert found == played, text


def plies_of(text: str) -> list[str]:
    ((_, events),) = parse_text(text, Path("page")).games
    return [str(event["notation"]).rstrip("!") for event in events if event["event"] == "move"]
