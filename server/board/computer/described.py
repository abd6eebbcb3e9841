"""The shape of what is told of the computer beside a game: schemas for the description of the API."""

from __future__ import annotations

from typing import Any

from engine.explain.demonstration import StepKind

TEXT: dict[str, Any] = {"type": "string"}
CELL_NAMES: dict[str, Any] = {"type": "array", "items": TEXT}
DEEDS: dict[str, Any] = {"enum": [deed.value for deed in StepKind]}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 1}
WEAK_MOVE: dict[str, Any] = {
    "ply": COUNT,
    "side": TEXT,
    "move": TEXT,
    "better": TEXT,
    "cost": {"type": "integer", "description": "hundredths of a man that it gave away"},
    "reply": TEXT | {"description": "what shows it; empty if nothing was seen"},
    "takes": {"type": "integer", "description": "pieces that the reply captures"},
    "loses": {"type": "boolean"},
    "missed": {"type": "boolean", "description": "a win was to be had instead"},
}
THREAT_SCHEMA: dict[str, Any] = {
    "side": TEXT,
    "move": TEXT,
    "takes": {"type": "integer"},
    "wins": {"type": "boolean"},
}
BEST_MOVE: dict[str, Any] = {
    "move": TEXT,
    "from": TEXT,
    "to": TEXT,
    "score": {"type": "integer", "description": "hundredths of a man, for who is to move"},
}
TUTOR: dict[str, Any] = {
    "best": {"type": "boolean"},
    "teach": {"type": "boolean"},
    "moves": {"type": "array", "items": {"type": "object", "properties": BEST_MOVE}},
    "weak": {"type": ["object", "null"], "properties": WEAK_MOVE},
    "threat": {"type": ["object", "null"], "properties": THREAT_SCHEMA},
    "trouble": TEXT | {"description": "why there is no answer"},
}
CARRYING: dict[str, Any] = {
    "far": {"type": "boolean", "description": "it was played at another board"},
    "said": {"type": ["object", "null"], "description": "text and values of trouble between two boards, to translate"},
    "steps": {
        "type": "array",
        "items": {"properties": {"deed": DEEDS, "cells": CELL_NAMES, "over": CELL_NAMES}},
        "description": "which piece, each leg, and what it takes",
    },
    "step": COUNT | {"description": "of them is lit, 0 for the whole"},
    "wrong": CELL_NAMES | {"description": "changed otherwise than by the move"},
    "left": CELL_NAMES | {"description": "not changed yet"},
}
