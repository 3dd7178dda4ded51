"""A limit of the memory that cached values take, for several caches together."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

V_contra = TypeVar("V_contra", contravariant=True)

Entry = tuple[Hashable, Hashable]
"""Identifies a value in all caches: what holds it, and its key there."""


class ByteLimit(Generic[V_contra]):
    """Counts the bytes of cached values; beyond the limit, the values added first are evicted.

    Use it for caches whose values differ much in size, or whose number nothing else bounds. A value
    that is read often and was evicted is added again, as the newest.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[V_contra], int]) -> None:
        self._max_bytes = max_bytes
        self._size_of = size_of
        self.used_bytes = 0
        self._sizes: dict[Entry, tuple[int, Callable[..., None]]] = {}
        """Sizes and how to evict, in the order in which the values were added."""

    def add(self, entry: Entry, value: V_contra, evict: Callable[..., None]) -> None:
        """Count a new value, and evict older ones if there is no room.

        `evict` is called with the two parts of the entry, and calls `remove`.
        """
        size = self._size_of(value)
        self._sizes[entry] = (size, evict)
        self.used_bytes += size
        while self.used_bytes > self._max_bytes:
            oldest = next(iter(self._sizes))
            self._sizes[oldest][1](*oldest)

    def remove(self, entry: Entry) -> None:
        """Stop counting a value that a cache has dropped."""
        size, _ = self._sizes.pop(entry)
        self.used_bytes -= size
