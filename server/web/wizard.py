"""From nothing to a profile: the page that `referee serve` shows when there is none yet.

It is served alone, before the game: only when it has written the profile do record, lights and game begin.
"""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click
import cv2
from flask import Flask, Response, jsonify, render_template, request

from calibration.profile import Profile
from device import protocols
from engine import games
from engine.errors import InputError
from server.access.serving import Serving
from server.http import guard, problems
from server.http.problems import Problem
from server.http.site import Site
from server.saying import title_of
from server.setup.devices import video_devices
from server.setup.find import Finder, Found, Sight
from server.setup.preview import Preview
from server.setup.routes import setting_up
from server.setup.save import save
from server.web.api import NOTHING_YET
from server.web.preferences import preferences
from vision.watch.beginning import begin

LONGEST_SOURCE = 500
"""Characters of anything that is typed: an address of a camera or of a strip of lights."""


class Wizard:
    """What has been chosen so far; `done` is set when the profile is written. Used by the threads of the web server."""

    def __init__(self, path: Path, fps: float, source: str) -> None:
        self.done = threading.Event()
        self.source = source
        self._path, self._fps = path, fps
        self._preview: Preview | None = None
        self._profile = Profile("", (), ())
        self._found: Found | None = None

    def choose(self, game: str, rules: str, camera: str) -> tuple[int, int]:
        """The game, and a camera that gives pictures: their size. InputError otherwise."""
        games.load(game, rules or None)
        preview = Preview(camera, self._fps)
        self.close()
        self._preview, self._found = preview, None
        self._profile = Profile(game, (), (), source=camera, rules=rules or None)
        height, width = preview.image.shape[:2]
        return width, height

    def look(self) -> Sight:
        """The newest picture, with the start position that should stand in it."""
        if self._preview is None:
            raise Problem(409, "choose the game and the camera first")
        game = games.load(self._profile.game, self._profile.rules)
        return Sight(game, game.start(), self._preview.image)

    def keep(self, found: Found) -> str:
        """The board is there."""
        self._found = found
        return str(self._path)

    def wrong_cells(self) -> list[str]:
        """Cells on which something else is seen than the start position."""
        sight, found = self.look(), self._placed()
        views = [solution.view for solution in found.solutions]
        begun = begin(sight.game, sight.position, views, sight.image, asks=False)
        return [sight.game.board.cells[cell] for cell in begun.wrong]

    def start(self, lights: Mapping[str, str]) -> None:
        """Write the profile; the game begins. InputError if the disk does not take it."""
        save(self._path, replace(self._placed().profile(self._profile), lights=lights))
        self.done.set()

    def close(self) -> None:
        """Let go of the camera."""
        if self._preview is not None:
            self._preview.close()

    def _placed(self) -> Found:
        if self._found is None:
            raise Problem(409, "save the place of the board first")
        return self._found


def set_up(path: Path, serving: Serving, fps: float, source: str, open_page: bool) -> tuple[Path, Serving] | None:
    """The profile at `path`, and where to serve. A page of its own asks for what there is not yet; None for Ctrl-C."""
    if path.exists():
        return path, serving
    if serving.door is not None:
        raise InputError(f"profile {path}: there is none yet; make it with `referee calibrate`, or on 127.0.0.1 first")
    wizard = Wizard(path, fps, source)
    with serving.listen() as listening:
        site = Site(create_wizard(wizard), listening, serving.tls)
        click.echo(f"There is no profile of a board yet: set it up at {site.url}")
        if open_page:
            webbrowser.open(site.url)
        port = listening.getsockname()[1]
        try:
            wizard.done.wait()
        except KeyboardInterrupt:
            return None
        finally:
            site.close()
            wizard.close()
    return path, replace(serving, port=port)


def create_wizard(wizard: Wizard) -> Flask:
    """The application with the one page, at /."""
    app = Flask("server")  # whose templates/ and static/ it has
    problems.install(app)
    guard.install(app, ())
    app.register_blueprint(preferences({}))
    app.register_blueprint(setting_up(Finder(wizard.look), list, wizard.keep))

    @app.get("/")
    def page() -> str:
        rules = {name: games.find(name).rule_sets for name in games.names()}
        cameras = video_devices()
        source = wizard.source or (str(cameras[0].number) if cameras else "")
        return render_template(
            "wizard.html", title_of=title_of, rules=rules, source=source, cameras=cameras, protocols=protocols.names()
        )

    @app.get("/api/v1/camera.jpg")
    def picture() -> Response:
        try:
            ok, data = cv2.imencode(".jpg", wizard.look().image)
        except Problem:
            return Response(status=NOTHING_YET)
        response = Response(data.tobytes(), content_type="image/jpeg") if ok else Response(status=NOTHING_YET)
        response.headers["Cache-Control"] = "no-store"
        return response

    @app.post("/api/v1/wizard/camera")
    def camera() -> Response:
        said = _texts("game", "rules", "camera")
        try:
            return jsonify({"size": wizard.choose(said["game"], said["rules"], said["camera"])})
        except InputError as error:
            raise Problem(422, str(error)) from error

    @app.post("/api/v1/wizard/pieces")
    def pieces() -> Response:
        _texts()
        return jsonify({"wrong": wizard.wrong_cells()})

    @app.post("/api/v1/wizard/start")
    def start() -> Response:
        said = _texts("port", "protocol")
        if said["protocol"] not in protocols.names():
            raise Problem(422, f"protocol: one of {', '.join(protocols.names())}")
        try:
            wizard.start({"port": said["port"], "protocol": said["protocol"]} if said["port"] else {})
        except InputError as error:
            raise Problem(500, str(error)) from error
        return jsonify({"started": True})

    return app


def _texts(*keys: str) -> dict[str, str]:
    """The request's object with exactly these texts; `by` may be there too."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict) or set(body) - {"by"} != set(keys):
        raise Problem(422, f"the body must be one JSON object with the keys {', '.join(keys)}")
    if not all(isinstance(body[key], str) and len(body[key]) <= LONGEST_SOURCE for key in keys):
        raise Problem(422, f"each of {', '.join(keys)} is a text of at most {LONGEST_SOURCE} characters")
    return {key: body[key].strip() for key in keys}
