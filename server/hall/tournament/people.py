"""Players as people write them in a file or a field: a line each, `name; rating; title; federation; FIDE id`."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import InputError
from server.hall.tournament.event import Entrant, build_double_error, check_entrant, fold_name

LARGEST_LIST = 256 * 1024
PLAYER_COLUMNS = ("name", "rating", "title", "federation", "FIDE id")


def read_players(text: str, source: str, known: Iterable[Entrant] = ()) -> list[Entrant]:
    """The players of such a text; empty lines and those after # are left out. InputError names the line, also of one
    who has the name of somebody before or of one of those who are `known`."""
    if len(text) > LARGEST_LIST:
        raise InputError("{source}: at most {most} KB", source=source, most=LARGEST_LIST // 1024)
    found, names = [], {fold_name(one.name) for one in known}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            one = parse_player([word.strip() for word in line.replace("\t", ";").split(";")])
            if fold_name(one.name) in names:
                raise build_double_error(one.name)
        except InputError as error:
            raise InputError("{source}: line {number}: {why}", source=source, number=number, why=error) from error
        names.add(fold_name(one.name))
        found.append(one)
    if not found:
        raise InputError(
            "{source}: holds no player: a line each, {columns}", source=source, columns="; ".join(PLAYER_COLUMNS)
        )
    return found


def parse_player(words: list[str]) -> Entrant:
    """Who the words of a line name, in the order of PLAYER_COLUMNS. InputError says what cannot be used."""
    if len(words) > len(PLAYER_COLUMNS):
        raise InputError("at most {columns}", columns="; ".join(PLAYER_COLUMNS))
    name, rating, title, federation, fide_id = words + [""] * (len(PLAYER_COLUMNS) - len(words))
    for said, value in (("rating", rating), ("FIDE id", fide_id)):
        if value and not (value.isascii() and value.isdecimal() and len(value) <= 11):
            raise InputError("{field} {said}: a number, or nothing", field=said, said=repr(value[:20]))
    entrant = Entrant(0, name, int(rating or 0), title, federation=federation, fide_id=int(fide_id or 0))
    return check_entrant(entrant)
