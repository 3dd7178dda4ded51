"""The only code that deletes messages."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import AttachmentId, ConversationId, UserId
from chatapi.events.audience import Users
from chatapi.events.log import EventLog
from chatapi.features.channels import PersonalStateDiff
from chatapi.features.messages.delete.events import MessagesDeleted
from chatapi.features.messages.repository import (
    DeletionRepository,
    MessageRepository,
    MessageToDelete,
)
from chatapi.features.uploads import list_linked_attachments, release_attachments
from chatapi.permissions.channels import channel_subscribers
from chatapi.read_state.repository import ConversationRepository

MAX_AT_ONCE = 1_000
"""The most messages in one transaction: other writers of the realm wait meanwhile."""


async def remove_messages(ctx: RealmContext, messages: Sequence[MessageToDelete]) -> None:
    """Delete messages with all dependent rows, and emit it to the users who could see them.

    Their texts are erased from the event log, too: clients that poll late receive only the
    deletion.

    The caller has locked the realm and caught up with the log up to the lock, has looked up the
    messages since then, and has checked that they may be deleted.
    """
    if len(messages) > MAX_AT_ONCE:
        raise ValueError(f"{len(messages)} messages are too many for one transaction")
    if not messages:
        return
    repository = DeletionRepository(ctx.db, ctx.realm.id)
    message_ids = [message.id for message in messages]
    linked: list[AttachmentId] = []
    if any(message.links_files for message in messages):
        linked = await list_linked_attachments(ctx, message_ids)
    diff = None
    if any(message.has_flags for message in messages):
        diff = await PersonalStateDiff.before(ctx, message_ids=message_ids)
    await repository.delete(messages)
    if diff is not None:
        await diff.read_after()
        diff.emit_lost(but=await _notified_users(ctx, messages, diff.owners))
    await EventLog(ctx.db).erase_texts(ctx.realm.id, message_ids)
    by_conversation = _by_conversation(messages)
    empty = await repository.update_extents(by_conversation)
    await release_attachments(ctx, linked)
    await _emit(ctx, by_conversation, empty)


async def _notified_users(
    ctx: RealmContext, messages: Sequence[MessageToDelete], among: Collection[UserId]
) -> frozenset[UserId]:
    """Which of the users receive all of the deletion events: those subscribed to the channels."""
    channel_ids = {each.channel_id for each in messages if each.channel_id is not None}
    rows = MessageRepository(ctx.db, ctx.realm.id)
    inside = await rows.list_subscribed_to(channel_ids, among)
    told = frozenset(among)
    return told.intersection(*(inside.get(each, frozenset()) for each in channel_ids))


def _by_conversation(
    messages: Sequence[MessageToDelete],
) -> dict[ConversationId, list[MessageToDelete]]:
    conversations: defaultdict[ConversationId, list[MessageToDelete]] = defaultdict(list)
    for message in messages:
        conversations[message.conversation_id].append(message)
    return conversations


async def _emit(
    ctx: RealmContext,
    conversations: dict[ConversationId, list[MessageToDelete]],
    empty: Collection[ConversationId],
) -> None:
    channel_ids = {each[0].channel_id for each in conversations.values()} - {None}
    channels = await ctx.runtime.channels.many(
        ctx.db, ctx.realm.id, [each for each in channel_ids if each is not None]
    )
    direct = [key for key, each in conversations.items() if each[0].channel_id is None]
    people = await ConversationRepository(ctx.db).list_people(direct)
    for conversation_id, messages in conversations.items():
        channel_id = messages[0].channel_id
        if channel_id is None:
            audience = Users(ids=frozenset(people[conversation_id]))
            event = MessagesDeleted(
                message_ids=[message.id for message in messages], message_type="private"
            )
            ctx.emit(event, to=audience)
            continue
        event = _in_channel(channels[channel_id], messages, ends=conversation_id in empty)
        ctx.emit(event, to=channel_subscribers(channels[channel_id]))


def _in_channel(
    channel: ChannelRecord, messages: Sequence[MessageToDelete], *, ends: bool
) -> MessagesDeleted:
    return MessagesDeleted(
        message_ids=[message.id for message in messages],
        message_type="stream",
        stream_id=channel.id,
        topic=messages[0].topic,
        arrivals=(
            {message.id: message.arrival for message in messages}
            if channel.has_protected_history
            else None
        ),
        ends_conversation=ends,
    )
