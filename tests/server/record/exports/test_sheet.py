"""The score sheet that is signed: it shows what happened, and an ordinary game stays one page."""

from __future__ import annotations

from dataclasses import replace

import pypdfium2
import pytest

from engine.match.acts import Correct, Forfeit, Resign, SetPosition, Undo
from engine.text.positions import to_json
from engine.text.records import read_pgn
from engine.text.replay import replay_record
from server.record.exports import FORMATS
from tests.engine.sights import changed
from tests.server.ruled import SET, Played, by_arbiter


def sheet(played: Played) -> tuple[str, int, int]:
    """The text of a game's sheet, in one line, its pages, and the pictures on the first."""
    pdf = pypdfium2.PdfDocument(FORMATS["pdf"]("game", played.events))
    text = " ".join("".join(page.get_textpage().get_text_range() for page in pdf).split())
    pictures = sum(1 for _ in pdf[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]))
    pages = len(pdf)
    pdf.close()
    return text, pages, pictures


def test_what_the_clocks_had_left_stands_beside_each_move() -> None:
    text, _, _ = sheet(Played(clock="1h").ask("D6-D5", "D10-D9", "E6-E5"))
    assert "D6-D5 1:00:00" in text.replace("–", "-") and "D10-D9 0:59:50" in text.replace("–", "-")
    assert "0:" not in sheet(Played().ask("D6-D5", "D10-D9"))[0].partition("White Black")[2]


def test_moves_that_were_let_stand_or_corrected_are_marked_and_explained() -> None:
    text, _, _ = sheet(Played().ask("D6-D5", "D10-D9", "E6-E4", by_arbiter(Correct(2, "E10-E9"))))
    assert "E6-E4†" in text and "E10-E9‡" in text
    assert "† let stand although it breaks a rule · ‡ corrected" in text
    assert "1. Black: D10-D9 corrected to E10-E9 (by the arbiter, judge)" in text
    assert "†" not in sheet(Played().ask("D6-D5"))[0]


def test_a_position_that_was_set_is_drawn_before_the_moves_from_it() -> None:
    played = Played()
    there = SetPosition(SET | {"rules": played.match.game.rules})
    text, _, pictures = sheet(played.ask("D6-D5", "D10-D9", by_arbiter(there), "F11-F10"))
    assert "The position that was set after 1. Black; Black to move" in text and pictures == 1
    assert text.index("D10-D9") < text.index("The position") < text.index("F11-F10")
    text, _, pictures = sheet(Played().ask(by_arbiter(there), "F11-F10"))
    assert "The position at the beginning; Black to move" in text and pictures == 1
    assert sheet(Played().ask("D6-D5"))[2] == 0


def test_who_left_a_game_of_three_is_at_its_head() -> None:
    course = ("F5-H7", Resign("red", by="page"), "I14-G16", Forfeit("blue", "time", by="page"))
    text, _, _ = sheet(Played("tri-camelot").ask(*course))
    assert "0-0-1 (out of time) Left the game before: Red (by resignation)" in text
    assert "Decisions After 1. Blue: Red resigned (on the page) After 1. Green: Blue lost on time, 0-0-1" in text


@pytest.mark.parametrize("later", [["I14-G16", "E4-F5"], ["I14-G16"], []])
@pytest.mark.parametrize("back", [False, True])
def test_who_had_left_before_a_position_was_set_is_out_unless_it_has_the_side(later: list[str], back: bool) -> None:
    """Red's resignation was told as a position that was set after 1. Blue."""
    played = Played("tri-camelot").ask("F5-H7", Resign("red", by="page"), *later)
    game, before = played.match.game, played.match.game.start() if back else played.match.position
    last = game.board.cells[max(cell for cell, piece in enumerate(before.placement) if piece)]
    stands = to_json(game, replace(before, placement=changed(game, before.placement, f"{last}-")))
    text, _, pictures = sheet(played.ask(by_arbiter(SetPosition(stands))))
    assert ("Left the game before: Red (by resignation)" in text) is not back
    when = {0: "1. Blue", 1: "1. Green", 2: "2. Blue"}[len(later)]
    assert f"The position that was set after {when};" in text and text.count("that was set") == 1 == pictures
    assert "After 1. Blue: Red resigned (on the page)" in text
    (record,) = read_pgn(FORMATS["pgn"]("game", played.events).decode())
    assert replay_record(record).fault is None


def test_what_was_withdrawn_is_on_the_sheet_too() -> None:
    text, _, _ = sheet(Played().ask("D6-D5", by_arbiter(Forfeit("white", "rules")), by_arbiter(Undo())))
    assert "White lost under the rules, 0-1 (by the arbiter, judge)" in text
    assert "Result 0-1 taken back (by the arbiter, judge)" in text
    assert "Decisions" not in sheet(Played().ask("D6-D5"))[0]


def test_a_game_of_forty_moves_with_clocks_is_one_page() -> None:
    to_and_fro = ("D6-D5", "D10-D9", "D5-D6", "D9-D10")
    _, pages, _ = sheet(Played(clock="2h").ask(*to_and_fro * 20))
    assert pages == 1
