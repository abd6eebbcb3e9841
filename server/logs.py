"""Where messages go: lines for people, or one JSON object a line for programs that collect them."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

LINE = "%(levelname)s %(name)s: %(message)s"


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
        return json.dumps(said, ensure_ascii=False)


def begin(as_json: bool) -> None:
    """Messages go to standard error from now on: warnings for people, and also who did what for programs."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if as_json else logging.Formatter(LINE))
    logging.basicConfig(level=logging.INFO if as_json else logging.WARNING, handlers=[handler], force=True)
