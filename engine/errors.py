"""The one error for input that a person gave and that cannot be used, and how it can be said in other languages."""

from __future__ import annotations

from engine.sentences import Sentence

TROUBLE_OVER = 25
"""Level of a message that trouble is over: between INFO, which nobody is shown, and WARNING, which it is not."""


class Worded(Exception):  # noqa: N818  # what is raised has a name of its own
    """An error whose message is a text with values for the {names} in it, so that pages can say it in any language."""

    def __init__(self, text: str = "", /, **values: object) -> None:
        """Without values the text is the message, whatever braces stand in it. A value may be an error too."""
        plain = {name: value.said if isinstance(value, Worded) else value for name, value in values.items()}
        self.said: Sentence = text if isinstance(text, Sentence) else Sentence(text, plain)
        super().__init__(self.said)
        self.text, self.values = self.said.text, self.said.values


class InputError(Worded, ValueError):
    """Unusable argument or file. The message is one line: what, where, what to do; the command exits with 2."""
