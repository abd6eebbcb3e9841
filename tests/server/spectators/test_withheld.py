"""What is left out of what is told to those who are not helped."""

from __future__ import annotations

from server.spectators.withheld import event_without_hints


def test_where_a_chain_goes_on_is_told_to_nobody_who_is_not_helped() -> None:
    event = {"event": "partial", "notation": "D7-D9xB11", "todo": ["go on to B11", "remove D10"]}
    on_the_way = event | {"targets": ["B11"], "from": "D7", "at": "D9"}
    assert event_without_hints(on_the_way) == {"event": "partial", "notation": "", "todo": ["go on"]}
    at_its_end = event | {"todo": ["remove D10"]}
    assert event_without_hints(at_its_end) == at_its_end
