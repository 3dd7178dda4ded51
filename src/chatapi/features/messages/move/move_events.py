"""Emits the events of a move: to users who can see the target, and to those who cannot."""

from collections.abc import Mapping, Sequence

from chatapi.auth.context import RealmContext
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import EventNumber, MessageId
from chatapi.events.audience import (
    Audience,
    CanFollowMove,
    CannotFollowMove,
    SubscribedToSourceOnly,
)
from chatapi.features.messages.delete.events import MessagesDeleted
from chatapi.features.messages.edit_events import MessageChanged
from chatapi.features.messages.move.move import Move
from chatapi.features.messages.topic_links import topic_links
from chatapi.permissions.channels import channel_readers, channel_subscribers
from chatapi.read_state.events import FlagAdded
from chatapi.read_state.spans import Span


async def emit_move_events(
    ctx: RealmContext,
    move: Move,
    arrivals: Mapping[MessageId, EventNumber | None],
    span: Span | None,
) -> None:
    """Either all messages are listed, or the span describes them."""
    message_ids = list(arrivals)
    linkifiers = await ctx.runtime.linkifiers.of(ctx.db, ctx.realm.id)
    event = MessageChanged(
        user_id=move.mover_id,
        message_id=_first(move, message_ids),
        message_ids=message_ids,
        edit_timestamp=unix_seconds(ctx.now()),
        stream_id=move.source.id,
        stream_name=move.source.name,
        new_stream_id=move.target.id if move.crosses_channels else None,
        propagate_mode=move.mode,
        orig_subject=move.source_topic.topic,
        subject=move.topic,
        topic_links=topic_links(move.topic, linkifiers),
        span=span,
        arrivals=arrivals if move.source.has_protected_history else None,
    )
    if move.crosses_channels:
        # Messages of channels to which a user is not subscribed are never unread.
        read = FlagAdded(
            flag="read",
            messages=event.message_ids,
            channel_id=move.source.id,
            arrivals=event.arrivals,
        )
        behind = SubscribedToSourceOnly(source_id=move.source.id, target_id=move.target.id)
        ctx.emit(read, to=behind)
    ctx.emit(event, to=_can_follow(ctx, move))
    if move.crosses_channels:
        # For users who cannot see the target, the messages are gone.
        gone = MessagesDeleted(
            message_ids=event.message_ids,
            message_type="stream",
            stream_id=move.source.id,
            topic=move.source_topic.topic,
            arrivals=event.arrivals,
            were_moved=True,
        )
        ctx.emit(gone, to=_cannot_follow(ctx, move))


def _first(move: Move, message_ids: Sequence[MessageId]) -> MessageId:
    """The message that the request named, unless it belongs to another batch of a long move."""
    named = move.message_id
    if named is None or (message_ids and named not in message_ids):
        return message_ids[0]
    return named


def _can_follow(ctx: RealmContext, move: Move) -> Audience:
    if not move.crosses_channels:
        return channel_subscribers(move.source)
    return CanFollowMove(
        source=channel_readers(ctx.realm, move.source),
        target=channel_readers(ctx.realm, move.target),
    )


def _cannot_follow(ctx: RealmContext, move: Move) -> Audience:
    return CannotFollowMove(
        source=channel_readers(ctx.realm, move.source),
        target=channel_readers(ctx.realm, move.target),
    )
