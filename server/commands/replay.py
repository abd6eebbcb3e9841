"""`referee replay`: referee a recorded session or a trace again and compare what is said with what was said then."""

from __future__ import annotations

import json
from itertools import zip_longest
from pathlib import Path

import click

from calibration.door import MOST_TEXT, read_text
from server.exits import ANSWER_IS_NO, DONE
from server.masking import print_line, print_text
from server.options import FilePath
from server.record.traces.refold import is_same_line, refold_lines
from server.record.traces.session import EVENTS_FILE, replay_session
from server.record.traces.trace import load_trace


@click.command(help="Referee a recorded session, or a trace, again; exit 1 if anything is said differently.")
@click.argument("session", type=FilePath(exists=True, path_type=Path))
@click.option("--quiet", is_flag=True, help="Only the answer, not the events.")
def command(session: Path, *, quiet: bool) -> int:
    """Exit 0 if the events say the same, 1 if not, 2 if it is neither a session nor a trace."""
    return _replay_trace(session, quiet=quiet) if session.is_file() else _replay_session(session, quiet=quiet)


def _replay_trace(path: Path, *, quiet: bool) -> int:
    """The same looks, judged without their pictures."""
    trace, said, looks, spent = load_trace(path), 0, 0, 0.0
    for number, one in enumerate(refold_lines(trace), start=1):
        looks, spent, said = looks + one.is_look, spent + one.seconds, said + len(one.current_events)
        if not quiet:
            for event in one.current_events:
                click.echo(json.dumps(event))
        if not one.is_same:
            print_line(f"{path}: input {number} of the trace, at {one.given.t:g} s, differs", err=True)
            print_line(f"  then: {json.dumps(one.recorded_events)}", err=True)
            print_line(f"  now:  {json.dumps(one.current_events)}", err=True)
            return ANSWER_IS_NO
    rate = f"{looks} looks in {spent:.2f} s of the processor, {looks / max(spent, 1e-9):.0f} a second"
    print_line(f"{path}: the same {said} events, {rate}", err=True)
    return DONE


def _replay_session(session: Path, *, quiet: bool) -> int:
    now: list[str] = []
    for line in replay_session(session):
        now.append(line)
        if not quiet:
            print_text(line, nl=False)
    then = read_text(session / EVENTS_FILE, MOST_TEXT).splitlines(keepends=True)
    for number, (was, is_) in enumerate(zip_longest(then, now, fillvalue=""), start=1):
        if not is_same_line(was, is_):
            print_line(f"{session}: line {number} of {EVENTS_FILE} differs", err=True)
            print_text(f"  then: {(was or '(nothing)').rstrip()}", err=True)
            print_text(f"  now:  {(is_ or '(nothing)').rstrip()}", err=True)
            return ANSWER_IS_NO
    print_line(f"{session}: the same {len(now)} events", err=True)
    return DONE
