"""Players as people write them in a file or a field: a line each, `name; rating; title; federation; FIDE id`."""

from __future__ import annotations

from engine.errors import InputError
from server.hall.tournament.event import Entrant, check_entrant

LARGEST_LIST = 256 * 1024
PLAYER_COLUMNS = ("name", "rating", "title", "federation", "FIDE id")


def read_players(text: str, source: str) -> list[Entrant]:
    """The players of such a text; empty lines and those after # are left out. InputError names the line."""
    if len(text) > LARGEST_LIST:
        raise InputError(f"{source}: at most {LARGEST_LIST // 1024} KB")
    found = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            found.append(parse_player([word.strip() for word in line.replace("\t", ";").split(";")]))
        except InputError as error:
            raise InputError(f"{source}: line {number}: {error}") from error
    if not found:
        raise InputError(f"{source}: holds no player: a line each, {'; '.join(PLAYER_COLUMNS)}")
    return found


def parse_player(words: list[str]) -> Entrant:
    """Who the words of a line name, in the order of PLAYER_COLUMNS. InputError says what cannot be used."""
    if len(words) > len(PLAYER_COLUMNS):
        raise InputError(f"at most {'; '.join(PLAYER_COLUMNS)}")
    name, rating, title, federation, fide_id = words + [""] * (len(PLAYER_COLUMNS) - len(words))
    for said, value in (("rating", rating), ("FIDE id", fide_id)):
        if value and not (value.isascii() and value.isdecimal() and len(value) <= 11):
            raise InputError(f"{said} {value[:20]!r}: a number, or nothing")
    entrant = Entrant(0, name, int(rating or 0), title, federation=federation, fide_id=int(fide_id or 0))
    return check_entrant(entrant)
