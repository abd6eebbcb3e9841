"""How the referee is, for service managers and for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from flask import Blueprint, Response, jsonify, request
from flask.typing import ResponseReturnValue
from prometheus_client import CollectorRegistry, Counter, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from server.board.live.visibility import ENDED, SHOWN
from server.web.feed import Feed
from server.web.streams import Streams
from server.web.vitals import UNANSWERED


class GameCollector(Collector):
    """What the newest snapshot says, read when Prometheus asks and at no other time."""

    def __init__(self, feed: Feed, streams: Streams, record: Path | None) -> None:
        self._feed, self._streams, self._record = feed, streams, record

    def collect(self) -> Iterator[Metric]:
        """One gauge each."""
        yield GaugeMetricFamily(
            "referee_open_streams", "Pages and programs that follow", self._streams.listeners.taken_count
        )
        if (now := self._feed.newest_snapshot) is not None:
            yield GaugeMetricFamily("referee_plies", "Moves made in the game", float(str(now["ply"])))
            yield GaugeMetricFamily("referee_board_fit", "How well the board is seen, 0 to 100", float(str(now["fit"])))
            phase = GaugeMetricFamily("referee_phase", "1 for the phase of the game", labels=["phase"])
            phase.add_metric([str(now["phase"])], 1)
            yield phase
            cause = _unseen_reason(self._feed).get("cause")
            unseen = GaugeMetricFamily("referee_cannot_see", "1 for why the board is not seen", labels=["cause"])
            for known in SHOWN:
                unseen.add_metric([known], float(known == cause))
            yield unseen
            yield CounterMetricFamily(
                "referee_unseen_seconds", "Seconds in which the board was not seen", self._feed.current_state.unseen_s
            )
            yield from _vital_gauges(self._feed.vitals.to_json(now, self._record))


GAUGES = {
    "frame_age_s": ("referee_frame_age_seconds", "Seconds since the newest frame was taken"),
    "lag_s": ("referee_frame_lag_seconds", "How old the newest frame was when it was taken"),
    "disk_free_mb": ("referee_disk_free_megabytes", "Room left where the games are kept"),
    "record_waiting": ("referee_record_waiting", "Things said that are kept in memory until the record takes them"),
}
WAITS = "The record takes nothing, or the main loop does not go round: see `record` and `loop`."
WELL = {
    "camera": ("referee_camera_ok", "1 while the camera gives pictures"),
    "record": ("referee_record_ok", "1 while the record can be written"),
    "loop": ("referee_loop_ok", "1 while the main loop goes round"),
    "lights": ("referee_lights_ok", "1 while nothing is wrong with the lights of the board"),
    "hall": ("referee_hall_ok", "1 while the hall that was joined follows this board"),
}


def _vital_gauges(said: Mapping[str, object]) -> Iterator[Metric]:
    """The signs of life as gauges; what is not known is left out."""
    for key, (name, meaning) in GAUGES.items():
        if said[key] is not None:
            yield GaugeMetricFamily(name, meaning, float(str(said[key])))
    for key, (name, meaning) in WELL.items():
        if key in said:
            yield GaugeMetricFamily(name, meaning, float(said[key] in {"ok", UNANSWERED}))


def _unseen_reason(feed: Feed) -> Mapping[str, object]:
    """Why the board is not seen, empty while it is."""
    unseen = (feed.newest_snapshot or {}).get("cannot_see")
    return unseen if isinstance(unseen, Mapping) else {}


def create_health_routes(feed: Feed, streams: Streams, record: Path | None = None) -> Blueprint:
    """`/healthz`, 503 until the game can be shown and where the main loop stands still, and `/metrics`.

    Who sees nothing is degraded, not dead: starting it again would not clear the view, so the answer stays 200.
    `record` is the file with the games.
    """
    routes = Blueprint("health", __name__)
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(GameCollector(feed, streams, record))
    requests = Counter("referee_http_requests", "Requests answered", ["method", "status"], registry=registry)

    @routes.get("/healthz")
    def healthz() -> ResponseReturnValue:
        if feed.newest_snapshot is None:
            return jsonify({"status": "starting"}), 503
        vital = feed.vitals.to_json(feed.newest_snapshot, record)
        if feed.vitals.is_stuck:
            return jsonify({"status": "stuck"} | vital), 503
        unseen, waits = _unseen_reason(feed), vital["record"] != "ok" or vital["loop"] != "ok"
        is_blind = unseen.get("cause", ENDED) != ENDED  # a recording that is over is no trouble
        said: dict[str, object] = {"status": "degraded" if is_blind or waits else "ok"} | vital
        if waits:
            known = feed.newest_snapshot.get("record") or feed.newest_snapshot.get("disk")
            said["message"] = str(known or WAITS)
        if unseen:
            said |= {"cause": str(unseen["cause"]), "message": str(unseen["message"])}
        return jsonify(said), 200

    @routes.get("/metrics")
    def metrics() -> Response:
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    @routes.after_app_request
    def count(response: Response) -> Response:
        known = request.method if request.url_rule else "other"
        requests.labels(known, str(response.status_code)).inc()
        return response

    return routes
