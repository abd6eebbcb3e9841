"""The hall tells boards who plays there: a new game where the last one is over, then the names, over HTTP.

A command is no message of the broker: it goes to the board itself, with the key of an arbiter's account there, and the
answer says whether the board has taken it. A board at which a game goes on is left alone.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from engine import outside
from server.hall.desk.addresses import ASK_S, ASKED_AT_ONCE, Address
from server.hall.desk.standing import Boards, BoardStanding
from server.hall.tournament.event import Seating, Tournament
from server.hall.tournament.games_played import build_details

LARGEST_REPLY = 64 * 1024
BY_ARBITER: Mapping[str, object] = {"by": "arbiter"}
NO_ADDRESS, NOT_HEARD = "its address is not known", "it was not heard of"
GOES_ON = (
    "a game goes on there: if it is this round's, correct the names on the board's own page; if not, end it at the "
    "board, by a draw, a resignation or a ruling on its arbiter's page, then tell it again"
)


def tell_boards(tournament: Tournament, boards: Boards, where: Mapping[str, Address]) -> dict[str, str]:
    """Every board of the round that goes on whose game has not begun -> "" or why it was not told."""
    open_ = [table for table in tournament.at(tournament.paired) if table.board and not table.result]
    with ThreadPoolExecutor(ASKED_AT_ONCE, "telling") as pool:
        said = pool.map(lambda table: _tell_board(tournament, table, boards.find_board(table.board), where), open_)
        return {table.board: problem for table, problem in zip(open_, said, strict=True)}


def _tell_board(
    tournament: Tournament, table: Seating, board: BoardStanding | None, where: Mapping[str, Address]
) -> str:
    if table.board not in where:
        return NO_ADDRESS
    if board is None or board.state is None:
        return NOT_HEARD
    is_over = bool(board.state.get("result"))
    if not is_over and board.state.get("ply"):
        return GOES_ON
    if is_over and (problem := _post_command(where[table.board], "new-game", BY_ARBITER)):
        return problem
    return _post_command(where[table.board], "details", {**BY_ARBITER, **build_details(tournament, table)})


def _post_command(where: Address, name: str, body: Mapping[str, object]) -> str:
    """Why a board does not take what it is asked for, in a line; "" when it does."""
    parts = outside.parse_address(where.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {where.key}"} if where.key else {})
    connection = kind(str(parts.hostname), parts.port, timeout=ASK_S)
    try:
        connection.request("POST", f"{parts.path}/api/v1/{name}", json.dumps(body).encode(), headers)
        answer = connection.getresponse()
        answer.read(LARGEST_REPLY)
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__} {error}"[:200]
    finally:
        connection.close()
    return "" if answer.status == http.HTTPStatus.ACCEPTED else f"it answers {answer.status} {answer.reason}"[:200]
