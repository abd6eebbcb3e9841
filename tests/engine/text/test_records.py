"""Records: read, written back, and played through."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import games
from engine.errors import InputError
from engine.game import Game, Move, Outcome, Position, Refusal
from engine.text.records import Comment, Glyph, Ply, Variation, WrittenGame, read_pgn, write_pgn
from engine.text.replay import record_of, replay_record

GAMES = Path(__file__).parents[2] / "data" / "games"
CAMELOT = '[Variant "camelot"]\n[Rules "wcf"]\n\n'

LOSSLESS = [
    ("a bare game", "1. D6-F8 H11-F9 *", 2),
    ("glued numbers", "1.D6-F8 H11-F9 *", 2),
    ("clocks and comments", "{before} 1. D6-F8 {[%clk 2:29:58] good} H11-F9 {[%emt 12.4]} {a \\ b} *", 2),
    ("variations in variations", "1. D6-F8 (1. E6-C8 C11-E9 (1... J11-H9 {x}) 2. C6-C5) H11-F9 ({y} 1... D10-D9) *", 2),
    ("glyphs and marks", "1. D6-F8!? $1 $14 H11-F9?? *", 2),
    ("black begins", "1... H11-F9 2. D6-F8 *", 2),
    ("a later start", "17... H11-F9 18. D6-F8 1-0", 2),
    ("several games", "1. D6-F8 * \n\n[Variant \"cam\"]\n[Result \"1-0\"]\n\n1. C4-C6 1-0", 2),
    ("three columns", "1. E6-E8 D13-F13 I12-G12 2. D5-D7 -- J11-H11 3. F7-F9 *", 3),
    ("nothing but tags", "*", 2),
    ("rest of a line as comment", "1. D6-F8 ; well\n H11-F9 *", 2),
]  # fmt: skip


@pytest.mark.parametrize(("what", "moves", "seats"), LOSSLESS, ids=[row[0] for row in LOSSLESS])
def test_written_records_read_back_the_same(what: str, moves: str, seats: int) -> None:
    records = read_pgn(CAMELOT + moves)
    text = "\n".join(write_pgn(record, seats) for record in records)
    assert read_pgn(text) == records
    assert "\n".join(write_pgn(record, seats) for record in read_pgn(text)) == text


def test_what_a_record_holds() -> None:
    (record,) = read_pgn(CAMELOT + "{hi} 1. D6-F8 {[%clk 2:29:58] [%emt 3]} (1. E6-C8 {why not}) $4 H11-F9 1-0")
    assert record.find_tag("Rules") == "wcf"
    assert record.before == (Comment("hi"),)
    first, second = record.plies
    assert first.parse_commands() == {"clk": "2:29:58", "emt": "3"}
    assert first.after[1:] == (Variation((), (Ply("E6-C8", (Comment("why not"),)),)), Glyph("$4"))
    assert (second, record.result) == (Ply("H11-F9"), "1-0")


def test_black_begins_and_numbers_go_on() -> None:
    (record,) = read_pgn("7... H11-F9 *")
    assert (record.first_number, record.first_seat) == (7, 1)
    assert write_pgn(record).endswith("7... H11-F9 *\n")


def test_quotes_in_a_tag_are_written_and_read_back() -> None:
    record = WrittenGame((("Position", '{"a": "\\"}'),), (), (), "*")
    assert read_pgn(write_pgn(record)) == (record,)


UNREADABLE = [
    ("", "holds no game"),
    ('[Event "x]\n1. D6-F8 *', "line 1: a tag is written"),
    ('[Event "x"]\n\n1. D6-F8 {open *', "line 3: a comment in braces is never closed"),
    ("1. D6-F8 (1. E6-C8", "a variation in parentheses is never closed"),
    ("1. D6-F8 ) *", "has no opening one"),
    ("(1. D6-F8) *", "a variation stands before any move"),
    ("$3 1. D6-F8 *", "before any move"),
    ("1. D6-F8 (1. E6-C8 *) *", "a variation has no result"),
    ("1. D6-F8 " + "(1. E6-C8 " * 60, "within each other"),
    ("1. D6-F8 *\n" + "x" * 1_000_001, "line 2: is longer than 1000000 characters"),
    ("1. E6-C8 E11-G9\n" * 50_000, "line 16667: a game of more than 50000 moves"),
]


@pytest.mark.parametrize(("text", "message"), UNREADABLE, ids=[row[1] for row in UNREADABLE])
def test_a_record_that_cannot_be_read_is_named_with_its_fault(text: str, message: str) -> None:
    with pytest.raises(InputError, match=r"here\.pgn: .*" + message):
        read_pgn(text, "here.pgn")


REPLAYS = [
    ("lawful", "1. D6-F8 H11-F9 2. C6-E8-G8 *", None, 3),
    ("an illegal move", "1. D6-F8 H11-F9 2. C6-C9 *", "ply 3 (white) C6-C9: illegal: not-a-move", 2),
    ("one that stood", "1. D6-B8 {[%as-played not-a-move]} H11-F9 *", None, 2),
    ("one that cannot have stood", "1. A4-A5 {[%as-played no-piece]} *", "ply 1 (white) A4-A5: illegal: no-piece", 0),
    ("an illegal variation", "1. D6-F8 H11-F9 (1... C11-C8) *", "ply 2 (black) C11-C8: illegal: not-a-move", 1),
    ("deep in a variation", "1. D6-F8 (1. D6-F8 C11-C10 (1... C11-D9)) *", "ply 2 (black) C11-D9: illegal:", 0),
    ("black begins", "1... H11-F9 2. D6-F8 *", None, 2),
    ("the tag says otherwise", '[Result "0-1"]\n1. D6-F8 1-0', "result 1-0: result: The tag Result", 1),
]  # fmt: skip


@pytest.mark.parametrize(("what", "moves", "fault", "plies"), REPLAYS, ids=[row[0] for row in REPLAYS])
def test_a_record_is_replayed_up_to_its_first_fault(what: str, moves: str, fault: str | None, plies: int) -> None:
    (record,) = read_pgn(CAMELOT.strip() + "\n" + moves)
    played = replay_record(record)
    assert str(played.fault)[: len(fault or "None")] == (fault or "None")
    assert len(played.texts) == plies


def test_a_result_must_fit_the_end() -> None:
    position = '{\\"cells\\": {\\"F15\\": \\"WM\\", \\"G16\\": \\"WM\\", \\"E5\\": \\"BM\\", \\"A7\\": \\"BM\\"}}'
    text = CAMELOT.strip() + f'\n[Position "{position}"]\n\n1. F15-F16 '
    assert replay_record(read_pgn(text + "1-0")[0]).fault is None
    assert replay_record(read_pgn(text + "*")[0]).fault is None
    assert "1-0 (castle)" in str(replay_record(read_pgn(text + "0-1")[0]).fault)
    ruled = replay_record(read_pgn(f'[Termination "adjudication"]\n{text}0-1')[0])
    assert (ruled.fault, ruled.outcome) == (None, Outcome("0-1", "ruling"))
    assert "A game of camelot ends with" in str(
        replay_record(read_pgn(f'[Termination "adjudication"]\n{text}0-1-0')[0]).fault
    )


@pytest.mark.parametrize("tags", [
    '[Event "no variant"]', '[Variant "chess"]', '[Variant "camelot"]\n[Rules "x"]', '[Variant "cam"]\n[Setup "x"]',
    '[Variant "cam"]\n[Position "{"]', '[Variant "cam"]\n[Position "{}"]',
])  # fmt: skip
def test_openings_that_cannot_be_used(tags: str) -> None:
    with pytest.raises(InputError):
        replay_record(read_pgn(tags + "\n\n*")[0])


def test_a_start_that_contradicts_the_position() -> None:
    with pytest.raises(InputError, match="is to move"):
        replay_record(read_pgn('[Variant "cam"]\n[Position "{\\"cells\\": {\\"C4\\": \\"WN\\"}}"]\n\n1... C4-C5 *')[0])


@pytest.mark.parametrize(("file", "plies"), [("wc2009-g1.pgn", 23), ("three_columns.pgn", 60)])
def test_recorded_games_are_lawful(file: str, plies: int) -> None:
    (record,) = read_pgn((GAMES / file).read_text())
    played = replay_record(record)
    assert played.fault is None
    assert len(played.texts) == plies


@pytest.mark.parametrize("name", ["camelot", "tri-camelot", "cam-3d"])
@given(choices=st.lists(st.integers(0, 1000), max_size=40))
@settings(max_examples=15, deadline=None)
def test_play_becomes_a_record_and_back(name: str, choices: list[int]) -> None:
    game = games.load(name)
    stands, moves = [game.start()], []
    for choice in choices:
        lawful = game.moves(stands[-1])
        if not lawful:
            break
        moves.append(lawful[choice % len(lawful)])
        stands.append(game.play(stands[-1], moves[-1]))
    record = record_of(game, stands, moves, (("Event", "Any"), ("Result", "?")), "*")
    assert read_pgn(write_pgn(record, len(game.seats))) == (record,)
    played = replay_record(record)
    assert played.fault is None
    assert played.positions == tuple(stands)


def test_a_skipped_player_keeps_the_column() -> None:
    game = games.load("tri-camelot")
    start = game.resign(game.start(), 1)
    assert isinstance(start, Position)
    stands, moves = [start], []
    for _ in range(4):
        moves.append(game.moves(stands[-1])[0])
        stands.append(game.play(stands[-1], moves[-1]))
    record = record_of(game, stands, moves, (), "*")
    assert [ply.text == "--" for ply in record.plies] == [False, True, False, False, True, False]
    assert replay_record(record).positions == tuple(stands)


TAGS = '[Event "x"]\n[Variant "camelot"]\n[Rules "wcf"]\n'
WRITTEN = {
    "en dash": "1. D6\u2013F8 H11\u2013F9 *",
    "minus": "1. D6\u2212F8 H11\u2212F9 *",
    "hyphen that does not break": "1. D6\u2011F8 H11\u2010F9 *",
    "em dash": "1. D6\u2014F8 H11\u2014F9 *",
    "spaces around signs": "1. D6 - F8 H11 -F9 *",
    "spaces around dashes": "1. D6 \u2013 F8 H11\u2013 F9 *",
    "small letters": "1. d6-f8 h11-f9 *",
    "ellipsis": "1. D6-F8 1\u2026 H11-F9 *",
    "glued ellipsis": "1. D6-F8 1\u2026H11-F9 *",
    "better": "1. D6-F8 \u00b1 H11-F9 \u2213 *",
    "winning": "1. D6-F8 +- H11-F9 -+ *",
    "equal": "1. D6-F8 = H11-F9 \u221e *",
    "marks of their own": "1. D6-F8 ! H11-F9 ?! *",
    "a line of another program": "% made by hand\n1. D6-F8\n%eval 3\nH11-F9 *",
    "a comment at the end of a line": "1. D6-F8 ; 2. C6-C5\nH11-F9 *",
    "windows": "1. D6-F8\r\nH11-F9\r\n*\r\n",
}


@pytest.mark.parametrize("moves", WRITTEN.values(), ids=WRITTEN)
def test_moves_as_people_write_them(moves: str) -> None:
    (record,) = read_pgn(f"{TAGS}\n{moves}")
    game = games.load("camelot", "wcf")
    played = replay_record(record)
    assert played.fault is None
    plies = [game.write(stood, move) for stood, move in zip(played.positions, _moves(game, record), strict=False)]
    assert plies == ["D6-F8", "H11-F9"]
    assert read_pgn(write_pgn(record)) == (record,)


def _moves(game: Game, record: WrittenGame) -> list[Move]:
    position, out = game.start(), []
    for ply in record.plies:
        move = game.read(position, ply.text)
        assert not isinstance(move, Refusal)
        out.append(move)
        position = game.play(position, move)
    return out


@pytest.mark.parametrize(
    ("said", "result"),
    [
        ("\u00bd-\u00bd", "1/2-1/2"),
        ("\u00bd\u2013\u00bd", "1/2-1/2"),
        ("1/2 - 1/2", "1/2-1/2"),
        ("1\u20130", "1-0"),
        ("0 \u2212 1", "0-1"),
        ("1 - 0", "1-0"),
        ("*", "*"),
    ],
)
def test_results_as_people_write_them(said: str, result: str) -> None:
    (record,) = read_pgn(f'[Result "{said}"]\n{TAGS}\n1. D6-F8 H11-F9 {said}')
    assert record.result == result
    assert replay_record(record).fault is None
    (tagged,) = read_pgn(f'[Result "{said}"]\n{TAGS}\n1. D6-F8 H11-F9')
    assert tagged.result == result


def test_a_remark_after_the_result_is_no_game() -> None:
    (record,) = read_pgn(f"{TAGS}\n1. D6-F8 H11-F9 1-0 {{well played}}\n; the end")
    assert record.plies[-1].after == (Comment("well played"), Comment("the end"))


def test_comments_and_lines_of_others_above_the_tags() -> None:
    (record,) = read_pgn(f"%utf-8\n{{from a sheet}}\n; and by hand\n{TAGS}\n1. D6-F8 *")
    assert record.before == (Comment("from a sheet"), Comment("and by hand"))
    assert record.find_tag("Rules") == "wcf"
    assert [ply.line for ply in record.plies] == [8]


@pytest.mark.parametrize(
    ("moves", "line", "why"),
    [
        ("1. D6-F8 {never ends", 5, "a comment in braces is never closed"),
        ("1. D6-F8\n) *", 6, "a closing parenthesis"),
        ("( 1. D6-F8 ) *", 5, "a variation stands before any move"),
        ("\u00b1 1. D6-F8 *", 5, "stands before any move"),
        ("1. D6-F8\n[Event x]", 6, "a tag is written"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(moves: str, line: int, why: str) -> None:
    with pytest.raises(InputError, match=f"line {line}: .*{why}"):
        read_pgn(f"{TAGS}\n{moves}")
