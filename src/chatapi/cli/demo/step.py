"""A step of the demo: some items, and how a few of them are made in one transaction."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from chatapi.auth.context import RealmContext

ItemT = TypeVar("ItemT")

_BATCH_SIZE = 25


@dataclass(frozen=True)
class Plan:
    """What the demo is to look like."""

    people: int
    password_hash: str


@dataclass(frozen=True)
class Step(Generic[ItemT]):
    """Makes what is missing; running it again must change nothing."""

    title: str
    items: Callable[[Plan], Sequence[ItemT]]
    make: Callable[[RealmContext, Sequence[ItemT]], Awaitable[None]]


AnyStep = Step[Any]


def batches(items: Sequence[ItemT]) -> Iterator[Sequence[ItemT]]:
    """Few enough at a time that a server beside us does not notice."""
    for start in range(0, len(items), _BATCH_SIZE):
        yield items[start : start + _BATCH_SIZE]
