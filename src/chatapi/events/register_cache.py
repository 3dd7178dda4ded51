"""A cache of encoded parts of register responses that are the same for many readers."""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from chatapi.core.ids import EventNumber, RealmId
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer

_MAX_BLOCKS = 100
"""Per realm; there are few kinds of readers."""

Block = Mapping[str, orjson.Fragment]
"""Values by name, already encoded as JSON."""


@dataclass
class _RealmCache:
    changed_at: EventNumber
    """The last event that may have changed the content of blocks."""
    encoded: dict[Hashable, Block] = field(default_factory=dict)

    def keep(self, key: Hashable, block: Block) -> None:
        if len(self.encoded) >= _MAX_BLOCKS:
            self.encoded.clear()
        self.encoded[key] = block


class RegisterCache:
    """Caches what was encoded from one snapshot for other snapshots with the same content.

    An event that changes shared state invalidates all blocks of its realm.
    """

    def __init__(self, hub: Hub) -> None:
        self._realms: dict[RealmId, _RealmCache] = {}
        hub.observe(Observer(on_event=self._on_event, on_reset=self._invalidate))

    async def get(
        self,
        realm_id: RealmId,
        key: Hashable,
        as_of: EventNumber,
        load: Callable[[], Awaitable[Mapping[str, Any]]],
    ) -> Block:
        """Return the block as of the snapshot that `load` reads."""
        register_cache = self._realms.setdefault(realm_id, _RealmCache(EventNumber(0)))
        is_newer = as_of >= register_cache.changed_at
        found = register_cache.encoded.get(key) if is_newer else None
        if found is None:
            found = _encode(await load())
            # If an event, or a reset, has invalidated the cache meanwhile, this is not kept.
            if is_newer and self._realms.get(realm_id) is register_cache:
                register_cache.keep(key, found)
        return found

    def _on_event(self, entry: Entry) -> None:
        if entry.event.changes_shared_state:
            self._realms[entry.realm_id] = _RealmCache(entry.number)

    def _invalidate(self, realm_id: RealmId) -> None:
        self._realms.pop(realm_id, None)


def _encode(values: Mapping[str, Any]) -> Block:
    return {
        name: orjson.Fragment(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
        for name, value in values.items()
    }
