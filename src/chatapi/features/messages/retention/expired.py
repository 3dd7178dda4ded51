"""Finds expired messages without a lock, and deletes them under it."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from datetime import datetime
from itertools import groupby

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import ChannelId, MessageId, RealmId
from chatapi.features.messages.delete.removal import remove_messages
from chatapi.features.messages.repository import DeletionRepository
from chatapi.features.messages.retention.policy import RetentionPolicy
from chatapi.features.messages.retention.repository import BegunConversation, RetentionRepository

_BEFORE_ALL = MessageId(0)


class ExpiredBatch(Struct, frozen=True):
    """Messages of one channel, or direct messages, that had expired when they were found."""

    realm_id: RealmId
    channel_id: ChannelId | None
    message_ids: Sequence[MessageId]


async def find_expired(ctx: RealmContext, size: int) -> AsyncGenerator[ExpiredBatch, None]:
    """Batches of a given size; each holds contiguous messages of few topics.

    So a batch needs few events, however the messages of a channel's topics alternate.
    """
    repository = RetentionRepository(ctx.db, ctx.realm.id)
    policy = RetentionPolicy.of(ctx.realm, await repository.list_channel_days())
    if not policy.ever_deletes:
        return
    last_ids = await _last_expired(repository, policy, ctx.now())
    newest = max(last_ids.values(), default=_BEFORE_ALL)
    begun = [
        each
        for each in await repository.list_begun(newest)
        if each.first_message_id <= last_ids.get(each.channel_id, _BEFORE_ALL)
    ]
    for channel_id, conversations in groupby(
        sorted(begun, key=_place_order), lambda each: each.channel_id
    ):
        async for message_ids in _batches(repository, conversations, last_ids[channel_id], size):
            # Fills the cache, so that nothing has to be read under the lock.
            await _channels(ctx, channel_id)
            yield ExpiredBatch(ctx.realm.id, channel_id, message_ids)


async def delete_expired(ctx: RealmContext, batch: ExpiredBatch) -> None:
    """Delete messages that are still expired and still exist; the realm is locked.

    Since they were found, they may have been moved, or the retention policy may have changed.
    """
    channels = await _channels(ctx, batch.channel_id)
    days = {channel.id: channel.message_retention_days for channel in channels}
    moment = RetentionPolicy.of(ctx.realm, days).deletes_before(batch.channel_id, ctx.now())
    if moment is None:
        return
    placed = await DeletionRepository(ctx.db, ctx.realm.id).list_to_delete(batch.message_ids)
    expired = [
        message
        for message in placed
        if message.channel_id == batch.channel_id and message.sent_at < moment
    ]
    await remove_messages(ctx, expired)


async def _channels(ctx: RealmContext, channel_id: ChannelId | None) -> list[ChannelRecord]:
    """The channel with this id; empty for direct messages."""
    named = [] if channel_id is None else [channel_id]
    return list((await ctx.runtime.channels.many(ctx.db, ctx.realm.id, named)).values())


async def _last_expired(
    repository: RetentionRepository, policy: RetentionPolicy, now: datetime
) -> dict[ChannelId | None, MessageId]:
    """The last expired message in each channel, and in direct messages (None)."""
    moments = {
        channel_id: moment
        for channel_id in (None, *policy.channel_days)
        if (moment := policy.deletes_before(channel_id, now)) is not None
    }
    last = {moment: await repository.find_last_before(moment) for moment in set(moments.values())}
    return {
        channel_id: message_id
        for channel_id, moment in moments.items()
        if (message_id := last[moment]) is not None
    }


async def _batches(
    repository: RetentionRepository,
    conversations: Iterable[BegunConversation],
    up_to: MessageId,
    size: int,
) -> AsyncIterator[Sequence[MessageId]]:
    batch: list[MessageId] = []
    for conversation in conversations:
        after = _BEFORE_ALL
        while found := await repository.list_oldest(
            conversation.id, after=after, up_to=up_to, limit=size - len(batch)
        ):
            batch += found
            after = found[-1]
            if len(batch) == size:
                yield batch
                batch = []
    if batch:
        yield batch


def _place_order(conversation: BegunConversation) -> tuple[int, MessageId]:
    return conversation.channel_id or 0, conversation.first_message_id
