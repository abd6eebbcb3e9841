"""`referee games`: what can be played, and by which rules; and the games that were played."""

from __future__ import annotations

import json

import click

from engine import games
from engine.game import Game, Switch
from engine.text import positions
from server.commands import _archived
from server.masking import print_text


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help='Print {"games": [...]} with cells, switches and start of each.')
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Without a further word: every game that can be played, with its rule sets, switches and assumptions.

    With list, show, export, import or delete: the games that were played.
    """
    if context.invoked_subcommand is not None:
        return
    if as_json:
        click.echo(json.dumps({"games": [game_to_json(name) for name in games.names()]}))
        return
    for name in games.names():
        for line in format_game(name):
            print_text(line)


for played in (_archived.list_games, _archived.show, _archived.export, _archived.import_games, _archived.delete):
    command.add_command(played)


def game_to_json(name: str) -> dict[str, object]:
    """Everything about a game; `switches` are those of its default rule set, `rule_sets` has those of each."""
    game = games.load(name)
    return {
        "name": name,
        "sides": game.seats,
        "codes": game.codes[1:],
        "default_rules": game.rules,
        "rule_sets": {
            rules: {switch.name: switch.value for switch in games.load(name, rules).switches.values()}
            for rules in games.find(name).rule_sets
        },
        "switches": [
            {"name": switch.name, "default": switch.value, "meaning": switch.meaning}
            for switch in game.switches.values()
        ],
        "assumptions": game.notes,
        "cells": game.board.cells,
        "castles": game.board.castles,
        "start": positions.to_json(game, game.start()),
        "setups": {setup: positions.to_json(game, game.start(setup))["cells"] for setup in game.setups},
    }


def format_game(name: str) -> list[str]:
    """The same for people."""
    file = games.find(name)
    variants = [games.load(name, rules) for rules in file.rule_sets]
    game = variants[0]
    out = [
        f"{name}: {len(game.board.cells)} cells, {', '.join(game.seats)} in order of play",
        f"  rule sets: {', '.join(file.rule_sets)}; set-ups: {', '.join(game.setups)}",
        *(f"  assumed: {note}" for note in game.notes),
    ]
    for switch in game.switches.values():
        values = [_format_switch(variant, switch) for variant in variants]
        out.append(f"  {switch.name} = {' | '.join(dict.fromkeys(values))}: {switch.meaning}")
    return [*out, ""]


def _format_switch(variant: Game, switch: Switch) -> str:
    """A switch's value as it is written after `--rules NAME,switch=`."""
    value = variant.switches[switch.name].value
    text = ("on" if value else "off") if isinstance(value, bool) else str(value)
    return text if len(games.find(variant.name).rule_sets) == 1 else f"{text} ({variant.rules})"
