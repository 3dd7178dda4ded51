"""A step of the demo: items, and a function that creates a batch of them in one transaction."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from chatapi.auth.context import RealmContext

ItemT = TypeVar("ItemT")

_BATCH_SIZE = 25


class Plan(Struct, frozen=True):
    """Parameters of the demo."""

    people: int
    password_hash: str


class Step(Struct, Generic[ItemT], frozen=True):
    """Creates what is missing; running it again must change nothing."""

    title: str
    items: Callable[[Plan], Sequence[ItemT]]
    make: Callable[[RealmContext, Sequence[ItemT]], Awaitable[None]]


AnyStep = Step[Any]


def batches(items: Sequence[ItemT]) -> Iterator[Sequence[ItemT]]:
    """Batches small enough not to disturb a running server."""
    for start in range(0, len(items), _BATCH_SIZE):
        yield items[start : start + _BATCH_SIZE]
