"""Records as people write them, a dozen of each kind: read rightly, or refused with the line and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.errors import InputError
from server.record.imports import assumed_in, parse_text
from tests.server.record.reading import read_games
from tests.server.record.test_archive import refused, run

MOVES = (
    *("D6-F8", "H11-F9", "C6-E8-G8", "J11-H11", "H6-H8", "E11-G9", "J6-H6", "C11-E11"),
    *("I6-I8", "D11-D9", "I8-J9", "D10-D8xD6", "E6xC6", "I10xK8"),
)
HEAD = """[Event "Club evening"]
[Site "Lisbon"]
[Date "2024.05.01"]
[Round "3"]
[White "Anna"]
[Black "Ben"]
[Result "1-0"]

"""
FIRST_LINE = 9
"""Where move 1 stands: each has a line of its own."""


def column(first: str = "{n}. ", second: str = " ") -> str:
    """The moves, with what stands before each."""
    pairs = zip(MOVES[::2], MOVES[1::2], strict=True)
    lines = [first.format(n=n) + white + second.format(n=n) + black for n, (white, black) in enumerate(pairs, start=1)]
    return "\n".join(lines)


GAME = f"{HEAD}{column()} 1-0\n"
DASHES = {
    "en dash": "\u2013",
    "em dash": "\u2014",
    "minus": "\u2212",
    "hyphen": "\u2010",
    "hyphen that does not break": "\u2011",
    "figure dash": "\u2012",
    "bar": "\u2015",
    "small em dash": "\ufe58",
    "small hyphen": "\ufe63",
    "wide hyphen": "\uff0d",
    "soft hyphen too": "\u00ad-",
}
GAPS = {
    "blanks": " - ",
    "before": " -",
    "after": "- ",
    "two": "  -  ",
    "tabs": "\t-\t",
    "hard": "\u00a0-\u00a0",
    "thin": "\u2009-\u2009",
    "narrow": "\u202f-\u202f",
    "unseen": "\u200b-\u200b",
    "en dash": " \u2013 ",
    "wrapped": "-\n",
}
RESULTS = {
    "\u00bd-\u00bd": "1/2-1/2",
    "\u00bd\u2013\u00bd": "1/2-1/2",
    "\u00bd - \u00bd": "1/2-1/2",
    "\u00bd:\u00bd": "1/2-1/2",
    "1/2 \u2212 1/2": "1/2-1/2",
    "0.5-0.5": "1/2-1/2",
    "0,5:0,5": "1/2-1/2",
    "1\u20130": "1-0",
    "1 - 0": "1-0",
    "1:0": "1-0",
    "0 : 1": "0-1",
    "0\u20141": "0-1",
    "*": "*",
    "": "*",
}
NO_RESULTS = ("gleich", "\u00bd", "1-0.", "1-O", "White is winning", "resigns", "+:-", "1/2", "10", "1--0", "1 0")
NUMBERS = {
    "1… 1…": ("{n}. ", " {n}\u2026 "),
    "1... ": ("{n}. ", " {n}... "),
    "1. ...": ("{n}. ", " {n}. ... "),
    "glued": ("{n}.", " {n}..."),
    "...": ("{n}. ", " ... "),
    "…": ("{n}. ", " \u2026 "),
    "1 .": ("{n} . ", " "),
    "01.": ("0{n}. ", " "),
    "none": ("", " "),
    "a line each": ("{n}. ", "\n{n}... "),
    "four dots": ("{n}.", " {n}...."),
    "1)": ("{n}) ", " "),
    "1) 1)...": ("{n})", " {n})... "),
    "1": ("{n} ", "\t"),
}
NO_NUMBERS = ("({n}) ", "{n}: ", "#{n}. ", "{n}.) ", "{n}- ", "No. {n} ", "[{n}] ", "\u2460 ")
MARKS = ("!", "?", "!?", "?!", "!!", "??", "\u00b1", "\u2213", "+-", "-+", "=", "\u221e", "\u2a72", "+/-", "=+", "$16")
NO_MARKS = ("N", "#", "+", "++", "e.p.", "TN", "\u27f3", "(!)", "[?]", "~")


def read(folder: Path, text: str | bytes, variant: str | None = None, rules: str | None = None) -> list[object]:
    """For each game of a file the moves, the result (* for none) and the rules."""
    path = folder / "evening.pgn"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found: list[object] = []
    for _, events in read_games(path, variant, rules):
        moves = [str(event["notation"]) for event in events if event["event"] == "move"]
        ends = [str(event["result"]) for event in events if event["event"] == "result"]
        found.append((plain(moves), *(ends or ["*"]), events[0]["rules"]))
    return found


def plain(moves: Sequence[str]) -> tuple[str, ...]:
    return tuple(move.upper().replace("X", "x").rstrip("!?") for move in moves)


def says(folder: Path, text: str | bytes) -> str:
    """Why nothing of it is taken."""
    with pytest.raises(InputError) as fault:
        read(folder, text)
    return str(fault.value)


WHOLE = [(MOVES, "1-0", "wcf")]


@pytest.mark.parametrize("name", DASHES)
def test_any_dash_is_a_hyphen(tmp_path: Path, name: str) -> None:
    dash = DASHES[name]
    assert read(tmp_path, f"{HEAD}{column().replace('-', dash)} 1{dash[-1]}0\n") == WHOLE


@pytest.mark.parametrize("sign", ["--", "->", "\u2192", "~", "=", "_", "/", "\u2022", "to", ""])
def test_what_is_no_dash_is_refused_where_it_stands(tmp_path: Path, sign: str) -> None:
    assert f"line {FIRST_LINE + 4}:" in says(tmp_path, GAME.replace("I6-I8", f"I6{sign}I8"))


@pytest.mark.parametrize("cross", ["\u00d7", "\u2715", "\u2716", "X", " x ", " \u00d7 ", "x ", "\u00a0x\u00a0"])
def test_any_cross_is_a_capture(tmp_path: Path, cross: str) -> None:
    assert read(tmp_path, GAME.replace("x", cross)) == WHOLE


@pytest.mark.parametrize("cross", ["*", "+", "\u0445", "xx", "tx", "\u00f7", "@", "v", "%", "#"])
def test_what_is_no_cross_is_refused_where_it_stands(tmp_path: Path, cross: str) -> None:
    assert f"line {FIRST_LINE + 6}:" in says(tmp_path, GAME.replace("E6xC6", f"E6{cross}C6"))


@pytest.mark.parametrize("name", GAPS)
def test_spaces_may_stand_around_signs(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, f"{HEAD}{column().replace('-', GAPS[name])} 1-0\n") == WHOLE


@pytest.mark.parametrize("written", RESULTS)
def test_results_in_other_signs(tmp_path: Path, written: str) -> None:
    result = RESULTS[written]
    text = f"{HEAD.replace('1-0', '?')}{column()} {written}\n"
    assert read(tmp_path, text) == [(MOVES, result, "wcf")]
    tagged = f"{HEAD.replace('1-0', written)}{column()}\n"
    assert read(tmp_path, tagged) == [(MOVES, result, "wcf")]


@pytest.mark.parametrize("written", NO_RESULTS)
def test_a_result_that_is_none_is_refused(tmp_path: Path, written: str) -> None:
    assert "line 15:" in says(tmp_path, f"{HEAD.replace('1-0', '?')}{column()} {written}\n")
    assert "line 7: a result is 1-0" in says(tmp_path, f"{HEAD.replace('1-0', written)}{column()}\n")


@pytest.mark.parametrize("written", ["0-1", "\u00bd-\u00bd", "*"])
def test_a_result_that_contradicts_its_tag_is_refused(tmp_path: Path, written: str) -> None:
    assert "line 15: result" in says(tmp_path, f"{HEAD}{column()} {written}\n")


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_as_people_write_them(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, f"{HEAD}{column(*NUMBERS[name])}\n1-0\n") == WHOLE


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_a_number_that_is_none_is_refused(tmp_path: Path, number: str) -> None:
    assert f"line {FIRST_LINE}:" in says(tmp_path, f"{HEAD}{column(number)} 1-0\n")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("4. J6-H6 C11-E11\n", "", 12),  # the pair that is missing
        ("4. ", "5. ", 12),
        ("4. ", "3. ", 12),
        ("1. ", "2. ", 9),
    ],
)
def test_a_number_that_is_not_the_next_one_is_refused(tmp_path: Path, old: str, new: str, line: int) -> None:
    said = says(tmp_path, GAME.replace(old, new))
    assert f"line {line}:" in said and "is a move missing?" in said


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("gap", ["", " "])
def test_marks_after_a_move(tmp_path: Path, mark: str, gap: str) -> None:
    assert read(tmp_path, GAME.replace("H6-H8", f"H6-H8{gap}{mark}")) == WHOLE


@pytest.mark.parametrize("mark", NO_MARKS)
@pytest.mark.parametrize("gap", ["", " "])
def test_a_mark_that_nobody_knows_is_refused(tmp_path: Path, mark: str, gap: str) -> None:
    assert f"line {FIRST_LINE + 2}:" in says(tmp_path, GAME.replace("H6-H8", f"H6-H8{gap}{mark}"))


ASIDE = {
    "% above": f"% eval\n%x\n{GAME}",
    "% between tags": GAME.replace("[Site", "%y\n[Site"),
    "% before the moves": GAME.replace("1. D6", "%z\n1. D6"),
    "% between moves": GAME.replace("4. ", "%A1-A2\n4. "),
    "% at the end": f"{GAME}%end\n",
    "% with CRLF": GAME.replace("4. ", "%x\n4. ").replace("\n", "\r\n"),
    "brace above": f"{{By Dan}}\n{GAME}",
    "brace of two lines above": f"{{By Dan,\nin 2024}}\n{GAME}",
    "semicolon above": f"; By Dan\n{GAME}",
    "brace between tags": GAME.replace("[Site", "{note}\n[Site"),
    "semicolon between tags": GAME.replace("[Site", "; note\n[Site"),
    "brace before the moves": GAME.replace("1. D6", "{hello} 1. D6"),
    "brace in the moves": GAME.replace("4. ", "{[%eval 3] a (b) ; c} 4. "),
    "semicolon in the moves": GAME.replace("4. ", "; hm 4. A1-A2\n4. "),
    "semicolon with CR": GAME.replace("4. ", "; hm 4. A1-A2\n4. ").replace("\n", "\r"),
    "brace at the end": f"{GAME}{{the end}}\n",
    "a variation": GAME.replace("4. ", "(3... D11-D12) 4. "),
    "variations in variations": GAME.replace("4. ", "(3... D11-D12 (3... E11-E12)) 4. "),
    "a comment in a variation": GAME.replace("4. ", "({or} 3... D11-D12 {so}) 4. "),
}
NO_ASIDE = {
    "braces in braces": (GAME.replace("4. ", "{a {b} c} 4. "), 12, "a closing brace has no opening one"),
    "a brace that does not end": (GAME.replace("4. ", "{a 4. "), 12, "a comment in braces is never closed"),
    "a brace that closes": (GAME.replace("4. ", "} 4. "), 12, "a closing brace has no opening one"),
    "a parenthesis that does not end": (GAME.replace("4. ", "(3... D11-D12 4. "), 15, "a variation has no result"),
    "a parenthesis that closes": (GAME.replace("4. ", ") 4. "), 12, "a closing parenthesis has no opening one"),
    "words in parentheses": (GAME.replace("4. ", "(better was D6) 4. "), 11, "better"),
    "an unlawful variation": (GAME.replace("4. ", "(3... A1-A2) 4. "), 11, "illegal"),
    "% in a line": (GAME.replace("C11-E11", "% x\nC11-E11"), 12, "%"),
    "slashes": (GAME.replace("4. ", "// a remark\n4. "), 12, "//"),
    "a hash": (GAME.replace("4. ", "# a remark\n4. "), 12, "#"),
    "brackets": (GAME.replace("4. ", "[a remark] 4. "), 12, "a tag is written"),
    "words": (GAME.replace("4. ", "a fine move\n4. "), 12, "'a' is no move"),
    "HTML": (GAME.replace("4. ", "<b>x</b> 4. "), 12, "<b>x</b>"),
}


@pytest.mark.parametrize("name", ASIDE)
def test_what_stands_aside_is_no_game_and_no_move(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, ASIDE[name]) == WHOLE


@pytest.mark.parametrize("name", NO_ASIDE)
def test_what_is_neither_aside_nor_move_is_refused(tmp_path: Path, name: str) -> None:
    text, line, why = NO_ASIDE[name]
    said = says(tmp_path, text)
    assert f"line {line}:" in said and why in said, said


FILES: dict[str, str | bytes] = {
    "BOM": f"\ufeff{GAME}",
    "CRLF": GAME.replace("\n", "\r\n"),
    "CR": GAME.replace("\n", "\r"),
    "CRLF and LF": GAME.replace("]\n", "]\r\n"),
    "no blank line": GAME.replace("\n\n", "\n"),
    "blank lines between tags": GAME.replace("]\n", "]\n\n"),
    "tags in one line": GAME.replace("]\n", "] "),
    "indented": "  " + GAME.replace("\n", "\n  "),
    "no line end": GAME.rstrip(),
    "hard spaces": GAME.replace(". ", ".\u00a0"),
    "unseen letters": GAME.replace("4. ", "\u200b4. \u2060"),
    "the game's name in capitals": GAME.replace("[Site", '[Variant "Camelot"]\n[Rules "wcf"]\n[Site'),
    "tags in small letters": GAME.replace("[Site", '[variant "camelot"]\n[rules "wcf"]\n[Site'),
    "a tag twice": GAME.replace("[Site", '[Event "Club evening"]\n[Site'),
    "a quotation mark in a tag": GAME.replace("Anna", r"An\"na"),
}
NO_FILES: dict[str, tuple[str | bytes, str]] = {
    "Latin-1": (GAME.replace("Anna", "Zoë").encode("latin-1"), "line 5: not UTF-8 text"),
    "Windows": (GAME.replace("4. ", "4\u2026 ").encode("cp1252"), "line 12: not UTF-8 text"),
    "UTF-16": (GAME.encode("utf-16"), "line 1: not UTF-8 text"),
    "a letter that a browser lost": (GAME.replace("Anna", "Zo\ufffd"), "line 5: not UTF-8 text"),
    "nothing": ("", "holds no game"),
    "white space": (" \n\n", "holds no game"),
    "% alone": ("%nothing\n", "holds no game"),
    "a comment alone": ("{nothing}\n", "holds no game"),
    "single quotes": (GAME.replace('"', "'"), "line 1: a tag is written"),
    "curly quotes": (GAME.replace(' "', " \u201c").replace('"]', "\u201d]"), "line 1: a tag is written"),
    "no quotes": (GAME.replace('"', ""), "line 1: a tag is written"),
    "a quotation mark": (GAME.replace("Anna", 'An"na'), "line 5: a tag is written"),
    "two names": (GAME.replace("[White", '[White "X"]\n[White'), "line 6: the tag White stands twice"),
    "no such game": (GAME.replace("[Site", '[Variant "chess"]\n[Site'), "line 2: game 'chess': not known"),
    "no such rules": (GAME.replace("[Site", '[Variant "cam"]\n[Rules "x"]\n[Site'), "line 3: "),
    "no such clock": (GAME.replace("[Site", '[TimeControl "soon"]\n[Site'), "line 2: "),
    "another game": (GAME.replace("[Site", '[Variant "chivalry"]\n[Site'), "line 15: ply 12"),
    "zero": (GAME.replace("4. ", "\0 4. "), "line 12: "),
    "a drawing": (f"{GAME}\n--------\n", "line 17: "),
}


@pytest.mark.parametrize("name", FILES)
def test_files_as_programs_write_them(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, FILES[name]) == WHOLE


@pytest.mark.parametrize("name", NO_FILES)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    text, why = NO_FILES[name]
    assert why in says(tmp_path, text)


def test_several_games_in_a_file_stay_apart(tmp_path: Path) -> None:
    unended = HEAD.replace("1-0", "*") + column() + "\n\n"
    assert read(tmp_path, GAME + "\n" + GAME) == WHOLE * 2
    assert read(tmp_path, unended + "% next\n" + GAME) == [(MOVES, "*", "wcf"), *WHOLE]
    assert "game 2: line 28: ply 9" in says(tmp_path, GAME + GAME.replace("I6-I8", "I6-I1"))


PAGE = f"White: Anna\nBlack: Ben\nSite: somewhere\n\n{column('{n}.', ' {n}....')} and Black resigns. 1-0\n"
PAGES = {
    "as it is": PAGE,
    "a pair in a line": PAGE.replace(" 4....", " "),
    "en dashes": PAGE.replace("-", "\u2013"),
    "minus": PAGE.replace("-", "\u2212"),
    "spaces": PAGE.replace("-", " - ").replace("x", " x "),
    "hard spaces": PAGE.replace("....", "....\u00a0"),
    "crosses": PAGE.replace("x", "\u00d7"),
    "colons": PAGE.replace("x", ":"),
    "1…": PAGE.replace("....", "\u2026"),
    "hats": PAGE.replace("C6-E8-G8", "C6^E8^G8"),
    "CRLF": PAGE.replace("\n", "\r\n"),
    "asides": PAGE.replace("4....", "(4.D6-D5 was tried; 12 of 12.) 4...."),
    "other figures": PAGE.replace("and Black", "on 8. May, in round 8. at board 12, Black"),
}
NO_PAGES = {
    "an arrow in the last move": (PAGE.replace("I10x", "I10\u2192"), 11),
    "an arrow in the last move of a pair": (PAGE.replace(" 7....I10x", " I10\u2192"), 11),
    "a word in the last move": (PAGE.replace("I10xK8", "I10 takes K8").replace("7....I10 takes K8", "7....I10=K8"), 11),
    "a star for a cross": (PAGE.replace("E6x", "E6*"), 11),
    "a move that is missing": (PAGE.replace("4.J6-H6 4....C11-E11\n", ""), 8),
    "a move that is no move": (PAGE.replace("J6-H6", "J6-H1"), 8),
    "a cell that is none": (PAGE.replace("J6-H6", "J6-H66"), 8),
    "one move too many": (PAGE.replace(" and Black", "\n8.E7\u2192E8 and Black"), 12),
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_of_prose(tmp_path: Path, name: str) -> None:
    found = [(tuple(move.replace("^", "-") for move in moves), *more) for moves, *more in read(tmp_path, PAGES[name])]
    assert found == WHOLE


@pytest.mark.parametrize("name", NO_PAGES)
def test_a_page_whose_moves_cannot_all_be_read_is_refused(tmp_path: Path, name: str) -> None:
    text, line = NO_PAGES[name]
    assert f"line {line}:" in says(tmp_path, text)


SITES = {
    "a site": (GAME.replace("Lisbon", "BrainKing.com"), "brainking"),
    "its event": (GAME.replace("Club evening", "BrainKing 12"), "brainking"),
    "an address": (f"{{http://brainking.com/en/1}}\n{GAME}", "brainking"),
    "a page": (PAGE.replace("somewhere", "BrainKing"), "brainking"),
    "a remark": (GAME.replace("4. ", "{unlike on BrainKing} 4. "), "wcf"),
    "nothing": (GAME, "wcf"),
}


@pytest.mark.parametrize("name", SITES)
def test_a_record_that_does_not_say_its_rules(tmp_path: Path, name: str) -> None:
    """What it is taken for is said; an option says otherwise."""
    text, rules = SITES[name]
    assert read(tmp_path, text) == [(MOVES, "1-0", rules)]
    assert assumed_in(text, tmp_path / "evening.pgn") == ("camelot", rules)
    assert read(tmp_path, text, rules="brainking") == [(MOVES, "1-0", "brainking")]
    assert read(tmp_path, text, "camelot", "wcf") == [(MOVES, "1-0", "wcf")]


def test_a_record_with_its_game_but_no_rules_says_which_hold_and_takes_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, file = f'[Variant "camelot"]\n{GAME}', tmp_path / "evening.pgn"
    assert read(tmp_path, text) == [(MOVES, "1-0", "brainking")]
    assert read(tmp_path, text, rules="wcf") == [(MOVES, "1-0", "wcf")]
    file.write_text(text, encoding="utf-8")
    for asked, said in (((), True), (("--rules", "wcf"), False)):
        code, told = run("games", "import", file, *asked, "--record", tmp_path / "games.sqlite3")
        assert (code, "names no rule set, so BrainKing rules apply" in told) == (0, said)


def test_the_command_says_what_it_takes_a_file_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, kept = tmp_path / "evening.pgn", tmp_path / "games.sqlite3"
    file.write_text(GAME, encoding="utf-8")
    code, said = run("games", "import", file, "--record", kept)
    assert (code, "was taken as camelot by the rules wcf" in said) == (0, True)
    file.write_text(GAME.replace("4. ", "5. "), encoding="utf-8")
    assert "line 12:" in refused(capsys, "games", "import", file, "--record", kept)


TAGGED_0_1 = HEAD.replace("1-0", "0-1")


@pytest.mark.parametrize("first", ["{n}) ", "{n} ", "  {n}   ", "{n})"])
def test_a_page_may_number_with_a_parenthesis_or_like_a_score_sheet(first: str, tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    path.write_text(f"{column(first, '  ')} 1-0\n", encoding="utf-8")
    ((_, events),) = read_games(path, "camelot", "wcf")
    assert tuple(str(event["notation"]) for event in events if event["event"] == "move") == MOVES


@pytest.mark.parametrize("head", [False, True], ids=["prose", "tags"])
@pytest.mark.parametrize(
    ("said", "result"),
    [
        *(("Black resigns", "1-0"), ("White resigned.", "0-1"), ("White wins", "1-0"), ("black won!", "0-1")),
        *(
            ("White lost on time", "0-1"),
            ("Draw", "1/2-1/2"),
            ("draw agreed", "1/2-1/2"),
            ("Drawn by agreement.", "1/2-1/2"),
            ("Remis", "1/2-1/2"),
            ("partie nulle", "1/2-1/2"),
            ("empate.", "1/2-1/2"),
        ),
    ],
)
def test_who_won_may_be_said_in_words_after_the_last_move(head: bool, said: str, result: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    tags = '[White "Anna"]\n' + f'[Result "{result}"]\n\n' if head else ""
    path.write_text(f"{tags}{column()}\n{said}\n", encoding="utf-8")
    ((_, events),) = read_games(path, "camelot", "wcf")
    assert events[-1]["result"] == result
    assert not parse_text(path.read_text(encoding="utf-8"), path).lacks_result


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}{column()} White resigns\n",
        f"{HEAD}{column()} White resigns 1-0\n",
        f"{HEAD}{column()} 1-0 White resigns\n",
        f"{TAGGED_0_1}{column().replace('H11-F9', 'H11-F9 White resigns')} 0-1\n",
    ],
    ids=["tag", "result after", "result before", "moves after"],
)
def test_words_that_contradict_the_game_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="line"):
        read_games(path, "camelot", "wcf")


def test_words_about_the_end_within_others_are_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(f"{column()}\nWhite wins a knight now, but it is not over.\n", encoding="utf-8")
    ((_, events),) = read_games(path, "camelot", "wcf")
    assert parse_text(path.read_text(encoding="utf-8"), path).lacks_result
    assert not any(event["event"] == "result" for event in events)
