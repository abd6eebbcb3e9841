"""Where messages go: lines for people, or one JSON object a line for programs that collect them."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from engine.errors import TROUBLE_OVER, InputError
from server.disk import create_private
from server.masking import escape_controls, mask_passwords

LINE, HOUR = "%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S"


class Lines(logging.Formatter):
    """LINE for each message, with the time of day, and the trace of a fault of the program."""

    def format(self, record: logging.LogRecord) -> str:
        """The text, without passwords of addresses and what steers a terminal."""
        return escape_controls(mask_passwords(super().format(record)))


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
        return json.dumps({key: mask_passwords(str(text)) for key, text in said.items()}, ensure_ascii=False)


def format_date(date: float) -> str:
    """A date in seconds since 1970, to the second; its number for one that no calendar has."""
    try:
        return datetime.fromtimestamp(date, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return f"{date:.0f}"


LARGEST_FILE, OLDER_FILES = 5_000_000, 4
"""Bytes of a file of messages before another one is begun, and how many of those before are kept: 25 MB in all."""


class PrivateFile(RotatingFileHandler):
    """Files that only their owner may read: who asked for what is nobody else's concern."""

    def _open(self) -> TextIOWrapper:
        create_private(Path(self.baseFilename))
        return super()._open()


def start_logging(file: Path | None = None, *, as_json: bool) -> None:
    """Messages go to standard error from now on, and into `file`: trouble and its end for people, and also who did what
    for programs. InputError if the file cannot be written.
    """
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    if file is not None:
        try:
            handlers.append(PrivateFile(file, maxBytes=LARGEST_FILE, backupCount=OLDER_FILES, encoding="utf-8"))
        except OSError as error:
            raise InputError(f"--log-file {file}: {error.strerror}; its folder must be there and writable") from error
    for handler in handlers:
        handler.setFormatter(JsonLines() if as_json else Lines(LINE, HOUR))
    logging.addLevelName(TROUBLE_OVER, "RESOLVED")
    logging.basicConfig(level=logging.INFO if as_json else TROUBLE_OVER, handlers=handlers, force=True)
