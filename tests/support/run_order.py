"""The order of a parallel run: each worker begins with tests that take long.

A test of a minute that begins last keeps one worker busy while the others have nothing left to do.
Tests with servers under load all belong to one worker, so that no two of them compete.
"""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

BEGINNINGS: tuple[tuple[str, ...], ...] = (
    ("tests/stress/",),
    (
        "tests/contract/test_schemathesis.py",
        "tests/pictures/test_hostile.py",
        "tests/docs/test_adding_an_endpoint.py",
    ),
    (
        "tests/model/",
        "tests/security/differential/",
        "tests/contract/test_fuzz.py",
    ),
    (
        "tests/browser/",
        "tests/cli/",
        "tests/clients/",
        "tests/deploy/",
    ),
)
"""Files and folders with which a worker begins, in this order."""


def order_for(workers: int, items: Sequence[T], names: Sequence[str]) -> list[T]:
    """The items in the order in which pytest-xdist is to hand them out, cut into equal parts."""
    beginnings: list[list[T]] = [[] for _ in range(workers)]
    places = [
        (place, number % workers) for number, places in enumerate(BEGINNINGS) for place in places
    ]
    rest = list(zip(items, names, strict=True))
    for place, worker in places:
        beginnings[worker] += [item for item, name in rest if name.startswith(place)]
        rest = [(item, name) for item, name in rest if not name.startswith(place)]
    ordered: list[T] = []
    others = [item for item, _ in rest]
    for number, beginning in enumerate(beginnings):
        size = (len(items) - len(ordered)) // (workers - number)
        count = max(0, size - len(beginning))
        ordered += [*beginning, *others[:count]]
        others = others[count:]
    return ordered + others
