"""What a sitting came to, as JSON and as a page to print that needs nothing else."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import cv2
from jinja2 import Environment, FileSystemLoader

from engine.explain.wording import words_of
from engine.match.events import CAUSES
from server.board.certify.advice import ADVICE_SENTENCES, Advice, advice
from server.board.certify.guide import Done, TaskOutcome
from server.board.certify.sitting import Sitting
from server.board.certify.tally import CountedShare, Spread, Tally, tally
from server.languages import Language
from server.saying import rules_title, say_in

TEMPLATE_HOME = Path(__file__).parents[2]
PICTURE_PX = 640
"""Width of the camera's picture on the page."""
CERTIFICATE = "certificate.html"
OUTCOMES = {
    TaskOutcome.RIGHT: "as it should be",
    TaskOutcome.ASKED: "it asked",
    TaskOutcome.SILENT: "nothing was said",
    TaskOutcome.OTHER: "named, but otherwise",
    TaskOutcome.REFUSED: "called wrong without cause",
    TaskOutcome.WRONG: "said what was not so",
    TaskOutcome.SKIPPED: "left out, not counted",
}
"""What each outcome is called; the languages have them all."""


def as_json(sitting: Sitting, when: str) -> dict[str, object]:
    """Counts with their intervals, what was measured, what to better, and each task."""
    found, measured = tally(sitting.guide.done), sitting.pictures.measured()
    return {
        "game": sitting.game.name,
        "rules": sitting.game.rules,
        "when": when,
        "picture": list(sitting.profile.size_wh),
        "minutes": round((sitting.t - sitting.began_t) / 60, 1),
        "good": found.good,
        "plies": {outcome.value: _share(share) for outcome, share in found.plies.items()},
        "starts": _share(found.starts),
        "false_starts": _share(found.false_starts),
        "named_starts": _share(found.named_starts),
        "unlawful": _share(found.unlawful),
        "called": _share(found.called),
        "alarms": _share(found.alarms),
        "lifted": _share(found.lifted),
        "seconds": _spread(found.seconds),
        "skipped": found.skipped,
        "measured": {
            name: round(value, 3) if isinstance(value, float) else value for name, value in vars(measured).items()
        },
        "unseen": dict(sitting.causes),
        "advice": [{"what": one.key, "measured": round(one.measured, 3), "limit": one.limit, "look": one.what}
                   for one in advice(measured)],
        "tasks": [_task(done) for done in sitting.guide.done],
    }  # fmt: skip


def _share(share: CountedShare) -> dict[str, object]:
    return {"count": share.count, "of": share.of, "interval": [round(bound, 4) for bound in share.interval]}


def _spread(spread: Spread | None) -> dict[str, object] | None:
    return None if spread is None else {name: round(value, 3) for name, value in vars(spread).items()}


def _task(done: Done) -> dict[str, object]:
    seconds = None if done.seconds is None else round(done.seconds, 3)
    told = {
        "t": round(done.t, 3),
        "task": done.task.kind.value,
        "text": done.task.said(),
        "outcome": done.outcome.value,
    }
    return told | {"seconds": seconds, "said": done.said}


def page(sitting: Sitting, when: str, language: Language, style: str = "", seen: str = "") -> str:
    """The page, in a language; `style` and `seen` are the addresses of its style sheet and of the camera's picture,
    which else stand in it."""
    words = words_of(sitting.game)
    say = say_in(words, language)
    found = tally(sitting.guide.done)
    environment = Environment(
        loader=FileSystemLoader([TEMPLATE_HOME / "templates", TEMPLATE_HOME / "static"]), autoescape=True
    )
    environment.globals |= {"_": language.say, "language": language, "rules_title": rules_title}
    return environment.get_template(CERTIFICATE).render(
        words=words,
        style=style,
        rules=sitting.game.rules,
        when=when,
        size="x".join(str(n) for n in sitting.profile.size_wh),
        minutes=round((sitting.t - sitting.began_t) / 60, 1),
        tally=found,
        rows=_rows(found, language.say),
        per_cent=lambda share: f"{100 * share.count / share.of:.0f} %" if share.of else "–",
        between=lambda share: " – ".join(f"{100 * bound:.0f} %" for bound in share.interval),
        advice=[told(one, language.say, {look: say(name) for look, name in words.looks.items()})
                for one in advice(sitting.pictures.measured())],
        unseen=[(language.say(CAUSES[cause]), times) for cause, times in sitting.causes.most_common()],
        otherwise=[
            (one, one.task.said(language.say, lambda seat: say(words.seats[seat])), language.say(OUTCOMES[one.outcome]))
            for one in sitting.guide.done
            if one.outcome is not TaskOutcome.RIGHT
        ],
        picture=(seen if sitting.shown is not None else "") if style else _picture(sitting),
    )  # fmt: skip


def _rows(found: Tally, say: Callable[..., str]) -> list[tuple[str, CountedShare]]:
    """What is counted, as the page names it."""
    plies = found.plies
    return [
        (say("Moves written down as they were played"), plies[TaskOutcome.RIGHT]),
        (say("Moves about which it asked"), plies[TaskOutcome.ASKED]),
        (say("Moves about which nothing was said"), plies[TaskOutcome.SILENT]),
        (say("Lawful moves that were refused"), plies[TaskOutcome.REFUSED]),
        (say("Moves written down that were not played"), plies[TaskOutcome.WRONG]),
        (say("Right starts that were begun"), found.starts),
        (say("Bad starts that were begun"), found.false_starts),
        (say("Bad starts whose wrong cells were named"), found.named_starts),
        (say("Unlawful moves that were refused"), found.called),
        (say("Unlawful moves that were refused for the right reason"), found.unlawful),
        (say("Lifted pieces that were noticed"), found.lifted),
        (say("False alarms after hands, knocks and lamps"), found.alarms),
    ]


def told(one: Advice, say: Callable[..., str], looks: dict[str, str]) -> str:
    """An advice as a sentence."""
    figures = {"measured": f"{one.measured:.3g}", "limit": f"{one.limit:.3g}"}
    return say(ADVICE_SENTENCES[one.key], **figures, what=", ".join(looks.get(look, look) for look in one.what.split()))


def _picture(sitting: Sitting) -> str:
    """What the camera saw when the board was last begun, as the address of a picture."""
    image = sitting.shown
    if image is None:
        return ""
    scale = min(1.0, PICTURE_PX / image.shape[1])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    data = cv2.imencode(".jpg", small)[1].tobytes()
    return f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"
