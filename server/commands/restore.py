"""`referee restore`: a copy that `referee backup` made becomes the record again."""

from __future__ import annotations

from pathlib import Path

import click

from engine.errors import InputError
from server.exits import ANSWER_IS_NO, DONE
from server.masking import print_line
from server.options import A_FILE
from server.record.copies import copy_record, move_record, set_aside
from server.record.playing import claim_record
from server.record.seal import read_own_public_key
from server.record.store import open_record, record_at, require_record
from server.record.verifying import advise_on_keys


@click.command(help="Put a copy that `referee backup` made in the place of a record; that one is kept beside it.")
@click.argument("copy", metavar="FILE", type=A_FILE)
@click.option("--record", "path", type=A_FILE, help="Default: your own record.")
def command(copy: Path, path: Path | None) -> int:
    """Exit 0 when it is in its place; 1 when verify finds fault with it, and then nothing has changed."""
    if not copy.is_file():
        raise InputError(f"{copy}: there is no such file; name a copy that `referee backup` made")
    file, target = require_record(copy), record_at(path)
    if target.exists() and file.samefile(target):
        raise InputError(f"{copy}: is the record itself; name a copy that `referee backup` made")
    with claim_record(target):
        whole = target.with_name(target.name + ".restored")
        faults, count = copy_record(file, whole)
        if not faults:  # only now, with all of it on the same disk, does the one from before give way
            before = set_aside(target)
            move_record(whole, target)
            if before is not None:
                print_line(f"{before}: the record from before")
    for line in faults:
        print_line(f"{file}: {line}")
    if not faults:
        print_line(f"{target}: ok, {count} games")
        _advise_on_keys(target)
    return ANSWER_IS_NO if faults else DONE


def _advise_on_keys(target: Path) -> None:
    """Say what to do where the games are sealed with another key: a second one would prove only those that follow."""
    try:
        with open_record(target) as record:
            said = advise_on_keys(record, read_own_public_key())
    except InputError as error:  # of the key: the copy is in its place all the same
        said = [str(error)]
    for line in said:
        print_line(line)
