"""What a game says about itself, in the language of who reads: its own translations first, then those of the pages.

And what people decided in it: said in the same words on pages, on paper and in the text of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from engine import games
from engine.errors import InputError
from engine.explain.rules_alone import NO_LAWFUL_MOVE, RULES_ALONE
from engine.explain.wording import Words, find_counters, words_of
from engine.game import Game
from engine.match.clock import LONGEST_S, format_time
from server.languages import ENGLISH, Language, load_languages

ENDS_OF_ALL = {
    "resigned": "by resignation",
    "agreement": "by agreement",
    "time": "out of time",
    "absence": "did not come",
    "rules": "forfeited under the rules",
    "repetition": "repetition",
    "quiet-moves": "too long without progress",
    "ruling": "decided by an arbiter",
}
"""Why any game may be over; the rest is the game's own."""


RULE_SET_TITLES = {"wcf": "World Camelot Federation", "brainking": "BrainKing", "default": ""}
"""Rule set -> what people call it; empty for the only one of a game. One from outside has its name in the code."""


def rules_title(rules: str, say: Callable[[str], str] = str) -> str:
    """What people call a rule set, with what was changed in it; "" where a game has no other."""
    name, *changed = rules.split(",")
    title = RULE_SET_TITLES.get(name, name)
    said = [say(title) if name in RULE_SET_TITLES and title else title]
    return ", ".join([*filter(None, said), *(one.replace("_", " ").replace("=", ": ") for one in changed)])


def describe_default_rules(source: str, game: Game) -> str:
    """A line to say about a source that names no rules, by which its game is played then; "" where it has no others."""
    others = [one for one in games.find(game.name).rule_sets if one != game.rules]
    advice = ", ".join(f"for {rules_title(one)} rules give --rules {one}" for one in others)
    return f"{source} names no rule set, so {rules_title(game.rules)} rules apply; {advice}" if others else ""


def add_texts(words: Words, language: Language) -> Language:
    """The language, which knows what a game says about itself as well."""
    return replace(language, texts={**language.texts, **words.texts.get(language.code, {})})


def for_scripts(game: Game, language: Language) -> Mapping[str, object]:
    """What the scripts of a page need: seats, pieces, looks and ends by their names in the record, translated."""
    words = words_of(game)
    say = add_texts(words, language).translate_text
    counter = find_counters(game)
    sides = {code: game.seats[seat] for code, seat in zip(game.codes, game.seat_of, strict=True) if code}
    return {
        "seats": {
            seat: {"name": say(name), "initial": words.initials[seat], "counter": counter[seat]}
            for seat, name in words.seats.items()
        },
        "pieces": {
            code: {"side": sides[code], "kind": say(kind.name), "letter": kind.letter, "drawn": bool(kind.drawing)}
            for code, kind in words.kinds.items()
        },
        "looks": {look: say(name) for look, name in words.looks.items()},
        "ends": {reason: say(text) for reason, text in (ENDS_OF_ALL | dict(words.ends)).items()},
    }


def describe_ending(words: Words, reason: str, language: Language) -> str:
    """Why a game is over, said in a language; an unknown reason as it is written."""
    text = words.ends.get(reason) or ENDS_OF_ALL.get(reason)
    return add_texts(words, language).translate_text(text) if text else reason.replace("-", " ")


def load_words(name: str, rules: str, seats: Sequence[object]) -> Words:
    """What a game says about itself; of one that is not installed what its record tells."""
    try:
        return words_of(games.load(name, rules))
    except InputError:
        return Words(title_of(name), seats={str(seat): str(seat).title() for seat in seats})


@cache
def title_of(name: str) -> str:
    """What people call a game; of one that is not installed, its name."""
    try:
        return words_of(games.load(name)).title
    except InputError:
        return name.replace("-", " ").title()


@dataclass(frozen=True, slots=True)
class GameDecision:
    """What people or the clock decided: `kind` is a key of DECISION_SENTENCES, `values` are what its sentence tells."""

    kind: str
    ply: int
    """After which ply, 0 before the first."""
    number: int = 0
    """The number of that ply in the list of moves, and whose it was."""
    side: str = ""
    t: float | None = None
    date: str = ""
    """When the game was begun (ISO 8601), "" where that is not known."""
    by: str = ""
    """A key of WHO_DECIDED, "" where nobody says."""
    account: str = ""
    clock: Mapping[str, float] = field(default_factory=dict)
    """Seconds that each side had left, as far as they had been told."""
    values: Mapping[str, object] = field(default_factory=dict)


LEFT_KINDS = ("resigned", "time", "absence", "rules")
"""Why a side is out, where a sentence of its own says so."""
DECISION_SENTENCES = {
    "left-resigned": "{side} resigned",
    "left-time": "{side} lost on time",
    "left-absence": "{side} did not come and lost",
    "left-rules": "{side} lost under the rules",
    "left": "{side} is out: {why}",
    "left-withdrawn": "Taken back: {side} is in the game again",
    "draw-offered": "Draw offered",
    "draw-declined": "Draw declined, or its offer withdrawn",
    "draw-agreed": "Draw agreed",
    "draw-claimed": "Draw claimed ({why})",
    "claim-refused": "{side} claimed a draw, which was refused: {why}",
    "result-said": "Result given: {result} ({why})",
    "result-corrected": "Result corrected from {was} to {result} ({why})",
    "result-stands": "Result {result} stands ({why})",
    "result-withdrawn": "Result {result} taken back",
    "result-dropped": "Result {was} taken back: not finished",
    "unfinished": "Marked as not finished",
    "taken-back": "Taken back: {moves}",
    "corrected": "{number}. {side}: {was} corrected to {move}",
    "dropped": "{move} and what followed left out: {rule}",
    "brought-back": "Correction undone: {count} moves are back",
    "as-played": "{move} let stand: {rule}",
    "position": "Another position set",
    "paused": "Paused",
    "adjourned": "Adjourned",
    "resumed": "Resumed",
    "time-lost": "Time that no clock has counted: {time}",
    "time-counted": "It counts for {side}: {time}",
    "time-left-out": "It does not count: {time}",
    "time-added": "{side} was given {time} and has {left}",
    "time-taken": "{side} was docked {time} and has {left}",
    "mode-tournament": "Tournament from here on: nobody is helped",
    "mode-training": "Training from here on: players are helped",
    "ruling": "Ruling: {ruling}",
}
"""Kind of a decision -> its sentence."""
WHO_DECIDED = {
    "page": "on the page",
    "player": "by a player",
    "arbiter": "by the arbiter",
    "button": "by a button at the board",
    "clock": "by the clock",
    "far": "at the other board",
    "board": "by putting pieces back",
}
"""Who has decided -> what people call that: engine.match.acts.WHO, and who says nothing but puts pieces back."""
BY_HANDS = "board"
BEFORE_FIRST, AFTER_PLY, AT_PLY = "Before the first move", "After {number}. {side}", "{where}: {what}"
ENDING = frozenset({"left-resigned", "left-time", "left-absence", "left-rules", "left", "draw-agreed", "draw-claimed"})
"""Kinds after whose sentence stands the result that they led to."""


class ToldDecision(NamedTuple):
    """A decision in words: after which move, what, and by whom with what the clocks had left, as far as known."""

    where: str
    what: str
    who: str


def describe_decision(
    decision: GameDecision, words: Words, language: Language | None = None, *, named: bool = True
) -> str:
    """A decision in a line. Unless `named` the account is left out: it is half of a login, and not for the public."""
    language = language or load_languages()[ENGLISH]
    told = tell_decision(decision, words, language, named=named)
    line = language.translate_text(AT_PLY, where=told.where, what=told.what)
    return f"{line} ({told.who})" if told.who else line


def tell_decision(decision: GameDecision, words: Words, language: Language, *, named: bool = True) -> ToldDecision:
    """The parts of the line."""
    say, value_of = language.translate_text, decision.values.get
    own = add_texts(words, language)
    seats = {seat: own.translate_text(name) for seat, name in words.seats.items()}

    def call(seat: object) -> str:
        return seats.get(str(seat), str(seat))

    said = {
        **decision.values,
        "side": call(value_of("side")),
        "why": _say_why(decision, words, language),
        "rule": say_rule(str(value_of("rule")), language).rstrip("."),
        "time": _format_seconds(value_of("seconds")),
        "left": _format_seconds(value_of("left")),
    }
    what = say(DECISION_SENTENCES[decision.kind], **said)
    if decision.kind in ENDING and (result := value_of("result")):
        reason = value_of("reason")
        what = f"{what}, {result}{f' ({describe_ending(words, str(reason), language)})' if reason else ''}"
    before = {"number": decision.number, "side": call(decision.side)}
    where = say(AFTER_PLY, **before) if decision.ply else say(BEFORE_FIRST)
    by = say(WHO_DECIDED[decision.by]) if decision.by in WHO_DECIDED else decision.by
    who = ", ".join(filter(None, (by, decision.account if named else "")))
    left = ", ".join(f"{call(seat)} {format_time(seconds)}" for seat, seconds in decision.clock.items())
    return ToldDecision(where, what, " · ".join(filter(None, (who, left))))


def say_rule(code: str, language: Language) -> str:
    """The rule that a move breaks, by its code, without the moves that would be lawful."""
    return language.translate_text(RULES_ALONE.get(code, NO_LAWFUL_MOVE))


def _say_why(decision: GameDecision, words: Words, language: Language) -> str:
    why = str(decision.values.get("why", ""))
    if decision.kind == "claim-refused":  # why is a sentence of the arbiter of engine.match
        return language.translate_text(why).rstrip(".")
    return describe_ending(words, why, language)


def _format_seconds(seconds: object) -> str:
    if not isinstance(seconds, int | float) or not abs(seconds) <= LONGEST_S:
        return ""
    return f"{'−' if seconds < 0 else ''}{format_time(abs(seconds))}"
