"""Where `referee lights simulate` finds the simulator: also where the program is installed elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.workbench import simulated
from engine.errors import InputError


def test_an_installed_program_takes_the_checkout_it_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = simulated.SIMULATOR_SOURCE.parents[2]
    monkeypatch.setattr(simulated, "SIMULATOR_SOURCE", tmp_path / "site-packages" / "tests" / "firmware" / "simulator")
    for here in (checkout, checkout / "docs"):
        assert simulated.find_simulator_source(here) == checkout / "tests" / "firmware" / "simulator"
    with pytest.raises(InputError, match="git clone"):
        simulated.find_simulator_source(tmp_path)
