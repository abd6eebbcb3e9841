"""How the referee is, for service managers and for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flask import Blueprint, Response, jsonify, request
from flask.typing import ResponseReturnValue
from prometheus_client import CollectorRegistry, Counter, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from server.http.streams import Streams
from server.live.feed import Feed
from server.live.unseen import SHOWN


class Game(Collector):
    """What the newest snapshot says, read when Prometheus asks and at no other time."""

    def __init__(self, feed: Feed, streams: Streams) -> None:
        self._feed, self._streams = feed, streams

    def collect(self) -> Iterator[Metric]:
        """One gauge each."""
        yield GaugeMetricFamily("referee_open_streams", "Pages and programs that follow", self._streams.listeners.taken)
        if (now := self._feed.snapshot) is not None:
            yield GaugeMetricFamily("referee_plies", "Moves made in the game", float(str(now["ply"])))
            yield GaugeMetricFamily("referee_board_fit", "How well the board is seen, 0 to 100", float(str(now["fit"])))
            phase = GaugeMetricFamily("referee_phase", "1 for the phase of the game", labels=["phase"])
            phase.add_metric([str(now["phase"])], 1)
            yield phase
            cause = _unseen(self._feed).get("cause")
            unseen = GaugeMetricFamily("referee_cannot_see", "1 for why the board is not seen", labels=["cause"])
            for known in SHOWN:
                unseen.add_metric([known], float(known == cause))
            yield unseen
            yield CounterMetricFamily(
                "referee_unseen_seconds", "Seconds in which the board was not seen", self._feed.now.unseen_s
            )


def _unseen(feed: Feed) -> Mapping[str, object]:
    """Why the board is not seen, empty while it is."""
    unseen = (feed.snapshot or {}).get("cannot_see")
    return unseen if isinstance(unseen, Mapping) else {}


def health(feed: Feed, streams: Streams) -> Blueprint:
    """`/healthz`, 503 until the game can be shown, and `/metrics`.

    Who sees nothing is degraded, not dead: starting it again would not clear the view, so the answer stays 200.
    """
    routes = Blueprint("health", __name__)
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(Game(feed, streams))
    requests = Counter("referee_http_requests", "Requests answered", ["method", "status"], registry=registry)

    @routes.get("/healthz")
    def healthz() -> ResponseReturnValue:
        if feed.snapshot is None:
            return jsonify({"status": "starting"}), 503
        unseen, lights = _unseen(feed), feed.snapshot.get("lights")
        said = {"status": "ok"} | ({"lights": str(lights)} if lights else {})
        if unseen:
            said |= {"status": "degraded", "cause": str(unseen["cause"]), "message": str(unseen["message"])}
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
