"""Sections of POST /register: each feature's state.py says what a client begins with."""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, get_type_hints

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile

Loader = Callable[[Context, ClientProfile], Awaitable[Mapping[str, Any]]]
LoaderT = TypeVar("LoaderT", bound=Loader)
CacheKey = Callable[[Context, ClientProfile], Hashable | None]
"""What a section depends on beside the organization: readers with the same look get the same.
None for a reader who sees something nobody else does."""


def shared_by_all(_ctx: Context, _profile: ClientProfile) -> Hashable:
    """The look of what is the same for all readers."""
    return "everybody"


@dataclass(frozen=True)
class Section:
    """A part of the initial state, fetched when all its types are asked for."""

    fetch_types: frozenset[str]
    load: Loader
    payload: type
    """The TypedDict the loader returns, for the documentation."""
    cache_key: CacheKey | None

    async def read(self, ctx: Context, profile: ClientProfile) -> Mapping[str, Any]:
        """What a reader begins with; what others have read before them is not read again."""
        cache_key = None if self.cache_key is None else self.cache_key(ctx, profile)
        if cache_key is None or ctx.db.as_of is None:
            return await self.load(ctx, profile)
        load = partial(self.load, ctx, profile)
        return await ctx.runtime.register_cache.get(
            ctx.realm.id, (self.load, cache_key), ctx.db.as_of, load
        )


sections: list[Section] = []


def state_section(
    *fetch_types: str, payload: type | None = None, cache_key: CacheKey | None = None
) -> Callable[[LoaderT], LoaderT]:
    """Add a loader to POST /register; `payload` for what a return annotation cannot say.

    A section with a look is remembered until an event that `changes_shared_state`.
    """

    def add(loader: LoaderT) -> LoaderT:
        returned = payload or get_type_hints(loader)["return"]
        sections.append(Section(frozenset(fetch_types), loader, returned, cache_key))
        return loader

    return add
