"""Random choices for histories; the same random generator makes the same choices."""

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")
Choice = Callable[[Random], T]
"""Makes a choice with a generator of random numbers."""


def always(value: T) -> Choice[T]:
    return lambda _chance: value


def among(values: Sequence[T]) -> Choice[T]:
    """One of some values; a value that is there twice is chosen twice as often."""
    return lambda chance: chance.choice(values)


def number(first: int, last: int) -> Choice[int]:
    return lambda chance: chance.randint(first, last)


def few(values: Sequence[T], least: int, most: int) -> Choice[list[T]]:
    """Some of the values, each at most once."""
    return lambda chance: chance.sample(values, chance.randint(least, most))


def maybe(choice: Choice[T]) -> Choice[T | None]:
    """What is chosen, or nothing."""
    return lambda chance: choice(chance) if chance.random() < _HALF else None


_HALF = 0.5
either: Choice[bool] = among((False, True))
