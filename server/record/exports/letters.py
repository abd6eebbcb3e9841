"""Text on paper in whatever letters people are named: each run of it in a font that has them.

The PDF's own fonts have the letters of Western Europe. DejaVu Sans, which is shipped, has the rest of Latin, Cyrillic,
Greek and many more; Chinese, Japanese and Korean stand in the fonts that every PDF reader brings for them. A letter
that none of them has is written as its number: never a box that says nothing.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from itertools import groupby
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont

OWN = ""
"""The font that the text has anyway."""
WIDE = "DejaVuSans"
CHINESE, JAPANESE, KOREAN = "STSong-Light", "HeiseiMin-W3", "HYSMyeongJo-Medium"
KANA = ((0x3041, 0x30FF),)
HANGUL = ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7A3))
IDEOGRAPHS = (
    (0x2E80, 0x3040),
    (0x3100, 0x312F),
    (0x3190, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),
)


def set_in_fonts(said: str) -> str:
    """The text as markup of a Paragraph, which shows it as it is; no name changes its font between two letters."""
    fonts = _register_fonts()
    far_east = JAPANESE if any(_is_in_ranges(letter, KANA) for letter in said) else CHINESE
    parts = [(letter, _font_of(letter, far_east, fonts)) for letter in said]
    if any(font == WIDE for _, font in parts):
        parts = [(letter, WIDE if font == OWN and ord(letter) in fonts else font) for letter, font in parts]
    runs = ((font, "".join(letter for letter, _ in run)) for font, run in groupby(parts, key=lambda part: part[1]))
    return "".join(_mark_up_run(font, run) for font, run in runs)


def _mark_up_run(font: str | None, run: str) -> str:
    if font is None:
        return escape(" ".join(f"[U+{ord(letter):04X}]" for letter in run))
    text = escape("".join(" " if letter.isspace() else letter for letter in run))
    return f'<font name="{font}">{text}</font>' if font else text


def _font_of(letter: str, far_east: str, wide: frozenset[int]) -> str | None:
    """The font that has a letter, None where none has."""
    if letter.isspace() or _is_western(letter):
        return OWN
    if _is_in_ranges(letter, HANGUL):
        return KOREAN
    if _is_in_ranges(letter, KANA) or _is_in_ranges(letter, IDEOGRAPHS):
        return far_east
    return WIDE if ord(letter) in wide else None


def _is_western(letter: str) -> bool:
    """Whether the PDF's own fonts have it."""
    try:
        letter.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def _is_in_ranges(letter: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(letter) <= last for first, last in ranges)


@lru_cache(maxsize=1)
def _register_fonts() -> frozenset[int]:
    """Make the fonts known; which letters the shipped one has."""
    wide = TTFont(WIDE, str(Path(__file__).parent / "fonts" / "DejaVuSans.ttf"))
    pdfmetrics.registerFont(wide)
    pdfmetrics.registerFontFamily(WIDE, *[WIDE] * 4)
    for name in (CHINESE, JAPANESE, KOREAN):
        pdfmetrics.registerFont(UnicodeCIDFont(name))
        pdfmetrics.registerFontFamily(name, *[name] * 4)
    return frozenset(wide.face.charToGlyph)
