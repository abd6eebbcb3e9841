"""What the page or a program may ask for: `POST /api/v1/...`. The main loop decides what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, g, jsonify, request

from engine.errors import InputError
from engine.game import FORFEITS, Game
from engine.match.acts import (
    AS_DRAWN,
    AS_UNFINISHED,
    EVERYBODY,
    WHO,
    Act,
    AddTime,
    Adjourn,
    AgreeDraw,
    AsPlayed,
    BringBack,
    ClaimDraw,
    Correct,
    CountLost,
    Forfeit,
    Mode,
    NewGame,
    Pause,
    Press,
    PutBack,
    Resign,
    Resume,
    SetPosition,
    Settle,
    StandsSo,
    Undo,
)
from engine.match.clock import LONGEST_S
from engine.match.decided import DecidedOn
from engine.text.positions import from_json
from engine.text.records import typed_move
from server.board.computer.opponents import COMPUTER_LEVELS, SetComputer
from server.board.computer.tutor import SwitchTutor
from server.board.live.hints import ShowWhy, SwitchMode
from server.board.live.wishes import PLAYERS_WORDS, DeclineDraw, TakeUp, Wish, number_in
from server.record.details import FIELDS, SetDetails, parse_details
from server.web.access.rights import PLAYER
from server.web.problems import Problem

LONGEST_NOTATION = 400
"""Characters; the longest chain of the recorded championship games has 60."""


PageRequest = Act | DeclineDraw | TakeUp | SetDetails | SwitchMode | SetComputer | ShowWhy | SwitchTutor
ALWAYS = ("by", "on", "wish")
"""What every wish may say: whose it is, what it was decided on, and a name for it, which a refusal repeats."""
LONGEST_WISH = 80
"""Characters of the name that whoever asks gives to a wish, and of what it was decided on."""


def create_change_routes(
    put: Callable[[PageRequest | Wish], object],
    game: Game,
    run: str = "",
    unconfirmed: Callable[[Collection[str]], Sequence[str]] = lambda _: (),
) -> Blueprint:
    """The blueprint; `put` hands an act to the main loop and returns at once. `run` is that of the feed. `unconfirmed`
    says which cells of the board as it stands are in doubt that are not among those that somebody has looked at."""
    routes = Blueprint("changes", __name__, url_prefix="/api/v1")

    def accept_wish(asked: PageRequest) -> tuple[Response, int]:
        put(_build_wish(asked, run))
        return jsonify({"accepted": type(asked).__name__}), 202

    @routes.post("/undo")
    def undo() -> tuple[Response, int]:
        body = _read_body("plies")
        return accept_wish(Undo(_read_count(body, "plies", 1), by=_read_who(body)))

    @routes.post("/correct")
    def correct() -> tuple[Response, int]:
        body = _read_body("ply", "notation")
        return accept_wish(Correct(_read_count(body, "ply", None), _read_notation(body), by=_read_who(body)))

    @routes.post("/as-played")
    def as_played() -> tuple[Response, int]:
        body = _read_body("notation")
        return accept_wish(AsPlayed(_read_notation(body), by=_read_who(body)))

    @routes.post("/press")
    def press() -> tuple[Response, int]:
        body = _read_body("side")
        side = _read_choice(body, "side", game.seats) if body.get("side") is not None else None
        return accept_wish(Press(side, by=_read_who(body)))

    @routes.post("/pause", endpoint="pause", defaults={"kind": Pause})
    @routes.post("/adjourn", endpoint="adjourn", defaults={"kind": Adjourn})
    @routes.post("/resume", endpoint="resume", defaults={"kind": Resume})
    @routes.post("/count-lost", endpoint="count-lost", defaults={"kind": CountLost})
    @routes.post("/stands-so", endpoint="stands-so", defaults={"kind": StandsSo})
    @routes.post("/put-back", endpoint="put-back", defaults={"kind": PutBack})
    @routes.post("/bring-back", endpoint="bring-back", defaults={"kind": BringBack})
    def plain(
        kind: type[Pause | Adjourn | Resume | CountLost | StandsSo | PutBack | BringBack],
    ) -> tuple[Response, int]:
        return accept_wish(kind(by=_read_who(_read_body())))

    _add_beginning_routes(routes, accept_wish, game)
    _add_position_route(routes, accept_wish, game, unconfirmed)
    _add_ending_routes(routes, accept_wish, game)
    _add_help_routes(routes, accept_wish)
    _add_details_route(routes, accept_wish, game)
    _add_computer_routes(routes, accept_wish, game)
    return routes


def _add_beginning_routes(
    routes: Blueprint, accept: Callable[[Act | TakeUp], tuple[Response, int]], game: Game
) -> None:
    """The routes by which another game is on the board."""

    @routes.post("/new-game")
    def new_game() -> tuple[Response, int]:
        body = _read_body("setup")
        setup = _read_choice(body, "setup", game.setups) if body.get("setup") is not None else None
        return accept(NewGame(setup, by=_read_who(body)))

    @routes.post("/take-up")
    def take_up() -> tuple[Response, int]:
        body = _read_body("game")
        return accept(TakeUp(_check_short_text(body.get("game"), "game"), by=_read_who(body)))


def _add_position_route(
    routes: Blueprint,
    accept: Callable[[Act], tuple[Response, int]],
    game: Game,
    unconfirmed: Callable[[Collection[str]], Sequence[str]],
) -> None:
    """The route that sets another position: by hand, or as the camera reads it and somebody has confirmed."""

    @routes.post("/position")
    def position() -> tuple[Response, int]:
        body = _read_body("position", "confirmed")
        if "confirmed" in body and (open_cells := unconfirmed(_read_cells(body, "confirmed", game))):
            raise Problem(
                409,
                f"position: {', '.join(open_cells)} in doubt: look there on the board, put right what is wrong, and"
                " confirm it",
            )
        try:
            from_json(body.get("position"), game)
        except InputError as error:
            raise Problem(422, str(error)) from error
        return accept(SetPosition(body["position"], stands="confirmed" in body, by=_read_who(body)))


def _add_ending_routes(
    routes: Blueprint, accept: Callable[[Act | DeclineDraw], tuple[Response, int]], game: Game
) -> None:
    """The routes that end a game, and the one that overrules a clock which has ended it."""

    @routes.post("/draw")
    def draw() -> tuple[Response, int]:
        body = _read_body("claim")
        claimed = body.get("claim", False)
        if not isinstance(claimed, bool):
            raise Problem(422, "claim: true, or left out for a draw that was agreed")
        return accept(ClaimDraw(by=_read_who(body)) if claimed else AgreeDraw(by=_read_who(body)))

    @routes.post("/decline-draw")
    def decline_draw() -> tuple[Response, int]:
        return accept(DeclineDraw(by=_read_who(_read_body())))

    @routes.post("/settle")
    def settle() -> tuple[Response, int]:
        body = _read_body("how")
        return accept(Settle(_read_choice(body, "how", (AS_DRAWN, *game.seats, AS_UNFINISHED)), by=_read_who(body)))

    @routes.post("/resign")
    def resign() -> tuple[Response, int]:
        body = _read_body("side")
        return accept(Resign(_read_choice(body, "side", game.seats), by=_read_who(body)))

    @routes.post("/forfeit")
    def forfeit() -> tuple[Response, int]:
        body = _read_body("side", "why")
        side, why = _read_choice(body, "side", (*game.seats, EVERYBODY)), _read_choice(body, "why", FORFEITS)
        return accept(Forfeit(side, why, by=_read_who(body)))

    @routes.post("/add-time")
    def add_time() -> tuple[Response, int]:
        body = _read_body("side", "seconds")
        return accept(AddTime(_read_choice(body, "side", game.seats), _read_added(body), by=_read_who(body)))


def _add_help_routes(routes: Blueprint, accept: Callable[[SwitchMode | ShowWhy], tuple[Response, int]]) -> None:
    """The routes that say whether the players are helped, and that show why something was refused."""

    @routes.post("/mode")
    def mode() -> tuple[Response, int]:
        body = _read_body("mode")
        return accept(SwitchMode(Mode(_read_choice(body, "mode", tuple(Mode))), by=_read_who(body)))

    @routes.post("/show-why")
    def show_why() -> tuple[Response, int]:
        return accept(ShowWhy(_read_who(_read_body())))


def _add_details_route(routes: Blueprint, accept: Callable[[SetDetails], tuple[Response, int]], game: Game) -> None:
    """The route that says who plays and where."""

    @routes.post("/details")
    def details() -> tuple[Response, int]:
        body = _read_body(*FIELDS, "players", "ratings", "was")
        try:
            said = parse_details({key: value for key, value in body.items() if key not in {*ALWAYS, "was"}}, game.seats)
            was = parse_details(body["was"], game.seats) if "was" in body else None
        except InputError as error:
            raise Problem(422, str(error)) from error
        return accept(SetDetails(said, _read_who(body), was))


def _add_computer_routes(
    routes: Blueprint, accept: Callable[[SetComputer | SwitchTutor], tuple[Response, int]], game: Game
) -> None:
    """The routes that say which side the computer plays, and how it helps."""

    @routes.post("/tutor")
    def tutor() -> tuple[Response, int]:
        body = _read_body("best", "teach")
        best, teach = body.get("best"), body.get("teach")
        if (best is None and teach is None) or {type(best), type(teach)} - {bool, type(None)}:
            raise Problem(422, "best, teach: true or false, one of them or both")
        return accept(SwitchTutor(best, teach, by=_read_who(body)))

    @routes.post("/opponent")
    def opponent() -> tuple[Response, int]:
        body = _read_body("side", "level")
        side, level = _read_choice(body, "side", game.seats), body.get("level")
        if level is not None and (type(level) is not int or level not in COMPUTER_LEVELS):
            raise Problem(
                422, f"level: a number from {COMPUTER_LEVELS[0]} to {COMPUTER_LEVELS[-1]}, or null for people"
            )
        return accept(SetComputer(side, level, by=_read_who(body)))


def _build_wish(asked: PageRequest, run: str) -> PageRequest | Wish:
    """What is asked for, with what it was decided on if the request says so, and by which account."""
    body = request.get_json()
    seen, name, account = body.get("on"), body.get("wish"), g.get("account")
    if account is not None and isinstance(asked, Act | DeclineDraw | TakeUp):
        asked = replace(asked, account=account.name)
    speaks_alone = account is not None and account.role == PLAYER and isinstance(asked, PLAYERS_WORDS)
    if seen is None and name is None and not speaks_alone:
        return asked
    return Wish(
        asked,
        None if seen is None else _decided_on(seen, run),
        None if name is None else _check_short_text(name, "wish"),
        account.name if account is not None and speaks_alone else None,
    )


def _decided_on(seen: object, run: str) -> DecidedOn:
    if not isinstance(seen, dict) or set(seen) != {"game", "ply", "state"}:
        raise Problem(422, "on: an object with game, ply and state, as they were shown")
    ply = seen["ply"]
    if type(ply) is not int or ply < 0:
        raise Problem(422, "on: ply: a whole number from 0")
    return DecidedOn(
        _check_short_text(seen["game"], "on: game"), ply, number_in(_check_short_text(seen["state"], "on: state"), run)
    )


def _check_short_text(value: object, key: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_WISH:
        raise Problem(422, f"{key}: a text of at most {LONGEST_WISH} characters")
    return value


def _read_body(*own: str) -> Mapping[str, Any]:
    """The request's object, that may have the keys `own`, and says by whom it comes and what it was decided on."""
    keys = {*own, *ALWAYS}
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Problem(400, "the body must be one JSON object")
    strange = sorted(set(body) - keys)
    if strange:
        raise Problem(422, f"unknown key {', '.join(strange)}: known are {', '.join(sorted(keys))}")
    return body


def _read_who(body: Mapping[str, Any]) -> str:
    return _read_choice({"by": WHO[0]} | dict(body), "by", WHO)


def _read_cells(body: Mapping[str, Any], key: str, game: Game) -> frozenset[str]:
    value = body.get(key)
    if not isinstance(value, list) or not all(isinstance(cell, str) and cell in game.board.index for cell in value):
        raise Problem(422, f"{key}: a list of cells of the board")
    return frozenset(value)


def _read_choice(body: Mapping[str, Any], key: str, known: Iterable[str]) -> str:
    value = body.get(key)
    if not isinstance(value, str) or value not in known:
        raise Problem(422, f"{key}: one of {', '.join(known)}")
    return value


def _read_added(body: Mapping[str, Any]) -> float:
    seconds = body.get("seconds")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < abs(seconds) <= LONGEST_S:
        raise Problem(422, "seconds: a number, below zero to take time away, and not 0")
    return float(seconds)


def _read_notation(body: Mapping[str, Any]) -> str:
    notation = body.get("notation")
    if not isinstance(notation, str) or not 0 < len(notation.strip()) <= LONGEST_NOTATION:
        raise Problem(422, "notation: the move as it is written, like E6-C8")
    return typed_move(notation)


def _read_count(body: Mapping[str, Any], key: str, default: int | None) -> int:
    value = body.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Problem(422, f"{key}: a whole number from 1")
    return value
