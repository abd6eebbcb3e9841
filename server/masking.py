"""Passwords in addresses, like rtsp://name:password@camera/, masked wherever somebody else may read them."""

from __future__ import annotations

import re

LOGIN = re.compile(r"(?<=://)[^\s'\"]*@")
"""Up to the last @: a password may have a slash or an @ of its own, and a path that has one loses little."""
QUERY = re.compile(r"([?&](?:pass\w*|pwd|pw|token|auth\w*|\w*key|secret|user\w*|usr|login)=)[^&\s'\"]+", re.IGNORECASE)
"""What cameras of some makers take in its place."""


def masked(text: str) -> str:
    """The text without what opens anything."""
    return QUERY.sub(r"\1…", LOGIN.sub("…@", text))
