"""A step of the demo: items, and a function that creates a batch of them in one transaction."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from chatapi.auth.context import RealmContext

ItemT = TypeVar("ItemT")

_BATCH_SIZE = 25


@dataclass(frozen=True)
class Plan:
    """Parameters of the demo."""

    people: int
    password_hash: str


@dataclass(frozen=True)
class Step(Generic[ItemT]):
    """Creates what is missing; running it again must change nothing."""

    title: str
    items: Callable[[Plan], Sequence[ItemT]]
    make: Callable[[RealmContext, Sequence[ItemT]], Awaitable[None]]


AnyStep = Step[Any]


def batches(items: Sequence[ItemT]) -> Iterator[Sequence[ItemT]]:
    """Batches small enough not to disturb a running server."""
    for start in range(0, len(items), _BATCH_SIZE):
        yield items[start : start + _BATCH_SIZE]
