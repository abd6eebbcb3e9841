"""The one error for input that a person gave and that cannot be used."""

from __future__ import annotations


class InputError(ValueError):
    """Unusable argument or file. The message is one line: what, where, what to do; the command exits with 2."""
