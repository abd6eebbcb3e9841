"""The games as files for any web server: nothing in them is younger than the delay, and lines are only ever added."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.lights import draw_match
from engine.errors import InputError
from engine.game import Move, Position, leave_side_out
from engine.games import load
from engine.match.acts import Act, Forfeit, Resign, SetPosition, Undo
from engine.text.positions import from_json, to_json
from engine.text.records import read_pgn
from engine.text.replay import read_opening, replay_record
from server.board.live.snapshot import build_snapshot
from server.record.journal import LaterResult, read_moves
from server.spectators.broadcast import Broadcast
from server.spectators.public_feed import LIST_OF_GAMES, PublicFeed
from server.web.feed import Feed
from tests.engine.sights import changed
from tests.server.ruled import SET, Played
from tests.server.script import NAME, OPENING, Script

CHECKS = int(os.environ.get("BROADCAST_CHECKS", "1000"))
GAME = load("camelot", "wcf")
SEATS = GAME.seats


def snapshot(moves: list[str], made_t: list[float], t: float, name: str = "g1", **more: Any) -> dict[str, Any]:
    told = [
        {"ply": n, "side": SEATS[(n - 1) % 2], "notation": move, "from": "A1", "to": "A2", "captured": [], "t": at}
        for n, (move, at) in enumerate(zip(moves, made_t, strict=True), 1)
    ]
    return {
        "name": name,
        "game": "camelot",
        "rules": "wcf",
        "moves": told,
        "details": {},
        "outcome": None,
        "t": t,
    } | more


def lines(folder: Path, name: str = "g1") -> list[dict[str, Any]]:
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_no_event_of_the_last_minutes_is_in_any_file(tmp_path: Path) -> None:
    """A thousand looks at all files (`make attack`: ten thousand), at drawn moments of drawn games with moves,
    takebacks, results and restarts: each move is named so that its time can be read from every byte that is served."""
    chance, checks, run = np.random.default_rng(29), 0, 0
    while checks < CHECKS:
        run += 1
        folder, delay_s, now = tmp_path / str(run), float(chance.choice([5.0, 60.0, 900.0])), 0.0
        moves, at, before = list[str](), list[float](), dict[str, bytes]()
        broadcast = Broadcast(Feed(), delay_s, PublicFeed(folder, SEATS).write_snapshot)
        for _ in range(100):
            now = round(now + float(chance.exponential(delay_s / 4)), 3)
            happens = chance.random()
            if happens < 0.5:
                moves.append(f"m{now}")
                at.append(now)
            elif happens < 0.6 and moves:
                del moves[-1], at[-1]
            elif happens < 0.65:  # the program is started again; what it held back is lost
                broadcast = Broadcast(Feed(), delay_s, PublicFeed(folder, SEATS).write_snapshot)
            name = f"g{int(now // (20 * delay_s))}"
            broadcast.hold_snapshot(now, snapshot(moves, at, now, name, outcome={"result": f"r{now}", "reason": "x"}))
            broadcast.publish_due(now)
            served = {file.name: file.read_bytes() for file in folder.iterdir()}
            for file, data in served.items():
                for word in data.decode().replace('"', " ").replace("\n", " ").replace("]", " ").split():
                    if word[:1] in "mr" and word[1:].replace(".", "", 1).isdigit():
                        assert float(word[1:]) + delay_s <= now, (file, word, now)
                if file.endswith(".jsonl"):
                    assert data.startswith(before.get(file, b"")), "a line was changed that had been served"
                    before[file] = data
            checks += 1
    assert checks >= CHECKS


def test_a_played_game_can_be_read_by_everybody(tmp_path: Path, script: Script) -> None:
    public = PublicFeed(tmp_path, SEATS)
    for notation in OPENING:
        script.play(notation)
        told = dict(script.feed.newest_snapshot or {}) | {"details": {"event": "Open", "players": {"white": "Anna"}}}
        public.write_snapshot(told)
    name = str(told["name"])
    text = (tmp_path / f"{name}.pgn").read_text(encoding="utf-8")
    assert '[White "Anna"]' in text and '[Event "Open"]' in text
    (record,) = read_pgn(text)
    assert replay_record(record).fault is None
    found = lines(tmp_path, name)
    assert [line["event"] for line in found] == ["game", "details", *["move"] * len(OPENING)]
    assert [line["n"] for line in found] == list(range(1, len(found) + 1))
    position = GAME.start()
    for line in found[2:]:
        move = GAME.read(position, line["notation"])
        assert isinstance(move, Move) and GAME.board.cells[move.target] == line["to"]
        position = GAME.play(position, move)
    (listed,) = json.loads((tmp_path / LIST_OF_GAMES).read_text(encoding="utf-8"))
    assert (listed["name"], listed["plies"], listed["result"]) == (name, len(OPENING), "*")


def test_a_game_from_another_position_can_be_read_by_everybody(tmp_path: Path) -> None:
    """As `referee serve --position` begins one, and as an arbiter sets one before the first move: Black begins."""
    begun = GAME.play(GAME.start(), GAME.moves(GAME.start())[0])
    script = Script(Feed(), GAME, begun)
    public = PublicFeed(tmp_path, SEATS)
    details = {"players": {"white": "Anna"}, "ratings": {"white": "1720"}}
    public.write_snapshot(snapshot([], [], 0, NAME))
    script.play(GAME.write(begun, GAME.moves(begun)[0]))
    public.write_snapshot(dict(script.feed.newest_snapshot or {}) | {"details": details})
    text = (tmp_path / f"{NAME}.pgn").read_text(encoding="utf-8")
    (record,) = read_pgn(text)
    assert replay_record(record).fault is None and len(record.plies) == 1
    assert read_opening(record)[1] == begun
    assert '[WhiteElo "1720"]' in text
    assert [line["event"] for line in lines(tmp_path, NAME)] == ["game", "details", "position", "move"]


def test_corrections_and_the_end_are_lines_of_their_own(tmp_path: Path) -> None:
    public = PublicFeed(tmp_path, SEATS)
    public.write_snapshot(snapshot(["a", "b", "c"], [1, 2, 3], 3))
    public.write_snapshot(snapshot(["a", "x"], [1, 4], 4))
    public.write_snapshot(snapshot(["a", "x"], [1, 4], 5, outcome={"result": "1-0", "reason": "castle"}))
    public.write_snapshot(snapshot(["a", "x"], [1, 4], 6, outcome={"result": "1-0", "reason": "castle"}))
    told = [
        (line["event"], line.get("notation", line.get("plies", line.get("result")))) for line in lines(tmp_path)[1:]
    ]
    assert told == [("move", "a"), ("move", "b"), ("move", "c"), ("takeback", 2), ("move", "x"), ("result", "1-0")]


def test_it_goes_on_where_the_files_end_also_after_a_power_cut(tmp_path: Path) -> None:
    PublicFeed(tmp_path, SEATS).write_snapshot(snapshot(["a"], [1], 1))
    with (tmp_path / "g1.jsonl").open("a") as file:
        file.write('{"n": 3, "event": "mo')
    PublicFeed(tmp_path, SEATS).write_snapshot(snapshot(["a", "b"], [1, 2], 2))
    assert [line.get("notation") for line in lines(tmp_path)] == [None, "a", "b"]


def test_a_folder_that_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--broadcast"):
        PublicFeed(tmp_path / "file", SEATS)
    public = PublicFeed(tmp_path / "there", SEATS)
    (tmp_path / "there" / "g1.jsonl").mkdir()
    public.write_snapshot(snapshot(["a"], [1], 1))
    assert "is not written" in caplog.text
    public.write_snapshot(snapshot(["a"], [1], 1, name="../evil"))
    assert not (tmp_path / "evil.jsonl").exists()


def test_a_result_of_a_game_before_is_told_after_the_delay_in_all_its_files(tmp_path: Path) -> None:
    """An arbiter corrects it, or people say how it ended after the next game has begun."""
    folder = tmp_path / "public"
    public = PublicFeed(folder, SEATS)
    broadcast = Broadcast(Feed(), 60.0, public.write_snapshot, public.write_ending)
    over = {"outcome": {"result": "1-0", "reason": "castle"}}
    broadcast.hold_snapshot(0.0, snapshot(["E6-C8"], [0.0], 0.0, **over))
    broadcast.hold_snapshot(10.0, snapshot([], [], 10.0, name="g2"))
    broadcast.hold_ending(20.0, LaterResult("g1", "1/2-1/2", "agreement"))
    broadcast.hold_ending(20.0, LaterResult("not-told", "1-0", "castle"))
    broadcast.publish_due(79.0)
    assert lines(folder)[-1]["result"] == "1-0"
    for said in (PublicFeed(folder, SEATS), public):  # another start of the program has only the files
        broadcast.publish_due(80.0)
        said.write_ending(LaterResult("g1", "1/2-1/2", "agreement"))
        assert [line["result"] for line in lines(folder) if line["event"] == "result"] == ["1-0", "1/2-1/2"]
        assert [line["n"] for line in lines(folder)] == list(range(1, len(lines(folder)) + 1))
    (text,) = read_pgn((folder / "g1.pgn").read_text(encoding="utf-8"))
    assert (dict(text.tags)["Result"], text.result) == ("1/2-1/2", "1/2-1/2")
    assert [ply.text for ply in text.plies] == ["E6-C8"]
    listed = {game["name"]: game["result"] for game in json.loads((folder / LIST_OF_GAMES).read_text())}
    assert listed == {"g1": "1/2-1/2", "g2": "*"}
    public.write_ending(LaterResult("g1", "*", "unfinished"))
    assert read_pgn((folder / "g1.pgn").read_text(encoding="utf-8"))[0].result == "*"
    assert not (folder / "not-told.jsonl").exists()


def test_a_result_against_the_last_position_is_told_so_that_it_is_read_back(tmp_path: Path) -> None:
    public, castle = PublicFeed(tmp_path, SEATS), {"cells": {"F15": "WM", "G16": "WM", "E5": "BM", "A7": "BM"}}
    over = {"start": {"to_move": "white", **castle}, "outcome": {"result": "1-0", "reason": "castle"}}

    def read() -> tuple[str, str | None]:
        (text,) = read_pgn((tmp_path / "g1.pgn").read_text(encoding="utf-8"))
        assert replay_record(text).fault is None
        return text.result, text.find_tag("Termination")

    public.write_snapshot(snapshot(["F15-F16"], [0.0], 0.0, **over))
    assert read() == ("1-0", None)
    for result, how in (("0-1", "adjudication"), ("1/2-1/2", "adjudication"), ("1-0", None)):
        public.write_ending(LaterResult("g1", result, "ruling"))
        assert read() == (result, how)


class Followed:
    """Whoever reads the lines of a game that people decide things in, and whoever reads its text."""

    def __init__(self, folder: Path, game: str) -> None:
        self.played, self.folder = Played(game), folder
        self.public = PublicFeed(folder, self.played.match.game.seats)
        self.ask()

    def ask(self, *asked: Act | str) -> Followed:
        for one in asked:
            self.played.ask(one)
            told = [move for move in read_moves(self.played.events) if move.ply <= len(self.played.match.moves)]
            shown = build_snapshot(self.played.match, draw_match(self.played.match), 99, self.played.t, told)
            self.shown = {**shown, "name": "g1", "details": dict[str, object]()}
            self.public.write_snapshot(self.shown)
        return self

    @property
    def told(self) -> list[str]:
        """What the lines say, but for the first."""
        known = ("notation", "side", "plies", "result")
        told = [line for line in lines(self.folder) if line["event"] != "game"]
        told = [
            line | {"side": len((line["position"] or {}).get("cells", ()))} if "position" in line else line
            for line in told
        ]
        return [f"{line['event']} {next(line[key] for key in known if key in line)}" for line in told]

    def check_position(self) -> None:
        """Who plays the lines through comes to the position of the game."""
        game = self.played.match.game
        course: list[dict[str, Any]] = []
        for line in lines(self.folder):
            if line["event"] in {"move", "left"}:
                course.append(line)
            elif line["event"] == "takeback" and line["plies"]:
                moved = [at for at, one in enumerate(course) if one["event"] == "move"]
                del course[moved[-line["plies"]] :]
            elif line["event"] == "takeback":
                del course[-1]
            elif line["event"] == "position":
                del course[len(course) - (course[-1:] != [] and course[-1]["event"] == "position") :]
                course += [line] if line["position"] else []
        position = game.start()
        for line in course:
            if line["event"] == "position":
                _, position = from_json(line["position"], game)
            elif line["event"] == "move":
                move = game.read(position, line["notation"])
                assert isinstance(move, Move)
                position = game.play(position, move)
            elif isinstance(after := leave_side_out(game, position, line["side"], line["why"]), Position):
                position = after
        assert position == self.played.match.position
        (record,) = read_pgn((self.folder / "g1.pgn").read_text(encoding="utf-8"))
        found = replay_record(record)
        assert found.fault is None and found.positions[-1] == position
        assert record.result == (self.played.match.outcome.result if self.played.match.outcome else "*")


def test_that_a_side_has_left_is_a_line_of_its_own(tmp_path: Path) -> None:
    followed = Followed(tmp_path, "tri-camelot").ask("F5-H7", Resign("red"), "I14-G16")
    followed.check_position()
    assert followed.told == ["move F5-H7", "left red", "move I14-G16"]
    followed.ask(Forfeit("blue", "rules")).check_position()
    assert followed.told[3:] == ["left blue", "result 0-0-1"]
    told = [line for line in lines(tmp_path) if line["event"] == "left"]
    assert [(line["ply"], line["side"], line["why"]) for line in told] == [(1, "red", "resigned"), (2, "blue", "rules")]


@pytest.mark.parametrize("side", ["blue", "red"])
def test_a_side_that_leaves_before_the_first_move_is_told(side: str, tmp_path: Path) -> None:
    followed = Followed(tmp_path, "tri-camelot").ask(Resign(side))
    move = followed.played.match.game.moves(followed.played.match.position)[0]
    followed.ask(followed.played.match.game.write(followed.played.match.position, move)).check_position()
    assert followed.told[0] == f"left {side}"
    assert f"{{[%left {side} resigned]}}" in (tmp_path / "g1.pgn").read_text(encoding="utf-8")


def test_that_a_side_is_back_is_told_as_a_takeback(tmp_path: Path) -> None:
    followed = Followed(tmp_path, "tri-camelot").ask("F5-H7", Resign("red"), Undo())
    followed.check_position()
    assert followed.told == ["move F5-H7", "left red", "takeback 0"]
    followed.ask(Resign("red"), "I14-G16", Undo(2)).check_position()
    assert followed.told[3:] == ["left red", "move I14-G16", "takeback 2"]
    followed.ask(Resign("green"), Resign("red"), Undo()).check_position()
    assert followed.told[6:] == ["left green", "left red", "result 1-0-0", "takeback 0", "result *"]


def test_of_two_who_has_resigned_is_told_and_a_corrected_result_has_it_no_more(tmp_path: Path) -> None:
    followed = Followed(tmp_path, "camelot").ask("D6-D5", Resign("white"))
    followed.check_position()
    assert followed.told[1:] == ["left white", "result 0-1"]
    followed.public.write_ending(LaterResult("g1", "1/2-1/2", "agreement"))
    (record,) = read_pgn((tmp_path / "g1.pgn").read_text(encoding="utf-8"))
    assert replay_record(record).fault is None and record.result == "1/2-1/2"


def set_position(cells: int, game: str = "camelot") -> SetPosition:
    """A position with so many of SET's pieces; Black is to move."""
    few = dict(list(SET["cells"].items())[-cells:])
    return SetPosition(SET | {"rules": load(game).rules, "cells": few})


def test_a_position_that_is_set_during_a_game_is_told_and_played_from(tmp_path: Path) -> None:
    followed = Followed(tmp_path, "camelot").ask("D6-D5", "D11-D12", set_position(4))
    followed.check_position()
    assert followed.told == ["move D6-D5", "move D11-D12", "position 4"]
    followed.ask("F11-F10").check_position()
    assert followed.told[3:] == ["move F11-F10"]
    assert "2 plies were played before this position was set: D6-D5 D11-D12" in (tmp_path / "g1.pgn").read_text()
    followed.ask(Resign("white")).check_position()
    assert followed.told[4:] == ["left white", "result 0-1"]


def test_a_position_that_is_set_twice_or_taken_back_is_told_so(tmp_path: Path) -> None:
    followed = Followed(tmp_path, "camelot").ask("D6-D5", "D11-D12")
    as_played = to_json(followed.played.match.game, followed.played.match.position)
    followed.ask(set_position(4), set_position(3)).check_position()
    assert followed.told[2:] == ["position 4", "position 3"]
    followed.ask(SetPosition(as_played)).check_position()
    assert followed.told[4:] == ["position 0"]
    followed.ask(set_position(4), "F11-F10", Undo(2)).check_position()
    assert followed.told[5:] == ["position 4", "move F11-F10", "takeback 2"]
    followed.ask(set_position(4), Undo()).check_position()
    assert followed.told[8:] == ["position 4", "takeback 1"]
    followed.ask(set_position(4), SetPosition(to_json(followed.played.match.game, followed.played.match.game.start())))
    followed.check_position()
    assert followed.told[10:] == ["position 4", "position 0"]


def test_a_position_that_is_set_after_a_result_or_ends_the_game_is_told(tmp_path: Path) -> None:
    followed = Followed(tmp_path, "camelot").ask("D6-D5", Resign("black"), set_position(4))
    followed.check_position()
    assert followed.told[1:] == ["left black", "result 1-0", "takeback 0", "position 4", "result *"]
    followed.ask(set_position(2)).check_position()
    assert [line.split()[0] for line in followed.told[6:]] == ["position", "result"]


def test_a_position_set_after_a_side_has_left_is_told_with_it_gone(tmp_path: Path) -> None:
    followed = Followed(tmp_path, "tri-camelot").ask("F5-H7", Resign("red"), "I14-G16")
    game, position = followed.played.match.game, followed.played.match.position
    first = game.board.cells[min(cell for cell, piece in enumerate(position.placement) if piece)]
    stands = to_json(game, replace(position, placement=changed(game, position.placement, f"{first}-")))
    followed.ask(SetPosition(stands)).check_position()
    assert [line.split()[0] for line in followed.told] == ["move", "left", "move", "position"]
    followed.ask(game.write(now := followed.played.match.position, game.moves(now)[0])).check_position()
    followed.ask(SetPosition(to_json(game, game.start()))).check_position()
    assert [(one["side"], one.get("back")) for one in followed.shown["out"]] == [("red", True)]
    followed.ask("F5-H7", Resign("red"), SetPosition(stands)).check_position()
    assert [line.split()[0] for line in followed.told[-3:]] == ["move", "left", "position"]
    assert [one["side"] for one in followed.shown["out"] if not one.get("back")] == ["red"]


def test_a_position_is_not_told_before_the_delay(tmp_path: Path) -> None:
    """Also not by what goes on where another start of the program ended."""
    followed = Followed(tmp_path / "now", "camelot").ask("D6-D5")
    broadcast = Broadcast(Feed(), 60.0, PublicFeed(tmp_path / "late", SEATS).write_snapshot)
    broadcast.hold_snapshot(0.0, followed.shown)
    broadcast.hold_snapshot(10.0, followed.ask(set_position(4)).shown)
    broadcast.publish_due(69.0)
    assert [line["event"] for line in lines(tmp_path / "late")] == ["game", "move"]
    assert "F11" not in (tmp_path / "late" / "g1.pgn").read_text()
    broadcast.publish_due(70.0)
    assert [line["event"] for line in lines(tmp_path / "late")] == ["game", "move", "position"]
    PublicFeed(tmp_path / "late", SEATS).write_snapshot(followed.ask("F11-F10").shown)
    assert [line["event"] for line in lines(tmp_path / "late")] == ["game", "move", "position", "move"]
