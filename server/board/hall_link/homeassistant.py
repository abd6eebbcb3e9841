"""Home Assistant finds a board by itself: discovery messages, sent at first and whenever it says that it has started.

Names of fields: home-assistant.io/integrations/mqtt (MQTT discovery); its pages of sensor, binary sensor and button.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engine import games
from server.mqtt import wire

BIRTH = "homeassistant/status"
"""Where Home Assistant says "online" when it has started; the default of its MQTT integration."""
DISCOVERY = "homeassistant"

SENSORS: tuple[tuple[str, str, str, str, str], ...] = (
    # name in the address, name for people, icon, of which message, value
    ("turn", "To move", "mdi:account-arrow-right", wire.STATE, "{{ value_json.side }}"),
    ("move", "Last move", "mdi:arrow-right-bold", wire.STATE, "{{ (value_json.last or {}).get('notation', '–') }}"),
    ("ply", "Moves made", "mdi:counter", wire.STATE, "{{ value_json.ply }}"),
    ("phase", "Phase", "mdi:chess-pawn", wire.STATE, "{{ value_json.phase }}"),
    ("result", "Result", "mdi:trophy", wire.STATE, "{{ value_json.result or '*' }}"),
    ("lights", "Lights", "mdi:led-strip", wire.HEALTH, "{{ value_json.lights or 'ok' }}"),
    ("fit", "Board seen", "mdi:image-filter-center-focus", wire.HEALTH, "{{ value_json.fit }}"),
)
HOME_BUTTONS = (
    ("undo", "Take back", "mdi:undo"),
    ("confirm", "Confirm", "mdi:check"),
    ("pause", "Pause or go on", "mdi:pause"),
    ("hint", "Hint", "mdi:lightbulb-outline"),
)
"""The buttons of a board with a display, as Home Assistant has them."""
PRESSED = (
    '{"id": "home-{{ now().timestamp() }}", "expires": {{ now().timestamp() + 10 }}, "role": "player", '
    '"who": "Home Assistant", "do": "{{ value }}"}'
)
CLOCK_VALUE = "{{{{ ((value_json.clocks or {{}}).get('left') or {{}}).get('{side}', none) }}}}"
BLIND = "{{ 'OFF' if value_json.camera == 'ok' else 'ON' }}"


def build_discovery(prefix: str, board: str, snapshot: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Topic and payload of each entity of a board; with a snapshot of a game with clocks also those."""
    for name, title, icon, kind, value in SENSORS:
        fields = {"icon": icon, "value_template": value}
        yield _build_entity(prefix, board, "sensor", name, title, kind, fields)
    problem = {"device_class": "problem", "value_template": BLIND, "entity_category": "diagnostic"}
    yield _build_entity(prefix, board, "binary_sensor", "camera", "Camera", wire.HEALTH, problem)
    link = {"device_class": "connectivity", "payload_on": wire.ONLINE, "payload_off": wire.OFFLINE}
    yield _build_entity(
        prefix, board, "binary_sensor", "link", "Link", wire.AVAILABLE, link | {"entity_category": "diagnostic"}
    )
    for name, title, icon in HOME_BUTTONS:
        yield _build_button(prefix, board, name, title, icon)
    if snapshot.get("clocks"):
        for side in games.load(snapshot["game"], snapshot["rules"]).seats:
            time = {
                "device_class": "duration",
                "unit_of_measurement": "s",
                "value_template": CLOCK_VALUE.format(side=side),
            }
            yield _build_entity(prefix, board, "sensor", f"clock-{side}", f"Clock of {side}", wire.STATE, time)


def _build_button(prefix: str, board: str, name: str, title: str, icon: str) -> tuple[str, bytes]:
    asks = {
        "command_topic": wire.build_topic(prefix, board, f"{wire.COMMANDS}/{wire.ROLE_PLAYER}"),
        "command_template": PRESSED,
        "payload_press": f"press-{name}",
        "availability_topic": wire.build_topic(prefix, board, wire.AVAILABLE),
        "icon": icon,
    }
    return _build_config(prefix, board, "button", name, title, asks)


def _build_entity(
    prefix: str, board: str, component: str, name: str, title: str, kind: str, more: Mapping[str, object]
) -> tuple[str, bytes]:
    always = kind == wire.AVAILABLE  # the link itself is known when it is broken, too
    available = {} if always else {"availability_topic": wire.build_topic(prefix, board, wire.AVAILABLE)}
    heard = {"state_topic": wire.build_topic(prefix, board, kind), **available}
    return _build_config(prefix, board, component, name, title, {**heard, **more})


def _build_config(
    prefix: str, board: str, component: str, name: str, title: str, more: Mapping[str, object]
) -> tuple[str, bytes]:
    node = f"{prefix}-{board}"
    said = {
        "name": title,
        "unique_id": f"{node}-{name}",
        "qos": 1,
        "device": {"identifiers": [node], "name": f"Board {board}", "manufacturer": "camelot-referee"},
        "origin": {"name": "camelot-referee"},
        **more,
    }
    return f"{DISCOVERY}/{component}/{node}/{name}/config", json.dumps(said).encode()
