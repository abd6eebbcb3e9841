"""What the pages say, in the languages of who reads them: one TOML file a language, found by its name.

The English text is the key, in templates `_("Take back")` and in scripts `say("Take back")`; `{names}` in it stand for
values. To add a text: write it so, or as an `engine.sentences.Sentence`, and translate it in the `[texts]` of every
file but `en.toml`. What decided is in `[reasons]`, by its rule; `decimal` is the sign in numbers, where that is no
point. To add a language: a file like the others. `tests/server/test_languages.py` names every text that is missing,
left over or unlike its key.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.explain.rules_alone import RULES_ALONE
from engine.sentences import Sentence

FOLDER = Path(__file__).parent
ENGLISH = "en"
DECIMAL_POINT = "."
FROM_THE_RIGHT = frozenset({"R", "AL"})
"""Unicode's classes of the letters of Hebrew, and of Arabic and its like."""
SEAT_NAMES = frozenset({"side", "owner", "turn"})
"""Values of sentences that are sides: "red" is a colour, "Red" a side."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its code (BCP 47), its own name, and its texts by the English ones."""

    code: str
    name: str
    texts: Mapping[str, str]
    reasons: Mapping[str, str]
    """What decided, by the rule of engine.explain.reasons; English has the sentences that are written there."""
    decimal: str = DECIMAL_POINT
    """Between the whole of a number and its parts."""

    def translate_text(self, text: str, /, **values: object) -> str:
        """The text in this language, in English when nobody has translated it yet; sentences among the values too."""
        found = self.texts.get(text, text)
        return found.format(**{name: self._write_value(value) for name, value in values.items()}) if values else found

    def translate_sentence(self, said: str, code: str = "") -> str:
        """A sentence in this language, and those of its values that are texts too; where nobody knows it, the rule of
        the `code` that refuses a move, else as it is. In scripts: `translated` of say.js."""
        text, values = (said.text, said.values) if isinstance(said, Sentence) else (said, {})
        if text not in self.texts and (rule := RULES_ALONE.get(code, "")) in self.texts:
            return self.texts[rule]
        why = str(values.get("code", ""))
        return self.translate_text(text, **{name: self._translate_value(name, values[name], why) for name in values})

    def _translate_value(self, name: str, value: object, code: str) -> object:
        if not isinstance(value, str):
            return value
        if name in SEAT_NAMES:
            return self.texts.get(value[:1].upper() + value[1:], value)
        return self.translate_sentence(value, code if name == "why" else "")

    def write_number(self, number: float, digits: int) -> str:
        """A number as this language writes it, with so many digits behind its sign. In scripts: `decimal` of say.js."""
        return f"{number:.{digits}f}".replace(".", self.decimal)

    def _write_value(self, value: object) -> object:
        if isinstance(value, Sentence):
            return self.translate_sentence(value)
        return str(value).replace(".", self.decimal) if isinstance(value, float) else set_apart(value)


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
        parts = {part: table.get(part, {}) for part in ("texts", "reasons")}
        found[path.stem] = Language(path.stem, table["name"], **parts, decimal=table.get("decimal", DECIMAL_POINT))
    return found
