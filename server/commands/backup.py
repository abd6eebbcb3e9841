"""`referee backup`: a whole copy of a record, also while a game goes on."""

from __future__ import annotations

from pathlib import Path

import click

from engine.errors import InputError
from server.exits import ANSWER_IS_NO, DONE
from server.masking import print_line
from server.options import A_FILE, OUT_FILE
from server.record.copies import copy_record
from server.record.store import require_record


@click.command(help="Copy a record with its pictures, also of a game that goes on, and verify the copy.")
@click.argument("out", metavar="FILE", type=OUT_FILE)
@click.option("--record", "path", type=A_FILE, help="Default: your own record.")
def command(out: Path, path: Path | None) -> int:
    """Exit 0 when a copy that holds was written; 1, with a line for each fault, when none is."""
    file = require_record(path)
    if out.exists():
        raise InputError(f"{out}: is there already; name a file that is not")
    if not out.absolute().parent.is_dir():
        raise InputError(f"{out.parent}: there is no such folder")
    faults, count = copy_record(file, out)
    for line in faults:
        print_line(f"{file}: {line}")
    if not faults:
        print_line(f"{out}: ok, {count} games")
    return ANSWER_IS_NO if faults else DONE
