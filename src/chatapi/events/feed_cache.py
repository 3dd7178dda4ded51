"""The cache of all that is read often and changes seldom; the feed invalidates it."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

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
_MAX_TAGS = 500
_REMEMBERED_SECONDS = 10.0
"""How many tags of a scope are remembered with their last change, and how long: reads are short."""


class _Change(NamedTuple):
    """An event that may have changed values."""

    ordinal: int
    """How many changes there were, this one included."""
    number: EventNumber
    noted_at: float


_NO_CHANGE = _Change(0, _NEVER, 0.0)


def _no_tags(_key: object, _value: object) -> Collection[CacheTag]:
    return ()


@dataclass(eq=False, slots=True)
class _Values(Generic[K, V]):
    """The cached values of one scope, and which of them changed when."""

    by_key: dict[K, V] = field(default_factory=dict)
    keys_by_tag: dict[CacheTag, tuple[K, ...]] = field(default_factory=dict)
    """Tuples because most tags have a single key, for which a set takes four times the memory."""
    latest: _Change = _NO_CHANGE
    of_all: _Change = _NO_CHANGE
    """The last change that concerned all values, or whose tag is not remembered any more."""
    under_way: dict[K, "asyncio.Future[None]"] = field(default_factory=dict)
    """The values that someone loads from a snapshot, for others to wait for."""
    by_tag: dict[CacheTag, _Change] = field(default_factory=dict)
    """The last change by each tag since `of_all`, the latest last."""

    def note_change(self, number: EventNumber, tag: CacheTag | None = None) -> None:
        """Note an event that changed the values with a tag, or all."""
        now = monotonic()
        self.latest = _Change(self.latest.ordinal + 1, number, now)
        if tag is None:
            self.of_all = self.latest
            self.by_tag.clear()
            return
        self.by_tag.pop(tag, None)
        self.by_tag[tag] = self.latest
        self._forget_before(now - _REMEMBERED_SECONDS)

    def _forget_before(self, moment: float) -> None:
        """Forget the changes before a moment, and more if there are too many."""
        while True:
            oldest = next(iter(self.by_tag))
            if len(self.by_tag) <= _MAX_TAGS and self.by_tag[oldest].noted_at >= moment:
                return
            self.of_all = self.by_tag.pop(oldest)

    def begins_at(self, number: EventNumber) -> None:
        """Note that changes before an event are unknown."""
        if self.of_all.number < number:
            self.of_all = self.of_all._replace(number=number)

    def keys_changed_after(self, number: EventNumber) -> Collection[K]:
        """The keys whose values may have changed after an event, which is not before `of_all`."""
        if number >= self.latest.number:
            return ()
        keys: set[K] = set()
        for tag, change in reversed(self.by_tag.items()):
            if change.number <= number:
                break
            keys.update(self.keys_by_tag.get(tag, ()))
        return keys


class Loading(Struct, Generic[K, V], frozen=True):
    """A read that has begun; its result is cached only if it has not changed since."""

    values: _Values[K, V]
    changes: int
    """How many changes there had been when it began."""
    as_of: EventNumber | None = None
    """The last event that the snapshot includes, where a snapshot is read."""
    is_known: bool = True
    """Whether the feed has followed all changes since the snapshot that is read."""

    def is_outdated(self, tags: Iterable[CacheTag]) -> bool:
        """Whether a value with these tags may have changed since it was read."""
        values = self.values
        if values.of_all.ordinal > self.changes:
            return True
        if self.as_of is None:
            if values.latest.ordinal == self.changes:
                return False
            return any(values.by_tag.get(tag, _NO_CHANGE).ordinal > self.changes for tag in tags)
        if values.latest.number <= self.as_of:
            return False
        return any(values.by_tag.get(tag, _NO_CHANGE).number > self.as_of for tag in tags)


class FeedCache(Generic[K, V]):
    """Values by scope and key, each dropped by an event with one of its tags.

    - A value's own tags are `tags_of(key, value)`, all of types that are among the `value_tags`: an
      event with an equal tag drops it.
    - An event with a tag of one of the `realm_tags`, or a `RealmTag`, drops all values of its
      realm, as does a feed that may have missed events.
    - A value that was read before an event of these and arrives after it is not cached. Events with
      tags of other values do not matter, so a busy realm does not keep a value out.
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
        return self.get_some_as_of(realm_id, (key,), as_of).get(key)

    def get_some_as_of(
        self, realm_id: RealmId, keys: Iterable[K], as_of: EventNumber
    ) -> dict[K, V]:
        """Return those of many values that `get_as_of` would return."""
        values = self._scopes[realm_id]
        if as_of < values.of_all.number:
            return {}
        by_key = values.by_key
        found = {key: by_key[key] for key in keys if key in by_key}
        for key in values.keys_changed_after(as_of):
            found.pop(key, None)
        return found

    async def load_some_as_of(
        self,
        realm_id: RealmId,
        keys: Collection[K],
        as_of: EventNumber,
        read: Callable[[list[K]], Awaitable[Mapping[K, V]]],
    ) -> dict[K, V]:
        """Return values as of a snapshot, from which `read` reads those that are not cached."""
        found = self.get_some_as_of(realm_id, keys, as_of)
        missing = [key for key in keys if key not in found]
        if missing:
            loading = await self.begin_as_of(realm_id, as_of)
            for key, value in (await read(missing)).items():
                found[key] = self.keep(loading, key, value)
        return found

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
        """Return a value as of a snapshot, from which `read` reads it if it is not cached.

        Of readers at the same time, one reads it, and the others wait, unless that value is not as
        of their snapshots.
        """
        under_way = self._scopes[realm_id].under_way
        found = self.get_as_of(realm_id, key, as_of)
        if found is None and key in under_way:
            await asyncio.wait([under_way[key]])
            found = self.get_as_of(realm_id, key, as_of)
        if found is not None:
            return found
        loading = await self.begin_as_of(realm_id, as_of)
        loaded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        under_way[key] = loaded
        try:
            return self.keep(loading, key, await read())
        finally:
            loaded.set_result(None)
            if under_way.get(key) is loaded:
                del under_way[key]

    async def begin_as_of(self, realm_id: RealmId, as_of: EventNumber) -> Loading[K, V]:
        """Begin to read several values from a snapshot, and `keep` each."""
        feed = await self._hub.feed(realm_id)
        values = self._scopes[realm_id]
        # What happened before the feed's start, or in a history that was rolled back, is unknown.
        values.begins_at(feed.started_at)
        is_known = feed.position is not None and values.of_all.number <= as_of <= feed.position
        return Loading(values, values.latest.ordinal, as_of, is_known)

    async def begin(self, realm_id: RealmId) -> Loading[K, V]:
        """Begin a read: call it before the statement, and `keep` with the result."""
        # Follow the realm's log first, so that no change after the read can be missed.
        await self._hub.feed(realm_id)
        return self.begin_now(realm_id)

    def begin_now(self, scope: Scope) -> Loading[K, V]:
        """Begin a read where the feed, for `ALL_REALMS` every feed, is known to be open."""
        values = self._scopes[scope]
        return Loading(values, values.latest.ordinal)

    def keep(self, loading: Loading[K, V], key: K, value: V, *, is_live: bool = True) -> V:
        """Cache a value that was read; concurrent reads of one key all return the first result."""
        tags = self._tags_of(key, value)
        if loading.is_outdated(tags):
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
        for tag in tags:
            others = keys_by_tag.get(tag)
            keys_by_tag[tag] = only if others is None else (*others, key)
        if self._byte_limit is not None:
            self._byte_limit.add((values, key), value, self._drop_one)
        return value

    def replace(self, realm_id: RealmId, key: K, old: V, new: V) -> None:
        """Replace a value by one that says more and has the same tags, unless it was dropped."""
        values = self._scopes[realm_id]
        if values.by_key.get(key) is not old:
            return
        values.by_key[key] = new
        if self._byte_limit is not None:
            self._byte_limit.remove((values, key))
            self._byte_limit.add((values, key), new, self._drop_one)

    def drop(self, scope: Scope) -> None:
        """Drop all values of a scope, where something other than an event shows them outdated."""
        values = self._scopes[scope]
        values.note_change(values.latest.number)
        self._drop_all(values)

    def _on_tag(self, entry: Entry, tag: CacheTag) -> None:
        for values in self._concerned(entry.realm_id):
            if type(tag) in self._realm_tags:
                values.note_change(entry.number)
                self._drop_all(values)
            else:
                values.note_change(entry.number, tag)
                self._drop_tagged(values, tag)

    def _on_reset(self, realm_id: RealmId) -> None:
        for values in self._concerned(realm_id):
            # The numbers may belong to another history now.
            values.note_change(_NEVER)
            self._drop_all(values)

    def _concerned(self, realm_id: RealmId) -> Iterable[_Values[K, V]]:
        of_realm = self._scopes[realm_id]
        of_all = self._scopes.get(ALL_REALMS)
        return (of_realm,) if of_all is None else (of_realm, of_all)

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
