"""What a game says about itself, in the language of who reads: its own translations first, then those of the pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from engine import games
from engine.errors import InputError
from engine.explain.wording import Sentence, Words, find_counters, words_of
from engine.game import Game
from server.languages import Language

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


def text_translator(words: Words, language: Language) -> Callable[..., str]:
    """Says the texts of a game in a language."""
    own = words.texts.get(language.code, {})
    return lambda text, **values: own[text].format(**values) if text in own else language.translate_text(text, **values)


def sentence_translator(words: Words, language: Language) -> Callable[[Sentence], str]:
    """Says the sentences of a game in a language."""
    say = text_translator(words, language)
    return lambda sentence: say(sentence.text, **sentence.values)


def for_scripts(game: Game, language: Language) -> Mapping[str, object]:
    """What the scripts of a page need: seats, pieces, looks and ends by their names in the record, translated."""
    words = words_of(game)
    say = text_translator(words, language)
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
    return text_translator(words, language)(text) if text else reason.replace("-", " ")


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
