"""What a board says about itself: the state of its game and its health, made out of the newest snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.versions import own_version

NEWEST_GAMES = 10
"""Games whose length is said with the health: the hall finds there what it lacks of games that are over."""
LONGEST_NOTE = 300


def build_state(board: str, snapshot: Mapping[str, Any], events: int, head: str) -> dict[str, object]:
    """The state message for a snapshot (server.board.live.snapshot with name and details); so many events its record
    has, the last with the hash `head`."""
    outcome, last, unseen = snapshot.get("outcome") or {}, snapshot.get("last"), snapshot.get("cannot_see") or {}
    details = snapshot.get("details") or {}
    clocks, out = snapshot.get("clocks"), {one["side"] for one in snapshot.get("out") or () if not one.get("back")}
    left = {side: seconds for side, seconds in clocks["left"].items() if side not in out} if clocks else {}
    ratings = {side: str(rating)[:4] for side, rating in details.get("ratings", {}).items()}
    said: dict[str, object] = {
        "board": board,
        "name": snapshot["name"],
        "events": events,
        "head": head,
        "game": snapshot["game"],
        "rules": snapshot["rules"],
        "phase": snapshot["phase"],
        "side": snapshot["side"],
        "ply": snapshot["ply"],
        "cells": snapshot["cells"],
        "last": last and {"notation": snapshot["moves"][-1]["notation"][:400], "from": last["from"], "to": last["to"]},
        "clocks": clocks and {"left": left, "running": clocks["running"]},
        "result": outcome.get("result"),
        "reason": outcome.get("reason"),
        "note": _note_text(snapshot.get("note")),
        "cannot_see": unseen.get("cause"),
        "players": {side: str(name)[:100] for side, name in details.get("players", {}).items()},
    }
    return said | ({"ratings": ratings} if ratings else {})


def build_health(board: str, snapshot: Mapping[str, Any], records: Mapping[str, int]) -> dict[str, object]:
    """The health message; `records` are the newest games with the number of their events."""
    unseen = snapshot.get("cannot_see") or {}
    return {
        "board": board,
        "version": own_version(),
        "camera": unseen.get("cause", "ok"),
        "lights": str(snapshot.get("lights") or "")[:300],
        "fit": max(0, min(100, round(snapshot.get("fit") or 0))),
        "records": dict(records),
    }


def remove_clock_times(said: Mapping[str, Any]) -> dict[str, Any]:
    """A state without what only time changes: who follows counts the clocks down by itself."""
    return {**said, "clocks": (said.get("clocks") or {}).get("running")}


def _note_text(note: object) -> str | None:
    """What the referee has on its mind, in a line: the name of the event, and its sentence if it has one."""
    if not isinstance(note, Mapping):
        return None
    said = f"{note.get('event', '')}: {note['message']}" if note.get("message") else str(note.get("event", ""))
    return said[:LONGEST_NOTE]
