"""Parts of answers that many readers get alike, encoded once until people change."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from chatapi.core.ids import EventNumber, RealmId
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer

_MOST_BLOCKS = 20
"""Of one realm; there are few kinds of readers."""


@dataclass
class _RealmBlocks:
    changed_at: EventNumber
    """The last event that may have changed what blocks say."""
    encoded: dict[Hashable, bytes] = field(default_factory=dict)


class Blocks:
    """Remembers what was encoded from a snapshot, for other snapshots that would show the same."""

    def __init__(self, hub: Hub) -> None:
        self._realms: dict[RealmId, _RealmBlocks] = {}
        hub.observe(Observer(saw=self._saw, lost_track=self._forget))

    def find(self, realm_id: RealmId, key: Hashable, as_of: EventNumber) -> bytes | None:
        """The block as it is at a moment, if it is remembered and right for that moment."""
        blocks = self._realms.get(realm_id)
        if blocks is None or blocks.changed_at > as_of:
            return None
        return blocks.encoded.get(key)

    def keep(self, realm_id: RealmId, key: Hashable, as_of: EventNumber, block: bytes) -> None:
        blocks = self._realms.setdefault(realm_id, _RealmBlocks(EventNumber(0)))
        if blocks.changed_at > as_of:
            return
        if len(blocks.encoded) >= _MOST_BLOCKS:
            blocks.encoded.clear()
        blocks.encoded[key] = block

    def _saw(self, entry: Entry) -> None:
        if entry.event.concerns_people:
            self._realms[entry.realm_id] = _RealmBlocks(entry.number)

    def _forget(self, realm_id: RealmId) -> None:
        self._realms.pop(realm_id, None)
