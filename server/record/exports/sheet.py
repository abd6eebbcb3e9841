"""A game as a score sheet to print and sign (PDF)."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, PropertySet, getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from engine.explain.wording import Words
from server.languages import ENGLISH, load_languages
from server.record.exports.letters import set_in_fonts
from server.saying import describe_ending, load_words, rules_title

NUMBER_WIDTH, USABLE_WIDTH = 14 * mm, 174 * mm
SEAL_POINTS = 8


def render_sheet(replay: Mapping[str, object]) -> bytes:
    """The PDF of a replay (server.record.archive.as_replay): head, numbered moves, result, lines for the signatures."""
    styles = getSampleStyleSheet()
    out = BytesIO()
    listed = replay["seats"]
    words = load_words(str(replay["game"]), str(replay["rules"]), listed if isinstance(listed, list) else [])
    seats = list(words.seats)
    rules = rules_title(str(replay["rules"]))
    title = f"{words.title} ({rules})" if rules else words.title
    document = SimpleDocTemplate(
        out, pagesize=A4, leftMargin=18 * mm, rightMargin=18 * mm, title=f"{replay['name']}", author="camelot-referee"
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
        Spacer(1, 6 * mm),
        _build_moves_table(replay, words),
        Spacer(1, 14 * mm),
        Table(
            [[f"{words.seats[seat]}: ______________________" for seat in seats]],
            colWidths=[USABLE_WIDTH / len(seats)] * len(seats),
        ),
        *_build_seal(replay.get("seal")),
    ]
    document.build(story)
    return out.getvalue()


def _build_seal(seal: object) -> list[Flowable]:
    """The code of the record, its hash, and how to check them; nothing for a game without a seal."""
    if not isinstance(seal, dict):
        return []
    small = ParagraphStyle("seal", parent=getSampleStyleSheet()["Normal"], fontSize=SEAL_POINTS, leading=11)
    at = str(seal["at"])[:16].replace("T", " ")
    lines = (
        f"Code of the record: {seal['code']} (event {seal['number']}{', sealed ' + at if at else ''})",
        f"SHA-256 {seal['head']}",
        f"referee verify --head {seal['code']} finds out whether a record is the one that this sheet was printed from.",
    )
    return [Spacer(1, 10 * mm), *(_build_paragraph(line, small) for line in lines)]


def _build_paragraph(said: str, style: PropertySet) -> Paragraph:
    """Text as it is: a Paragraph takes markup, and <img> in the reason of a result would show any file of it."""
    return Paragraph(set_in_fonts("".join(c if c.isprintable() else " " for c in said)), style)


def _build_moves_table(replay: Mapping[str, object], words: Words) -> Table:
    seats = list(words.seats)
    normal = getSampleStyleSheet()["Normal"]
    rows: list[list[object]] = [["", *words.seats.values()]]
    positions = replay["positions"]
    row: list[object] = []
    for step in positions[1:] if isinstance(positions, list) else []:
        column = 1 + seats.index(step["side"])
        if not row or column < len(row):
            row = [str(len(rows))]
            rows.append(row)
        row.extend([""] * (column - len(row)))
        row.append(_build_paragraph(step["move"], normal))
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
            ]
        )
    )
    return table
