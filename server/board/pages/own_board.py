"""Where the own board is set up: on pages served alone before the first game, or beside a recording that stays."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from calibration import profile as profiles
from engine.errors import InputError, Worded
from server.board.pages.phone_page import PhoneAddress, PhoneLinks, create_phone_offer_routes
from server.board.pages.wizard import Wizard, create_wizard
from server.board.setup.within import AllowedAddresses
from server.exits import take_signals
from server.masking import print_line
from server.systemd import Systemd
from server.web.access.serving import Serving
from server.web.site import Site

OWN_BOARD_AT = "/own-board"
"""The page of the set-up beside a recording; the recording's pages stay where they are."""
CARED_FOR_S = 1.0
"""How frequently the system's manager is told that the page is still there, and how late the end may come."""


class SetupEnd(Enum):
    """How a set-up came to its end: by Ctrl-C, with another profile, or with the one that there was."""

    ENDED = auto()
    WRITTEN = auto()
    AS_BEFORE = auto()


@dataclass(frozen=True, slots=True)
class WantedBoard:
    """What the command line says of a board that is to be set up."""

    fps: float
    camera: str
    """The one that is named, "" for none."""
    reach: AllowedAddresses
    """Within which streams may be named."""
    phone_at: str | None
    """The address at which a phone finds this computer; None: the one in its network."""
    profile: Path
    """Where its profile is kept."""
    anew: bool = False
    """Whether there is one already, of a game that makes way."""


class OwnBoard:
    """The pages of the set-up with all that they hold: the camera, and the page for a phone."""

    def __init__(self, wanted: WantedBoard, serving: Serving, port: int, failure: Worded | None = None) -> None:
        """For a site at `port`; `failure` is why the game could not be opened before."""
        path = wanted.profile
        self.wizard = Wizard(path, wanted.fps, wanted.camera, reach=wanted.reach)
        self.wizard.failure, self.wizard.anew = failure, wanted.anew
        with suppress(InputError, OSError):  # it may be the profile that is refused
            self.wizard.known = profiles.load_profile(path) if failure or wanted.anew else self.wizard.known
        self._links = PhoneLinks(self.wizard.phone, PhoneAddress(path.parent, port, wanted.phone_at))
        self.app = create_wizard(self.wizard, visitors=serving.visitors)
        self.app.register_blueprint(create_phone_offer_routes(self._links))

    def release_devices(self) -> None:
        """Let go of camera and phone."""
        self._links.close_link()
        self.wizard.phone.end_frames()
        self.wizard.release_camera()


class BesideDemonstration:
    """The set-up beside a recording, opened the first time that somebody wants it. For the web's threads."""

    def __init__(self, wanted: WantedBoard, serving: Serving, port: int, done: Callable[[], object]) -> None:
        """`done` is called when the board has been set up."""
        self._wanted, self._serving, self._port, self._done = wanted, serving, port, done
        self._lock = threading.Lock()
        self._open: OwnBoard | None = None

    def mount_page(self, site: Site) -> str:
        """The address of the page, which `site` has from now on."""
        with self._lock:
            if self._open is None:
                self._open = OwnBoard(self._wanted, self._serving, self._port)
                self._open.wizard.on_done = self._done
                site.mount_application(OWN_BOARD_AT, self._open.app)
        return f"{OWN_BOARD_AT}/"

    def release_devices(self) -> None:
        """Let go of camera and phone."""
        with self._lock:
            if self._open is not None:
                self._open.release_devices()


def set_up(wanted: WantedBoard, serving: Serving, failure: Worded | None, *, open_page: bool) -> SetupEnd:
    """Have a page make this user's profile, or go on with the one that there is. With a `failure` the game could not be
    opened: the page says so, and the same can be tried again."""
    ended = threading.Event()
    with take_signals(ended.set), serving.open_listener() as listening:
        port = listening.getsockname()[1]
        own = OwnBoard(wanted, serving, port, failure)
        site = Site(own.app, listening, serving.tls)
        why = "The game could not be opened: see" if failure else "There is no profile of a board yet: set it up at"
        why = "Another game is chosen at" if wanted.anew else why
        print_line(f"{why} {serving.public_address(site.url)}")
        if open_page:
            webbrowser.open(serving.public_address(site.url))
        try:
            manager = Systemd()
            manager.notify_ready()
            while not ended.is_set() and not own.wizard.done.wait(CARED_FOR_S):
                manager.notify_alive()
        finally:
            site.stop_server()
            own.release_devices()
    if ended.is_set():
        return SetupEnd.ENDED
    return SetupEnd.AS_BEFORE if own.wizard.goes_on else SetupEnd.WRITTEN
