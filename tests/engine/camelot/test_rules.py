"""Every rule of the family, one row or more for each: a position, a move, and what the rule says about it."""

from __future__ import annotations

import pytest

from engine.game import Refusal
from tests.engine.stand import stand

WCF, BK, TRI, CAM3D = "camelot wcf", "camelot brainking", "tri-camelot", "cam-3d"
# Far from everything: a man each side, so that no position is won or drawn by material.
FAR = ", WM A4 A5, BM L13 L12"
OK = "ok"

CAMELOT = [
    ("plain: one step to an empty cell", "E5-E6", OK, "WM E5"),
    ("plain: also backwards and sideways", "E5-D5", OK, "WM E5"),
    ("plain: not onto a piece", "E5-E6", "occupied", "WM E5 E6"),
    ("plain: not two cells", "E5-E7", "not-a-move", "WM E5"),
    ("canter: over an adjoining friend", "E5-E7", OK, "WM E5 E6"),
    ("canter: men over knights too", "E5-E7", OK, "WM E5, WN E6"),
    ("canter: the cell beyond must be empty", "E5-E7", "occupied", "WM E5 E6 E7"),
    ("canter: any number, direction free", "E5-E7-G7", OK, "WM E5 E6 F7"),
    ("canter: may stop anywhere", "E5-E7", OK, "WM E5 E6 F7"),
    ("canter: never compulsory", "E6-D6", OK, "WM E5 E6"),
    ("canter: may not end where it began", "E5-E7-G7-G5-E5", "ends-where-it-began", "WM E5 E6 F7 G6 F5"),
    ("canter: may pass where it began", "E5-E7-G7-G5-E5-C5", OK, "WM E5 E6 F7 G6 F5 D5"),
    ("canter: not over itself", "E5-G5-E5", "ends-where-it-began", "WM E5 F5"),
    ("jump: over an adjoining enemy", "E5xE7", OK, "WM E5, BM E6"),
    ("jump: the cell beyond must be empty", "E5xE7", "occupied", "WM E5, BM E6 E7"),
    ("jump: must go on", "E5xE7", "must-continue", "WM E5, BM E6 E8"),
    ("jump: goes on in any direction", "E5xE7xG7", OK, "WM E5, BM E6 F7"),
    ("jump: no maximum rule between pieces", "E5xC5", OK, "WM E5, BM E6 E8 D5"),
    ("jump: no maximum rule between routes", "E5xG5", OK, "WM E5, BM F5 E6 E8"),
    ("jump: a taken piece is gone at once", "E5xE7xE5", "not-a-move", "WM E5, BM E6"),
    ("jump: lands on cells of taken pieces", "E5xE7xG7xE5xE7", "not-a-move", "WM E5, BM E6 F7 F6"),
    ("jump: chains come back to where they began", "H6xJ6xH8xH6", OK, "WM H6, BM I6 I7 H7"),
    ("jump: friends are not jumped", "E5xE7", "not-a-move", "WM E5 E6"),
    ("charge: canter, then jump", "E5-E7xE9", OK, "WN E5, WM E6, BM E8"),
    ("charge: several of each", "E5-E7-G7xI7xI9", OK, "WN E5, WM E6 F7, BM H7 I8"),
    ("charge: knights only", "E5-E7xE9", "men-cannot-charge", "WM E5 E6, BM E8"),
    ("charge: jumps come last", "E5xE7-E9", "order-canter-then-jump", "WN E5, BM E6, WM E8"),
    ("charge: must go on too", "E5-E7xE9", "must-continue", "WN E5, WM E6, BM E8 E10"),
    ("charge: passes a jump and captures later", "D7-F7-F5-H7xF9xF11xD9xD11", OK,
     "WN D7, WM E7 F6 G6, BM G8 F10 E10 D10"),
    ("charge: ends on the cell it left", "E5-E7xG7xG5xE5", OK, "WN E5, WM E6, BM F7 G6 F5"),
    ("plain: never part of a longer move", "E5-E7-E8", "not-a-move", "WM E5 E6"),
    ("plain: not before a jump", "E5-E6xE8", "not-a-move", "WM E5, BM E7"),
    ("duty b: who can jump must", "A4-B4", "must-jump", "WM E5, BM E6"),
    ("duty b: a bare canter is then illegal", "C5-C7", "must-jump", "WM C5 C6 E5, BM E6"),
    ("duty b: any piece may be the one", "G5xG7", OK, "WM E5 G5, BM E6 G6"),
    ("duty b: a charge of any knight meets it", "G5-G7xG9", OK, "WN G5, WM G6 E5, BM E6 G8"),
    ("duty c: if the only capture is a charge it is optional", "A4-B4", OK, "WN E5, WM E6, BM E8"),
    ("own castle: no plain step into it", "E2-F1", "own-castle", "WM E2"),
    ("own castle: no canter into it", "D3-F1", "own-castle", "WM D3 E2"),
    ("own castle: not in passing either", "D3-F1-H3", "own-castle", "WM D3 E2 G2"),
    ("own castle: not by the canter of a charge", "D3-F1xH3", "own-castle", "WN D3, WM E2, BM G2"),
    ("own castle: entered by a jump", "D3xF1", OK, "WM D3, BM E2"),
    ("own castle: jumps go on from there", "D3xF1", "must-continue", "WM D3, BM E2 G2"),
    ("own castle: out again in the same move", "D3xF1xH3", OK, "WM D3, BM E2 G2"),
    ("duty a: a piece in its own castle must move", "A4-B4", "must-leave-castle", "WM F1"),
    ("duty a: even if another piece could jump", "E5xE7", "must-leave-castle", "WM F1 E5, BM E6"),
    ("duty a: by a plain step", "F1-F2", OK, "WM F1"),
    ("duty a: by a canter", "F1-F3", OK, "WM F1 F2"),
    ("duty a: not to the other castle square", "F1-G1", "own-castle", "WM F1"),
    ("duty a: jumping out first", "F1-G2", "must-jump-out", "WM F1, BM F2"),
    ("duty a: by the jump", "F1xF3", OK, "WM F1, BM F2"),
    ("duty a: or by charging out", "F1-H3xH5", OK, "WN F1, WM G2, BM F2 H4"),
    ("duty a: of two, the one that can jump out", "G1-G2", "must-jump-out", "WM F1 G1, BM E2"),
    ("duty a: a charge alone is optional", "F1-E2", OK, "WN F1, WM G2, BM H4"),
    ("duty a: a blocked piece lets another move", "A4-B4", OK,
     "WM F1 G1 E2 F2 G2 H2 D3 E3 F3 G3 H3 I3"),
    ("enemy castle: entering it ends the move", "E14xG16xG14", "in-castle", "WM E14, BM F15 G15"),
    ("enemy castle: nothing is compulsory there", "E14xG16", OK, "WM E14, BM F15 G15"),
    ("enemy castle: by a plain step", "F15-F16", OK, "WM F15"),
    ("enemy castle: by a canter", "E14-G16", OK, "WM E14 F15"),
    ("enemy castle: a canter ends there", "E14-G16-G14", "in-castle", "WM E14 F15 G15"),
    ("enemy castle: who is there never leaves", "F16-F15", "in-castle", "WM F16"),
    ("enemy castle: not by a jump either", "F16xF14", "in-castle", "WM F16, BM F15"),
    ("enemy castle: no duty to jump from there", "A4-B4", OK, "WM F16, BM F15"),
    ("enemy castle: friends canter over who is there", "E15-E14", OK, "WM E15 F16"),
    ("castle move: from one square to the other", "F16-G16", OK, "WM F16"),
    ("castle move: the other must be empty", "F16-G16", "occupied", "WM F16, BM G16"),
    ("castle move: it is no jump", "F16-G16", "must-jump", "WM F16 E5, BM E6"),
    ("castle move: it leaves no castle", "F16-G16", "must-leave-castle", "WM F16 F1"),
    ("reading: lower case and ^ for a canter", "e5^e7xe9!?", OK, "WN E5, WM E6, BM E8"),
    ("reading: x takes something", "E5xE7", "not-a-move", "WM E5 E6"),
    ("reading: the only way need not be written out", "E5xE9", OK, "WM E5, BM E6 E8"),
    ("reading: two ways must be", "E5xI7", "ambiguous", "WM E5, BM E6 F7 F5 G6 H7"),
    ("reading: a piece must stand there", "E6-E7", "no-piece", "WM E5"),
    ("reading: and be yours", "L13-L12", "not-yours", "WM E5"),
    ("reading: on the board", "A1-A2", "off-board", "WM E5"),
    ("reading: a move is cells", "castle!", "unreadable", "WM E5"),
]  # fmt: skip

DIFFER = [
    ("a knight that canters to a jump need not take", "E5-E7", BK, OK, "WN E5, WM E6, BM E8"),
    ("a knight that canters to a jump must take", "E5-E7", WCF, "must-capture-after-canter", "WN E5, WM E6, BM E8"),
    ("passing a jump is free", "E5-E7-G7", BK, OK, "WN E5, WM E6 F7, BM D8"),
    ("passing a jump binds", "E5-E7-G7", WCF, "must-capture-after-canter", "WN E5, WM E6 F7, BM D8"),
    ("another way round does not bind", "E5-G5-G7", WCF, OK, "WN E5, WM E6 F7 F5 G6, BM D8"),
    ("men are not bound", "E5-E7", WCF, OK, "WM E5 E6, BM E8"),
    ("the switch turns it off", "E5-E7", "camelot wcf,charge_must_capture=off", OK, "WN E5, WM E6, BM E8"),
    ("the switch lets pieces walk out", "F1-G2", "camelot wcf,own_castle_jump_first=off", OK, "WM F1, BM F2"),
    ("two castle moves a game", "F16-G16", WCF + ",castle_move_limit=0", "castle-moves-used", "WM F16"),
]

OTHERS = [
    ("three directions of a hexagon", "F5-G6", TRI, "blue", OK, "BM F5"),
    ("no step along a rank", "F5-H5", TRI, "blue", "not-a-move", "BM F5"),
    ("a leap is twice a step", "E4-G6", TRI, "blue", OK, "BM E4 F5"),
    ("jumps over the left-hand opponent", "F5xF9", TRI, "blue", OK, "BM F5, RM F7"),
    ("jumps over the right-hand opponent", "F5xF9", TRI, "blue", OK, "BM F5, GM F7"),
    ("jumps over both in one chain", "F5xF9xF13", TRI, "blue", OK, "BM F5, GM F7, RM F11"),
    ("the left-hand castle is entered", "B15-A16", TRI, "blue", OK, "BM B15"),
    ("red's left is green", "J15-K16", TRI, "red", OK, "RM J15"),
    ("green's left is blue", "E2-F1", TRI, "green", OK, "GM E2"),
    ("the right-hand castle never", "J15-K16", TRI, "blue", "right-hand-castle", "BM J15"),
    ("nor by a jump", "I14xK16", TRI, "blue", "right-hand-castle", "BM I14, RM J15"),
    ("nor by a canter", "I14-K16", TRI, "blue", "right-hand-castle", "BM I14 J15"),
    ("so there is no duty to jump there", "F5-F7", TRI, "blue", OK, "BM I14 F5, RM J15"),
    ("and a chain stops before it", "G12xI14", TRI, "blue", OK, "BM G12, RM H13 J15"),
    ("own castle: no step in", "E2-F1", TRI, "blue", "own-castle", "BM E2"),
    ("own castle: out at once", "H5-H7", TRI, "blue", "must-leave-castle", "BM F1 H5"),
    ("own castle: jumping if it can", "F1-E2", TRI, "blue", "must-jump-out", "BM F1, RM G2"),
    ("wcf: a knight must take", "F5-F9", TRI, "blue", "must-capture-after-canter", "BN F5, BM F7, RM F11"),
    ("no castle moves", "A16-A14", TRI, "blue", "game-over", "BM A16"),
    ("a step up a level", "1C3-2C3", CAM3D, "white", OK, "WM 1C3"),
    ("a step along a corner of space", "1C3-2D4", CAM3D, "white", OK, "WM 1C3"),
    ("a leap through the middle level", "1C3-3C5", CAM3D, "white", OK, "WM 1C3 2C4"),
    ("from level 2 a leap stays on it", "2C3-2C5", CAM3D, "white", OK, "WM 2C3 2C4"),
    ("a level is not half a leap", "2C3-3C5", CAM3D, "white", "not-a-move", "WM 2C3 2C4"),
    ("the official example 1D6-2D4-3B2 is no leap", "1D6-2D4-3B2", CAM3D, "white", "not-a-move", "WM 1D6 1D5 2C3"),
    ("the official example 2D3x3B5x1B5 is no leap", "2D3x3B5x1B5", CAM3D, "white", "not-a-move", "WM 2D3, BM 2C4 2B5"),
    ("charges across levels", "1B2-3B2x1B4", CAM3D, "white", OK, "WN 1B2, WM 2B2, BM 2B3"),
    ("the castle is entered", "2C7-3C8", CAM3D, "white", OK, "WM 2C7"),
    ("own castle: no step in", "1C2-1C1", CAM3D, "white", "own-castle", "WM 1C2"),
    ("a chain ends in the castle", "1A6x3C8", CAM3D, "white", OK, "WM 1A6, BM 2B7 3C7"),
    ("unless the switch lets it go on", "1A6x3C8", CAM3D + " wcf,castle_entry_ends_jumps=off", "white", "must-continue",
     "WM 1A6, BM 2B7 3C7"),
]  # fmt: skip


def verdict(game: str, side: str, pieces: str, text: str) -> str:
    found, position = stand(game, side, pieces)
    judged = found.read(position, text)
    if isinstance(judged, Refusal):
        assert judged.message.endswith(".")
        lawful = {found.write(position, move) for move in found.paths(position)}
        assert set(judged.instead) <= lawful
        return judged.code
    return OK


@pytest.mark.parametrize("rules", [WCF, BK])
@pytest.mark.parametrize(("rule", "text", "expected", "pieces"), CAMELOT, ids=[row[0] for row in CAMELOT])
def test_each_rule_of_camelot_allows_and_refuses_what_it_says(
    rule: str, text: str, expected: str, pieces: str, rules: str
) -> None:
    assert verdict(rules, "white", pieces + FAR, text) == expected


@pytest.mark.parametrize(("rule", "text", "rules", "expected", "pieces"), DIFFER, ids=[row[0] for row in DIFFER])
def test_where_rule_sets_differ(rule: str, text: str, rules: str, expected: str, pieces: str) -> None:
    assert verdict(rules, "white", pieces + FAR, text) == expected


@pytest.mark.parametrize(("rule", "text", "game", "side", "expected", "pieces"), OTHERS, ids=[r[0] for r in OTHERS])
def test_each_rule_of_the_other_games_allows_and_refuses_what_it_says(
    rule: str, text: str, game: str, side: str, expected: str, pieces: str
) -> None:
    far = ", GM K14, RM C18, BM D3" if game == TRI else ", WM 1E6, BM 3A3"
    assert verdict(game, side, pieces + far, text) == expected


def test_castle_moves_are_counted() -> None:
    game, position = stand(WCF, "white", "WM F16" + FAR)
    for there in ("F16-G16", "G16-F16"):
        move = game.read(position, there)
        assert not isinstance(move, Refusal)
        position = game.play(game.play(position, move), game.moves(game.play(position, move))[0])
    refused = game.read(position, "F16-G16")
    assert position.memory == (2, 0)
    assert isinstance(refused, Refusal) and refused.code == "castle-moves-used"
