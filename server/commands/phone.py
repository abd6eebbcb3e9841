"""`referee phone`: one picture from a phone's browser, to find the board in."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click
import cv2
from flask import Flask

from server.board.live.phone import Phone
from server.board.pages.phone_page import (
    PhoneAddress,
    PhoneLink,
    create_phone_routes,
    own_page_for_phones,
    say_to_phone,
)
from server.board.serve_options import phone_at_option
from server.board.setup.save import default_profile
from server.disk import write_output
from server.exits import DONE
from server.masking import print_line
from server.options import OUT_FILE
from server.web.access.serving import Serving, serving_options
from server.web.access.visitors import Visitors, create_application
from server.web.feed import Feed
from server.web.preferences import create_preference_routes
from server.web.site import Site
from vision.frames import CameraLost
from vision.ground import Image

STEADY_FRAMES = 10
"""The first pictures are dark, unsharp, or of the hand that puts the phone in its place."""


@click.command(help="Take a picture with a phone's browser, for `referee calibrate`.")
@click.option(
    "--out",
    default=Path("phone.png"),
    show_default=True,
    type=OUT_FILE,
    help="Picture to write (PNG).",
)
@click.option(
    "--after", default=STEADY_FRAMES, show_default=True, type=click.IntRange(1), help="Which picture to take."
)
@phone_at_option
@serving_options
def command(out: Path, after: int, phone_at: str | None, serving: Serving) -> int:
    """Wait for the phone, then write one of its pictures."""
    phone = Phone()
    with ExitStack() as closing:
        listening = closing.enter_context(serving.open_listener())
        at = PhoneAddress(default_profile().parent, listening.getsockname()[1], phone_at)
        own = own_page_for_phones(serving, at)
        if own is None:
            link = PhoneLink(phone, at)
            closing.callback(link.close_site)
            own = link.url
        else:
            site = Site(create_phone_app(phone, serving.visitors), listening, serving.tls)
            closing.callback(site.stop_server)
        say_to_phone(own)
        image = _take_picture(phone, after)
    ok, data = cv2.imencode(".png", image)
    write_output(out, data.tobytes() if ok else b"", "--out")
    print_line(f"{out}: {image.shape[1]}x{image.shape[0]}; now `referee calibrate --camera {out}`")
    return DONE


def create_phone_app(phone: Phone, visitors: Visitors) -> Flask:
    """The application with the page for the phone alone."""
    app = create_application(visitors, Feed())
    app.register_blueprint(create_preference_routes())
    app.register_blueprint(create_phone_routes(phone))
    return app


def _take_picture(phone: Phone, after: int) -> Image:
    """The picture number `after`; a phone that pauses is waited for."""
    while True:
        try:
            for number, frame in enumerate(phone.read_frames(), start=1):
                if number == after:
                    return frame.image
        except CameraLost:
            continue
