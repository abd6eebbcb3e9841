"""Names on the score sheet, in whatever letters: as they are, or said to be missing, and never a box."""

from __future__ import annotations

import numpy as np
import pypdfium2
import pytest

from engine.games import load
from engine.match.referee import new_match
from server.record.archive import as_replay
from server.record.details import Details
from server.record.exports.letters import set_in_fonts
from server.record.exports.sheet import render_sheet
from server.record.journal import build_begin_event


def printed(*names: str) -> tuple[str, pypdfium2.PdfDocument]:
    """The text of a sheet with these players, and its pages."""
    match = new_match(load("camelot"))
    details = Details(event=names[0], players=tuple(zip(match.game.seats, names, strict=False)))
    events = [build_begin_event(match), details.to_event(0.0, "page").to_json()]
    pdf = pypdfium2.PdfDocument(render_sheet(as_replay("camelot-0001", events)))
    return "".join(pdf[0].get_textpage().get_text_range().split("\n")), pdf


@pytest.mark.parametrize(
    "name",
    [
        "Иван Петров",
        "Łukasz Żółć",
        "Γιώργος",
        "Đặng Văn",
        "Şükrü Ğ",
        "王小明",
        "さくら 山田",
        "김민수",
        "Anna & <b>Bo</b>",
    ],
)
def test_a_name_is_printed_in_its_own_letters(name: str) -> None:
    text, pdf = printed(name, "Bo")
    assert name in text.replace("\r", "")
    image = np.asarray(pdf[0].render(scale=2).to_numpy())
    assert (image < 128).any(), "it is drawn"


@pytest.mark.parametrize("name", ["Иван", "Łódź", "Żółć"])
def test_different_letters_have_different_shapes(name: str) -> None:
    """A box for each would make two names of the same length the same picture."""
    one, other = (printed(said, "Bo")[1][0].render(scale=2).to_numpy() for said in (name, name[::-1]))
    assert (one != other).any()


def test_a_name_is_set_in_one_font() -> None:
    assert set_in_fonts("Żółwin – Bo").count("<font") == 1
    assert "<font" not in set_in_fonts("Müller – Bo")


def test_a_letter_that_no_font_has_is_written_as_its_number() -> None:
    text, _ = printed("Ann\U0001f99c", "Bo")
    assert "Ann[U+1F99C]" in text
