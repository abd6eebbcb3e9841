"""Where messages go: lines for people, or one JSON object a line for programs that collect them."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from server.masking import masked

LINE = "%(levelname)s %(name)s: %(message)s"


class Lines(logging.Formatter):
    """LINE for each message, and the trace of a fault of the program."""

    def format(self, record: logging.LogRecord) -> str:
        """The text, without passwords of addresses."""
        return masked(super().format(record))


class JsonLines(logging.Formatter):
    """Each message as {"time", "level", "logger", "message"} and, for a fault of the program, "trace"."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            said["trace"] = self.formatException(record.exc_info)
        return json.dumps({key: masked(str(text)) for key, text in said.items()}, ensure_ascii=False)


def begin(as_json: bool) -> None:
    """Messages go to standard error from now on: warnings for people, and also who did what for programs."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if as_json else Lines(LINE))
    logging.basicConfig(level=logging.INFO if as_json else logging.WARNING, handlers=[handler], force=True)
