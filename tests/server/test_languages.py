"""Every text of pages and scripts is there in every language, and none is written past the languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from calibration.doubts import BEYOND, GRAIN, MIRRORED, OTHER_BOARD
from device.network.wled import SHOWS_NOTHING
from device.port import ADVICE, STILL_UNANSWERED, UNKNOWN_SPEAKER
from device.text import CELL_IN_TEXT
from engine import games
from engine.camblam.rules import FirstLeg, Readings
from engine.camblam.why import empty_cell, piece_rules
from engine.errors import InputError
from engine.explain.reasons import RULES
from engine.explain.rules_alone import NO_LAWFUL_MOVE, RULES_ALONE
from engine.explain.why import why_placement
from engine.explain.wording import Words, words_of
from engine.game import Change, Refusal
from engine.sentences import Sentence
from engine.text.records import TEXT_FAULTS
from server.board.certify import advice, tasks
from server.board.certify.certificate import OUTCOMES
from server.board.hall_link.far import FAR_SENTENCES
from server.board.live.camera import OTHER_FILM
from server.board.live.visibility import TOO_SLOW
from server.board.pages import charts
from server.board.pages.games import AS_WHAT, NO_VARIANT, RESULT_CHANGED
from server.board.pages.help import LIGHTS
from server.board.pages.past_games import EXPORT_KINDS
from server.board.prepared import NO_SPACE
from server.board.setup.within import NOT_LISTED, OF_THIS_MACHINE
from server.languages import ENGLISH, Language, load_languages
from server.saying import (
    AFTER_PLY,
    AT_PLY,
    BEFORE_FIRST,
    DECISION_SENTENCES,
    ENDS_OF_ALL,
    RULE_SET_TITLES,
    WHO_DECIDED,
    rules_title,
)
from server.waits import ANOTHER_FILE, CUT_OFF, DISK_TROUBLES, MOVED, NEARLY_FULL
from server.web.problems import NO_WHOLE_NUMBER
from vision import network_camera
from vision.frames import LEFT_OUT, OTHER_SHAPE, TURN_BACK

SERVER = Path(charts.__file__).parents[2]
TEMPLATES = sorted((SERVER / "templates").glob("*.html"))
SCRIPTS = sorted((SERVER / "static" / "js").glob("*.js"))
SOURCES = [
    *TEMPLATES,
    *SCRIPTS,
    SERVER / "record" / "exports" / "page.py",
    SERVER / "board" / "certify" / "certificate.py",
]
USED = re.compile(r"""(?:\b_|\bsay)\(\s*(?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)')""")
NOT_TEXT = re.compile(
    r"(?s)\{#.*?#\}|\{% block layout %\}\w*|\{%.*?%\}|\{\{.*?\}\}"
    r"|<script.*?</script>|<style.*?</style>|<title>.*?</title>"
)
EXAMPLES = {"/dev/ttyUSB0", "BH/C1,BH,SB,WIN"}
"""What stands in an empty field is the same everywhere."""
SIDES = ("White", "Black", "Blue", "Red", "Green")
SITTING = (*tasks.TASK_SENTENCES.values(), *advice.ADVICE_SENTENCES.values(), *OUTCOMES.values())
TABLES = (
    *SIDES,
    *(side.lower() for side in SIDES),
    *TEXT_FAULTS,
    *ENDS_OF_ALL.values(),
    *DECISION_SENTENCES.values(),
    *WHO_DECIDED.values(),
    BEFORE_FIRST,
    AFTER_PLY,
    AT_PLY,
    NO_LAWFUL_MOVE,
    *RULES_ALONE.values(),
    *filter(None, RULE_SET_TITLES.values()),
    *EXPORT_KINDS.values(),
    *FAR_SENTENCES,
    *(text for _, _, text in LIGHTS),
    *SITTING,
    AS_WHAT,
    NO_VARIANT,
    RESULT_CHANGED,
    NO_SPACE,
    *ADVICE.values(),
    STILL_UNANSWERED,
    UNKNOWN_SPEAKER,
    SHOWS_NOTHING,
    *(says for _, says in DISK_TROUBLES.values()),
    NEARLY_FULL,
    MOVED,
    ANOTHER_FILE,
    CUT_OFF,
    NO_WHOLE_NUMBER,
    *network_camera.SENTENCES,
    TURN_BACK,
    OTHER_SHAPE,
    OTHER_FILM,
    LEFT_OUT,
    TOO_SLOW,
)
OWN = ("camelot", "camblam", "tri-camelot", "cam-3d", "cam", "camette", "chivalry")
CHARTS = re.findall(r'_chart\("([^"]+)"', Path(charts.__file__).read_text(encoding="utf-8"))
RULES_OF_GAMES = [
    *((name, rules) for name in OWN for rules in games.find(name).rule_sets),
    *(("camblam", f"default,knight_first_leg={leg}") for leg in ("1", "any")),
]
SAID_OF_A_SET_UP = (
    "engine/match/arbiter.py",
    "engine/match/clocked_match.py",
    "engine/match/clock.py",
    "engine/match/judging.py",
    "engine/outside.py",
    "engine/text/prose.py",
    "engine/text/records.py",
    "engine/text/replay.py",
    "calibration/doubts.py",
    "calibration/solve.py",
    "server/board/live/phone.py",
    "server/board/live/service.py",
    "server/board/live/wishes.py",
    "server/board/pages/phone_page.py",
    "server/board/pages/wizard.py",
    "server/board/setup",
    "server/hall/pages/hall_app.py",
    "server/hall/pages/tournament_api.py",
    "server/hall/tournament/arbiter_actions.py",
    "server/hall/tournament/event.py",
    "server/hall/tournament/games_played.py",
    "server/hall/tournament/pairing_gacrux.py",
    "server/hall/tournament/people.py",
    "server/hall/tournament/results.py",
    "server/hall/tournament/tournament_store.py",
    "server/pictures.py",
    "server/record/imports.py",
    "server/record/playing.py",
    "server/settings.py",
    "vision/frames.py",
    "vision/picamera.py",
    "vision/video.py",
)
"""Where errors are raised that pages show: of a set-up, of the board, of the settings, or any page of a hall."""
RAISED = {
    "CameraLost",
    "HeldElsewhereError",
    "InputError",
    "NoPictures",
    "PictureRefused",
    "Problem",
    "Sentence",
    "UnlawfulError",
    "Worded",
    "build_error",
}
FOR_PROGRAMS = re.compile(
    r"(add time|corners|count lost|lose|mirrored|press|settle|number|markers|t|points|send|the profile names no)\b"
)
"""What only a program is told that asks for something no page asks for, or a person at the command line."""
OTHERS = [language for code, language in load_languages().items() if code != ENGLISH]


def used() -> set[str]:
    """Every text that the pages say."""
    found = {one or other for path in SOURCES for one, other in USED.findall(path.read_text(encoding="utf-8"))}
    return found | set(TABLES) | set(CHARTS) | of_games() | problems() | set(texts_of_refusals())


def of_games() -> set[str]:
    """What the games of this program say, under every rule set and with each of their switches turned."""
    loaded = [games.load(name, rules) for name, rules in RULES_OF_GAMES]
    return {text for game in loaded for text in texts_of(words_of(game))}


def texts_of(words: Words) -> set[str]:
    """Every English text of a game that pages translate."""
    found = {kind.name for kind in words.kinds.values()} | {*words.seats.values(), *words.looks.values()}
    found |= set(words.ends.values())
    for topic in words.rules:
        found |= {topic.heading} | {sentence.text for sentence in topic.sentences}
        found |= {term for term, _ in topic.terms} | {meaning.text for _, meaning in topic.terms}
    return found - {""}


def problems() -> set[str]:
    """What is wrong with a set-up: each text is given with its values apart, and so is no f-string."""
    root = SERVER.parent
    paths = [
        path
        for name in SAID_OF_A_SET_UP
        for path in ([root / name] if name.endswith(".py") else (root / name).glob("*.py"))
    ]
    texts = {text for path in paths for text in _raised(ast.parse(path.read_text(encoding="utf-8")))}
    return {text for text in texts if not FOR_PROGRAMS.match(text)} | {
        MIRRORED,
        GRAIN,
        BEYOND,
        OTHER_BOARD,
        NOT_LISTED,
        OF_THIS_MACHINE,
    }


def test_a_page_speaks_of_no_options() -> None:
    """Who sets up a board on a page has no command line."""
    assert [text for text in problems() if "--" in text] == []


def _raised(module: ast.Module) -> Iterator[str]:
    """The texts of errors: written where they are raised, or in a line of their own before."""
    named = {}
    for node in ast.walk(module):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                named.setdefault(name, []).append(text)
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=given) if (
                name in RAISED or name == "raised"
            ):
                for one in given:
                    match one:
                        case ast.Constant(value=str(text)):
                            yield text
                        case ast.Name(id=text):
                            yield from named.get(text, [])


def values_in(text: str) -> list[str]:
    return sorted(re.findall(r"\{\w+\}", text))


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_no_language_lacks_a_text_or_has_one_too_many(language: object) -> None:
    texts = load_languages()[getattr(language, "code", "")].texts
    assert sorted(used() - set(texts)) == []
    assert sorted(set(texts) - used()) == []
    assert [text for text, said in texts.items() if values_in(text) != values_in(said) or not said.strip()] == []


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
@pytest.mark.parametrize("name", OWN)
def test_what_is_refused_on_the_board_names_the_same_cells_in_every_language(language: Language, name: str) -> None:
    game = games.load(name)
    start = game.start()
    own = [cell for cell, piece in enumerate(start.placement) if piece and game.seat_of[piece] == start.seat]
    emptied = [why_placement(game, start, empty_cell(start.placement, cell)) for cell in own]
    moved = [game.refuse(start, Change(cell, end, ())) for cell in own for end in range(0, len(start.placement), 7)]
    for refused in (*emptied, *moved):
        said = language.translate_sentence(refused.message, refused.code)
        assert said != refused.message
        assert set(CELL_IN_TEXT.findall(said)) == set(CELL_IN_TEXT.findall(refused.message)), (refused.message, said)


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_every_reason_is_said(language: object) -> None:
    reasons = load_languages()[getattr(language, "code", "")].reasons
    assert set(reasons) == set(RULES)
    assert [rule for rule, said in reasons.items() if values_in(said) != values_in(RULES[rule])] == []


def test_what_a_sentence_says_of_other_sentences_is_translated_too() -> None:
    german = load_languages()["de"]
    refused = games.load("camblam").read(games.load("camblam").start(), "A2-B9")
    assert isinstance(refused, Refusal)
    after = Sentence("After {moves}: {why}", {"moves": "A2-A4", "why": refused.message})
    said = german.translate_sentence(after)
    assert said.startswith("Nach A2-A4: So zieht die Figur (Ritter) nicht von A2 nach B9: ein Ritter geht gerade (4 ")


def test_a_sentence_of_a_game_from_outside_is_its_rule_or_stays_as_it_is() -> None:
    german = load_languages()["de"]
    assert (
        german.translate_sentence("Ko: {nothing}.", "must-jump") == "Eine Figur kann springen: Der Sprung ist Pflicht."
    )
    assert german.translate_sentence("Ko: {nothing}.", "ko") == "Ko: {nothing}."
    error = InputError(
        "“{number}. {side}” was not {typed}: {why}", number=1, side="White", typed="x", why="Ko.", code="check"
    )
    assert german.translate_sentence(error.said).endswith("Der eigene König könnte danach geschlagen werden.")


def texts_of_refusals() -> Iterator[str]:
    """What the engine says of refused moves, and the rules of the pieces that it quotes."""
    for path in Path(engine.__file__).parent.rglob("*.py"):
        module = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
        if not any(isinstance(call.func, ast.Name) and call.func.id == "build_refusal" for call in calls):
            continue
        docstrings = {node.value for node in ast.walk(module) if isinstance(node, ast.Expr)}
        for node in ast.walk(module):
            match node:
                case ast.Constant(value=str(text)) if (
                    node not in docstrings and text.endswith((".", "?")) and " " in text
                ):
                    yield text
    yield "After {moves}: {why}"
    turned = Readings(FirstLeg.ANY, *(False,) * 3, prince_zero_stages=False, run_capture_whole=True)
    for rule in (*piece_rules(Readings()).values(), *piece_rules(turned).values()):
        yield rule.text
        yield from (value for value in rule.values.values() if isinstance(value, str) and not value.isdigit())


def plain_texts(source: str) -> Iterator[str]:
    """What stands in a template as it is: text between tags, and attributes that are read aloud."""
    source = NOT_TEXT.sub("", source)
    yield from re.findall(r'\b(?:aria-label|title|alt|placeholder)="([^"]*)"', source)
    yield from re.sub(r"(?s)<[^>]*>", "\n", source).splitlines()


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_says_anything_past_the_languages(path: Path) -> None:
    said = [text.strip() for text in plain_texts(path.read_text(encoding="utf-8"))]
    assert [text for text in said if re.search("[A-Za-z]{3}", text) and text not in EXAMPLES] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_says_anything_past_the_languages(path: Path) -> None:
    """A string with a capital letter and a blank is a sentence, and one with a blank and a value in it as well."""
    code = re.sub(r"(?m)//.*$", "", path.read_text(encoding="utf-8"))
    code = USED.sub("", code)
    strings = [*re.findall(r'"([^"\n]*)"', code), *re.findall(r"`([^`]*)`", code)]
    bare = [re.sub(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "", text) for text in strings]
    assert [text for text in bare if re.search(r"\b[A-Z][a-z]+ [a-z]+|[a-z]{3,} [a-z]{2,} [a-z]", text)] == []


def test_rule_sets_are_named_in_words() -> None:
    assert rules_title("wcf") == "World Camelot Federation"
    assert rules_title("wcf", load_languages()["fr"].translate_text) == load_languages()["fr"].translate_text(
        "World Camelot Federation"
    )
    assert (rules_title("default"), rules_title("default,knight_first_leg=1")) == ("", "knight first leg: 1")
    assert rules_title("house-rules") == "house-rules"  # from outside
