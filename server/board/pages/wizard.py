"""From nothing to a profile: the page that `referee serve` shows when there is none yet.

Only when it has written the profile do record, lights and game begin (server.board.pages.own_board).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from types import MappingProxyType

import cv2
from flask import Flask, Response, g, jsonify, render_template, request

from calibration.printing.boards import board_drawings
from calibration.printing.files import render_pdf
from calibration.printing.loose import piece_drawings
from calibration.printing.paper import fitting_cell_mm, pack_drawings, tile_drawings
from calibration.profile import Profile, WayRound, WhitePieces, parse_white
from device import protocols
from engine import games
from engine.errors import InputError, Worded
from server.board.live.phone import Phone
from server.board.pages.health import create_health_routes
from server.board.setup.devices import lasting_source, modes_offered
from server.board.setup.diagnosis import Cause, Diagnosis, diagnose_start
from server.board.setup.find import Finder, FoundBoard, SetupPicture, first_side
from server.board.setup.preview import Preview
from server.board.setup.routes import create_setup_routes
from server.board.setup.save import keep_other_board, save_profile
from server.board.setup.sources import permit_lights, permit_source
from server.board.setup.thumbnails import Thumbnails
from server.board.setup.way_round import find_way_round, other_way_round
from server.board.setup.within import AllowedAddresses
from server.drawing import start_picture
from server.masking import mask_passwords
from server.saying import title_of
from server.web.access.accounts import ROLES
from server.web.access.visitors import Visitors, create_application
from server.web.feed import Feed
from server.web.preferences import create_preference_routes, translate_error
from server.web.problems import NOTHING_YET, Problem
from server.web.streams import Streams

CLUBS = "wcf"
"""The rule set that a new board is offered first: what clubs play. The command line takes each game's first."""
USUAL = "camelot"
"""The game that is offered first."""
PAPER = "a4"
"""On which a board is printed from the page; `referee print` has others."""
IS_SET_UP = "The board is being set up, or another game chosen, on another page. The game goes on after that."
"""What is said to who asks for something of the game meanwhile."""
LONGEST_FILM_S = 86400.0
LONGEST_SOURCE = 500
"""Characters of anything that is typed: an address of a camera or of a strip of lights."""


class Wizard:
    """What has been chosen so far; `done` is set when the profile is written. Used by the threads of the web server."""

    def __init__(
        self, path: Path, fps: float, source: str, folder: Path | None = None, reach: AllowedAddresses | None = None
    ) -> None:
        """The profile to write, and the camera that the command line names, "" for none; a visitor may choose others,
        and files under `folder`, by default where that camera's film is, or the referee was started, and streams
        within `reach`, by default from anywhere but this machine."""
        self.phone = Phone()
        """The phone that may be the camera, once it has the page for it."""
        self._reach = reach or AllowedAddresses()
        self._folder = folder or (Path(source).parent if Path(source).is_file() else Path.cwd())
        self.done = threading.Event()
        self.on_done: Callable[[], object] = lambda: None
        """Called once, when `done` is set."""
        self.failure: Worded | None = None
        """Why the game could not be opened with the profile that there is."""
        self.anew = False
        """Whether the game that the profile is of makes way for another, and goes on if none is chosen."""
        self.goes_on = False
        """Whether the profile that there was is left as it is, once `done` is set."""
        self.known = Profile(USUAL, (), ())
        """Its game, rules and camera, which are offered first."""
        self.source = source
        self._path, self._fps = path, fps
        self._preview: Preview | None = None
        self._profile = Profile("", (), ())
        self._found: FoundBoard | None = None
        self._choice = 0
        """How often another picture was chosen: by its game, its camera, the time in a film, or the way round."""
        self._stands = False
        """Whether the pieces were seen to stand when they were looked at last."""
        self._begun, self._judged = count(1), 0
        """Looks at the pieces that were begun, and the number of the last one that was judged."""
        self._mirrors: dict[str, bool] = {}
        """Camera -> whether its pictures are mirrored, as somebody at the board said."""

    def choose_source(
        self, game: str, rules: str, camera: str, white: str = WhitePieces.LIGHTER.value
    ) -> dict[str, object]:
        """The game, which pieces are `white`'s, and a camera that gives pictures: their size, how long a recording is,
        and of a camera that is plugged in the modes to choose from. InputError otherwise."""
        games.load(game, rules or None)
        camera = lasting_source(permit_source(camera, self._folder, self.source, self._reach) if camera else "")
        streamed = "://" in camera and camera not in (self.source, other_way_round(self.source))
        preview = Preview(camera, self._fps, self._reach if streamed else None, self.phone)
        self.release_camera()
        self._preview = preview
        self._forget_place()
        self._profile = Profile(game, (), (), camera, rules or None, guarded=streamed, white=parse_white(white))
        if camera in self._mirrors:
            self._set_mirrored(mirrored=self._mirrors[camera])
        height, width = preview.current_image.shape[:2]
        offered = modes_offered(camera, (width, height))
        return {"size": [width, height], "duration_s": round(preview.duration_s, 3), "modes": offered}

    def seek_recording(self, t: float, *, same_place: bool = False) -> None:
        """Look at the recording at stream time `t`; the board is to be found anew unless it is in the `same_place`.
        InputError for a camera."""
        if self._preview is None:
            raise Problem(409, "choose the game and the camera first")
        self._preview.seek_recording(t)
        if same_place:
            self._forget_looks()
        else:
            self._forget_place()

    def newest_picture(self) -> SetupPicture:
        """The newest picture, with the start position that should stand in it."""
        if self._preview is None:
            raise Problem(409, "choose the game and the camera first")
        game = games.load(self._profile.game, self._profile.rules)
        return SetupPicture(
            self._profile.white.name_looks(game), game.start(), self._preview.current_image, self._choice
        )

    def average_picture(self) -> SetupPicture:
        """The same without its noise."""
        sight, preview = self.newest_picture(), self._preview
        return sight if preview is None else replace(sight, image=preview.average_image())

    def keep_board(self, found: FoundBoard) -> str:
        """The board is there. Problem where another picture was chosen, or it was turned, since it was looked for."""
        if found.sight.choice != self._choice:
            raise Problem(409, "another picture has been chosen since: find the board again")
        self._found = found
        self._forget_looks()
        return str(self._path)

    def check_pieces(self) -> Diagnosis:
        """How the pieces stand against the start position. Of two looks at a time the one that was begun later tells,
        whichever is over first: it is the one that the page shows."""
        number = next(self._begun)
        sight, found = self.newest_picture(), self._require_found()
        said = diagnose_start(sight.game, sight.position, found.solutions, sight.image)
        if number > self._judged:
            self._judged, self._stands = number, said.cause is Cause.READY
        return said

    def _forget_place(self) -> None:
        """The picture is another one: where the board was found, or is looked for still, says nothing of it."""
        self._found = None
        self._choice += 1
        self._forget_looks()

    def _forget_looks(self) -> None:
        """Looks at the pieces that were begun before say nothing any more."""
        self._judged, self._stands = next(self._begun), False

    def asks_way_round(self) -> bool:
        """Whether it is to be said still if the pictures are mirrored: neither markers nor the pieces tell it."""
        found = self._found
        said = self._opened_camera in self._mirrors
        return not said and found is not None and find_way_round(found.sight.game, found.solutions) is None

    def say_way_round(self, *, mirrored: bool) -> None:
        """Somebody has looked: a picture shown `mirrored` is turned back from now on, the board is to be found anew."""
        if self._preview is None:
            raise Problem(409, "choose the game and the camera first")
        self._set_mirrored(mirrored=self._preview.mirrored != mirrored)

    def _set_mirrored(self, *, mirrored: bool) -> None:
        """The camera's pictures are `mirrored` and turned back, or are neither."""
        if self._preview is None:
            return
        camera = self._opened_camera
        self._mirrors[camera] = mirrored
        source = other_way_round(camera) if mirrored else camera
        self._profile = replace(self._profile, source=source, way_round=WayRound.SAID)
        if mirrored != self._preview.mirrored:
            self._preview.mirrored = mirrored
            self._forget_place()

    @property
    def _opened_camera(self) -> str:
        """The camera as it was opened."""
        turned = self._preview is not None and self._preview.mirrored
        return other_way_round(self._profile.source) if turned else self._profile.source

    @property
    def is_live(self) -> bool:
        """Whether another look may show something else."""
        return self._preview is not None and self._preview.live

    def may_light(self, port: str) -> None:
        """InputError unless a visitor may name that port of the lights; "" for none."""
        if port:
            permit_lights(port, self._reach)

    def start_game(self, lights: Mapping[str, str], *, anyhow: bool) -> None:
        """Write the profile; the game begins. Not before the pieces were seen to stand, unless somebody wants it
        `anyhow`: a Problem. InputError if the disk does not take it."""
        placed = self._require_found()
        if not self._stands and not anyhow:
            raise Problem(409, "the pieces were not seen to stand as they should yet")
        if self.asks_way_round():
            raise Problem(409, "say first whether the picture is mirrored: a mirrored game is recorded wrong")
        keep_other_board(self._path, self._profile)
        save_profile(self._path, replace(placed.apply_to_profile(self._profile), lights=self._complete_lights(lights)))
        self._finish_setup()

    def _complete_lights(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """With what the profile before says of the same display and nobody chooses on the page: map, speed, colours."""
        before = self.known.lights if self.known.game == self._profile.game else {}
        same = chosen.get("port") == before.get("port") and before.get("protocol") in (None, chosen.get("protocol"))
        return {**before, **chosen} if chosen and same else dict(chosen)

    def start_again(self) -> None:
        """Go on with the profile that there is: with the game that could not be opened, or that was to make way.
        Problem without."""
        if self.failure is None and not self.anew:
            raise Problem(409, "choose the game and the camera first")
        self.goes_on = True
        self._finish_setup()

    def _finish_setup(self) -> None:
        self.failure = None
        self.done.set()
        self.on_done()

    def release_camera(self) -> None:
        """Let go of the camera."""
        if self._preview is not None:
            self._preview.release_camera()

    def _require_found(self) -> FoundBoard:
        if self._found is None:
            raise Problem(409, "save the place of the board first")
        return self._found


@dataclass(frozen=True)
class OfferedRules:
    """A rule set as the page offers it; the page has the words for it."""

    game: str
    name: str


def create_wizard(
    wizard: Wizard,
    thumbnails: Thumbnails | None = None,
    visitors: Visitors = Visitors(),  # noqa: B008  # a frozen value
) -> Flask:
    """The application with the one page, at /. Where there are accounts it is the arbiter's."""
    nobody_plays = Feed()
    app = create_application(visitors, nobody_plays)
    app.register_blueprint(create_health_routes(nobody_plays, Streams()))
    app.register_blueprint(create_preference_routes())
    app.register_blueprint(create_setup_routes(Finder(wizard.newest_picture, wizard.average_picture), list, wizard))
    _add_picture_routes(app, wizard, thumbnails := thumbnails or Thumbnails())
    _add_source_routes(app, wizard)
    _add_start_routes(app, wizard)

    if wizard.anew or wizard.failure is not None:  # there is a game that goes on afterwards
        app.register_error_handler(404, lambda _: app.handle_http_exception(Problem(503, IS_SET_UP)))

    @app.get("/")
    def page() -> str:
        if "account" in g and g.account.role != ROLES[-1]:
            raise Problem(403, "the board is set up by an arbiter: log in with such an account")
        cameras = thumbnails.list_devices()
        source = wizard.source or wizard.known.source or (str(cameras[0].number) if cameras else "")
        return render_template(
            "wizard.html",
            title_of=title_of,
            games=games.names(),
            titles={name: title_of(name) for name in games.names()},
            with_white=[name for name in games.names() if "white" in games.load(name).seats],
            rules=_offered_rules(),
            source=source,
            known=wizard.known,
            cameras=cameras,
            protocols=protocols.list_names(),
            anew=wizard.anew,
            failure=wizard.failure and mask_passwords(translate_error(wizard.failure)),
        )

    @app.get("/api/v1/game")
    def game() -> Response:
        """None yet: pages ask for it until the game's own site answers, or this one says why there is none."""
        if wizard.failure is not None:
            raise Problem(409, wizard.failure)
        return Response(status=NOTHING_YET)

    @app.post("/api/v1/wizard/pieces")
    def pieces() -> Response:
        _read_texts()
        said = wizard.check_pieces().to_json()
        side = first_side(wizard.newest_picture().game) if wizard.asks_way_round() else None
        return jsonify(said | {"live": wizard.is_live, "asks_way_round": side})

    return app


def _offered_rules() -> list[OfferedRules]:
    """The rule sets of all games, that of the clubs first."""
    sets = ((name, each) for name in games.names() for each in games.find(name).rule_sets)
    return [OfferedRules(name, each) for name, each in sorted(sets, key=lambda one: one[1] != CLUBS)]


def _add_source_routes(app: Flask, wizard: Wizard) -> None:
    """The routes that choose a camera, and a time in a film."""

    @app.post("/api/v1/wizard/camera")
    def camera() -> Response:
        said = _read_texts("game", "rules", "camera", optional={"white": WhitePieces.LIGHTER.value})
        try:
            return jsonify(wizard.choose_source(said["game"], said["rules"], said["camera"], said["white"]))
        except InputError as error:
            raise Problem(422, error) from error

    @app.post("/api/v1/wizard/film")
    def film() -> Response:
        body = request.get_json(silent=True)
        body = body if isinstance(body, dict) else {}
        t = body.get("t")
        if not isinstance(t, int | float) or isinstance(t, bool) or not 0 <= t <= LONGEST_FILM_S:
            raise Problem(422, "t: the seconds from the beginning of the recording")
        try:
            wizard.seek_recording(t, same_place=body.get("same_place") is True)
        except InputError as error:
            raise Problem(422, error) from error
        return jsonify({"t": t})


def _add_start_routes(app: Flask, wizard: Wizard) -> None:
    """The routes that end the set-up: the game begins."""

    @app.post("/api/v1/wizard/start")
    def start() -> Response:
        anyhow = (request.get_json(silent=True) or {}).pop("anyhow", False) is True
        said = _read_texts("port", "protocol")
        if said["protocol"] not in protocols.list_names():
            raise Problem(422, f"protocol: one of {', '.join(protocols.list_names())}")
        try:
            wizard.may_light(said["port"])
        except InputError as error:
            raise Problem(422, error) from error
        try:
            wizard.start_game(
                {"port": said["port"], "protocol": said["protocol"]} if said["port"] else {}, anyhow=anyhow
            )
        except InputError as error:
            raise Problem(500, error) from error
        return jsonify({"started": True})

    @app.post("/api/v1/wizard/again")
    def again() -> Response:
        _read_texts()
        wizard.start_again()
        return jsonify({"started": True})


def _add_picture_routes(app: Flask, wizard: Wizard, thumbnails: Thumbnails) -> None:
    """The routes that show what each camera sees, and what the chosen one sees now."""

    @app.get("/api/v1/wizard/games/<name>.svg", endpoint="board_picture")
    def board_picture(name: str) -> Response:
        if name not in games.names():
            raise Problem(404, f"no game {name[:40]}")
        return Response(start_picture(games.load(name)), content_type="image/svg+xml")

    @app.get("/api/v1/wizard/games/<name>.pdf")
    def paper(name: str) -> Response:
        if name not in games.names():
            raise Problem(404, f"no game {name[:40]}")
        game = games.load(name)
        side = fitting_cell_mm(board_drawings(game, 1.0)[0].size, PAPER)
        sheets = [*tile_drawings(board_drawings(game, side), PAPER), *pack_drawings(piece_drawings(game, side), PAPER)]
        answer = Response(render_pdf(sheets, title_of(name)), content_type="application/pdf")
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}.pdf"'
        return answer

    @app.get("/api/v1/wizard/cameras/<int:number>.jpg")
    def thumbnail(number: int) -> Response:
        data = thumbnails.take_thumbnail(number)
        response = Response(data, content_type="image/jpeg") if data else Response(status=NOTHING_YET)
        response.headers["Cache-Control"] = "no-store"
        return response

    @app.get("/api/v1/camera.jpg")
    def picture() -> Response:
        try:
            ok, data = cv2.imencode(".jpg", wizard.newest_picture().image)
        except Problem:
            return Response(status=NOTHING_YET)
        response = Response(data.tobytes(), content_type="image/jpeg") if ok else Response(status=NOTHING_YET)
        response.headers["Cache-Control"] = "no-store"
        return response


def _read_texts(*keys: str, optional: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The request's object with exactly these texts, and those that are `optional` and what they are if they are not
    there; `by` may be there too."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict) or set(body) - {"by", *optional} != set(keys):
        raise Problem(422, f"the body must be one JSON object with the keys {', '.join(keys)}")
    keys, body = (*keys, *optional), {**optional, **body}
    if not all(isinstance(body[key], str) and len(body[key]) <= LONGEST_SOURCE for key in keys):
        raise Problem(422, f"each of {', '.join(keys)} is a text of at most {LONGEST_SOURCE} characters")
    return {key: body[key].strip() for key in keys}
