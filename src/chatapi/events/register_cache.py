"""Parts of answers that many readers get alike, encoded once until one of them may have changed."""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from chatapi.core.ids import EventNumber, RealmId
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer

_MAX_BLOCKS = 100
"""Of one realm; there are few kinds of readers."""

Block = Mapping[str, orjson.Fragment]
"""Values by name, already as JSON."""


@dataclass
class _RealmCache:
    changed_at: EventNumber
    """The last event that may have changed what blocks say."""
    encoded: dict[Hashable, Block] = field(default_factory=dict)

    def keep(self, key: Hashable, block: Block) -> None:
        if len(self.encoded) >= _MAX_BLOCKS:
            self.encoded.clear()
        self.encoded[key] = block


class RegisterCache:
    """Remembers what was encoded from a snapshot, for other snapshots that would show the same."""

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
        """The block as it is at the moment of the snapshot that `load` reads."""
        register_cache = self._realms.setdefault(realm_id, _RealmCache(EventNumber(0)))
        is_newer = as_of >= register_cache.changed_at
        found = register_cache.encoded.get(key) if is_newer else None
        if found is None:
            found = _encode(await load())
            # What has changed, or may have been missed, meanwhile has begun new ones.
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
