"""Why a move is refused, on the page of who reads another language: a sentence with its cells, and one in another."""

from __future__ import annotations

import pytest

from engine.explain.rules_alone import RULES_ALONE
from engine.game import build_refusal
from engine.match.events import Illegal
from engine.match.state import Phase
from engine.sentences import Sentence
from tests.server.visitor import Page

THEIRS = "The piece on {cell} is {owner}'s; it is {side}'s turn."
INSIDE = build_refusal("not-yours", THEIRS, cell="E10", owner="black", side="white")
AFTER = Sentence("After {moves}: {why}", {"moves": "E6-E7", "why": INSIDE.message})
SAID = [
    ("de", "Nach E6-E7: Die Figur auf E10 gehört Schwarz; Weiß ist am Zug."),
    ("fr", "Après E6-E7 : La pièce sur E10 est aux Noirs ; le trait est aux Blancs."),
    ("en", "After E6-E7: The piece on E10 is black's; it is white's turn."),
]


@pytest.mark.parametrize(("language", "said"), SAID, ids=[language for language, _ in SAID])
def test_a_refusal_stands_in_the_readers_language_with_all_that_it_says(page: Page, language: str, said: str) -> None:
    page.open(language=language)
    page.script.tell(Phase.TROUBLE, Illegal(page.script.t, ("E10",), INSIDE.code, AFTER, ()))
    page.until("document.querySelector('#reason .say')")
    assert page.text("#reason .say") == said
    page.until(f"document.getElementById('alarm').textContent === {said!r}")
    page.driver.delete_cookie("language")


def test_what_has_no_text_of_ours_is_the_rule_that_is_broken_else_as_it_is(page: Page) -> None:
    page.open(language="de")
    for code, message, said in (
        ("check", RULES_ALONE["check"], "Der eigene König könnte danach geschlagen werden."),
        ("check", "Check, by a game {from} outside.", "Der eigene König könnte danach geschlagen werden."),
        ("ko", "Ko, by a game {from} outside.", "Ko, by a game {from} outside."),
    ):
        page.script.tell(Phase.TROUBLE, Illegal(page.script.t, ("E10",), code, message, ()))
        page.until(f"document.querySelector('#reason .say')?.textContent === {said!r}")
    page.driver.delete_cookie("language")
