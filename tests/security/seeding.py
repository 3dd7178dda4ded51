"""Large organizations for tests, written in bulk: sending thousands of messages takes too long."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import func, insert, select, text, update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import ConversationId, MessageId, UserId
from chatapi.core.roles import EmailVisibility, Role
from chatapi.db.models import (
    Channel,
    Conversation,
    Linkifier,
    Message,
    MessageEdit,
    Reaction,
    Submessage,
    Subscription,
    SubscriptionPeriodRow,
    User,
)
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.repository import WIDGET
from tests.factories import Person

_LONG_AGO = datetime(2026, 3, 1, 12, tzinfo=UTC)
_ROWS_PER_STATEMENT = 500
_MESSAGE: dict[str, Any] = {
    "sent_at": _LONG_AGO,
    "client_name": "tests",
    **dict.fromkeys(
        ("is_me_message", "read_by_sender", "mentions_channel", "mentions_topic"), False
    ),
    **dict.fromkeys(("has_link", "has_image", "has_attachment"), False),
}


async def add_messages(
    runtime: Runtime,
    realm: RealmRecord,
    sender: Person,
    like: MessageId,
    texts: Sequence[tuple[str, str]],
) -> list[MessageId]:
    """Messages of these texts, each as it was written and rendered, in the topic of another."""
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id)
        found = select(Message.conversation_id, Message.channel_id).where(Message.id == like)
        conversation_id, channel_id = (await db.execute(found)).one()
        place = {"conversation_id": conversation_id, "channel_id": channel_id}
        ids = await _new_message_ids(db, len(texts))
        rows = [
            _message_row(realm, sender, number, each) | place
            for number, each in zip(ids, texts, strict=True)
        ]
        await insert_rows(db, Message, rows)
        last = {"last_message_id": ids[-1]}
        await db.execute(
            update(Conversation)
            .where(Conversation.id == ConversationId(conversation_id))
            .values(last)
        )
        await db.commit()
    return ids


async def add_topics(
    runtime: Runtime, realm: RealmRecord, sender: Person, channel: ChannelRecord, names: list[str]
) -> list[MessageId]:
    """Topics with one message each."""
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id)
        ids = await _new_message_ids(db, len(names))
        first = (await db.execute(select(func.max(Conversation.id)))).scalar_one_or_none() or 0
        topics: list[dict[str, Any]] = [
            {
                "id": first + step + 1,
                "realm_id": realm.id,
                "channel_id": channel.id,
                "topic": name,
                "topic_key": name.lower(),
                "first_message_id": ids[step],
                "last_message_id": ids[step],
            }
            for step, name in enumerate(names)
        ]
        await insert_rows(db, Conversation, topics)
        rows = [
            _message_row(realm, sender, number, ("Hello", "<p>Hello</p>"))
            | {"conversation_id": topic["id"], "channel_id": channel.id}
            for number, topic in zip(ids, topics, strict=True)
        ]
        await insert_rows(db, Message, rows)
        await _move_sequence(db, Conversation, topics[-1]["id"])
        await db.commit()
    return ids


async def add_widgets(
    runtime: Runtime, sender: Person, message_ids: Sequence[MessageId], contents: Sequence[str]
) -> None:
    """Submessages of these contents for each of some messages."""
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        rows = [
            {
                "message_id": message_id,
                "sender_id": sender.user_id,
                "msg_type": WIDGET,
                "content": content,
            }
            for message_id in message_ids
            for content in contents
        ]
        await insert_rows(db, Submessage, rows)
        await db.execute(update(Message).where(Message.id.in_(message_ids)).values(has_widget=True))
        await db.commit()


async def add_edits(
    runtime: Runtime, editor: Person, message_id: MessageId, texts: Sequence[tuple[str, str]]
) -> None:
    """Earlier texts of a message, each as it was written and rendered, the oldest first."""
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        rows = [
            {
                "message_id": message_id,
                "editor_id": editor.user_id,
                "edited_at": _LONG_AGO + timedelta(seconds=step),
                "prev_content": content,
                "prev_rendered_content": rendered,
            }
            for step, (content, rendered) in enumerate(texts)
        ]
        await insert_rows(db, MessageEdit, rows)
        await db.execute(
            update(Message).where(Message.id == message_id).values(last_edited_at=_LONG_AGO)
        )
        await db.commit()


async def add_linkifiers(runtime: Runtime, realm: RealmRecord, patterns: Sequence[str]) -> None:
    """Patterns that all lead to the same address."""
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        rows = [
            {
                "realm_id": realm.id,
                "position": step,
                "pattern": pattern,
                "url_template": "https://t.example/{id}",
                "alternative_url_templates": [],
            }
            for step, pattern in enumerate(patterns)
        ]
        await insert_rows(db, Linkifier, rows)
        await db.commit()


async def add_people(
    runtime: Runtime, realm: RealmRecord, count: int, channels: Sequence[ChannelRecord]
) -> list[UserId]:
    """Members of the realm who are subscribed to some channels."""
    async with DatabaseSession(runtime.database) as db:
        number = await db.lock_realm(realm.id)
        statement = insert(User).returning(User.id, sort_by_parameter_order=True)
        rows = [_user_row(realm, step) for step in range(count)]
        user_ids = [UserId(row[0]) for row in await db.execute(statement, rows)]
        subscriptions = [
            {"user_id": user_id, "channel_id": channel.id, **_SUBSCRIPTION}
            for channel in channels
            for user_id in user_ids
        ]
        periods = [
            {**each, "since_event": number, "since_message": 0}
            for each in ({"user_id": u, "channel_id": c.id} for c in channels for u in user_ids)
        ]
        await insert_rows(db, Subscription, subscriptions)
        await insert_rows(db, SubscriptionPeriodRow, periods)
        for channel in channels:
            await db.execute(
                update(Channel)
                .where(Channel.id == channel.id)
                .values(subscriber_count=Channel.subscriber_count + count)
            )
        await db.commit()
    return user_ids


async def add_channels(
    runtime: Runtime, realm: RealmRecord, like: ChannelRecord, subscriber: Person, count: int
) -> list[int]:
    """Copies of a channel that a person is subscribed to."""
    async with DatabaseSession(runtime.database) as db:
        number = await db.lock_realm(realm.id)
        copied = (
            (await db.execute(select(Channel.__table__).where(Channel.id == like.id)))
            .mappings()
            .one()
        )
        names = [f"copy {step}" for step in range(count)]
        rows = [{**copied, "name": name, "name_key": name} for name in names]
        for row in rows:
            del row["id"]
        statement = insert(Channel).returning(Channel.id, sort_by_parameter_order=True)
        ids = [row[0] for row in await db.execute(statement, rows)]
        place = [{"user_id": subscriber.user_id, "channel_id": each} for each in ids]
        await insert_rows(db, Subscription, [{**each, **_SUBSCRIPTION} for each in place])
        periods = [{**each, "since_event": number, "since_message": 0} for each in place]
        await insert_rows(db, SubscriptionPeriodRow, periods)
        await db.commit()
    return ids


_SUBSCRIPTION: dict[str, Any] = {
    "is_active": True,
    "read_up_to": 0,
    "color": "#c2c2c2",
    "is_muted": False,
    "pin_to_top": False,
}


def _user_row(realm: RealmRecord, step: int) -> dict[str, Any]:
    email = f"crowd{step}@example.com"
    return {
        "realm_id": realm.id,
        "delivery_email": email,
        "email_key": email,
        "full_name": f"Crowd {step}",
        "role": Role.MEMBER,
        "is_full_member": True,
        "is_active": True,
        "date_joined": _LONG_AGO,
        "timezone": "",
        "email_visibility": EmailVisibility.EVERYONE,
        "avatar_version": 1,
        "is_imported_stub": False,
        "settings": {},
    }


def _message_row(
    realm: RealmRecord, sender: Person, number: MessageId, texts: tuple[str, str]
) -> dict[str, Any]:
    return {
        "id": number,
        "realm_id": realm.id,
        "sender_id": sender.user_id,
        "content": texts[0],
        "rendered_content": texts[1],
        **_MESSAGE,
    }


async def _new_message_ids(db: DatabaseSession, count: int) -> list[MessageId]:
    last = (await db.execute(select(func.max(Message.id)))).scalar_one_or_none() or 0
    await _move_sequence(db, Message, last + count)
    return [MessageId(last + step + 1) for step in range(count)]


async def _move_sequence(db: DatabaseSession, table: type[Any], last: int) -> None:
    """Let PostgreSQL assign ids after those chosen here; SQLite does so by itself."""
    if not db.database.is_sqlite:
        name = table.__tablename__
        await db.execute(
            text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :last)"),
            {"name": name, "last": last},
        )


async def insert_rows(
    db: DatabaseSession, table: type[Any], rows: Sequence[dict[str, Any]]
) -> None:
    """Rows of one table, in statements of a bounded size."""
    for start in range(0, len(rows), _ROWS_PER_STATEMENT):
        await db.execute(insert(table), rows[start : start + _ROWS_PER_STATEMENT])


async def add_reactions(
    runtime: Runtime, person: Person, message_ids: Sequence[MessageId], count: int
) -> None:
    """So many reactions of one person to each of some messages, with emoji that do not exist."""
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        rows = [
            {
                "message_id": message_id,
                "user_id": person.user_id,
                "reaction_type": "unicode_emoji",
                "emoji_code": f"1f{number}",
                "emoji_name": f"emoji_{number}",
            }
            for message_id in message_ids
            for number in range(count)
        ]
        await insert_rows(db, Reaction, rows)
        await db.commit()
