"""The page that makes a phone the camera, and where its pictures go."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, render_template, request

from server.http.problems import Problem
from server.live.phone import LARGEST_JPEG, PICTURES, Phone, Refused

LONGEST_PHONE_NAME = 40


def phone_page(phone: Phone | None) -> Blueprint:
    """The blueprint with /phone; without a `phone` it says how to have one."""
    routes = Blueprint("phone", __name__)

    @routes.get("/phone")
    def page() -> str:
        return render_template("phone.html", wanted=phone is not None)

    @routes.post(PICTURES)
    def frames() -> tuple[Response, int]:
        """One JPEG picture; `?phone=` tells phones apart."""
        if phone is None:
            raise Problem(409, "another camera is used: start the referee with --camera phone:")
        request.max_content_length = LARGEST_JPEG
        if request.mimetype != "image/jpeg":
            raise Problem(415, "send a picture as image/jpeg")
        try:
            taken = phone.put(request.args.get("phone", "")[:LONGEST_PHONE_NAME], request.get_data())
        except Refused as refused:
            raise Problem(refused.status, str(refused)) from refused
        return jsonify({"taken": taken}), 202

    return routes
