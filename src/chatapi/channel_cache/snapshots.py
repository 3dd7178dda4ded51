"""Per-process cache of channels as of a snapshot, with what all their readers are shown of them."""

from collections.abc import Callable, Collection

from msgspec import Struct
from sqlalchemy import bindparam

from chatapi.channel_cache.records import ChannelRecord, channel_records
from chatapi.core.ids import ChannelId, EventNumber, RealmId
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Channel
from chatapi.db.session import DatabaseSession
from chatapi.events.cache_tags import ChannelTag
from chatapi.events.feed_cache import FeedCache
from chatapi.events.hub import Hub
from chatapi.wire.encoded import LastingObject

_MAX_CHANNELS = 20_000
"""Per realm."""

_SOME = channel_records.select().where(
    Channel.realm_id == bindparam("realm_id"), is_one_of(Channel.id, "channel_ids")
)


class SnapshotChannel(Struct, frozen=True):
    """A channel, and its properties as they are shown, which do not depend on the reader."""

    record: ChannelRecord
    properties: LastingObject


class ChannelSnapshots:
    """Channels that are listed again and again, as `ChannelCache` has those that are looked up.

    Values of this cache are as of the snapshot of the request, those of `ChannelCache` may be
    newer.
    """

    def __init__(self, hub: Hub) -> None:
        self._channels = FeedCache[ChannelId, SnapshotChannel](
            hub,
            max_values=_MAX_CHANNELS,
            value_tags=(ChannelTag,),
            tags_of=lambda channel_id, _channel: (ChannelTag(channel_id),),
        )

    async def many(
        self,
        db: DatabaseSession,
        realm_id: RealmId,
        channel_ids: Collection[ChannelId],
        as_of: EventNumber,
        show: Callable[[ChannelRecord], LastingObject],
    ) -> dict[ChannelId, SnapshotChannel]:
        """Return the channels with these ids as of the snapshot that `db` reads.

        `show` computes the properties of a channel that is not cached; events about the channel
        and about the realm's settings are the only ones that may change its result.
        """
        found = self._channels.get_some_as_of(realm_id, channel_ids, as_of)
        if len(found) < len(channel_ids):
            missing = [channel_id for channel_id in channel_ids if channel_id not in found]
            loading = await self._channels.begin_as_of(realm_id, as_of)
            rows = await db.execute(_SOME, {"realm_id": realm_id, "channel_ids": missing})
            for record in channel_records.read_all(rows):
                channel = SnapshotChannel(record, show(record))
                found[record.id] = self._channels.keep(loading, record.id, channel)
        return found
