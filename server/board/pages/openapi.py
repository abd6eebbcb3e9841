"""The OpenAPI 3.1 description of the web interface."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from engine.explain.demonstration import StepKind
from engine.game import FORFEITS
from engine.match.acts import WHO, Mode
from engine.match.state import Phase
from server.board.computer import described
from server.board.computer.opponents import COMPUTER_LEVELS
from server.board.live.visibility import SHOWN
from server.board.pages.onward import ONWARD
from server.settings import ON_THE_PAGE
from server.web.access.rights import ARBITER, NEEDS

ROLE_OF = {re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", r"{\1}", route): role for route, role in NEEDS.items()}
PROBLEM = {"$ref": "#/components/responses/Problem"}
TEXT_SCHEMA: dict[str, Any] = {"type": "string"}
CELL_LIST: dict[str, Any] = {"type": "array", "items": TEXT_SCHEMA}
JSON: dict[str, Any] = {"application/json": {}}
HOW = {"how": TEXT_SCHEMA}
PLACES_SCHEMA: dict[str, Any] = {
    "type": "array",
    "description": "four corners [x, y] in pixels for each level: A1, last file/rank 1, last/last, A/last rank",
}
EXPORTS: dict[str, Any] = {
    kind: {} for kind in ("text/plain", "application/x-ndjson", "text/html", "image/gif", "application/pdf")
}
COUNT_SCHEMA: dict[str, Any] = {"type": "integer", "minimum": 1}
FIGURE = {"type": ["number", "null"]}
REASON: dict[str, Any] = {"rule": TEXT_SCHEMA, "measured": FIGURE, "limit": FIGURE}
WAITS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "description": "why nothing is said just now, first what holds it back",
    "items": {"type": "object", "properties": REASON},
}

DETAILS_SCHEMA: dict[str, Any] = dict.fromkeys(("event", "round", "place", "arbiter"), TEXT_SCHEMA) | {
    "players": {"type": "object", "additionalProperties": TEXT_SCHEMA, "description": "side -> name"},
    "ratings": {"type": "object", "additionalProperties": TEXT_SCHEMA, "description": "side -> rating, 1 to 9999"},
}
SUMMARY = dict.fromkeys(("name", "game", "rules", "begun", "result", "players", "event"), TEXT_SCHEMA) | {
    "plies": {"type": "integer"}
}
GAMES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "total": {"type": "integer"},
        "games": {"type": "array", "items": {"type": "object", "properties": SUMMARY, "required": list(SUMMARY)}},
    },
    "required": ["total", "games"],
}
AFTER = [{"name": "after", "in": "query", "schema": {"type": "integer", "minimum": 0, "default": 0}}]
CORRECTION = [
    {"name": "ply", "in": "query", "required": True, "schema": COUNT_SCHEMA},
    {"name": "notation", "in": "query", "required": True, "schema": TEXT_SCHEMA},
]
SEARCH = [
    {"name": "q", "in": "query", "schema": TEXT_SCHEMA, "description": "words that are all found in what is listed"},
    {"name": "page", "in": "query", "schema": COUNT_SCHEMA | {"default": 1}},
]


def build_document() -> dict[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "camelot-referee",
            "version": "1",
            "description": "A referee that watches a real board. Errors are problem details (RFC 9457).",
        },
        "paths": {
            f"/api/v1{path}": _with_roles(path, item) | _path_parameters(path) for path, item in _all_paths().items()
        },
        "security": [{}, {"key": []}],
        "components": {
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "referee accounts key NAME"}
            },
            "schemas": {"Game": _game_schema(), "Problem": _problem_schema()},
            "responses": {
                "Problem": {
                    "description": "What is wrong and what to do",
                    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
                }
            },
        },
    }


def _with_roles(path: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """The operations of a path, each with the least role that may use it where there are accounts."""
    return {
        method: operation | {"x-role": ROLE_OF.get(f"{method.upper()} /api/v1{path}", ARBITER)}
        for method, operation in item.items()
    }


def _path_parameters(path: str) -> dict[str, Any]:
    """What the braces in a path stand for."""
    kinds = {"ply": COUNT_SCHEMA, "side": {"enum": ["before", "after"]}}
    named = [
        {"name": name, "in": "path", "required": True, "schema": kinds.get(name, TEXT_SCHEMA)}
        for name in re.findall(r"{(\w+)}", path)
    ]
    return {"parameters": named} if named else {}


def _all_paths() -> dict[str, Any]:
    return _live_paths() | _record_paths() | _wish_paths() | _settings_paths()


def _settings_paths() -> dict[str, Any]:
    schema = {"name": {"enum": list(ON_THE_PAGE)}, "value": TEXT_SCHEMA}
    said = "Keep a setting of the page for the next start of the referee"
    return {"/settings": _post_operation(said, schema, list(schema), ANSWERED)}


def _live_paths() -> dict[str, Any]:
    """What is seen of the game, the camera and the service."""
    game = {"application/json": {"schema": {"$ref": "#/components/schemas/Game"}}}
    events = (
        "Server-sent events, each with an id to resume from (Last-Event-ID). The data are the objects that "
        "`referee watch` writes. A `reset` event means that some were missed: fetch the game. "
        "`?snapshots=1` adds `snapshot` events."
    )
    return {
        "/game": _get_operation("The state of the match", game),
        "/events": _get_operation(events, {"text/event-stream": {"schema": TEXT_SCHEMA}}),
        "/spectator/game": _get_operation("The state of the match for spectators, later by the delay", game),
        "/spectator/events": _get_operation(events, {"text/event-stream": {"schema": TEXT_SCHEMA}}),
        "/camera.jpg": _get_operation("The newest picture", {"image/jpeg": {}}, NOT_YET),
        "/camera.mjpeg": _get_operation(
            "Pictures as they come, at most five a second", {"multipart/x-mixed-replace": {}}
        ),
        "/camera/grid": _get_operation("Corners of each cell in the picture, in pixels", JSON, NOT_YET),
        "/camera/cells": _get_operation("What the reader believes of each cell, and what is expected", JSON, NOT_YET),
        "/stands": _get_operation(
            "The position that the camera shows, the cells where it `differs` from the last one, and the `doubtful`",
            JSON,
            NOT_YET,
        ),
        "/correction": _get_operation("What the correction of `ply` to `notation` would drop", JSON, query=CORRECTION),
        "/lawful": _get_operation(
            "Position and lawful moves before ply `?ply=`, by default now", {"application/json": {}}
        ),
    }


def _record_paths() -> dict[str, Any]:
    """What is kept of games, who asks, and what sets the board up."""
    return {
        "/evidence/{name}/{ply}": _get_operation("The pictures and scores kept of a ply, and what decided it", JSON),
        "/evidence/{name}/{ply}/{side}.jpg": _get_operation("The board `before` or `after` a ply", {"image/jpeg": {}}),
        "/games": _get_operation(
            "Past games, the newest first, 50 a page", {"application/json": {"schema": GAMES}}, query=SEARCH
        ),
        "/games/{name}/events": _get_operation("Everything that was said in a game", JSON),
        "/games/{name}/links": _get_operation(
            "Events after a number with the hashes that chain them, 200 at most", JSON, query=AFTER
        ),
        "/games/{name}/export.{kind}": _get_operation("A game as a file: pgn, jsonl, html, gif or pdf", EXPORTS),
        "/me": _get_operation(
            "Name and role of the account that asks; without accounts everybody is arbiter", {"application/json": {}}
        ),
        "/camera/frames": _frames_operation(),
        "/openapi.json": _get_operation("This document", {"application/json": {}}),
        "/setup": _get_operation(
            "Size of the camera's picture, names of the board's corners, and where they are", JSON
        ),
        "/setup/find": _post_operation(
            "Find the board in the newest picture, near `corners` if given", {"corners": PLACES_SCHEMA}, [], ANSWERED
        ),
        "/setup/diagnosis": _post_operation(
            "Why the board is not found, or its pieces do not stand as at the start", {}, [], ANSWERED
        ),
        "/setup/way-round": _post_operation(
            "Say whether the pictures are mirrored, as somebody at the board sees it; mirrored ones are turned back",
            {"mirrored": {"type": "boolean"}},
            ["mirrored"],
            ANSWERED,
        ),
        "/setup/save": _post_operation(
            "Keep the place found",
            {"number": COUNT_SCHEMA, "force": {"type": "boolean", "default": False}},
            ["number"],
            ANSWERED,
        ),
    }


def _wish_paths() -> dict[str, Any]:
    """What a person asks for."""
    return {
        "/undo": _post_operation("Take back moves", {"plies": COUNT_SCHEMA | {"default": 1}}, []),
        "/correct": _post_operation(
            "Say what a ply was; later ones stay while lawful",
            {"ply": COUNT_SCHEMA, "notation": TEXT_SCHEMA},
            ["ply", "notation"],
        ),
        "/bring-back": _post_operation("Undo the last correction, which dropped moves", {}, []),
        "/as-played": _post_operation("Let a move stand that is not lawful", {"notation": TEXT_SCHEMA}, ["notation"]),
        "/position": _post_operation(
            "Go on from another position. One that `/stands` gave is sent with the cells that somebody has `confirmed`;"
            " 409 while another one is in doubt",
            {"position": {"type": "object"}, "confirmed": CELL_LIST},
            ["position"],
        ),
        "/draw": _post_operation(
            "A draw, agreed or claimed; from a player's account an offer, until the other players agree",
            {"claim": {"type": "boolean", "default": False}},
            [],
        ),
        "/decline-draw": _post_operation("Decline the draw that is offered, or withdraw one's own offer", {}, []),
        "/resign": _post_operation("A side gives up", {"side": TEXT_SCHEMA}, ["side"]),
        "/forfeit": _post_operation(
            "A side has lost, or with `all` every side",
            {"side": TEXT_SCHEMA, "why": {"enum": list(FORFEITS)}},
            ["side", "why"],
        ),
        "/add-time": _post_operation(
            "Give time to a side's clock, or with a number below zero take some away; where its flag has ended the"
            " game, the game goes on",
            {"side": TEXT_SCHEMA, "seconds": {"type": "number"}},
            ["side", "seconds"],
        ),
        "/pause": _post_operation("Judge nothing until resumed", {}, []),
        "/press": _post_operation(
            "The side on turn has pressed its clock, by a button or outside", {"side": TEXT_SCHEMA}, []
        ),
        "/adjourn": _post_operation("Put the game away", {}, []),
        "/resume": _post_operation("Go on after a pause or an adjournment; time that was lost is left out", {}, []),
        "/count-lost": _post_operation(
            "The time that was lost (`time-lost`) counts for the side whose turn it is", {}, []
        ),
        "/mode": _post_operation("Help the players with hints, or do not", {"mode": {"enum": list(Mode)}}, ["mode"]),
        "/show-why": _post_operation("Show by a movement, on page and lights, why the last thing was refused", {}, []),
        "/opponent": _post_operation(
            "Let the computer play a side from now on, or with null people; refused in a tournament",
            {
                "side": TEXT_SCHEMA,
                "level": {"type": ["integer", "null"], "minimum": COMPUTER_LEVELS[0], "maximum": COMPUTER_LEVELS[-1]},
            },
            ["side", "level"],
        ),
        "/tutor": _post_operation(
            "Show the best three moves, explain weak moves and threats, or do not; refused in a tournament",
            {"best": {"type": "boolean"}, "teach": {"type": "boolean"}},
            [],
        ),
    } | _game_wish_paths()


def _game_wish_paths() -> dict[str, Any]:
    """What a person asks for about whole games: the one on the board, and those of the record."""
    return {
        "/details": _post_operation(
            "Who plays and where: kept in the record; the whole of it, or with `was`, as seen, what differs",
            DETAILS_SCHEMA | {"was": {"type": "object", "properties": DETAILS_SCHEMA}},
            [],
        ),
        "/games/import": _post_operation(
            "Take games into the record, all or none: text as exported, a page of prose, or lines of JSON (.jsonl); "
            "`name` is that of the file, `variant` and `rules` are of games that do not say so themselves",
            dict.fromkeys(("text", "name", "variant", "rules"), TEXT_SCHEMA),
            ["text"],
            {"201": {"description": "Names, and as what they were read where they do not say it", "content": JSON}},
        ),
        "/games/{name}/result": _post_operation(
            "Correct how a game ended: draw, unfinished, who resigned (`white`), and `draw-ruling`, `white-time`, "
            "`white-absence`, `white-rules`, `all-absence`, `all-rules`; of three `red-wins`; `was`: the result seen",
            HOW | {"was": {"type": ["object", "null"], "properties": {"result": TEXT_SCHEMA, "reason": TEXT_SCHEMA}}},
            ["how"],
            ANSWERED,
        ),
        "/games/{name}/delete": _post_operation("Remove a game for good, but the one on the board", {}, [], ANSWERED),
        "/onward": _post_operation(
            "After a recording: play it again, or set up the own board; during the demonstration: pause, go on, skip; "
            "at the own board: choose another camera",
            {"what": {"enum": list(ONWARD)}},
            ["what"],
        ),
        "/put-back": _post_operation("The last position is put up again: what stands otherwise is no move", {}, []),
        "/settle": _post_operation(
            "How the game ended that was put away: draw, unfinished, who resigned", HOW, ["how"]
        ),
        "/new-game": _post_operation(
            "Begin again; a game under way is put away", {"setup": {"type": ["string", "null"]}}, []
        ),
        "/stands-so": _post_operation("The position stands on the board, whatever the camera makes of it", {}, []),
        "/take-up": _post_operation(
            "Go on with a game of the record that was put away, in the place of the one on the board",
            {"game": TEXT_SCHEMA},
            ["game"],
        ),
    }


NOT_YET = {"204": {"description": "The camera has not shown it yet"}}


def _get_operation(
    summary: str,
    content: dict[str, Any],
    also: Mapping[str, Any] = MappingProxyType({}),
    query: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    responses = {"200": {"description": "OK", "content": content}, **also, "default": PROBLEM}
    return {"get": {"summary": summary, "responses": responses} | ({"parameters": list(query)} if query else {})}


UNDECIDED: dict[str, Any] = {
    "type": "array",
    "description": "plies of which it is asked, while the game goes on, by which move their position was reached",
    "items": {"type": "object", "properties": {"ply": {"type": "integer"}, "options": CELL_LIST}},
}
OF_TEXT = {"type": "object", "description": "of the text; `parts` are its values that have text and values themselves"}
TEMPLATE_SCHEMA: dict[str, Any] = {"text": TEXT_SCHEMA, "values": OF_TEXT, "parts": OF_TEXT}
DROPPED: dict[str, Any] = {
    "type": ["object", "null"],
    "description": "the `plies` that the last correction dropped, until the game goes on: the first of them, and why",
    "properties": dict.fromkeys(("plies", "ply", "number"), COUNT_SCHEMA)
    | dict.fromkeys(("side", "notation", "code", "message"), TEXT_SCHEMA)
    | TEMPLATE_SCHEMA,
}
PUT_AWAY: dict[str, Any] = {
    "type": ["object", "null"],
    "description": "the game that was under way when the pieces were put up again, until people say how it ended",
    "properties": {"ply": {"type": "integer"}, "choices": CELL_LIST},
}
ON_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "what it was decided on, as /game showed it: if something has happened since, it is refused",
    "properties": {"game": TEXT_SCHEMA, "ply": {"type": "integer", "minimum": 0}, "state": TEXT_SCHEMA},
    "required": ["game", "ply", "state"],
    "additionalProperties": False,
}
HANDED_OVER = {"202": {"description": "Handed to the referee; the events tell what came of it"}}
ANSWERED = {"200": {"description": "What was found, or where it was kept", "content": JSON}}


def _frames_operation() -> dict[str, Any]:
    taken = {"202": {"description": "Taken, or `taken: false` for one that came too soon"}}
    picture = _post_operation("A picture from a phone's browser, with --camera phone: only", {}, [], taken)
    picture["post"]["requestBody"]["content"] = {"image/jpeg": {}}
    picture["post"]["parameters"] = [
        {"name": "phone", "in": "query", "schema": TEXT_SCHEMA, "description": "which phone"}
    ]
    return picture


def _post_operation(
    summary: str, properties: dict[str, Any], required: list[str], done: dict[str, Any] = HANDED_OVER
) -> dict[str, Any]:
    who = {
        "by": {"enum": list(WHO), "default": WHO[0], "description": "who asks; kept in the record"},
        "on": ON_SCHEMA,
        "wish": TEXT_SCHEMA | {"description": "a name for it: a `refused` event repeats it"},
    }
    schema = {"type": "object", "properties": properties | who, "required": required, "additionalProperties": False}
    return {
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
            "responses": done | {"default": PROBLEM},
        }
    }


LED_SCHEMA = {"type": "object", "properties": {"rgb": TEXT_SCHEMA, "shape": {"enum": ["solid", "blink"]}}}
ENDS_SCHEMA: dict[str, Any] = {"from": TEXT_SCHEMA, "to": TEXT_SCHEMA, "captured": CELL_LIST}
MOVE_SCHEMA = ENDS_SCHEMA | {
    "ply": COUNT_SCHEMA,
    "side": TEXT_SCHEMA,
    "notation": TEXT_SCHEMA,
    "confidence": {"type": ["number", "null"]},
    "as_played": {"type": ["string", "null"], "description": "the rule that it breaks, where it was let stand"},
    "position_set": {"type": "boolean", "description": "whether somebody set another position after it"},
    "t": {"type": ["number", "null"], "description": "seconds of stream time"},
    "spent": {"type": ["number", "null"], "description": "seconds that it took, as its clock counted them"},
}
CANNOT_SEE_SCHEMA: dict[str, Any] = {
    "type": ["object", "null"],
    "description": "why the board is not seen, what to do, and since when; null while it is",
    "properties": {
        "cause": {"enum": list(SHOWN)},
        "message": TEXT_SCHEMA,
        "since": {"type": "number", "description": "seconds of stream time"},
        "detail": TEXT_SCHEMA | {"description": "of a camera that is gone, and not for spectators"},
        **TEMPLATE_SCHEMA,
    },
}
DEED_SCHEMA = {"enum": [deed.value for deed in StepKind]}
SHOWING: dict[str, Any] = {
    "type": ["object", "null"],
    "description": "the step that is shown of why something was refused: what was tried, which pieces may "
    "move, a leg, or what it takes; with the pieces as they would stand",
    "properties": {
        "step": COUNT_SCHEMA,
        "of": COUNT_SCHEMA,
        "deed": DEED_SCHEMA,
        "cells": CELL_LIST,
        "over": CELL_LIST,
        "notation": TEXT_SCHEMA,
        "stands": {"type": "object", "additionalProperties": TEXT_SCHEMA},
        "code": TEXT_SCHEMA,
        "message": TEXT_SCHEMA,
        **TEMPLATE_SCHEMA,
    },
}
CLOCKS_SCHEMA: dict[str, Any] = {
    "type": ["object", "null"],
    "description": "seconds each side had left at `t`, and whose clock runs; null: the game has none",
    "properties": {
        "left": {"type": "object", "additionalProperties": {"type": "number"}},
        "running": {"type": ["string", "null"]},
        "held": {"type": "boolean", "description": "they wait for the first move, or until somebody presses"},
    },
}
LEFT_SCHEMA = {
    "type": ["string", "null"],
    "description": "the side last said to be out, if it can come back alone",
}
DRAW_OFFERED_BY = CELL_LIST | {"description": "the accounts of players who offer a draw in this position"}


def _game_schema() -> dict[str, Any]:
    phases = [phase.value for phase in Phase]
    return {
        "type": "object",
        "properties": {
            "name": TEXT_SCHEMA | {"description": "of the game in the record"},
            "mode": {"enum": list(Mode), "description": "in a tournament there are no hints"},
            "game": TEXT_SCHEMA,
            "rules": TEXT_SCHEMA,
            "phase": {"enum": phases},
            "side": TEXT_SCHEMA | {"description": "the side to move"},
            "ply": {"type": "integer", "description": "moves made so far"},
            "state": TEXT_SCHEMA | {"description": "of what is decided on: the course of the game, or a question"},
            "put_away": PUT_AWAY,
            "before": {"type": ["string", "null"], "description": "the game that was put away"},
            "cells": {"type": "object", "additionalProperties": TEXT_SCHEMA, "description": "cell -> piece code"},
            "start": {"type": ["object", "null"], "description": "the position begun from, unless it is the usual one"},
            "moves": {"type": "array", "items": {"type": "object", "properties": MOVE_SCHEMA}},
            "set": {"type": "array", "description": "positions set by hand, each with the `ply` before it"},
            "last": {"type": ["object", "null"], "properties": ENDS_SCHEMA},
            "note": {"type": ["object", "null"], "description": "the event that explains the phase"},
            "dropped": DROPPED,
            "undecided": UNDECIDED,
            "outcome": {
                "type": ["object", "null"],
                "properties": {"result": TEXT_SCHEMA, "reason": TEXT_SCHEMA, "said": {"type": "boolean"}},
            },
            "left": LEFT_SCHEMA,
            "draw_offered_by": DRAW_OFFERED_BY,
            "out": {"type": "array", "description": "who went out, when, why; `set`: set then; `back`: in again since"},
            "ended_by": CELL_LIST | {"description": "whose going out has ended the game"},
            "takes_back": COUNT_SCHEMA | {"description": "plies that a player takes back who asks for one"},
            "computer": {"type": ["object", "null"], "description": "side -> level of the computer that plays it"},
            "leds": {"type": "object", "additionalProperties": LED_SCHEMA},
            "hints": {"type": "object", "additionalProperties": CELL_LIST},
            "advice": {
                "type": ["object", "null"],
                "description": "the move that the computer plays on the board, until it was made; what was made in its "
                "place; or why the computer has none",
                "properties": {"side": TEXT_SCHEMA, "move": TEXT_SCHEMA, "played": TEXT_SCHEMA, "trouble": TEXT_SCHEMA}
                | described.CARRYING,
            },
            "showing": SHOWING,
            "tutor": {
                "type": ["object", "null"],
                "description": "help for who learns: the best moves, why a move was weak, what the last one threatens",
                "properties": described.TUTOR,
            },
            "clocks": CLOCKS_SCHEMA,
            "waits": WAITS_SCHEMA,
            "disk": {"type": ["string", "null"], "description": "That the disk of the record is full or nearly so."},
            "hall": {"type": ["string", "null"], "description": "Why the hall does not follow this board."},
            "lights": {"type": ["string", "null"], "description": "What is wrong with the lights of the board."},
            "record": {"type": ["string", "null"], "description": "Why moves are not shown: the record waits."},
            "cannot_see": CANNOT_SEE_SCHEMA,
            "details": {"type": "object", "properties": DETAILS_SCHEMA, "description": "who plays and where, if known"},
            "fit": {"type": "integer", "description": "how well the board is seen, 0 to 100"},
            "t": {"type": "number"},
            "late": {"type": "number", "description": "for spectators: seconds between the game and its telling"},
        },
    }


def _problem_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"type": TEXT_SCHEMA, "title": TEXT_SCHEMA, "status": {"type": "integer"}, "detail": TEXT_SCHEMA},
    }
