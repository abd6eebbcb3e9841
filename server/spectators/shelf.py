"""The spectators' files: one a game, that only grows, and small ones that say where each board is.

Any web server hands them out: who has the first bytes of a game's file asks for the rest (Range), and who has a small
one asks whether it is still that one (ETag).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine import outside
from engine.errors import InputError
from engine.text.replay import UNFINISHED
from server.record.chain import encode_event
from server.record.summary import REOPENINGS

LINES, NOW, EVERY_BOARD = ".jsonl", "now.json", "boards.json"
TAIL = 256 * 1024
"""Bytes at the end of a file in which its newest event is looked for; the largest line has 64 KB."""


@dataclass(frozen=True, slots=True)
class End:
    """How far the file of a game goes: its newest event's number, bytes, and the result that it ends with."""

    sequence: int = 0
    size: int = 0
    result: str = ""


class Shelf:
    """A folder that others may read. Belongs to one thread. OSError where the disk does not take it."""

    def __init__(self, folder: Path) -> None:
        """InputError when nothing can be written there."""
        self.folder = folder
        self._ends: dict[tuple[str, str], End] = {}
        try:
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
            (folder / ".writable").touch()
            (folder / ".writable").unlink()
        except OSError as error:
            raise InputError(f"--spectators {folder}: {error.strerror}: name a folder that can be written") from error

    def file_end(self, board: str, game: str) -> End:
        """How far a game's file goes; a line that a power cut left unfinished is cut off."""
        if (board, game) not in self._ends:
            path = self._file_path(board, game)
            self._ends[board, game] = _read_end(path) if path.exists() else End()
        return self._ends[board, game]

    def append_lines(self, board: str, game: str, lines: list[Mapping[str, object]], sequence: int = 0) -> End:
        """Add lines to a game's file; `sequence` is that of the newest event among them, 0 where there is none."""
        before, path = self.file_end(board, game), self._file_path(board, game)
        data = b"".join(encode_event(line).encode() + b"\n" for line in lines)
        path.parent.mkdir(mode=0o755, exist_ok=True)
        with path.open("ab") as file:
            file.truncate(before.size)
            file.write(data)
        said = [result for line in lines if (result := _read_result(line)) is not None]
        end = End(max(sequence, before.sequence), before.size + len(data), said[-1] if said else before.result)
        self._ends[board, game] = end
        return end

    def replace_file(self, name: str, said: Mapping[str, object]) -> None:
        """Replace a small file as a whole: who reads has the one or the other."""
        path = self.folder / name
        path.parent.mkdir(mode=0o755, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        beside.write_bytes(encode_event(said).encode())
        beside.replace(path)

    def read_file(self, name: str) -> Mapping[str, object]:
        """A small file as it was last written; empty where there is none, or it cannot be read."""
        try:
            said = outside.json_value((self.folder / name).read_bytes())
        except (OSError, ValueError):
            return {}
        return said if isinstance(said, dict) else {}

    def file_address(self, board: str, game: str) -> str:
        """The address of a game's file, from the folder on."""
        return f"{board}/{game}{LINES}"

    def _file_path(self, board: str, game: str) -> Path:
        return self.folder / self.file_address(board, game)


def _read_end(path: Path) -> End:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL))
        tail = file.read()
    whole = tail.rfind(b"\n") + 1
    size -= len(tail) - whole
    sequence, result = 0, None
    for line in reversed(tail[:whole].splitlines()):
        try:
            said = outside.json_value(line)
        except ValueError:  # the first of the tail may be half a line
            break
        if isinstance(said, dict):
            result = _read_result(said) if result is None else result
            sequence = sequence or _read_sequence(said)
        if sequence and result is not None:
            break
    return End(sequence, size, result or "")


def _read_sequence(line: Mapping[str, object]) -> int:
    number = line.get("sequence")
    return number if isinstance(number, int) else 0


def _read_result(line: Mapping[str, object]) -> str | None:
    """The result of a game as a line leaves it, "" for none; None for a line that does not say."""
    state, event = line.get("state"), line.get("event")
    if isinstance(state, Mapping):
        return str(state.get("result") or "")
    if isinstance(event, Mapping) and event.get("event") in {"result", *REOPENINGS}:
        return str(event.get("result") or "").removeprefix(UNFINISHED)
    return None
