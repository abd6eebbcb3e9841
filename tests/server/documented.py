"""How operations are tried with examples made from what is documented: the same in every run, slow machines or not."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings


def tried(examples: int) -> settings:
    """So many examples of each operation."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
