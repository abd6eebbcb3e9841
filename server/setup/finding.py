"""What a check found, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

State = Literal["ok", "note", "wrong"]


@dataclass(frozen=True)
class Finding:
    """One line of a check-up: `advice` is empty only where nothing need be done."""

    check: str
    state: State
    message: str
    advice: str = ""

    def to_json(self) -> dict[str, str]:
        """The fields by name."""
        return asdict(self)
