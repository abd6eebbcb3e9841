"""How each visitor wants the pages: language, colours, sound. Kept in cookies, so that the first drawing is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, request
from flask.blueprints import BlueprintSetupState
from markupsafe import Markup

from device.lights import PALETTES, Rgb
from engine.errors import InputError, Worded
from engine.explain.reasons import RULES
from engine.explain.rules_alone import RULES_ALONE
from server.languages import ENGLISH, Language, load_languages
from server.saying import rules_title
from server.settings import ChangeableOptions
from server.web.problems import Problem
from server.web.proxy import ROOT_AROUND

CHOICES: Mapping[str, tuple[str, ...]] = {
    "theme": ("auto", "light", "dark"),
    "palette": ("standard", "red-green", "contrast"),
    "speech": ("off", "on"),
    "sound": ("off", "on"),
}
"""Cookie -> what may stand in it, the first being what holds without one."""
LANGUAGE = "language"
LONGEST_VALUE = 200
"""Characters of a setting."""
CATALOGUE_AGE_S = 3600
"""A page asks for its texts once an hour; after an update of the program they are old for so long at most."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the program was started with, and what of it may be changed for the next time."""

    shown: Mapping[str, object] = field(default_factory=dict)
    changing: ChangeableOptions | None = None


def create_preference_routes(options: Options = Options()) -> Blueprint:  # a frozen value
    """The blueprint with /settings, which shows the `options` of the service, and the texts for scripts.

    It gives templates `_`, `language`, `preferred`, `root`, `home`, which is the path of
    the referee's own pages, and `below`: whether other pages are served there, and these below them.
    """
    routes = Blueprint("preferences", __name__)

    @routes.record_once
    def install(state: BlueprintSetupState) -> None:
        state.app.jinja_env.globals |= {
            "_": translate_text,
            "led_colours": led_colours,
            "has": _has_page,
            "rules_title": rules_title,
        }  # macros see globals only

    @routes.app_context_processor
    def for_templates() -> dict[str, object]:
        around = request.environ.get(ROOT_AROUND)
        paths = {"home": request.script_root if around is None else around, "below": around is not None}
        return {"language": current_language(), "preferred": visitor_choices(), "root": _root_attributes(), **paths}

    @routes.get("/languages/<code>.js")
    def catalogue(code: str) -> Response:
        language = load_languages().get(code) or abort(404)
        said = {
            "texts": language.texts,
            "rules": RULES_ALONE,
            "reasons": {**RULES, **language.reasons},
        }
        texts = jsonify(said).get_data(as_text=True)
        script = Response(f"export default {texts.rstrip()};\n", content_type="text/javascript; charset=utf-8")
        script.headers["Cache-Control"] = f"max-age={CATALOGUE_AGE_S}"
        return script

    @routes.get("/favicon.ico")
    def favicon() -> Response:
        return current_app.send_static_file("icon.svg")

    @routes.get("/settings")
    def settings() -> str:
        told = {"options": options.shown, "changing": options.changing}
        return render_template("settings.html", languages=load_languages().values(), **told)

    _add_change_route(routes, options)
    return routes


def _add_change_route(routes: Blueprint, options: Options) -> None:
    """The route that keeps what is changed on the page."""

    @routes.post("/api/v1/settings")
    def change() -> Response:
        """Keep an option for the next start of the referee."""
        body = request.get_json(silent=True)
        said = body if isinstance(body, dict) else {}
        name, value = said.get("name"), said.get("value")
        texts = isinstance(name, str) and isinstance(value, str) and len(value) <= LONGEST_VALUE
        if not texts or set(said) - {"name", "value", "by"}:
            raise Problem(422, "name: a setting; value: its text")
        if options.changing is None:
            raise Problem(409, "this page has no settings of the referee")
        try:
            options.changing.change_option(str(name), str(value))
        except InputError as error:
            raise Problem(422, error) from error
        return jsonify({"saved": name})


def current_language() -> Language:
    """The language of this request: by its cookie, else what the browser asks for, else English."""
    known = load_languages()
    cookie = request.cookies.get(LANGUAGE, "")
    code = cookie if cookie in known else request.accept_languages.best_match(known, ENGLISH)
    return known[code or ENGLISH]


def translate_text(text: str, /, **values: object) -> str:
    """The text in the language of this request."""
    return current_language().translate_text(text, **values)


def translate_error(error: Worded) -> str:
    """What an error says, in the language of this request; a value may be a text of the languages too."""
    return current_language().translate_sentence(error.said)


def visitor_choices() -> dict[str, str]:
    """What this visitor chose, by the names in CHOICES."""
    asked = {name: request.cookies.get(name, "") for name in CHOICES}
    return {name: asked[name] if asked[name] in choices else choices[0] for name, choices in CHOICES.items()}


def led_colours() -> dict[str, str]:
    """Colour of an LED -> the one this visitor sees instead, both #rrggbb; empty where they stay as they are."""
    if visitor_choices()["palette"] != "red-green":
        return {}
    own, other = PALETTES["standard"], PALETTES["colour-blind"]
    return {as_hex(own[name]): as_hex(other[name]) for name in own}


def as_hex(rgb: Rgb) -> str:
    """A colour as the pages write it."""
    return "#{:02x}{:02x}{:02x}".format(*rgb)


def _has_page(endpoint: str) -> bool:
    """Whether this application has a page: the wizard is one with a few only."""
    return endpoint in current_app.view_functions


def _root_attributes() -> Markup:
    """The attributes of the page's root element."""
    attributes = {"lang": current_language().code} | {
        f"data-{name}": value for name, value in visitor_choices().items()
    }
    return Markup(" ").join(Markup('{}="{}"').format(*pair) for pair in attributes.items())
