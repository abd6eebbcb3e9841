"""`referee why`: whether a move is lawful, and the rule that refuses it."""

from __future__ import annotations

import json

import click

from engine.game import Refusal
from engine.sentences import template_of
from engine.text.records import typed_move
from server.exits import ANSWER_IS_NO, DONE
from server.inputs import read_position
from server.masking import print_line


@click.command
@click.argument("game")
@click.argument("move")
@click.option("--rules", help="Rule set, with switches as in `wcf,castle_move_limit=3`.")
@click.option("--position", "source", metavar="FILE", help="A position (JSON) in place of the start; - reads it here.")
@click.option("--json", "as_json", is_flag=True, help='{"legal", "code", "message", "instead"}, with text and values')
def command(game: str, move: str, rules: str | None, source: str | None, *, as_json: bool) -> int:
    """Say whether MOVE is lawful in GAME, and if not why, with the lawful moves that matter; exit 1 if it is not."""
    found, position = read_position(game, rules, source)
    verdict = found.read(position, typed_move(move))
    if isinstance(verdict, Refusal):
        answer = {"legal": False, "code": verdict.code, "message": verdict.message, "instead": list(verdict.instead)}
        answer |= template_of(verdict.message)
    else:
        message = f"{found.write(position, verdict)} is lawful ({verdict.kind})."
        answer = {"legal": True, "code": None, "message": message, "instead": []}
    if as_json:
        click.echo(json.dumps(answer))
        return DONE if answer["legal"] else ANSWER_IS_NO
    code = "" if answer["legal"] else f"{answer['code']}: "
    print_line(f"{code}{answer['message']}")
    for other in verdict.instead if isinstance(verdict, Refusal) else ():
        print_line(f"  {other}")
    return DONE if answer["legal"] else ANSWER_IS_NO
