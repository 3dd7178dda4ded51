"""Per-process cache of channels as of a snapshot, with what all their readers are shown of them."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime

from msgspec import Struct

from chatapi.channel_cache.records import ChannelSummary
from chatapi.core.ids import ChannelId, EventNumber, RealmId
from chatapi.events.cache_tags import (
    CacheTag,
    ChannelListTag,
    ChannelMessagesTag,
    ChannelTag,
    NewChannelMessageTag,
    SubscribersTag,
)
from chatapi.events.feed_cache import FeedCache
from chatapi.events.hub import Hub
from chatapi.wire.encoded import EncodedObject

_MAX_CHANNELS = 20_000
"""Per realm."""


class ShownChannel(Struct, frozen=True):
    """A channel, and its JSON, which does not depend on the reader."""

    summary: ChannelSummary
    json: EncodedObject
    valid_until: datetime | None
    """When the JSON changes although nothing happens, if ever."""
    changes_with_new_messages: bool

    @property
    def tags(self) -> tuple[CacheTag, ...]:
        channel_id = self.summary.channel.id
        tags = ChannelTag(channel_id), SubscribersTag(channel_id), ChannelMessagesTag(channel_id)
        if self.changes_with_new_messages:
            return *tags, NewChannelMessageTag(channel_id)
        return tags


class ChannelSnapshots:
    """Channels that are listed again and again, as `ChannelCache` has those that are looked up.

    Values of this cache are as of the snapshot of the request, those of `ChannelCache` may be
    newer.
    """

    def __init__(self, hub: Hub) -> None:
        self._ids = FeedCache[None, list[ChannelId]](hub, realm_tags=(ChannelListTag,))
        self._channels = FeedCache[ChannelId, ShownChannel](
            hub,
            max_values=_MAX_CHANNELS,
            value_tags=(ChannelTag, SubscribersTag, ChannelMessagesTag, NewChannelMessageTag),
            tags_of=lambda _channel_id, channel: channel.tags,
        )

    async def list_all(
        self,
        realm_id: RealmId,
        as_of: EventNumber,
        now: datetime,
        read_ids: Callable[[], Awaitable[list[ChannelId]]],
        read: Callable[[Collection[ChannelId]], Awaitable[Mapping[ChannelId, ShownChannel]]],
    ) -> list[ShownChannel]:
        """Return all channels of a realm; those that are not cached are read from the snapshot."""
        ids = await self._ids.load_as_of(realm_id, None, as_of, read_ids)
        found = await self._channels.load_some_as_of(realm_id, ids, as_of, read)
        if any(_has_expired(each, now) for each in found.values()):
            # All at once: it happens to a channel once in half a year.
            self._channels.drop(realm_id)
            found = await self._channels.load_some_as_of(realm_id, ids, as_of, read)
        return [found[channel_id] for channel_id in ids]


def _has_expired(channel: ShownChannel, now: datetime) -> bool:
    return channel.valid_until is not None and channel.valid_until <= now
