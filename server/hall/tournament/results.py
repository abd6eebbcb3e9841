"""What a result is written as, and what it is worth: as in records of games, and what happens without a game.

`1-0`, `0-1`, `1/2-1/2` and, at a table of three, `1-0-0` and so on, as the record of a game ends (engine.text.records);
`0-0`, `0-0-0` every side has lost a game that was begun;
`+:-`, `-:+`, `-:-` who did not come has lost without playing; `bye` the pairing gave a point to who was left over.
Others that stand in a tournament report of FIDE are kept by their letters there, `W:L`.
"""

from __future__ import annotations

from fractions import Fraction

from engine.errors import InputError
from engine.game import lost_by_all
from engine.text.records import RESULT
from server.hall.desk.ledger import StoredGame

BYE = "bye"
NOBODY_CAME = "-:-"
WON_WITHOUT = {"1-0": "+:-", "0-1": "-:+"}
ABSENCE = "absence"
"""Why a game is over that an arbiter ends because somebody has not come (engine.match.acts)."""
MOST_PLIES_ALONE = {"0-1": 0, "1-0": 1}
"""With so many plies at most who has lost has made no move."""
BY_LETTERS = {
    ("1", "0"): "1-0",
    ("0", "1"): "0-1",
    ("=", "="): "1/2-1/2",
    ("0", "0"): "0-0",
    ("+", "-"): "+:-",
    ("-", "+"): "-:+",
    ("-", "-"): NOBODY_CAME,
}
LETTERS_OF = {text: letters for letters, text in BY_LETTERS.items()}
WORTH = dict.fromkeys("1+WFU", Fraction(1)) | dict.fromkeys("=DH", Fraction(1, 2)) | dict.fromkeys("0-LZ", Fraction(0))
"""The letters of FIDE's tournament report."""
UNPLAYED = frozenset("+-FHZU")


def result_from_letters(first: str, second: str) -> str:
    """The result that two letters of a tournament report say."""
    return BY_LETTERS.get((first, second), f"{first}:{second}")


def report_letters(result: str) -> tuple[str, str]:
    """The letters of a tournament report for a result of two."""
    if result in LETTERS_OF:
        return LETTERS_OF[result]
    first, _, second = result.partition(":")
    if len(first) == len(second) == 1 and first in WORTH and second in WORTH:
        return first, second
    raise InputError("result {result}: one of {choices}", result=repr(result[:20]), choices=", ".join(LETTERS_OF))


def award_points(result: str, players: int) -> tuple[Fraction, ...]:
    """What each player of a table gets for a result. InputError if it is none for so many."""
    if players == 1:
        return (Fraction(1),)
    if players == 2:
        first, second = report_letters(result)
        return WORTH[first], WORTH[second]
    parts = result.split("-")
    if not RESULT.fullmatch(result) or len(parts) != players:
        raise InputError("result {result}: at a table of three as 1-0-0 or 1/3-1/3-1/3", result=repr(result[:20]))
    return tuple(Fraction(part) for part in parts)


def check_result(result: str, players: int) -> None:
    """InputError if it is none that may be said of a table: the points of a table are one, or less where two are
    punished. What older programs have taken still counts as it is (`award_points`)."""
    points = sum(award_points(result, players))
    if players > 2 and points != 1 and result != lost_by_all(players):
        raise InputError(
            "result {result}: a table of three has one point, as 1-0-0 or 1/3-1/3-1/3", result=repr(result[:20])
        )
    if points > 1:
        raise InputError("result {result}: a table of two has at most one point", result=repr(result[:20]))


def result_from_board(known: StoredGame) -> str:
    """What a board's result is at its table. Where both have forfeited before a move was made, there was no game; nor
    was there where one did not come, and so has made no move: who waited may have made the first."""
    result, plies = known.summary.result, known.summary.plies
    if result == lost_by_all(2) and not plies:
        return NOBODY_CAME
    if known.reason == ABSENCE and plies <= MOST_PLIES_ALONE.get(result, -1):
        return WON_WITHOUT[result]
    return result


def is_played(result: str) -> bool:
    """Whether there was a game."""
    return (
        result != BYE and not any(letter in UNPLAYED for letter in result.split(":"))
        if ":" in result
        else result != BYE
    )


def format_points(value: Fraction) -> str:
    """Points as people write them: 2, 2½, 1⅓."""
    whole, rest = divmod(value, 1)
    part = {Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 6): "⅙", Fraction(5, 6): "⅚"}
    if not rest:
        return str(whole)
    return f"{whole or ''}{part[rest]}" if rest in part else f"{float(value):.2f}"
