"""Twelve ways to forge a record or to leave something out, by one who may write all its files: each is named.

Who has the file makes chain and list anew; he has neither this referee's key nor the witness that was kept elsewhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import InputError
from server.record.evidence import folder_of
from server.record.seal import SEALED
from server.record.store import open_record
from server.record.verifying import compare_witness
from tests.server.record.test_seals import Rows, forged, key, played, verify

__all__ = ["key"]
FIRST, SECOND, THIRD = "camelot-0001", "camelot-0002", "camelot-0003"
ONE, OTHER = (hashlib.sha256(data).hexdigest() for data in (b"one", b"other"))


def of_second(change: Callable[[list[str]], list[str]]) -> Callable[[Rows], Rows]:
    """A change of the second game's events."""

    def changed(rows: Rows) -> Rows:
        mine = change([text for game, text in rows if game == SECOND])
        return sorted([row for row in rows if row[0] != SECOND] + [(SECOND, text) for text in mine], key=lambda r: r[0])

    return changed


def drop_seal(texts: list[str]) -> list[str]:
    return [text for text in texts if SEALED not in text]


def moved(texts: list[str]) -> list[str]:
    return [texts[0], texts[2], texts[1], *texts[3:]]


def added(texts: list[str]) -> list[str]:
    return [*texts[:2], json.dumps({"t": 5.0, "event": "note", "text": "x"}), *texts[2:]]


def other_key(texts: list[str]) -> list[str]:
    return [*drop_seal(texts), next(text for text in texts if SEALED in text).replace('"key":"', '"key":"00')]


FORGED: dict[str, tuple[Callable[[Rows], Rows], str]] = {
    "an event changed": (of_second(lambda t: [text.replace("1-0", "0-1") for text in t]), f"{SECOND}: event"),
    "an event dropped": (of_second(lambda t: [t[0], *t[2:]]), f"{SECOND}: event"),
    "an event added": (of_second(added), f"{SECOND}: event"),
    "an event moved": (of_second(moved), f"{SECOND}: event"),
    "a game left out": (lambda rows: [row for row in rows if row[0] != SECOND], f"{SECOND}: the witness knows it"),
    "its end cut off": (of_second(lambda t: t[:2]), f"{SECOND}: the witness knows"),
    "the seal dropped": (of_second(drop_seal), f"{SECOND}: ended, and its end is not sealed"),
    "another key's seal": (of_second(other_key), f"{SECOND}: event"),
    "a place changed": (lambda rows: sorted(rows, key=lambda row: row[0], reverse=True), "stands at place"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A record with three games, and pictures of the first move."""
    path = tmp_path / "r.db"
    for name in (FIRST, SECOND, THIRD):
        played(path, name)
    with open_record(path) as record:
        record.append_event(FIRST, {"t": 4.0, "event": "evidence", "ply": 1, "before": ONE, "after": OTHER})
    folder_of(path).mkdir()
    for name, data in ((ONE, b"one"), (OTHER, b"other")):
        (folder_of(path) / f"{name}.jpg").write_bytes(data)
    status, said = verify(path, "--write-witness", str(tmp_path / "witness"))
    assert status == 0, said
    assert "NOT sealed" not in said
    assert verify(path, "--witness", str(tmp_path / "witness"))[0] == 0
    return path


@pytest.mark.parametrize("kind", FORGED)
def test_what_is_forged_or_left_out_is_named(path: Path, kind: str) -> None:
    change, named = FORGED[kind]
    if kind == "a place changed":

        def swapped(rows: Rows) -> Rows:
            return [row for game in (SECOND, FIRST, THIRD) for row in rows if row[0] == game]

        change = swapped
    forged(path, change)
    status, said = verify(path, "--witness", str(path.with_name("witness")))
    assert status == 1
    assert named in said


@pytest.mark.parametrize("kind", ["changed", "missing", "swapped"])
def test_a_picture_that_is_not_the_one_is_named(path: Path, kind: str) -> None:
    first, other = (folder_of(path) / f"{name}.jpg" for name in (ONE, OTHER))
    if kind == "changed":
        first.write_bytes(b"another")
    elif kind == "missing":
        first.unlink()
    else:
        first.write_bytes(b"other")
        other.write_bytes(b"one")
    status, said = verify(path)
    assert status == 1
    assert f"picture {ONE}" in said
    assert (f"picture {OTHER}" in said) == (kind == "swapped")


def test_without_a_witness_what_no_seal_holds_is_said_in_words(path: Path) -> None:
    forged(path, lambda rows: of_second(lambda texts: texts[:2])([row for row in rows if row[0] != FIRST]))
    _, said = verify(path)
    assert f"NOT sealed, not over: 1 ({SECOND})" in said


def test_who_has_no_key_is_told_what_is_not_sealed_too(path: Path, key: Path) -> None:
    forged(path, of_second(drop_seal))
    key.unlink()
    status, said = verify(path)
    assert status == 0
    assert f"NOT sealed, over, without a seal: 1 ({SECOND})" in said


def test_a_gap_is_said_and_a_deleted_game_is_one(path: Path) -> None:
    with open_record(path) as record:
        record.delete_game(SECOND)
    status, said = verify(path)
    assert status == 0
    assert f"1 games are missing before {THIRD}: deleted, or left out" in said


def test_what_is_no_witness_is_said_in_a_line(path: Path) -> None:
    with open_record(path) as record, pytest.raises(InputError, match="witness, line 1: no line"):
        compare_witness(record, "nonsense\n", "witness")
