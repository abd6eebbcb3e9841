"""What was decided in a game, also what was withdrawn: every decision stands once, with who made it and when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.explain.wording import words_of
from engine.match.acts import (
    Act,
    Adjourn,
    AgreeDraw,
    Correct,
    CountLost,
    Forfeit,
    Lose,
    NewGame,
    Pause,
    Resign,
    Resume,
    SetPosition,
    Undo,
)
from engine.match.clock import seconds_left
from engine.text.records import read_pgn
from engine.text.replay import replay_record
from server.languages import load_languages
from server.record.archive import as_pgn, as_replay
from server.record.decisions import find_corrected, list_decisions
from server.record.imports import parse_text
from server.record.journal import fold_events
from server.saying import describe_decision
from tests.server.ruled import SET, Played, by_arbiter


def test_rulings_that_were_withdrawn_are_all_told() -> None:
    played = Played(clock="1h").ask("D6-D5", "D11-D12")
    played.ask(by_arbiter(Forfeit("white", "absence")), by_arbiter(Undo()), by_arbiter(Forfeit("black", "rules")))
    played.ask(by_arbiter(Undo()), Resign("black", by="player", account="bob"))
    played.note("result", result="1-0", reason="absence", by="arbiter")
    played.note("result", result="1/2-1/2", reason="agreement", by="arbiter")
    where, clocks = "After 1. Black", "White 0:59:50, Black 0:59:50"
    assert [line.replace(f" · {clocks})", ")") for line in played.lines] == [
        f"{where}: White did not come and lost, 0-1 (by the arbiter, judge)",
        f"{where}: Result 0-1 taken back (by the arbiter, judge)",
        f"{where}: Black lost under the rules, 1-0 (by the arbiter, judge)",
        f"{where}: Result 1-0 taken back (by the arbiter, judge)",
        f"{where}: Black resigned, 1-0 (by a player, bob)",
        f"{where}: Result 1-0 stands (did not come) (by the arbiter)",
        f"{where}: Result corrected from 1-0 to 1/2-1/2 (by agreement) (by the arbiter)",
    ]
    assert {one.date for one in played.found} == {"2026-11-28T10:00:00+00:00"}
    assert [one.t for one in played.found] == [30.0, 40.0, 50.0, 60.0, 70.0, 70.0, 70.0]
    public = describe_decision(played.found[0], words_of(played.match.game), named=False)
    assert "judge" not in public and "by the arbiter" in public


def test_a_flag_falls_by_the_clock_and_its_clock_is_at_nought() -> None:
    (line,) = Played(clock="10s").ask("D6-D5", Forfeit("black", "time", by="clock")).lines
    assert line == "After 1. White: Black lost on time, 1-0 (by the clock · White 0:00:10, Black 0:00:00)"


def clocks_said(played: Played) -> list[str]:
    """What each line says that the clocks had left."""
    return [line.rpartition(" · ")[2].rstrip(")") if " · " in line else "" for line in played.lines]


@pytest.mark.parametrize(
    "end", [by_arbiter(Resign("black")), by_arbiter(AgreeDraw()), by_arbiter(Adjourn()), by_arbiter(Pause())]
)
def test_what_ran_since_the_last_ply_is_in_what_the_clocks_had_left(end: Act) -> None:
    """The page counts it too: what it shows when the game has ended is what the record says."""
    played = Played("chivalry", clock="5m+3s")
    first = [played.match.game.write(played.match.position, played.match.game.moves(played.match.position)[0])]
    played.ask(*first, end)
    assert clocks_said(played) == ["White 0:05:06, Black 0:04:53"]
    left = seconds_left(played.match.clocks[-1], played.t + 100.0)
    assert (
        dict(zip(("white", "black"), left, strict=True)) == played.found[-1].clock == {"white": 306.0, "black": 293.0}
    )


def test_of_three_whoever_leaves_had_the_time_that_was_left() -> None:
    played = Played("tri-camelot", clock="5m").ask("F5-H7", by_arbiter(Resign("red")), by_arbiter(Resign("green")))
    assert clocks_said(played) == [
        "Blue 0:05:00, Red 0:04:50, Green 0:05:00",
        "Blue 0:05:00, Red 0:00:00, Green 0:05:00",
    ]


def test_lost_time_and_what_is_ruled_on_it_have_the_clocks_of_that_moment() -> None:
    lost = Lose("stopped", 61.0, "2026-11-28T10:00:00+00:00", "2026-11-28T10:01:01+00:00", by="clock")
    played = Played(clock="1h").ask("D6-D5", lost, CountLost(by="arbiter"))
    assert clocks_said(played)[0] == "White 1:00:00, Black 0:59:50"
    assert clocks_said(played)[1] == "White 1:00:00, Black 0:58:49"


def test_what_was_put_away_for_another_game_has_the_clocks_of_its_own() -> None:
    played = Played(clock="1h").ask("D6-D5", by_arbiter(NewGame()))
    (away,) = [one for one in played.found if one.kind == "adjourned"]
    assert away.clock == {"white": 3600.0, "black": 3590.0}


def test_where_the_record_does_not_say_what_the_clocks_had_left_nothing_is_said() -> None:
    """Records of before say it beside the plies alone, and nobody knows what ran since."""
    played = Played(clock="5m").ask("D6-D5", "D11-D12", by_arbiter(Resign("black")))
    played.events = [{key: value for key, value in event.items() if key != "clocks"} for event in played.events]
    assert played.lines == ["After 1. Black: Black resigned, 1-0 (by the arbiter, judge)"]
    for wrong in ({"white": "much"}, {"white": float("nan")}, {"pink": 4.0}, [4.0], 4.0):
        played.events[-2] = {**played.events[-2], "clocks": wrong}
        assert played.found[0].clock == {}


def test_of_three_sides_who_left_before_the_end_is_told() -> None:
    played = Played("tri-camelot").ask(
        "F5-H7", Resign("red", by="page"), "I14-G16", Forfeit("blue", "rules", by="page")
    )
    assert played.lines == [
        "After 1. Blue: Red resigned (on the page)",
        "After 1. Green: Blue lost under the rules, 0-0-1 (on the page)",
    ]
    assert played.ask(Undo(by="page")).lines[2:] == ["After 1. Green: Result 0-0-1 taken back (on the page)"]


def test_that_one_of_three_left_is_taken_back_too() -> None:
    played = Played("tri-camelot").ask("F5-H7", Resign("red", by="page"), Undo(by="page"))
    assert played.lines[1] == "After 1. Blue: Taken back: Red is in the game again (on the page)"


def test_a_correction_tells_what_was_and_repeats_nothing() -> None:
    """What a correction says again of the plies after it was decided before, and is told once."""
    played = Played().ask("D6-D5", "D11-D12", "E6-E4", "E11-E12", by_arbiter(Resign("black")))
    played.ask(by_arbiter(Correct(2, "D11-C10")))
    assert played.lines == [
        "After 2. White: E6-E4 let stand: That is no move of this piece",
        "After 2. Black: Black resigned, 1-0 (by the arbiter, judge)",
        "After 2. Black: 1. Black: D11-D12 corrected to D11-C10 (by the arbiter, judge)",
    ]
    assert played.match.outcome is not None
    assert find_corrected(played.events) == {2: "D11-D12"}
    again = played.ask(by_arbiter(Correct(2, "D11-D12")))
    assert find_corrected(again.events) == {}, "it is what it was"
    assert again.lines[-1] == "After 2. Black: 1. Black: D11-C10 corrected to D11-D12 (by the arbiter, judge)"


def test_what_a_correction_leaves_unlawful_is_told() -> None:
    played = Played().ask("D6-D5", "D11-D12", "D5-D4", by_arbiter(Correct(1, "C6-C5")))
    assert [one.kind for one in played.found] == ["corrected", "dropped"]
    assert played.lines[1].startswith("After 1. Black: D5-D4 and what followed left out: ")


def test_plies_that_are_taken_back_are_named() -> None:
    played = Played().ask("D6-D5", "D11-D12", "E6-E5", by_arbiter(Undo(2)))
    played.note("takeback", plies=1)
    assert played.lines == [
        "After 2. White: Taken back: 1. D11-D12, 2. E6-E5 (by the arbiter, judge)",
        "After 1. White: Taken back: 1. D6-D5 (by putting pieces back)",
    ]


def test_pauses_and_lost_time_are_told_where_a_clock_runs() -> None:
    lost = Lose("slept", 61.0, "2026-11-28T10:00:00+00:00", "2026-11-28T10:01:01+00:00", by="clock")
    played = Played(clock="1h").ask("D6-D5", Pause(by="arbiter"), Resume(by="arbiter"), lost, Resume(by="arbiter"))
    played.ask(lost, CountLost(by="arbiter"), Adjourn(by="arbiter"), Resume(by="arbiter"))
    assert [one.kind for one in played.found] == [
        "paused", "resumed", "time-lost", "time-left-out", "time-lost", "time-counted", "adjourned", "resumed",
    ]  # fmt: skip
    assert "It counts for Black: 0:01:01 (by the arbiter" in played.lines[5]
    assert [one.kind for one in Played().ask("D6-D5", Pause(), Resume(), Adjourn(), Resume()).found] == [
        "adjourned",
        "resumed",
    ]


def test_notes_of_the_record_are_told_whatever_fields_they_have() -> None:
    played = Played(clock="1h").ask("D6-D5").note("draw-offered", by="player", account="ann")
    played.note("draw-declined", by="player", account="bob")
    played.note("claim-refused", side="black", why="No draw can be claimed here.", by="player", account="bob")
    played.note("time-added", side="white", seconds=120.0, left=3720.0, by="arbiter")
    played.note("ruling", id="1", game="g", kind="claim", ruling="White gets\n two minutes", who="judge", by="arbiter")
    played.note("mode", mode="tournament", by="arbiter")
    told = [line.partition(": ")[2].split(" · ")[0].rstrip(")") for line in played.lines]
    assert told == [
        "Draw offered (by a player, ann",
        "Draw declined, or its offer withdrawn (by a player, bob",
        "Black claimed a draw, which was refused: No draw can be claimed here (by a player, bob",
        "White was given 0:02:00 and has 1:02:00 (by the arbiter",
        "Ruling: White gets two minutes (by the arbiter, judge",
        "Tournament from here on: nobody is helped (by the arbiter",
    ]


def test_what_a_new_game_takes_over_is_no_decision_of_it() -> None:
    played = Played().note("mode", mode="tournament", by="arbiter").ask("D6-D5")
    assert played.found == []
    assert [one.kind for one in played.note("mode", mode="training", by="arbiter").found] == ["mode-training"]


def test_an_ordinary_game_has_nothing_decided() -> None:
    played = Played().ask("D6-D5", "D11-D12")
    assert list_decisions([*played.events, {"t": 90.0, "event": "result", "result": "1-0", "reason": "castle"}]) == []
    later = [{"t": 90.0, "event": "result", "result": "1-0", "reason": "castle"}]
    later += [{"t": 90.0, "event": "result", "result": "*", "reason": "unfinished", "by": "arbiter"}]
    assert [one.kind for one in list_decisions([*played.events, *later])] == ["result-dropped"]


@pytest.mark.parametrize("set_later", [False, True])
def test_the_text_tells_it_and_is_read_back_as_the_same_game(set_later: bool) -> None:
    played = Played(clock="1h").ask("D6-D5", by_arbiter(Undo()), "D6-D5", "D11-D12")
    if set_later:
        played.ask(by_arbiter(SetPosition(SET | {"rules": played.match.game.rules})), "F11-F10")
    played.ask(by_arbiter(Forfeit("white", "absence")), by_arbiter(Undo()), by_arbiter(AgreeDraw()))
    text = as_pgn("camelot-0001", played.events)
    assert "Result 0-1 taken back (by the arbiter" in text and "Draw agreed, 1/2-1/2" in text
    assert "judge" not in text
    (read,) = read_pgn(text)
    found = replay_record(read)
    assert found.fault is None and read.result == "1/2-1/2"
    shown = as_replay("camelot-0001", played.events)["positions"]
    assert isinstance(shown, list)
    assert list(found.texts) == [step["move"] for step in shown[1:]][-len(found.texts) :]
    assert len(found.texts) == (1 if set_later else 2)


def test_what_a_text_has_as_moves_it_does_not_tell_twice() -> None:
    played = Played("tri-camelot").ask("F5-H7", Resign("red"), "J11-H3")
    text = as_pgn("tri", played.events)
    assert "[%left red resigned]" in text and "[%as-played" in text
    assert "resigned (on" not in text and "let stand" not in text


def test_every_language_says_every_decision(languages: Sequence[str] = ("de", "en", "fr", "pt")) -> None:
    played = Played(clock="1h").ask("D6-D5", by_arbiter(Resign("black")))
    for code in languages:
        (line,) = [describe_decision(one, words_of(played.match.game), load_languages()[code]) for one in played.found]
        assert "{" not in line and "1-0" in line and "1:00:00" in line
    assert describe_decision(played.found[0], words_of(played.match.game), load_languages()["fr"]).startswith(
        "Après 1."
    )


def test_events_of_an_import_are_told_as_those_of_a_game() -> None:
    played = Played().ask("D6-D5", by_arbiter(Resign("black")))
    ((_, events),) = parse_text("\n".join(json.dumps(event) for event in played.events), Path("g.jsonl")).games
    assert [one.kind for one in list_decisions(events)] == ["left-resigned"]
    assert fold_events(events, "g").outcome == played.match.outcome


def test_a_file_that_says_anything_is_told_all_the_same() -> None:
    """What comes from elsewhere may have any values in what moves nothing."""
    played = Played(clock="1h").ask("D6-D5", "D10-D9")
    played.events[1] = {**played.events[1], "side": "pink"}
    played.note("ruling", ruling="no\n" * 5000, who=7).note("claim-refused", why=None).note("draw-offered", account=[])
    assert len(played.lines) == 3 and max(map(len, played.lines)) < 600
    assert as_pgn("g", played.events).count("{After") == 3
