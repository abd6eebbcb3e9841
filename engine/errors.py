"""The one error for input that a person gave and that cannot be used, and how it can be said in other languages."""

from __future__ import annotations

from engine.sentences import Sentence

TROUBLE_OVER = 25
"""Level of a message that trouble is over: between INFO, which nobody is shown, and WARNING, which it is not."""


LONGEST_ERROR = 1000
"""Characters of a message: a line that people read to its end, and what it quotes may come out of any file. Raising it
fills a screen with that, lowering it cuts paths and lists of what is known."""
LONGEST_QUOTED = 400
"""The same of one value in it, so that the words around it stay."""
CUT_MARK = " … "


class Worded(Exception):  # noqa: N818  # what is raised has a name of its own
    """An error whose message is a text with values for the {names} in it, so that pages can say it in any language."""

    def __init__(self, text: str = "", /, **values: object) -> None:
        """Without values the text is the message, whatever braces stand in it. A value may be an error too."""
        plain = {name: _shorten_value(value) for name, value in values.items()}
        self.said: Sentence = _shorten_sentence(text if isinstance(text, Sentence) else Sentence(text, plain))
        super().__init__(self.said)
        self.text, self.values = self.said.text, self.said.values


class InputError(Worded, ValueError):
    """Unusable argument or file. The message is one line: what, where, what to do; the command exits with 2."""


def shorten_text(text: str, longest: int = LONGEST_ERROR) -> str:
    """A text of at most so many characters: the beginning, which says where, and the end, which says what to do."""
    if len(text) <= longest:
        return text
    end = longest // 3
    return text[: longest - end - len(CUT_MARK)] + CUT_MARK + text[-end:]


def _shorten_sentence(said: Sentence) -> Sentence:
    """A sentence as it stands in a message: its own words are ours, and the values in them may be anything."""
    if len(said) <= LONGEST_ERROR:
        return said
    if not said.values:
        return Sentence(shorten_text(said))
    return Sentence(said.text, {name: _shorten_value(value) for name, value in said.values.items()})


def _shorten_value(value: object) -> object:
    if isinstance(value, Worded):
        return value.said
    if isinstance(value, Sentence):
        return _shorten_sentence(value)
    return shorten_text(value, LONGEST_QUOTED) if isinstance(value, str) else value
