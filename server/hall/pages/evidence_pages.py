"""What a board's camera saw, fetched from the board for the arbiters.

`/api/v1/hall/boards/<board>/pictures/<which>.jpg`, with which of before, after and now.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from flask import Blueprint, Response

from engine.errors import InputError
from server.hall.desk.addresses import Address, fetch_from_board
from server.hall.desk.standing import Boards
from server.web.problems import Problem

JPEG = b"\xff\xd8\xff"
"""How every JPEG begins: a board that was taken over sends no page into the hall's own."""


def evidence_pages(boards: Boards, where: Mapping[str, Address]) -> Blueprint:
    """The blueprint. Of the newest ply the board before and after it, and what the camera sees now."""
    routes = Blueprint("evidence_pages", __name__, url_prefix="/api/v1/hall")

    @routes.get("/boards/<board>/pictures/<any(before, after, now):which>.jpg")
    def picture(board: str, which: str) -> Response:
        known = boards.find_board(board)
        if known is None or board not in where:
            raise Problem(404, f"board {board[:50]!r} has no address here: name it in the file of --boards")
        path = "/api/v1/camera.jpg"
        if which != "now":
            if known.state is None or not known.state["ply"]:
                raise Problem(404, "no move has been made yet")
            path = f"/api/v1/evidence/{quote(known.state['name'], safe='')}/{known.state['ply']}/{which}.jpg"
        try:
            data = fetch_from_board(where[board], path)
        except (OSError, InputError) as error:
            raise Problem(502, f"board {board}: {str(error)[:200]}") from None
        if not data.startswith(JPEG):
            raise Problem(502, f"board {board}: its answer is no picture")
        return Response(data, content_type="image/jpeg", headers={"Cache-Control": "no-store"})

    return routes
