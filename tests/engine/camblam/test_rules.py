"""Each rule of Camblam as one row: what stands, what may be written, and what may not and why."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.errors import InputError
from engine.game import Move, Outcome, Refusal
from engine.games.camblam import GAME
from engine.match.course import find_claim
from tests.engine.camblam.setting import camblam, stood


@dataclass(frozen=True)
class Row:
    rule: str
    pieces: str
    lawful: str = ""
    refused: str = ""
    """Texts with their reason: "D3-D7:out-of-range"."""
    side: str = "white"
    setting: str = ""


ROWS = (
    # pawns
    Row("a pawn goes one to three forward", "WPD3", "D3-D4 D3-D5 D3-D6", "D3-D7:out-of-range D3-D2:not-a-move"),
    Row("three also after its first move", "WPD8", "D8-D9 D8-D10 D8-D11"),
    Row("a pawn goes over empty cells only", "WPD3 BPD5", "D3-D4", "D3-D5:occupied D3xD5:occupied D3-D6:blocked"),
    Row("black pawns go down", "BPD6", "D6-D5 D6-D3", "D6-D7:not-a-move D6-D2:out-of-range", "black"),
    Row("a pawn captures one cell diagonally forward", "WPD3 BNE4 BNC4 BNC2", "D3xE4 D3xC4", "D3xC2:not-a-move"),
    Row("a pawn never goes diagonally without a capture", "WPD3 BNE4", "", "D3-C4:not-a-move D3-E4:not-a-move"),
    Row("promotion is compulsory", "WPD10", "D10-D11 D10-D12=Q D10-D12=N D10-D12=I", "D10-D12:ambiguous"),
    Row("any piece but the king", "WPD10", "D10-D12=C D10-D12=A", "D10-D12=K:not-a-move D10-D12=P:not-a-move"),
    Row("a capture promotes too", "BPD2 WRE1", "D2xE1=R D2xE1=B D2-D1=Q", "D2xE1:ambiguous", "black"),
    Row("only on the last rank", "WPD10 WRA1", "D10-D11", "D10-D11=Q:not-a-move RA1-A12=Q:not-a-move"),
    # knights
    Row("a knight goes 4 orthogonally, 1 diagonally", "WNF6", "NF6-E11 NF6-G9 NF6-K7 NF6-I5 NF6-A5 NF6-G1"),
    Row("or 4 diagonally, 1 orthogonally", "WNF6", "NF6-J11 NF6-J9 NF6-K10 NF6-I2 NF6-B1", "NF6-G8:not-a-move"),
    Row("a knight passes enemies", "WNF6 BPF7 BPF9 BPF10", "NF6-E11 NF6-G9"),
    Row("a knight never passes its own side", "WNF6 WPF8", "NF6-K7", "NF6-E11:blocked NF6-G9:blocked"),
    Row("nor on the corner of its way", "WNF6 WPF10", "", "NF6-E11:blocked NF6-E9:blocked"),
    Row("a knight captures what it lands on only", "WNF6 BPF8 BPE11", "NF6xE11", "NF6xF8xE11:not-a-move"),
    Row("first leg of one", "WNF6", "NF6-G8 NF6-E6 NF6-J11", "NF6-E11:not-a-move", setting="knight_first_leg=1"),
    Row("first leg of any length", "WNF6 BPF8", "NF6-G8 NF6-E11 NF6-G9 NF6-G10", "", setting="knight_first_leg=any"),
    # catapults
    Row("a catapult goes along its file, or a step aside", "WCD4", "CD4-D12 CD4-D1 CD4-C4 CD4-E4", "CD4-F4:not-a-move"),
    Row("a run stops on any of its enemies", "WCD4 BPD7 BPD8 BND9", "CD4xD7 CD4xD7xD8 CD4xD7xD8xD9", "CD4-D10:blocked"),
    Row(
        "all passed are taken and written",
        "WCD4 BPD7 BPD8",
        "",
        "CD4xD8:not-a-move CD4-D8:not-a-move CD4xD8xD7:not-a-move",
    ),
    Row("a gap ends the run", "WCD4 BPD7 BPD9", "CD4xD7", "CD4xD7xD9:blocked CD4xD9:blocked"),
    Row("a friend ends the run", "WCD4 BPD7 WPD8 BPD9", "CD4xD7", "CD4xD7xD9:blocked CD4xD7xD8:occupied"),
    Row("the edge ends the run", "WCD10 BPD11 BPD12", "CD10xD11xD12", "CD10xD11xD12xD13:off-board"),
    Row("the step aside takes one piece", "WCD4 BPE4 BPF4", "CD4xE4", "CD4xE4xF4:not-a-move"),
    Row("no capture by the step", "WCD4 BPE4", "CD4-C4", "CD4xE4:occupied", setting="catapult_step_captures=off"),
    # archers
    Row("an archer moves as a queen", "WAD4", "AD4-D12 AD4-L12 AD4-A1 AD4-A4", "AD4-E6:not-a-move"),
    Row("an archer never captures by moving", "WAD4 BPD6", "AD4*D6 AD4-D5", "AD4xD6:occupied AD4-D7:blocked"),
    Row("it shoots at distance one to five", "WAD4 BPD9 BPE4 BPI9", "AD4*D9 AD4*E4 AD4*I9"),
    Row("not farther", "WAD4 BPD10 BPJ4", "", "AD4*D10:out-of-range AD4*J4:out-of-range"),
    Row("the nearest piece only", "WAD4 BPD6 BPD7 WPF4 BPG4", "AD4*D6", "AD4*D7:blocked AD4*G4:blocked"),
    Row("on a line only", "WAD4 BPE6 WPD6", "", "AD4*E6:not-a-move AD4*D6:not-a-move AD4*A4:not-a-move"),
    Row("only an archer shoots", "WRD4 BPD6", "RD4xD6", "RD4*D6:not-a-move"),
    Row("the range is a switch", "WAD4 BPD6 BPG4", "AD4*D6", "AD4*G4:out-of-range", setting="archer_range=2"),
    # rooks and bishops
    Row("a rook slides up to its own pieces", "WRD4 WPG4", "RD4-F4 RD4-D12", "RD4-G4:occupied RD4-H4:blocked"),
    Row("a rook runs orthogonally", "WRD4 BPD6 BPD7", "RD4xD6 RD4xD6xD7"),
    Row("a rook steps diagonally, for one piece", "WRD4 BPE5 BPF6", "RD4xE5 RD4-C3", "RD4xE5xF6:not-a-move"),
    Row("one step only", "WRD4", "", "RD4-F6:not-a-move"),
    Row("a bishop runs diagonally", "WBD4 BPF6 BPG7", "BD4xF6 BD4xF6xG7 BD4-A1", "BD4-H8:blocked"),
    Row("a bishop steps orthogonally, for one piece", "WBD4 BPD5 BPD6", "BD4xD5 BD4-E4", "BD4xD5xD6:not-a-move"),
    Row("a whole run or nothing", "WRD4 BPD6 BPD7", "RD4xD6xD7", "RD4xD6:occupied", setting="run_capture_whole=on"),
    # princes
    Row("a prince goes orthogonally, then diagonally", "WID4", "ID4-E6 ID4-G9 ID4-D12 ID4-L12 ID4-B1"),
    Row("one free way is enough", "WID4 BPD6", "ID4xD6 ID4-D8"),
    Row("a prince does not jump", "WIA1 WPA2 WPB1 WPB2", "", "IA1-A3:blocked IA1-C4:blocked IA1-A2:occupied"),
    Row(
        "a prince captures on its last cell only",
        "WIA1 BPA2 BPB1 BPB2",
        "IA1xA2 IA1xB2",
        "IA1xB2xC3:not-a-move IA1-A3:blocked",
    ),
    Row("both stages needed", "WID4", "ID4-E6 ID4-E5", "ID4-L12:not-a-move", setting="prince_zero_stages=off"),
    # queen and king
    Row("a queen runs in all directions", "WQD4 BPE5 BPF6 BPG7 BPC4", "QD4xE5xF6xG7 QD4xC4 QD4-D12"),
    Row("a king goes one step and takes one piece", "WKD4 BCE5 BCF6", "KD4xE5 KD4-C3", "KD4xE5xF6:not-a-move"),
    # check
    Row("a piece may not uncover its king", "WKD1 WRD4 BRD9", "RD4-D5 RD4xD9 RD4-D3", "RD4-E4:check"),
    Row("a run reaches the king behind its adjoining pieces", "WKD1 WPD2 WPA3 BRD9", "D2-D3 KD1-C1", "A3-A4:check"),
    Row("a gap before the king stops the run", "WKD1 WPD3 WPA3 BRD9", "A3-A4", "KD1-D2:check"),
    Row("closing the gap gives the king away", "WKD1 WRD3 BRD9", "RD3-D4", "RD3-D2:check"),
    Row("an archer gives check at distance five", "WKD1 WPA3 BAD6", "KD1-E1", "A3-A4:check"),
    Row("not at six", "WKD1 WPA3 BAD7", "A3-A4", "KD1-D2:check"),
    Row("and not through a piece beside the king", "WKD1 WPD2 WPA3 BAD6", "A3-A4"),
    Row("a prince gives check around its corner", "WKA1 WRL3 BID8", "RL3-C3", "RL3-L4:check"),
    Row("a knight gives check over the other side", "WKF6 WPE9 WPA3 BNE11", "KF6-F7", "A3-A4:check"),
    Row("but not over its own", "WKF6 WPA3 BPE9 BNE11", "A3-A4", ""),
    Row("a shot may end the check", "WKD1 WAH9 WPA3 BRD9", "AH9*D9", "A3-A4:check"),
    Row("the king takes no covered piece", "WKD1 BPD2 BRD9", "KD1-C2 KD1-E2", "KD1xD2:check"),
    # who and where
    Row("an empty cell", "WRA1", "", "RA2-A3:no-piece A2-A3:no-piece"),
    Row("another kind of piece", "WRA1", "", "BA1-B2:no-piece"),
    Row("the piece of the other side", "WRA1 BRL12", "", "RL12-L11:not-yours"),
    Row("off the board", "WRA1", "", "RA1-M1:off-board RA1-A13:off-board RA0-A1:off-board"),
    Row("no move at all", "WRA1", "", "hello:unreadable RA1:unreadable RA1-:unreadable RA1-A2-A3:unreadable"),
    Row("after mate nothing is lawful", "WKA1 BRA12 BRB12 BKL12", "", "KA1-B2:game-over"),
)


@pytest.mark.parametrize("row", [pytest.param(row, id=row.rule) for row in ROWS])
def test_each_rule_allows_and_refuses_what_it_says(row: Row) -> None:
    game, position = camblam(row.setting), stood(row.pieces, row.side)
    for text in row.lawful.split():
        move = game.read(position, text)
        assert isinstance(move, Move), (text, move)
        assert move in game.moves(position)
        assert game.write(position, move).rstrip("+#") == text
    for case in row.refused.split():
        text, code = case.split(":")
        refusal = game.read(position, text)
        assert isinstance(refusal, Refusal), (text, refusal)
        assert (text, refusal.code) == (text, code), refusal
        assert refusal.message
        assert all(isinstance(game.read(position, other), Move) for other in refusal.instead)


@pytest.mark.parametrize(
    ("pieces", "setting", "result", "reason"),
    [
        ("WKA1 BRA12 BRB12 BKL12", "", "0-1", "checkmate"),
        ("WKA1 BRB12 BRL2 BKL12", "", "1/2-1/2", "stalemate"),
        ("WKA1 BRB12 BRL2 BKL12", "stalemate_draws=off", "0-1", "stalemate"),
    ],
)
def test_a_game_that_is_decided_is_over(pieces: str, setting: str, result: str, reason: str) -> None:
    outcome = camblam(setting).outcome(stood(pieces))
    assert outcome is not None
    assert (outcome.result, outcome.reason) == (result, reason)


def test_a_game_that_nothing_decides_goes_on() -> None:
    assert camblam().outcome(camblam().start()) is None
    assert camblam().outcome(stood("WPA2 BPA9")) is None
    assert camblam().outcome(stood("WKA2 BPA9")) is None


def test_claims_as_in_chess() -> None:
    game = camblam("quiet_claim=2")
    positions = [stood("WKA1 WPE2 BKL12 BPE11")]
    for text in ["KA1-A2", "KL12-L11", "KA2-A1", "KL11-L12"]:
        assert find_claim(game, positions) is None
        move = game.read(positions[-1], text)
        assert isinstance(move, Move)
        positions.append(game.play(positions[-1], move))
    assert find_claim(game, positions) == Outcome("1/2-1/2", "quiet-moves")
    assert find_claim(camblam(), positions[:1] * 3) == Outcome("1/2-1/2", "repetition")
    pawn = game.read(positions[-1], "E2-E3")
    assert isinstance(pawn, Move)
    assert game.progressed(positions[-1], game.play(positions[-1], pawn))


@pytest.mark.parametrize(
    ("rules", "named"),
    [("wcf", "'wcf'"), ("default,archers=2", "'archers'"), ("default,knight_first_leg=5", "knight_first_leg=5")],
)
def test_unknown_rules_are_named(rules: str, named: str) -> None:
    with pytest.raises(InputError, match=named):
        GAME.load(rules)


def test_resigning_and_set_ups() -> None:
    game = camblam()
    assert game.resign(game.start(), 0) == Outcome("0-1", "resigned")
    assert game.start("house-1") == game.start()
    with pytest.raises(InputError, match="house-2"):
        game.start("house-2")
