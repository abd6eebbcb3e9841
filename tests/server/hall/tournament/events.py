"""Tournaments for tests: made, and played by chance."""

from __future__ import annotations

import random

from server.hall.tournament import arbiter_actions as running
from server.hall.tournament.event import ROUND_ROBIN, SWISS, TABLES_OF_THREE, Entrant, Tournament
from server.hall.tournament.results import LETTERS_OF

GAMES = {SWISS: "camelot", ROUND_ROBIN: "camelot", TABLES_OF_THREE: "tri-camelot"}
OF_THREE = ("1-0-0", "0-1-0", "0-0-1", "1/3-1/3-1/3")


def made(players: int, rounds: int, system: str = SWISS, **more: str) -> Tournament:
    """A tournament that has not begun."""
    one = Tournament("open", "Open", system, rounds, GAMES[system], begins="2026-11-24", **more)  # type: ignore[arg-type]
    people = [Entrant(0, f"Family{number:02}, Given", 2400 - 10 * number) for number in range(1, players + 1)]
    return running.enter_players(one, people)


def played(one: Tournament, chance: random.Random) -> Tournament:
    """The round that was paired last, with results by chance."""
    results = OF_THREE if one.system == TABLES_OF_THREE else tuple(LETTERS_OF)[:3]
    for table in one.at(one.paired):
        if not table.result:
            one = running.set_result(one, table.round, table.table, chance.choice(results), "Doe", "")
    return one


def through(one: Tournament, chance: random.Random, rounds: int | None = None) -> Tournament:
    """So many rounds, or all."""
    while one.paired < (rounds or one.rounds):
        one = played(running.pair_round(one, one.paired + 1, {}), chance)
    return one
