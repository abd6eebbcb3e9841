"""Whether the `-wal` beside an SQLite file is its own, and whether both are whole: looked at before any writing.

SQLite plays a `-wal` into whatever file has its name, also into a backup that was put in its place. So each opening by
a hall writes a token into the file's line about itself, which is written anew every second: a `-wal` has the token of
the opening that it comes from. A second place, the file that says that there was a database, has it as well, for a
`-wal` that is younger than a second; while the token changes it has both.
"""

from __future__ import annotations

import mmap
import re
import secrets
import sqlite3
from collections.abc import Collection
from contextlib import closing, suppress
from pathlib import Path

from server.disk import check_whole, name_alone, name_unwritten

OPENING_TOKEN = re.compile(rb"opened-[0-9a-f]{24}")
NEVER_OPENED = ""
"""In the place of a token, of a database that no hall has opened yet."""


def create_token() -> str:
    """One for a new opening."""
    return f"opened-{secrets.token_hex(12)}"


def read_token(path: Path) -> str | None:
    """The token in the file itself, whatever lies beside it; None where it cannot be read."""
    try:
        with closing(sqlite3.connect(name_alone(path), uri=True)) as alone:
            row = alone.execute("SELECT opened FROM itself").fetchone()
    except sqlite3.OperationalError as error:
        return NEVER_OPENED if str(error).startswith("no such") else None
    except sqlite3.DatabaseError:
        return None
    return str(row[0]) if row else NEVER_OPENED


def is_own_journal(path: Path, journal: Path, known: Collection[str] | None) -> bool:
    """Whether a journal is of this file; `known` are the tokens that stand beside, None where nothing does.

    A file that cannot be read alone is taken to be waiting for its journal: a power cut may have left it half written.
    """
    token = read_token(path)
    if token is None:
        return True
    written = _find_tokens(journal)
    if token in written:
        return True
    if written:
        return known is not None and {token, *written} <= set(known)
    return known is None or token in known


def find_damage(path: Path, *, alone: bool = False) -> str:
    """What SQLite says of a database that is not whole, with its journal or `alone`; empty where it says nothing, or
    cannot look. Nothing is written into either."""
    try:
        with closing(sqlite3.connect(name_alone(path) if alone else name_unwritten(path), uri=True)) as looked_at:
            return check_whole(looked_at)
    except sqlite3.OperationalError:  # another says why it cannot be opened
        return ""
    except sqlite3.DatabaseError as error:
        return str(error)


def list_tables(path: Path) -> list[str]:
    """The tables of a database, as it is alone, or with its journal where it has none alone; empty where they cannot be
    read. Nothing is written into either."""
    for where in (name_alone(path), name_unwritten(path)):
        with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(where, uri=True)) as looked_at:
            found = looked_at.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
            if found:
                return [str(name) for (name,) in found]
    return []


def is_damage(error: BaseException | None) -> bool:
    """Whether SQLite says that a file is damaged, or no database; all else that it says has a kind of its own."""
    return type(error) is sqlite3.DatabaseError


def _find_tokens(journal: Path) -> set[str]:
    """All that a journal has, of what is valid in it and of what it had before."""
    with journal.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return {found.decode() for found in OPENING_TOKEN.findall(content)}
