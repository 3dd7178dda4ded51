"""The cache of all that is read often and changes seldom; the feed invalidates it."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from chatapi.core.ids import EventNumber, RealmId
from chatapi.events.byte_limit import ByteLimit
from chatapi.events.cache_tags import CacheTag, RealmTag
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, TagObserver

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

ALL_REALMS = None
"""The scope of values that are read from several realms; each realm's events invalidate them."""

Scope = RealmId | None
"""The realm that values belong to, or `ALL_REALMS`."""

_NEVER = EventNumber(0)


def _no_tags(_key: object, _value: object) -> Collection[CacheTag]:
    return ()


@dataclass(eq=False, slots=True)
class _Values(Generic[K, V]):
    """The cached values of one scope."""

    by_key: dict[K, V] = field(default_factory=dict)
    keys_by_tag: dict[CacheTag, tuple[K, ...]] = field(default_factory=dict)
    """Tuples because most tags have a single key, for which a set takes four times the memory."""
    changes: int = 0
    """Number of invalidations; what was read before one is not cached after it."""
    changed_at: EventNumber = _NEVER
    """The last event that may have changed a value."""


class Loading(Struct, Generic[K, V], frozen=True):
    """A read that has begun; its result is cached only if nothing was invalidated meanwhile."""

    values: _Values[K, V]
    changes: int
    is_known: bool = True
    """Whether the feed has followed all changes since the snapshot that is read."""

    @property
    def is_outdated(self) -> bool:
        return self.values.changes != self.changes


class FeedCache(Generic[K, V]):
    """Values by scope and key, each dropped by an event with one of its tags.

    - A value's own tags are `tags_of(key, value)`, all of types that are among the `value_tags`: an
      event with an equal tag drops it.
    - An event with a tag of one of the `realm_tags`, or a `RealmTag`, drops all values of its
      realm, as does a feed that may have missed events.
    - A value that was read before an event of these and arrives after it is not cached.
    - When a realm has `max_values`, all of them are dropped. With a `ByteLimit`, which caches can
      share, the values of any realm that were added first are dropped instead.

    A dropped value is passed to `mark_stale`, as is one that was outdated before it arrived: for
    callers that use a value for longer and have to know whether it still holds.
    """

    def __init__(
        self,
        hub: Hub,
        *,
        max_values: int | None = None,
        byte_limit: ByteLimit[V] | None = None,
        realm_tags: Iterable[type[CacheTag]] = (),
        value_tags: Iterable[type[CacheTag]] = (),
        tags_of: Callable[[K, V], Collection[CacheTag]] = _no_tags,
        mark_stale: Callable[[V], None] | None = None,
    ) -> None:
        self._hub = hub
        self._max_values = max_values
        self._byte_limit = byte_limit
        self._realm_tags = frozenset[type[CacheTag]]({RealmTag, *realm_tags})
        self._tags_of = tags_of
        self._mark_stale = mark_stale
        self._scopes: defaultdict[Scope, _Values[K, V]] = defaultdict(_Values)
        tags = (*self._realm_tags, *value_tags)
        hub.observe_tags(TagObserver(tags, self._on_tag, self._on_reset))

    def get(self, scope: Scope, key: K) -> V | None:
        """Return the cached value, which is as current as the feed."""
        return self._scopes[scope].by_key.get(key)

    def get_as_of(self, realm_id: RealmId, key: K, as_of: EventNumber) -> V | None:
        """Return the cached value if it was the same at an event, which the feed has reached."""
        values = self._scopes[realm_id]
        return None if as_of < values.changed_at else values.by_key.get(key)

    def get_some_as_of(
        self, realm_id: RealmId, keys: Iterable[K], as_of: EventNumber
    ) -> dict[K, V]:
        """Return those of many values that `get_as_of` would return."""
        values = self._scopes[realm_id]
        if as_of < values.changed_at:
            return {}
        by_key = values.by_key
        return {key: by_key[key] for key in keys if key in by_key}

    async def load(
        self, realm_id: RealmId, key: K, read: Callable[[], Awaitable[V]], *, is_live: bool = True
    ) -> V:
        """Read a value and cache it; pass `is_live=False` if the read may see other data.

        That is: changes that are not committed, or a snapshot of an unknown time.
        """
        loading = await self.begin(realm_id)
        return self.keep(loading, key, await read(), is_live=is_live)

    async def load_as_of(
        self, realm_id: RealmId, key: K, as_of: EventNumber, read: Callable[[], Awaitable[V]]
    ) -> V:
        """Read a value from a snapshot, and cache it if it has not changed since.

        Requests with a snapshot find it by `get_as_of`; the values that `get` returns may be newer.
        """
        loading = await self.begin_as_of(realm_id, as_of)
        return self.keep(loading, key, await read())

    async def begin_as_of(self, realm_id: RealmId, as_of: EventNumber) -> Loading[K, V]:
        """Begin to read several values from a snapshot, and `keep` each."""
        feed = await self._hub.feed(realm_id)
        loading = self.begin_now(realm_id)
        values = loading.values
        # What happened before the feed's start, or in a history that was rolled back, is unknown.
        values.changed_at = max(values.changed_at, feed.started_at)
        is_known = feed.position is not None and values.changed_at <= as_of <= feed.position
        return replace(loading, is_known=is_known)

    async def begin(self, realm_id: RealmId) -> Loading[K, V]:
        """Begin a read: call it before the statement, and `keep` with the result."""
        # Follow the realm's log first, so that no change after the read can be missed.
        await self._hub.feed(realm_id)
        return self.begin_now(realm_id)

    def begin_now(self, scope: Scope) -> Loading[K, V]:
        """Begin a read where the feed, for `ALL_REALMS` every feed, is known to be open."""
        values = self._scopes[scope]
        return Loading(values, values.changes)

    def keep(self, loading: Loading[K, V], key: K, value: V, *, is_live: bool = True) -> V:
        """Cache a value that was read; concurrent reads of one key all return the first result."""
        if loading.is_outdated:
            if self._mark_stale is not None:
                self._mark_stale(value)
            return value
        if not (is_live and loading.is_known):
            return value
        values = loading.values
        known = values.by_key.get(key)
        if known is not None:
            return known
        if self._max_values is not None and len(values.by_key) >= self._max_values:
            self._drop_all(values)
        values.by_key[key] = value
        keys_by_tag, only = values.keys_by_tag, (key,)
        for tag in self._tags_of(key, value):
            others = keys_by_tag.get(tag)
            keys_by_tag[tag] = only if others is None else (*others, key)
        if self._byte_limit is not None:
            self._byte_limit.add((values, key), value, self._drop_one)
        return value

    def drop(self, scope: Scope) -> None:
        """Drop all values of a scope, where something other than an event shows them outdated."""
        values = self._scopes[scope]
        values.changes += 1
        self._drop_all(values)

    def _on_tag(self, entry: Entry, tag: CacheTag) -> None:
        for values in self._concerned(entry.realm_id):
            self._note_change(values, entry.number)
            if type(tag) in self._realm_tags:
                self._drop_all(values)
            else:
                self._drop_tagged(values, tag)

    def _on_reset(self, realm_id: RealmId) -> None:
        for values in self._concerned(realm_id):
            # The numbers may belong to another history now.
            self._note_change(values, _NEVER)
            self._drop_all(values)

    def _concerned(self, realm_id: RealmId) -> Iterable[_Values[K, V]]:
        of_realm = self._scopes[realm_id]
        of_all = self._scopes.get(ALL_REALMS)
        return (of_realm,) if of_all is None else (of_realm, of_all)

    def _note_change(self, values: _Values[K, V], number: EventNumber) -> None:
        values.changes += 1
        values.changed_at = number

    def _drop_tagged(self, values: _Values[K, V], tag: CacheTag) -> None:
        for key in values.keys_by_tag.get(tag, ()):
            self._drop_one(values, key)

    def _drop_one(self, values: _Values[K, V], key: K) -> None:
        value = values.by_key.pop(key)
        for tag in self._tags_of(key, value):
            keys = values.keys_by_tag.pop(tag)
            if len(keys) > 1:
                values.keys_by_tag[tag] = tuple(each for each in keys if each != key)
        self._dropped(values, key, value)

    def _dropped(self, values: _Values[K, V], key: K, value: V) -> None:
        if self._byte_limit is not None:
            self._byte_limit.remove((values, key))
        if self._mark_stale is not None:
            self._mark_stale(value)

    def _drop_all(self, values: _Values[K, V]) -> None:
        for key, value in values.by_key.items():
            self._dropped(values, key, value)
        values.by_key.clear()
        values.keys_by_tag.clear()
