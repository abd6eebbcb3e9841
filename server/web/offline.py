"""What an installed page shows while the referee does not answer: a page kept in the browser by its service worker.

Nothing else is kept: a position of some time ago that looks like the one on the board would mislead.
"""

from __future__ import annotations

from flask import Flask, Response, render_template

WORKER, SHELL = "/worker.js", "/offline"


def install_offline_page(app: Flask) -> None:
    """The routes of `app` with the worker, which answers for every page of the site, and with what it keeps."""

    @app.get(WORKER)
    def worker() -> Response:
        response = app.send_static_file("js/worker.js")
        response.headers["Cache-Control"] = "no-cache"
        return response

    @app.get(SHELL)
    def offline() -> str:
        return render_template("offline.html")
