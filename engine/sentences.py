"""A sentence that is said to people: its English, and what it was made of, so that pages say it in any language."""

from __future__ import annotations

from collections.abc import Mapping

TEMPLATE_FIELDS = frozenset({"text", "values", "parts"})
"""The fields of JSON that say a message once more, by what it was made of."""


class Sentence(str):
    """English as any text is, and beside it the `text` that it was made of and the `values` of the {names} in that.

    Without values the text is the sentence, whatever braces stand in it. A value may be a sentence too.
    """

    def __new__(cls, text: str, values: Mapping[str, object] | None = None) -> Sentence:
        """`text` is what languages know it by: it is written out where it is said, never put together."""
        said = super().__new__(cls, text.format(**values) if values else text)
        said.text, said.values = text, values or {}
        return said

    text: str
    values: Mapping[str, object]

    def to_json(self) -> dict[str, object]:
        """{"text", "values"}: these fill the text; of those that are sentences themselves "parts" says the same."""
        parts = {name: told for name, value in self.values.items() if (told := template_of(value))}
        said: dict[str, object] = {"text": self.text, "values": dict(self.values)}
        return said | {"parts": parts} if parts else said


def template_of(said: object) -> dict[str, object]:
    """What stands in JSON beside a sentence that has values; nothing for any other text."""
    return said.to_json() if isinstance(said, Sentence) and said.values else {}
