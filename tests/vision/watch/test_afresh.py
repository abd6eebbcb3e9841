"""Pictures that are like none before: the board is learned anew from them, and what lies beside it is not."""

from __future__ import annotations

import pytest

from tests.vision.filmed import Watched, board, handed, moves, put
from vision.sight.seeing import Seeing
from vision.watch.looks import LookState
from vision.watch.second_witness import SecondWitness

GAME, SCENE = board()


@pytest.mark.parametrize("pause_s", [0.25, 0.6])
def test_a_hand_at_the_rim_is_not_learned_as_the_table(monkeypatch: pytest.MonkeyPatch, pause_s: float) -> None:
    """It goes to and fro, or rests for a moment, while a ply that has come is understood."""
    learned = []
    adopt = Seeing.adopt_as_known

    def note_what_covers(seeing: Seeing) -> None:
        learned.append(any(bool(level.covered.any()) for level in seeing.levels))
        adopt(seeing)

    monkeypatch.setattr(Seeing, "adopt_as_known", note_what_covers)
    monkeypatch.setattr(SecondWitness, "is_needed", lambda *_: True)  # every picture is read by itself
    monkeypatch.setattr(LookState, "_is_puzzled_by", lambda *_: True)
    watched = Watched(GAME, SCENE)
    watched.show(SCENE, 1.5)
    after = put(GAME, SCENE, "F7", "F8")
    watched.show(after, 0.1)
    said = [
        event for name in "GFGFGFGF" for event in watched.show(handed(GAME, after, f"{name}16", from_deg=90.0), pause_s)
    ]
    said += watched.show(after, 1.5)
    assert moves(said) == ["F7-F8"]
    assert learned and not any(learned)
