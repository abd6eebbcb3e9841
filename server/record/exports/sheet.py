"""A game as a score sheet to print and sign (PDF)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import pairwise

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, PropertySet, getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Image, KeepTogether, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from engine.explain.wording import Words
from engine.match.clock import format_time
from server.languages import ENGLISH, load_languages
from server.record.exports.film import render_position
from server.record.exports.letters import set_in_fonts
from server.saying import describe_ending, load_words, rules_title

NUMBER_WIDTH, USABLE_WIDTH, PAGE_MARGIN = 14 * mm, 174 * mm, 18 * mm
SMALL_POINTS, DIAGRAM_HEIGHT = 8, 75 * mm
STOOD, CORRECTED = "†", "‡"
MARKS = {STOOD: "let stand although it breaks a rule", CORRECTED: "corrected"}
"""What stands behind a move -> what that says."""


def render_sheet(replay: Mapping[str, object], decided: Sequence[str] = ()) -> bytes:
    """The PDF of a replay (server.record.archive.as_replay): head, numbered moves, result, what was `decided` in lines,
    lines for the signatures."""
    styles = getSampleStyleSheet()
    out = BytesIO()
    listed = replay["seats"]
    words = load_words(str(replay["game"]), str(replay["rules"]), listed if isinstance(listed, list) else [])
    seats = list(words.seats)
    rules = rules_title(str(replay["rules"]))
    title = f"{words.title} ({rules})" if rules else words.title
    document = SimpleDocTemplate(
        out,
        pagesize=A4,
        leftMargin=PAGE_MARGIN,
        rightMargin=PAGE_MARGIN,
        topMargin=PAGE_MARGIN,
        bottomMargin=PAGE_MARGIN,
        title=f"{replay['name']}",
        author="camelot-referee",
    )
    found = replay["result"]
    result = (
        f"{found['result']} ({describe_ending(words, str(found['reason']), load_languages()[ENGLISH])})"
        if isinstance(found, dict)
        else "not finished"
    )
    when = str(replay["begun"])[:16].replace("T", " ")
    said = replay.get("details")
    known = said if isinstance(said, dict) else {}
    names = replay.get("named")
    players = names if isinstance(names, dict) else {}
    where = " · ".join(str(known[field]) for field in ("event", "round", "place") if known.get(field))
    head = [_build_paragraph(where, styles["Normal"])] if where else []
    if known.get("arbiter"):
        head.append(_build_paragraph(f"Arbiter: {known['arbiter']}", styles["Normal"]))
    if players:
        shown = " – ".join(str(players.get(seat) or words.seats[seat]) for seat in seats)
        head.append(_build_paragraph(shown, styles["Heading2"]))
    story = [
        _build_paragraph(title, styles["Title"]),
        *head,
        _build_paragraph(f"{replay['name']}{' · ' + when if when else ''} · Result: {result}", styles["Normal"]),
        *_build_leavings(replay.get("left"), words),
        Spacer(1, 5 * mm),
        *_build_course(replay, words),
        *_build_decisions(decided),
        Spacer(1, 12 * mm),
        Table(
            [[f"{words.seats[seat]}: ______________________" for seat in seats]],
            colWidths=[USABLE_WIDTH / len(seats)] * len(seats),
        ),
        *_build_seal(replay.get("seal")),
    ]
    document.build(story)
    return out.getvalue()


def _build_leavings(left: object, words: Words) -> list[Flowable]:
    """The sides that went out of a game that others went on with, which its result does not say."""
    if not isinstance(left, list) or not left:
        return []
    english = load_languages()[ENGLISH]
    said = (f"{words.seats[one['side']]} ({describe_ending(words, one['why'], english)})" for one in left)
    return [_build_paragraph(f"Left the game before: {', '.join(said)}", getSampleStyleSheet()["Normal"])]


def _build_seal(seal: object) -> list[Flowable]:
    """The code of the record, its hash, and how to check them; nothing for a game without a seal."""
    if not isinstance(seal, dict):
        return []
    at = str(seal["at"])[:16].replace("T", " ")
    lines = (
        f"Code of the record: {seal['code']} (event {seal['number']}{', sealed ' + at if at else ''})",
        f"SHA-256 {seal['head']}",
        f"referee verify --head {seal['code']} finds out whether a record is the one that this sheet was printed from.",
    )
    return [Spacer(1, 10 * mm), *(_build_paragraph(line, _small_style()) for line in lines)]


def _build_paragraph(said: str, style: PropertySet) -> Paragraph:
    """Text as it is: a Paragraph takes markup, and <img> in the reason of a result would show any file of it."""
    return Paragraph(_mark_up(said), style)


def _mark_up(said: str) -> str:
    return set_in_fonts("".join(c if c.isprintable() else " " for c in said))


def _build_course(replay: Mapping[str, object], words: Words) -> list[Flowable]:
    """The moves, and before those that follow it each position that was set: nobody could play them through without."""
    positions, found = replay["positions"], replay.get("set")
    steps = positions[1:] if isinstance(positions, list) else []
    begins = {one["ply"]: one["side"] for one in found} if isinstance(found, list) else {}
    parts: list[Flowable] = []
    for ply, following in pairwise([*sorted({0, *begins}), len(steps)]):
        if ply in begins:
            last = steps[ply - 1] if ply else {}
            when = f"that was set after {last['number']}. {words.seats[last['side']]}" if last else "at the beginning"
            caption = f"The position {when}; {words.seats[begins[ply]]} to move"
            parts += _build_diagram(replay, ply, caption)
        if ply < following or not parts:
            parts.append(_build_moves_table(steps[ply:following], words))
    marked = {mark for step in steps for mark in _list_marks(step)}
    if marked:
        legend = " · ".join(f"{mark} {said}" for mark, said in MARKS.items() if mark in marked)
        parts += [Spacer(1, 2 * mm), _build_paragraph(legend, _small_style())]
    return parts


def _build_diagram(replay: Mapping[str, object], ply: int, caption: str) -> list[Flowable]:
    picture = Image(BytesIO(render_position(replay, ply)))
    scale = min(DIAGRAM_HEIGHT / picture.imageHeight, USABLE_WIDTH / picture.imageWidth)
    picture.drawWidth, picture.drawHeight = scale * picture.imageWidth, scale * picture.imageHeight
    picture.hAlign = "LEFT"
    block = KeepTogether([_build_paragraph(caption, _small_style()), Spacer(1, 1 * mm), picture, Spacer(1, 4 * mm)])
    return [Spacer(1, 3 * mm), block]


def _small_style() -> ParagraphStyle:
    return ParagraphStyle("small", parent=getSampleStyleSheet()["Normal"], fontSize=SMALL_POINTS, leading=11)


def _list_marks(step: Mapping[str, object]) -> list[str]:
    return [mark for mark, said in ((STOOD, step.get("as_played")), (CORRECTED, step.get("was"))) if said]


def _build_decisions(decided: Sequence[str]) -> list[Flowable]:
    """What people decided, a line each; nothing for a game in which nobody did."""
    if not decided:
        return []
    heading = _build_paragraph("Decisions", getSampleStyleSheet()["Heading4"])
    return [Spacer(1, 4 * mm), heading, *(_build_paragraph(line, _small_style()) for line in decided)]


def _build_move(step: Mapping[str, object]) -> Paragraph:
    """A move with its marks, and what its side's clock had left after it."""
    said, clock = f"{step['move']}{''.join(_list_marks(step))}", step.get("clock")
    left = ""
    if isinstance(clock, int | float):
        left = f'  <font size="{SMALL_POINTS}" color="#666666">{format_time(clock)}</font>'
    return Paragraph(f"{_mark_up(said)}{left}", getSampleStyleSheet()["Normal"])


def _build_moves_table(steps: Sequence[Mapping[str, object]], words: Words) -> Table:
    seats = list(words.seats)
    rows: list[list[object]] = [["", *words.seats.values()]]
    row: list[object] = []
    for step in steps:
        column = 1 + seats.index(str(step["side"]))
        if not row or column < len(row):
            row = [str(step["number"])]
            rows.append(row)
        row.extend([""] * (column - len(row)))
        row.append(_build_move(step))
    for line in rows:
        line.extend([""] * (len(seats) + 1 - len(line)))
    width = (USABLE_WIDTH - NUMBER_WIDTH) / len(seats)
    table = Table(rows, colWidths=[NUMBER_WIDTH, *[width] * len(seats)], repeatRows=1)
    table.setStyle(
        TableStyle(
            [
                ("LINEBELOW", (0, 0), (-1, 0), 1, colors.black),
                ("LINEBELOW", (0, 1), (-1, -1), 0.25, colors.grey),
                ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("TOPPADDING", (0, 1), (-1, -1), 1.5),
                ("BOTTOMPADDING", (0, 1), (-1, -1), 1.5),
            ]
        )
    )
    return table
