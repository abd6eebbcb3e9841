"""How the hall itself is: `/healthz` and `/readyz` for service managers, `/metrics` for Prometheus, and for the pages.

A hall that hears nothing, or stores nothing, is degraded, not dead: starting it again would not help, so `/healthz`
stays 200 and says what is wrong. `/readyz` is 503 until broker and database do their work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import sqlalchemy as sa
from flask import Blueprint, Response, jsonify
from flask.typing import ResponseReturnValue
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from server.hall.desk.hall_vitals import BROKER, DATABASE, HallVitals, faults_to_json
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import CLAIMED, OPEN, Matters
from server.hall.desk.standing import Boards
from server.hall.desk.troubles import BOARD_TROUBLES


class HallMetrics(Collector):
    """Read when Prometheus asks and at no other time."""

    def __init__(self, vitals: HallVitals, boards: Boards, matters: Matters, ledger: Ledger) -> None:
        self._vitals, self._boards, self._matters, self._ledger = vitals, boards, matters, ledger

    def collect(self) -> Iterator[Metric]:
        """What a hall can tell; what needs the database is left out while it is away."""
        faults = {fault.what for fault in self._vitals.current_faults()}
        yield GaugeMetricFamily("referee_hall_broker_ok", "1 while the broker carries", float(BROKER not in faults))
        yield GaugeMetricFamily("referee_hall_database_ok", "1 while events are stored", float(DATABASE not in faults))
        boards = self._boards.list_boards()
        yield GaugeMetricFamily("referee_hall_boards", "Boards that were heard of", len(boards))
        troubles = GaugeMetricFamily("referee_hall_troubles", "Boards with a trouble", labels=["trouble"])
        found = [one for board in boards for one in self._boards.list_troubles(board)]
        for name in BOARD_TROUBLES:
            troubles.add_metric([name], found.count(name))
        yield troubles
        for name, count in self._ledger.counts.items():
            yield CounterMetricFamily(f"referee_hall_events_{name}", f"Events that were {name}", count)
        with suppress(sa.exc.SQLAlchemyError):
            waiting = [one for one in self._matters.list_unsettled(0.0) if one.state in {OPEN, CLAIMED}]
            yield GaugeMetricFamily("referee_hall_matters", "Matters that wait for an arbiter", len(waiting))


def hall_health(vitals: HallVitals, boards: Boards, matters: Matters, ledger: Ledger) -> Blueprint:
    """The blueprint."""
    routes = Blueprint("hall_health", __name__)
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(HallMetrics(vitals, boards, matters, ledger))

    @routes.get("/healthz")
    def healthz() -> Response:
        faults = vitals.current_faults()
        why = {fault.what: fault.why for fault in faults}
        return jsonify({"status": "degraded" if faults else "ok", "faults": list(why), "why": why})

    @routes.get("/readyz")
    def readyz() -> ResponseReturnValue:
        faults = [fault.what for fault in vitals.current_faults() if fault.what in {BROKER, DATABASE}]
        return jsonify({"ready": not faults, "faults": faults}), 503 if faults else 200

    @routes.get("/metrics")
    def metrics() -> Response:
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    @routes.get("/api/v1/hall/health")
    def for_pages() -> Response:
        return jsonify({"faults": faults_to_json(vitals.current_faults())})

    return routes
