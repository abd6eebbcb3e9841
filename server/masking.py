"""What text from elsewhere must not do where people read it: tell a password, or steer their terminal.

Passwords in addresses, like rtsp://name:password@camera/, are masked wherever somebody else may read them.
"""

from __future__ import annotations

import re
import unicodedata

LOGIN = re.compile(r"(?<=://)[^\s'\"]*@")
"""Up to the last @: a password may have a slash or an @ of its own, and a path that has one loses little."""
QUERY = re.compile(r"([?&](?:pass\w*|pwd|pw|token|auth\w*|\w*key|secret|user\w*|usr|login)=)[^&\s'\"]+", re.IGNORECASE)
"""What cameras of some makers take in its place."""


def mask_passwords(text: str) -> str:
    """The text without what opens anything."""
    return QUERY.sub(r"\1…", LOGIN.sub("…@", text))


def escape_controls(text: str) -> str:
    """The text for a terminal: what would steer it (escapes, bells, marks that turn the direction) is written out."""
    if text.isprintable():
        return text
    return "".join(
        one if one in "\n\t" or not _is_control(one) else one.encode("unicode_escape").decode() for one in text
    )


def escape_to_line(text: str) -> str:
    """The same where each line is a statement of ours: a name with a line break in it must not make one of its own."""
    return escape_controls(text).replace("\n", "\\n").replace("\t", "\\t")


def _is_control(one: str) -> bool:
    return unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
