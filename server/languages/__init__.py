"""What the pages say, in the languages of who reads them: one TOML file a language, found by its name.

The English text is the key, in templates `_("Take back")` and in scripts `say("Take back")`; `{names}` in it stand for
values. To add a text: write it so, and translate it in the `[texts]` of every file but `en.toml`. What decided is in
`[reasons]`, by its rule; why a move is refused in `[sentences]`, by the English one, else in `[refusals]`, by its code,
without cells; `decimal` is the sign in numbers, where that is no point. To add a language: a file like
the others. `tests/server/test_languages.py` names every text that is missing, left over or unlike its key.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path

from engine.errors import Worded

FOLDER = Path(__file__).parent
ENGLISH = "en"
DECIMAL_POINT = "."
FROM_THE_RIGHT = frozenset({"R", "AL"})
"""Unicode's classes of the letters of Hebrew, and of Arabic and its like."""
SEAT_NAMES, ANYTHING = frozenset({"side", "owner", "turn"}), frozenset({"text", "why"})
"""Values of [sentences] that are sides, and those that may be whatever somebody wrote or another sentence."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its code (BCP 47), its own name, and its texts by the English ones."""

    code: str
    name: str
    texts: Mapping[str, str]
    refusals: Mapping[str, str]
    """The rule that a move breaks, by its code, without the cells; English has it in engine.explain.rules_alone."""
    sentences: Mapping[str, str]
    """Why a move is refused, with the cells, by the English sentence; parts of sentences too."""
    reasons: Mapping[str, str]
    """What decided, by the rule of engine.explain.reasons; English has the sentences that are written there."""
    decimal: str = DECIMAL_POINT
    """Between the whole of a number and its parts."""

    def translate_text(self, text: str, **values: object) -> str:
        """The text in this language, in English when nobody has translated it yet; an error among the values too."""
        found = self.texts.get(text, text)
        return found.format(**{name: self._write_value(value) for name, value in values.items()}) if values else found

    def translate_refusal(self, message: str, code: str) -> str:
        """What the referee says in English of a refused move, with the same cells; of a game from outside the rule.

        In scripts: `refusal` of say.js.
        """
        return self._find_sentence(message) or self.refusals.get(code) or message

    def _find_sentence(self, message: str) -> str | None:
        for text, said in self.sentences.items():
            if found := _compile_sentence(text).fullmatch(message):
                return said.format(
                    **{name: self._translate_part(name, part) for name, part in found.groupdict().items()}
                )
        return None

    def _translate_part(self, name: str, part: str) -> str:
        named = part.capitalize() if name in SEAT_NAMES else part  # "red" is a colour, "Red" a side
        return self._find_sentence(part) or self.texts.get(named, part)

    def write_number(self, number: float, digits: int) -> str:
        """A number as this language writes it, with so many digits behind its sign. In scripts: `decimal` of say.js."""
        return f"{number:.{digits}f}".replace(".", self.decimal)

    def _write_value(self, value: object) -> object:
        if isinstance(value, Worded):
            return self.translate_text(value.text, **value.values)
        return str(value).replace(".", self.decimal) if isinstance(value, float) else set_apart(value)


@cache
def _compile_sentence(text: str) -> re.Pattern[str]:
    """What finds the values of a sentence. A colon stands only in those of ANYTHING: none is taken for another."""
    parts = re.split(r"\{(\w+)\}", text)
    found = [
        f"(?P<{part}>{'.+' if part in ANYTHING else '[^:]+'})" if odd else re.escape(part)
        for odd, part in zip(cycle((False, True)), parts, strict=False)
    ]
    return re.compile("".join(found), re.DOTALL)


def set_apart(value: object) -> object:
    """A value of a text; a name written from the right between signs that keep the rest of the line as it is."""
    if isinstance(value, str) and any(unicodedata.bidirectional(letter) in FROM_THE_RIGHT for letter in value):
        return f"\u2068{value}\u2069"
    return value


@cache
def load_languages() -> Mapping[str, Language]:
    """Every language by its code, English first."""
    found = {}
    for path in sorted(FOLDER.glob("*.toml"), key=lambda path: (path.stem != ENGLISH, path.stem)):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        parts = {part: table.get(part, {}) for part in ("texts", "refusals", "sentences", "reasons")}
        found[path.stem] = Language(path.stem, table["name"], **parts, decimal=table.get("decimal", DECIMAL_POINT))
    return found
