"""What a sitting came to, as JSON and as a page to print that needs nothing else."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from pathlib import Path

import cv2
from jinja2 import Environment, FileSystemLoader

from engine.explain.wording import words_of
from engine.match.events import CAUSES
from server.board.certify.advice import ADVICE_SENTENCES, Advice, list_advice
from server.board.certify.guide import Done, TaskOutcome
from server.board.certify.sitting import Sitting
from server.board.certify.tally import CountedShare, Spread, Tally, tally_tasks
from server.languages import Language
from server.saying import add_texts, rules_title

TEMPLATE_HOME = Path(__file__).parents[2]
PICTURE_PX = 640
"""Width of the camera's picture on the page."""
CERTIFICATE = "certificate.html"
OUTCOMES = {
    TaskOutcome.RIGHT: "as it should be",
    TaskOutcome.ASKED: "it asked",
    TaskOutcome.SILENT: "nothing was said",
    TaskOutcome.OTHER: "named, but not correctly",
    TaskOutcome.REFUSED: "called wrong for no reason",
    TaskOutcome.WRONG: "said something wrong",
    TaskOutcome.SKIPPED: "left out, not counted",
}
"""What each outcome is called; the languages have them all."""


def as_json(sitting: Sitting, when: str) -> dict[str, object]:
    """Counts with their intervals, what was measured, what to better, and each task."""
    found, measured = tally_tasks(sitting.guide.done), sitting.pictures.summarize_measures()
    return {
        "game": sitting.game.name,
        "rules": sitting.game.rules,
        "when": when,
        "picture": list(sitting.profile.size_wh),
        "minutes": round((sitting.t - sitting.began_t) / 60, 1),
        "good": found.good,
        "plies": {outcome.value: _share_to_json(share) for outcome, share in found.plies.items()},
        "starts": _share_to_json(found.starts),
        "false_starts": _share_to_json(found.false_starts),
        "named_starts": _share_to_json(found.named_starts),
        "unlawful": _share_to_json(found.unlawful),
        "called": _share_to_json(found.called),
        "alarms": _share_to_json(found.alarms),
        "lifted": _share_to_json(found.lifted),
        "seconds": _spread_to_json(found.seconds),
        "skipped": found.skipped,
        "measured": {
            name: round(value, 3) if isinstance(value, float) else value for name, value in vars(measured).items()
        },
        "unseen": dict(sitting.causes),
        "advice": [{"what": one.key, "measured": round(one.measured, 3), "limit": one.limit, "look": one.what}
                   for one in list_advice(measured)],
        "tasks": [_task_to_json(done) for done in sitting.guide.done],
    }  # fmt: skip


def _share_to_json(share: CountedShare) -> dict[str, object]:
    return {"count": share.count, "of": share.of, "interval": [round(bound, 4) for bound in share.confidence_interval]}


def _spread_to_json(spread: Spread | None) -> dict[str, object] | None:
    return None if spread is None else {name: round(value, 3) for name, value in vars(spread).items()}


def _task_to_json(done: Done) -> dict[str, object]:
    seconds = None if done.seconds is None else round(done.seconds, 3)
    told = {
        "t": round(done.t, 3),
        "task": done.task.kind.value,
        "text": done.task.composed_sentence,
        "outcome": done.outcome.value,
    }
    return told | {"seconds": seconds, "said": done.said}


def render_certificate(sitting: Sitting, when: str, language: Language, style: str = "", seen: str = "") -> str:
    """The page, in a language; `style` and `seen` are the addresses of its style sheet and of the camera's picture,
    which else stand in it."""
    words = words_of(sitting.game)
    own = add_texts(words, language)
    found = tally_tasks(sitting.guide.done)
    environment = Environment(
        loader=FileSystemLoader([TEMPLATE_HOME / "templates", TEMPLATE_HOME / "static"]), autoescape=True
    )
    environment.globals |= {"_": language.translate_text, "language": language, "rules_title": rules_title}
    return environment.get_template(CERTIFICATE).render(
        words=words,
        style=style,
        rules=sitting.game.rules,
        when=when,
        size="x".join(str(n) for n in sitting.profile.size_wh),
        minutes=round((sitting.t - sitting.began_t) / 60, 1),
        tally=found,
        rows=_list_rows(found, language.translate_text),
        per_cent=lambda share: f"{100 * share.count / share.of:.0f} %" if share.of else "–",
        between=lambda share: " – ".join(f"{100 * bound:.0f} %" for bound in share.confidence_interval),
        advice=[compose_advice(one, own.translate_text, words.looks)
                for one in list_advice(sitting.pictures.summarize_measures())],
        unseen=[(language.translate_text(CAUSES[cause]), times) for cause, times in sitting.causes.most_common()],
        otherwise=[
            (one, own.translate_sentence(one.task.composed_sentence), language.translate_text(OUTCOMES[one.outcome]))
            for one in sitting.guide.done
            if one.outcome is not TaskOutcome.RIGHT
        ],
        picture=(seen if sitting.shown is not None else "") if style else _embed_picture(sitting),
    )  # fmt: skip


def _list_rows(found: Tally, say: Callable[..., str]) -> list[tuple[str, CountedShare]]:
    """What is counted, as the page names it."""
    plies = found.plies
    return [
        (say("Moves written down as they were played"), plies[TaskOutcome.RIGHT]),
        (say("Moves it asked about"), plies[TaskOutcome.ASKED]),
        (say("Moves it said nothing about"), plies[TaskOutcome.SILENT]),
        (say("Lawful moves that were refused"), plies[TaskOutcome.REFUSED]),
        (say("Moves written down that were not played"), plies[TaskOutcome.WRONG]),
        (say("Correct start positions that were begun"), found.starts),
        (say("Wrong start positions that were begun"), found.false_starts),
        (say("Wrong start positions whose cells were named"), found.named_starts),
        (say("Unlawful moves that were refused"), found.called),
        (say("Unlawful moves that were refused for the right reason"), found.unlawful),
        (say("Lifted pieces that were noticed"), found.lifted),
        (say("False alarms after hands, knocks and lamps"), found.alarms),
    ]


def compose_advice(one: Advice, say: Callable[..., str], looks: Mapping[str, str]) -> str:
    """An advice as a sentence."""
    figures = {"measured": f"{one.measured:.3g}", "limit": f"{one.limit:.3g}"}
    what = ", ".join(say(looks.get(look, look)) for look in one.what.split())
    return say(ADVICE_SENTENCES[one.key], **figures, what=what)


def _embed_picture(sitting: Sitting) -> str:
    """What the camera saw when the board was last begun, as the address of a picture."""
    image = sitting.shown
    if image is None:
        return ""
    scale = min(1.0, PICTURE_PX / image.shape[1])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    data = cv2.imencode(".jpg", small)[1].tobytes()
    return f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"
