"""A question that is open when the service ends stands again when it is started: page, lights, and its answer."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calibration import profile as profiles
from engine import games
from engine.match.acts import AS_DRAWN
from engine.match.course import advance_ply
from engine.match.events import AnotherGame, Event, Moved, Ready, Restored, Unclear
from engine.match.referee import new_match
from engine.match.state import Match
from engine.text.positions import to_json
from server.record.journal import GameBook, Journal, fold_events, read_question
from server.record.store import open_record
from tests.patience import PATIENCE_S, wait_until
from tests.server.bundled import still_film
from tests.server.commands.test_serve import GAME, GOLDEN, PROFILE, get, notations, serving

PLIES = 3
MOVES = notations(GOLDEN)


def played(plies: int) -> tuple[Match, list[Event]]:
    """A match of the recording's first plies, and what was said of them."""
    profile = profiles.load_profile(PROFILE)
    match, said = new_match(games.load(profile.game, profile.rules)), list[Event]([Ready(0.0, 97)])
    for ply, notation in enumerate(MOVES[:plies], start=1):
        move = match.game.read(match.position, str(notation))
        cells = match.game.board.cells
        ends = cells[move.origin], cells[move.target]  # type: ignore[union-attr]  # it was played
        said.append(Moved(float(ply), ply, match.side_to_move, str(notation), *ends, (), 1.0))
        match = advance_ply(match, move)  # type: ignore[arg-type]
    return match, said


def write_game(file: Path, match: Match, said: list[Event]) -> None:
    """A record of the match from its start, and of what was said."""
    with open_record(file) as record:
        journal = Journal(record, GAME)
        journal.begin_game(match.__class__(match.game, match.positions[:1]))
        journal.write_events(said)


def asked(match: Match) -> Unclear:
    """What a look at the next ply may ask."""
    after, _ = played(PLIES + 1)
    pairs = zip(match.game.board.cells, match.position.placement, after.position.placement, strict=True)
    differs = tuple(cell for cell, now, then in pairs if now != then)
    return Unclear(9.0, (str(MOVES[PLIES]), "no move"), to_json(match.game, after.position), differs)


def over(url: str) -> dict[str, Any] | None:
    """What the page shows once the recording was seen to its end."""
    game = json.loads(get(f"{url}api/v1/game"))
    ended = (game["cannot_see"] or {}).get("cause") == "recording-ended"
    return dict(game) if ended else None


def post(url: str, path: str, body: dict[str, object], now: dict[str, Any]) -> None:
    on = {"game": now["name"], "ply": now["ply"], "state": now["state"]}
    request = urllib.request.Request(  # noqa: S310  # our own address
        f"{url}api/v1/{path}", json.dumps({**body, "on": on}).encode(), {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request, timeout=PATIENCE_S).close()  # noqa: S310


def test_the_question_what_was_played_stands_after_a_restart_and_can_be_answered(tmp_path: Path) -> None:
    file, (match, said) = tmp_path / "games.sqlite3", played(PLIES)
    question = asked(match)
    write_game(file, match, [*said, question])
    with serving(file, "--camera", str(still_film(tmp_path / "film", PLIES + 1))) as url:
        at_once = json.loads(get(f"{url}api/v1/game"))
        now = wait_until(lambda: over(url))
        for shown in (at_once, now):
            assert (shown["phase"], shown["ply"]) == ("unclear", PLIES)
            assert shown["note"]["options"] == list(question.options)
        assert set(at_once["leds"]) & set(question.differs), "the lights ask too"
        assert now["note"]["as_it_stands"] == question.as_it_stands
        stands = json.loads(get(f"{url}api/v1/stands"))
        assert (stands["position"], stands["differs"]) == (question.as_it_stands, list(question.differs))
        assert stands["doubtful"] == stands["differs"], "it was read before the service ended"
        post(url, "correct", {"ply": PLIES + 1, "notation": MOVES[PLIES]}, now)
        wait_until(lambda: json.loads(get(f"{url}api/v1/game"))["ply"] == PLIES + 1)
    with open_record(file) as record:
        told = record.read_events(GAME)
    assert notations(told) == MOVES[: PLIES + 1]
    assert [event["event"] for event in told].count("unclear") == 1, "it is not asked twice"


def test_a_question_about_another_board_gives_way_to_what_is_wrong_now(tmp_path: Path) -> None:
    """It stayed though the pieces stood elsewhere by then, and nobody was told which."""
    file, (match, said) = tmp_path / "games.sqlite3", played(PLIES)
    question = asked(match)
    write_game(file, match, [*said, replace(question, options=(), differs=(*question.differs, "A8"))])
    with serving(file, "--camera", str(still_film(tmp_path / "film", PLIES + 1))) as url:
        now = wait_until(lambda: over(url))
    assert (now["phase"], now["note"]["event"]) == ("set-up", "set-up")
    assert set(now["note"]["wrong"]) == set(question.differs)


def test_what_the_last_move_may_have_been_instead_is_read_from_the_record() -> None:
    match, _ = played(PLIES)
    question = replace(asked(match), corrections=(MOVES[0],))
    assert read_question(question.to_json(), match).corrections == question.corrections


@pytest.mark.parametrize("closed", [False, True])
def test_a_question_that_is_settled_by_the_board_is_not_asked_again(tmp_path: Path, closed: bool) -> None:
    """The pieces were put back while the service was down, or before."""
    file, (match, said) = tmp_path / "games.sqlite3", played(PLIES)
    write_game(file, match, [*said, asked(match), *([Restored(9.5)] if closed else [])])
    with serving(file, "--camera", str(still_film(tmp_path / "film", PLIES))) as url:
        now = wait_until(lambda: over(url))
    assert (now["phase"], now["note"], now["ply"]) == ("playing", None, PLIES)
    with open_record(file) as record:
        assert notations(record.read_events(GAME)) == MOVES[:PLIES]


def test_how_the_game_before_ended_is_asked_until_it_is_answered_once(tmp_path: Path) -> None:
    file, (match, said) = tmp_path / "games.sqlite3", played(PLIES)
    with open_record(file) as record:
        journal = Journal(record, GAME)
        journal.begin_game(match.__class__(match.game, match.positions[:1]))
        journal.write_events(said)
        start = match.__class__(match.game, match.positions[:1], before=match)
        GameBook(journal).write_event(AnotherGame(20.0, "adjourned"), start)
    film = str(still_film(tmp_path / "film", 0))
    with serving(file, "--camera", film) as url:
        now = wait_until(lambda: over(url))
        assert (now["name"], now["put_away"]["ply"]) == ("camelot-0002", PLIES)
        post(url, "settle", {"how": AS_DRAWN}, now)
        wait_until(lambda: json.loads(get(f"{url}api/v1/game"))["put_away"] is None)
    with open_record(file) as record:
        assert record.read_events(GAME)[-2]["event"] == "result"
        assert fold_events(record.read_events(GAME), GAME).outcome is not None
        assert [event["event"] for event in record.read_events("camelot-0002")].count("settled") == 1
    with serving(file, "--camera", film) as url:
        assert wait_until(lambda: over(url))["put_away"] is None, "it was answered"
