"""Sections of the POST /register response: each feature's state.py loads one or more.

`state_section` is for users. `public_section` is for visitors without an account as well, or for
them only: it loads what a context without a user suffices for.
"""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from functools import cache, partial
from typing import Any, get_type_hints

from msgspec import Struct

from chatapi.auth.context import Context, RealmContext
from chatapi.events.client import ClientProfile
from chatapi.events.shared_state_cache import BlockKey
from chatapi.features.registry import load_from_features

Loader = Callable[[Context, ClientProfile], Awaitable[Mapping[str, Any]]]
PublicLoader = Callable[[RealmContext, ClientProfile], Awaitable[Mapping[str, Any]]]
CacheKey = Callable[[Context, ClientProfile], Hashable | None]
PublicCacheKey = Callable[[RealmContext, ClientProfile], Hashable | None]
"""The cache key of a section: readers of a realm with the same key get the same. None for a reader
whose section no other reader shares.
"""


def shared_by_all(_ctx: RealmContext, _profile: ClientProfile) -> Hashable:
    """The cache key of sections that are the same for all readers."""
    return "everybody"


class Section(Struct, frozen=True):
    """A part of the initial state, fetched when all its types are requested."""

    fetch_types: frozenset[str]
    # What a context must have depends on `for_users`, which the decorators see to.
    load: Callable[[Any, ClientProfile], Awaitable[Mapping[str, Any]]]
    payload: type
    """The TypedDict the loader returns, for the documentation."""
    cache_key: Callable[[Any, ClientProfile], Hashable | None] | None
    for_users: bool = True
    for_visitors: bool = False
    """Whether visitors without an account get it: the loader needs no user."""

    async def read(self, ctx: RealmContext, profile: ClientProfile) -> Mapping[str, Any]:
        """The section for a reader; taken from the cache if another reader has loaded it."""
        cache_key = None if self.cache_key is None else self.cache_key(ctx, profile)
        if cache_key is None or ctx.db.as_of is None:
            return await self.load(ctx, profile)
        (fetch_type,) = self.fetch_types
        key = BlockKey(fetch_type, (self.load, cache_key))
        load = partial(self.load, ctx, profile)
        return await ctx.runtime.shared_state.get(ctx.realm.id, key, ctx.db.as_of, load)


def state_section(
    *fetch_types: str, payload: type | None = None, cache_key: CacheKey | None = None
) -> Callable[[Loader], Section]:
    """Make a loader a section; pass `payload` if no return annotation can say it.

    A section with a cache key has one fetch type, and is cached until an event with the
    `SharedSectionTag` of that type, or with the `SharedStateTag` of all sections.
    """

    def section(loader: Loader) -> Section:
        returned = payload or get_type_hints(loader)["return"]
        return Section(frozenset(fetch_types), loader, returned, cache_key)

    return section


def public_section(
    *fetch_types: str,
    payload: type | None = None,
    cache_key: PublicCacheKey | None = None,
    for_users: bool = True,
) -> Callable[[PublicLoader], Section]:
    """Make a loader that needs no user a section for visitors too, or for them only."""

    def section(loader: PublicLoader) -> Section:
        returned = payload or get_type_hints(loader)["return"]
        return Section(
            frozenset(fetch_types),
            loader,
            returned,
            cache_key,
            for_users=for_users,
            for_visitors=True,
        )

    return section


@cache
def all_sections() -> tuple[Section, ...]:
    """The sections of all features."""
    return tuple(load_from_features("state", Section))


@cache
def sections_for_users() -> tuple[Section, ...]:
    return tuple(section for section in all_sections() if section.for_users)


@cache
def sections_for_visitors() -> tuple[Section, ...]:
    return tuple(section for section in all_sections() if section.for_visitors)
