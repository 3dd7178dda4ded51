"""A cache of encoded state that is the same for many readers."""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Any, NamedTuple

from chatapi.core.ids import EventNumber, RealmId
from chatapi.events.cache_tags import CacheTag, SharedSectionTag, SharedStateTag
from chatapi.events.feed_cache import FeedCache
from chatapi.events.hub import Hub
from chatapi.wire.encoded import Encoded, encoded

_MAX_BLOCKS = 100
"""Per realm; there are few kinds of readers."""

Block = Mapping[str, Encoded]
"""Values by name, already encoded as JSON."""


class BlockKey(NamedTuple):
    """Which block: of which section of the state, and for which of its readers."""

    section: str
    """The fetch type of the section in `POST /register` that shows the same data."""
    kind: Hashable
    """Readers of a realm with the same kind get the same block."""


class SharedStateCache:
    """Caches what was encoded from one snapshot for other snapshots with the same content."""

    def __init__(self, hub: Hub) -> None:
        self._blocks = FeedCache[BlockKey, Block](
            hub,
            max_values=_MAX_BLOCKS,
            realm_tags=(SharedStateTag,),
            value_tags=(SharedSectionTag,),
            tags_of=_tags_of,
        )

    async def get(
        self,
        realm_id: RealmId,
        key: BlockKey,
        as_of: EventNumber,
        load: Callable[[], Awaitable[Mapping[str, Any]]],
    ) -> Block:
        """Return the block as of the snapshot that `load` reads."""

        async def read() -> Block:
            return {name: encoded(value) for name, value in (await load()).items()}

        return await self._blocks.load_as_of(realm_id, key, as_of, read)


def _tags_of(key: BlockKey, _block: Block) -> tuple[CacheTag]:
    return (SharedSectionTag(key.section),)
