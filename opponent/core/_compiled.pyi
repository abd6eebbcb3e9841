"""What opponent/core/module.c offers; a position is (placement, seat, castle moves)."""

from collections.abc import Callable

from engine.game import Result

Stand = tuple[bytes, int, tuple[int, ...]]

def make(numbers: bytes, worths: bytes, weights: bytes) -> object: ...
def results(tables: object, position: Stand) -> list[Result]: ...
def outcome(tables: object, position: Stand) -> int | None: ...
def perft(tables: object, position: Stand, depth: int) -> int: ...
def listed(tables: object, positions: list[Stand], passes: int) -> int: ...
def search(
    tables: object,
    positions: list[Stand],
    nodes: int,
    seconds: float,
    depth: int,
    noise: int,
    seed: int,
    stop: bytearray,
    told: Callable[[int, int, int, float, list[Result]], None],
    wanted: bytes,
) -> Result: ...
