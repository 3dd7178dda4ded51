"""An organization of real size, written straight into the tables before a server starts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import uvloop
from sqlalchemy import func, insert, select, text, update

from benchmarks.http_client import Account
from chatapi.core.ids import hash_api_key
from chatapi.core.settings import Settings
from chatapi.core.system_groups import SystemGroup
from chatapi.db.database import Database
from chatapi.db.models import (
    ApiKey,
    Channel,
    Conversation,
    Mention,
    Message,
    MessageFlag,
    Presence,
    PresenceClock,
    Realm,
    Subscription,
    SubscriptionPeriodRow,
    User,
)
from chatapi.db.session import DatabaseSession
from chatapi.features.realm import create_organization
from chatapi.main import create_app
from chatapi.permissions.settings import ChannelPermission

T = TypeVar("T")

_ROWS_AT_ONCE = 2_000
_NOTES = 1_000
_BUSY_TOPIC = "busy"
_START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class World:
    """What was made, by id."""

    channels_by_size: dict[int, int]
    """Channels to send to, by how many people are in them."""
    history_channel: int
    busy_topic: str
    busy_message: int
    """The first message of that topic."""
    readers: list[Account]
    """People who can log in; they are in every channel that is large enough."""


@dataclass(frozen=True)
class Size:
    """How large an organization is."""

    people: int
    channels: int
    messages: int
    in_busy_topic: int = 5
    """One of how many messages is in the busiest topic."""
    readers: int = 100
    """How many people can log in."""
    unread: int | None = None
    """How many of the newest messages no user has read; None: all of them."""
    organizations: int = 1
    """How many there are on the server; the others are empty."""

    @property
    def host(self) -> str:
        """The host name of the organization; it needs one of its own beside others."""
        return "127.0.0.1" if self.organizations == 1 else "benchmark.localhost"


def fill(database_url: str, size: Size) -> World:
    """People, channels most of them are in, and one channel with a long history."""
    settings = Settings(database_url=database_url, data_dir=Path())
    return uvloop.run(_fill(settings, size))


async def _fill(settings: Settings, size: Size) -> World:
    database = Database(settings)
    try:
        async with DatabaseSession(database) as db:
            await db.write()
            builder = _Builder(db)
            world = await builder.build(size)
            # What PostgreSQL does by itself, unless it was made for tests, as here.
            await db.execute(text("ANALYZE"))
            await db.commit()
    finally:
        await database.close()
    await _add_organizations(settings, size.organizations - 1)
    return world


async def _add_organizations(settings: Settings, count: int) -> None:
    if not count:
        return
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        for number in range(count):
            _ = await create_organization(app.runtime, f"Other {number}", f"other{number}")


class _Builder:
    def __init__(self, db: DatabaseSession) -> None:
        self._db = db
        self._realm_id = 0
        self._owner_id = 0
        self._settings: dict[str, Any] = {}
        self._read_up_to = 0

    async def build(self, size: Size) -> World:
        realm = (await self._db.execute(select(Realm.id, Realm.system_groups))).one()
        self._realm_id = realm[0]
        self._settings = {
            each.value: realm[1].get(each.setting.default, realm[1][SystemGroup.NOBODY])
            for each in ChannelPermission
        }
        owner = await self._db.execute(select(func.min(User.id)).where(User.bot_type.is_(None)))
        self._owner_id = owner.scalar_one() or 0
        if size.unread is not None:
            self._read_up_to = size.messages - size.unread
        users = await self._add_people(size.people)
        sizes = {}
        for number in (10, 1_000, 10_000):
            if number <= size.people:
                sizes[number] = await self._add_channel(f"size {number}", users[:number])
        for number in range(size.channels):
            await self._add_channel(f"channel {number}", users[number % 10 :: 10])
        history = await self._add_channel("history", users[:1_000])
        busy_message = await self._add_messages(history, size)
        readers = await self._add_keys(size)
        await self._add_notes(readers[0], size.messages)
        return World(sizes, history, _BUSY_TOPIC, busy_message, readers)

    async def _add_notes(self, reader: Account, messages: int) -> None:
        """Some messages mention the user, or are starred by them."""
        found = await self._db.execute(select(User.id).where(User.delivery_email == reader.email))
        reader_id = found.scalar_one()
        noted = range(1, messages + 1, max(1, messages // _NOTES))
        keys = [{"user_id": reader_id, "message_id": number} for number in noted]
        await self._db.execute(insert(Mention), keys)
        note = {"starred": True, "collapsed": False}
        await self._db.execute(insert(MessageFlag), [{**key, **note} for key in keys])

    async def _add_people(self, count: int) -> list[int]:
        """The accounts that exist come first: they are in every channel."""
        existing = await self._db.execute(
            select(User.id).where(User.bot_type.is_(None)).order_by(User.id)
        )
        known = [user_id for (user_id,) in existing]
        rows: list[dict[str, Any]] = [
            {
                "realm_id": self._realm_id,
                "delivery_email": f"bench{number}@example.com",
                "email_key": f"bench{number}@example.com",
                "full_name": f"Bench {number}",
                "role": 400,
                "is_full_member": True,
                "is_active": True,
                "bot_type": None,
                "bot_owner_id": None,
                "date_joined": _START,
                "timezone": "",
                "email_visibility": 1,
                "avatar_version": 1,
                "is_imported_stub": False,
                "is_system_bot": False,
                "settings": {},
                "password_hash": None,
            }
            for number in range(count - len(known))
        ]
        for part in _parts(rows):
            await self._db.execute(insert(User), part)
        made = await self._db.execute(
            select(User.id).where(User.bot_type.is_(None)).order_by(User.id)
        )
        users = [user_id for (user_id,) in made]
        await self._add_presence(users)
        return users

    async def _add_presence(self, users: list[int]) -> None:
        """All of them were seen just now."""
        now = datetime.now(UTC)
        rows = [
            {
                "user_id": user_id,
                "realm_id": self._realm_id,
                "update_id": update_id,
                "active_at": now,
                "idle_at": now,
                "is_hidden": False,
            }
            for update_id, user_id in enumerate(users, start=1)
        ]
        for part in _parts(rows):
            await self._db.execute(insert(Presence), part)
        clock = {"realm_id": self._realm_id, "last_update_id": len(users)}
        await self._db.execute(insert(PresenceClock), [clock])

    async def _add_keys(self, size: Size) -> list[Account]:
        chosen = await self._db.execute(
            select(User.id, User.delivery_email)
            .where(User.delivery_email.like("bench%"))
            .order_by(User.id)
            .limit(size.readers)
        )
        people = [
            (user_id, email, f"{number:032}") for number, (user_id, email) in enumerate(chosen)
        ]
        await self._db.execute(
            insert(ApiKey),
            [
                {
                    "user_id": user_id,
                    "key_hash": hash_api_key(key),
                    "is_primary": True,
                    "created_at": _START,
                }
                for user_id, _email, key in people
            ],
        )
        return [Account(email, key, size.host) for _user_id, email, key in people]

    async def _add_channel(self, name: str, users: list[int]) -> int:
        added = await self._db.execute(
            insert(Channel)
            .values(
                realm_id=self._realm_id,
                name=name,
                name_key=name,
                description="",
                rendered_description="",
                date_created=_START,
                creator_id=self._owner_id,
                invite_only=False,
                is_web_public=False,
                history_public_to_subscribers=True,
                message_retention_days=None,
                topics_policy="inherit",
                default_push_notifications=False,
                is_default=False,
                is_archived=False,
                subscriber_count=len(users),
                settings=self._settings,
            )
            .returning(Channel.id)
        )
        channel_id: int = added.scalar_one()
        choices = {
            "is_active": True,
            "read_up_to": self._read_up_to,
            "color": "#76ce90",
            "is_muted": False,
            "pin_to_top": False,
            "desktop_notifications": None,
            "audible_notifications": None,
            "push_notifications": None,
            "email_notifications": None,
            "wildcard_mentions_notify": None,
        }
        for part in _parts(users):
            keys = [{"user_id": user_id, "channel_id": channel_id} for user_id in part]
            await self._db.execute(insert(Subscription), [{**key, **choices} for key in keys])
            await self._db.execute(
                insert(SubscriptionPeriodRow),
                [{**key, "since_event": 0, "since_message": 0} for key in keys],
            )
        return channel_id

    async def _add_messages(self, channel_id: int, size: Size) -> int:
        """A good part of them in one topic, the others spread over a hundred.

        Returns the first message of that topic.
        """
        topics = [f"topic {number}" for number in range(100)]
        conversations = {
            topic: await self._add_topic(channel_id, topic) for topic in (*topics, _BUSY_TOPIC)
        }
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        # A new organization has a message already.
        newest = (await self._db.execute(select(func.max(Message.id)))).scalar_one() or 0
        for part in _parts(range(newest + 1, size.messages + 1)):
            rows: list[dict[str, Any]] = []
            for number in part:
                is_busy = number % size.in_busy_topic == 0
                conversation_id = conversations[_BUSY_TOPIC if is_busy else topics[number % 100]]
                first.setdefault(conversation_id, number)
                last[conversation_id] = number
                rows.append(self._message(number, channel_id, conversation_id))
            await self._db.execute(insert(Message), rows)
        for conversation_id, message_id in last.items():
            await self._db.execute(
                update(Conversation)
                .where(Conversation.id == conversation_id)
                .values(last_message_id=message_id)
            )
        if not self._db.database.is_sqlite:
            sequence = func.pg_get_serial_sequence("message", "id")
            await self._db.execute(select(func.setval(sequence, size.messages)))
        return first[conversations[_BUSY_TOPIC]]

    async def _add_topic(self, channel_id: int, topic: str) -> int:
        added = await self._db.execute(
            insert(Conversation)
            .values(
                realm_id=self._realm_id,
                channel_id=channel_id,
                topic=topic,
                topic_key=topic,
                people_key=None,
                first_message_id=1,
                last_message_id=1,
            )
            .returning(Conversation.id)
        )
        conversation_id: int = added.scalar_one()
        return conversation_id

    def _message(self, number: int, channel_id: int, conversation_id: int) -> dict[str, Any]:
        return {
            "id": number,
            "realm_id": self._realm_id,
            "conversation_id": conversation_id,
            "channel_id": channel_id,
            "sender_id": self._owner_id,
            "content": f"message number {number}",
            "rendered_content": f"<p>message number {number}</p>",
            "sent_at": _START + timedelta(seconds=number),
            "client_name": "benchmark",
            "is_me_message": False,
            "read_by_sender": False,
            "mentions_channel": False,
            "mentions_topic": False,
            "has_link": False,
            "has_image": False,
            "has_attachment": False,
        }


def _parts(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        yield rows[start : start + _ROWS_AT_ONCE]
