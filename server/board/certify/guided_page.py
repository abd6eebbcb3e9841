"""The page that leads through a sitting, and the certificate beside it."""

from __future__ import annotations

from collections.abc import Callable

import cv2
from flask import Flask, Response, jsonify, render_template, request, url_for

from device.lights import PALETTES, Rgb
from engine.explain.wording import words_of
from engine.match.events import CAUSES
from server.board.certify import certificate
from server.board.certify.guide import Done
from server.board.certify.sitting import Sitting
from server.board.certify.tally import tally_tasks
from server.board.certify.tasks import CertifyTask, TaskKind
from server.drawing import board_view
from server.saying import add_texts, for_scripts
from server.web.access.visitors import Visitors, create_application
from server.web.feed import Feed
from server.web.preferences import as_hex, create_preference_routes, current_language
from server.web.problems import NOTHING_YET, Problem

GUIDE_BUTTONS = ("done", "skip", "mistake", "end")
"""What can be pressed."""
COLOURS = PALETTES["standard"]
FROM, TO, OFF = ("start", "blink"), ("target", "solid"), ("wrong", "blink")
"""How the cells of a task are marked: where a piece is taken from, where it comes, what is taken off."""


def create_page(sitting: Sitting, now: Callable[[], str]) -> Flask:
    """The application: / leads on, /certificate is what it came to so far; `now` gives date and time."""
    app = create_application(Visitors(), Feed())
    app.register_blueprint(create_preference_routes())
    game, words = sitting.game, words_of(sitting.game)
    app.context_processor(lambda: {"words": words, "for_scripts": lambda: for_scripts(game, current_language())})

    @app.get("/")
    def page() -> str:
        return render_template("certify.html", view=board_view(game.board), seats=game.seats)

    @app.get("/certificate")
    def printed() -> Response:
        style = url_for("static", filename="certificate.css")
        sheet = certificate.render_certificate(sitting, now(), current_language(), style, url_for("shown"))
        return Response(sheet, content_type="text/html; charset=utf-8")

    @app.get("/api/v1/certify")
    def state() -> Response:
        return jsonify(state_of(sitting))

    @app.post("/api/v1/certify")
    def say() -> tuple[Response, int]:
        body = request.get_json(silent=True)
        what = body.get("what") if isinstance(body, dict) and not set(body) - {"what", "by"} else None
        if what not in GUIDE_BUTTONS:
            raise Problem(422, f"what: one of {', '.join(GUIDE_BUTTONS)}")
        sitting.press_button(what)
        return jsonify({"accepted": what}), 202

    @app.get("/api/v1/camera.jpg", endpoint="picture", defaults={"begun": False})
    @app.get("/certificate.jpg", endpoint="shown", defaults={"begun": True})
    def picture(*, begun: bool) -> Response:
        image = sitting.shown if begun else sitting.image
        ok, data = (False, None) if image is None else cv2.imencode(".jpg", image)
        response = Response(data.tobytes(), content_type="image/jpeg") if ok and data is not None else None
        response = response or Response(status=NOTHING_YET)
        response.headers["Cache-Control"] = "no-store"
        return response

    return app


def state_of(sitting: Sitting) -> dict[str, object]:
    """What the page draws: the task in the language of who asks, the board as it is to stand, and what went before."""
    guide, game = sitting.guide, sitting.game
    task, done = guide.pending_task, tuple(guide.done)
    stands = task.stands if task else done[-1].task.stands if done else game.start().placement
    cells = game.board.cells
    found = tally_tasks(done)
    return {
        "at": min(guide.at + 1, len(guide.tasks)),
        "of": len(guide.tasks),
        "over": task is None or sitting.ended,
        "kind": task.kind.value if task else "",
        "text": _compose_sentence(sitting, task) if task else "",
        "cells": {cell: game.codes[piece] for cell, piece in zip(cells, stands, strict=True) if piece},
        "leds": {cells[cell]: {"rgb": as_hex(colour), "shape": shape} for cell, colour, shape in _mark_cells(task)},
        "done": [_done_to_json(sitting, one) for one in done],
        "counts": {outcome.value: share.count for outcome, share in found.plies.items()},
        "good": found.good,
        "cause": current_language().translate_text(CAUSES[sitting.cause]) if sitting.cause else "",
    }


def _compose_sentence(sitting: Sitting, task: CertifyTask) -> str:
    return add_texts(words_of(sitting.game), current_language()).translate_sentence(task.composed_sentence)


def _done_to_json(sitting: Sitting, done: Done) -> dict[str, object]:
    outcome = current_language().translate_text(certificate.OUTCOMES[done.outcome])
    seconds = None if done.seconds is None else round(done.seconds, 1)
    told = {"text": _compose_sentence(sitting, done.task), "outcome": done.outcome.value, "said": outcome}
    return told | {"seconds": seconds, "instead": done.said}


def _mark_cells(task: CertifyTask | None) -> list[tuple[int, Rgb, str]]:
    """Cell, colour and shape of each cell that a task is about."""
    if task is None:
        return []
    moves = task.kind in (TaskKind.PLY, TaskKind.UNLAWFUL, TaskKind.BACK) or task.sentence == "astray"
    styles = (
        [FROM, TO, *[OFF] * len(task.cells)] if moves else [OFF if not task.stands[cell] else TO for cell in task.cells]
    )
    return [(cell, COLOURS[colour], shape) for cell, (colour, shape) in zip(task.cells, styles, strict=False)]
