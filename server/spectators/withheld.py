"""What is left out of what is told: hints for players, and what only people at the board need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.explain.rules_alone import NO_LAWFUL_MOVE, RULES_ALONE
from engine.sentences import TEMPLATE_FIELDS, Sentence

HINTS = frozenset({"targets", "instead"})
"""Fields of events: the cells where a lifted piece may end, the lawful alternatives to what is not."""
TAKE_OFF, WAY_LEFT_OUT = "remove", "go on"
"""The deed among those of a move that is under way which tells no way, and what those are told who are not helped."""
WAY_FIELDS = frozenset({"targets", "from", "at", "due"})
"""Fields of such a move that say as much as its notation."""
HELPS = ("tutor", "showing", "takes_back", "computer")
"""Fields of snapshots that help players, or say at which level an engine plays against them and what is taken back with
its moves, besides its advice."""


def event_without_hints(event: Mapping[str, object]) -> dict[str, object]:
    """An event (its JSON object) that says what is wrong, by which rule, and nothing about what would be right."""
    told = {key: [] if key in HINTS else value for key, value in event.items()}
    if "code" in told and "message" in told:
        told = {key: value for key, value in told.items() if key not in TEMPLATE_FIELDS}
        told["message"] = RULES_ALONE.get(str(told["code"]), NO_LAWFUL_MOVE)
    if "todo" in told and _tells_way(told.get("due")):
        told |= {"todo": [WAY_LEFT_OUT], "notation": ""}
        return {key: value for key, value in told.items() if key not in WAY_FIELDS}
    return told


def _tells_way(due: object) -> bool:
    """Whether what remains of a move is more than pieces to take off: so where it is not known."""
    steps = due if isinstance(due, Sequence) else (None,)
    return any(not isinstance(step, Mapping) or step.get("deed") != TAKE_OFF for step in steps)


def refusal_without_hints(said: Sentence) -> Sentence:
    """Why a wish was refused: where a rule refuses a move, the rule alone."""
    if "code" in said.values and "why" in said.values:
        rule = RULES_ALONE.get(str(said.values["code"]), NO_LAWFUL_MOVE)
        return Sentence(said.text, {**said.values, "why": rule})
    return said


def event_for_spectators(event: Mapping[str, object]) -> dict[str, object]:
    """The same without the account that asked, whose name is half of a login."""
    return {key: value for key, value in event_without_hints(event).items() if key != "account"}


def snapshot_without_hints(snapshot: Mapping[str, object]) -> dict[str, object]:
    """The same of a snapshot, as server.board.live.snapshot makes it."""
    note = snapshot.get("note")
    told = {"note": event_without_hints(note)} if isinstance(note, Mapping) else {}
    if isinstance(dropped := snapshot.get("dropped"), Mapping):
        told["dropped"] = event_without_hints(dropped)
    advice = snapshot.get("advice")
    helps = HELPS if isinstance(advice, Mapping) and advice.get("far") else (*HELPS, "advice")
    return {key: None if key in helps else value for key, value in snapshot.items()} | {"hints": {}} | told


def snapshot_for_spectators(snapshot: Mapping[str, object]) -> dict[str, object]:
    """The same without the accounts of players, and without what is waited for."""
    told = snapshot_without_waits(snapshot_without_hints(snapshot))
    told = {key: [] if key == "draw_offered_by" else value for key, value in told.items()}
    note = told.get("note")
    return told | ({"note": event_for_spectators(note)} if isinstance(note, Mapping) else {})


def snapshot_without_waits(snapshot: Mapping[str, object]) -> dict[str, object]:
    """The same without what is waited for: who only looks on is not told of each hand over the board.

    That the board is not seen is told, but not the camera's address.
    """
    told = {key: [] if key == "waits" else value for key, value in snapshot.items()}
    if isinstance(unseen := told.get("cannot_see"), Mapping):
        told["cannot_see"] = {key: value for key, value in unseen.items() if key not in {"detail", *TEMPLATE_FIELDS}}
    return told
