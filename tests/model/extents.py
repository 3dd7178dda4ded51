"""Derived values in the database, compared with the rows they are derived from."""

from sqlalchemy import func, select

from chatapi.db.models import (
    Attachment,
    Channel,
    Conversation,
    Message,
    Realm,
    Subscription,
    User,
)
from chatapi.db.session import DatabaseSession
from tests.model.scene import Scene


async def wrong_extents(scene: Scene) -> list[str]:
    """Conversations with wrong first or last messages, wrong counts, and wrong sizes."""
    async with DatabaseSession(scene.runtime().database) as db:
        return [
            *await _wrong_conversations(db, scene),
            *await _miscounted(db, scene),
            *await _wrong_space(db, scene),
        ]


async def _wrong_conversations(db: DatabaseSession, scene: Scene) -> list[str]:
    rows = await db.execute(
        select(
            Conversation.id,
            Conversation.channel_id,
            Conversation.topic,
            Conversation.first_message_id,
            Conversation.last_message_id,
            func.min(Message.id),
            func.max(Message.id),
            func.count(Message.id),
        )
        .outerjoin(Message, Message.conversation_id == Conversation.id)
        .where(Conversation.realm_id == scene.realm.id)
        .group_by(Conversation.id)
    )
    wrong = []
    for number, channel_id, topic, *extent in rows:
        first, last, oldest, newest, count = extent
        # Users of a direct conversation stay visible to each other also without a message.
        is_empty = count == 0 and channel_id is None and first > last
        if not is_empty and (first, last) != (oldest, newest):
            wrong.append(
                f"conversation {number} (channel {channel_id}, topic {topic!r}) says it reaches"
                f" from {first} to {last}, its messages from {oldest} to {newest}"
            )
    return wrong


async def _miscounted(db: DatabaseSession, scene: Scene) -> list[str]:
    present = (
        select(func.count())
        .select_from(Subscription)
        .join(User, User.id == Subscription.user_id)
        .where(Subscription.channel_id == Channel.id, Subscription.is_active, User.is_active)
        .correlate(Channel)
        .scalar_subquery()
    )
    rows = await db.execute(
        select(Channel.id, Channel.subscriber_count, present).where(
            Channel.realm_id == scene.realm.id
        )
    )
    return [
        f"channel {number} counts {counted} people and has {inside}"
        for number, counted, inside in rows
        if counted != inside
    ]


async def _wrong_space(db: DatabaseSession, scene: Scene) -> list[str]:
    sizes = select(func.coalesce(func.sum(Attachment.size), 0)).where(
        Attachment.realm_id == scene.realm.id
    )
    rows = await db.execute(
        select(Realm.upload_bytes, sizes.scalar_subquery()).where(Realm.id == scene.realm.id)
    )
    stored, actual = rows.one()
    return [] if stored == actual else [f"files take {actual} bytes, of which {stored} are counted"]
