"""Every SQL statement on topic policies."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import and_, bindparam, delete, not_, or_, select, tuple_

from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import ChannelId, UserId
from chatapi.core.names import name_key
from chatapi.core.roles import Role
from chatapi.db.models import Channel, Subscription, User, UserTopic
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.db.upsert import upsert
from chatapi.db.user_facts import OwnedRows
from chatapi.features.channels.topic_policy_payloads import MutedTopicPayload


class UserTopicKey(NamedTuple):
    """A user and a topic; topics that differ only in case are the same."""

    user_id: UserId
    channel_id: ChannelId
    topic_key: str

    @classmethod
    def of(cls, user_id: UserId, channel_id: ChannelId, topic: str) -> "UserTopicKey":
        return cls(user_id, channel_id, name_key(topic))


class UserTopicRecord(Struct, frozen=True):
    """A user's policy for a topic."""

    channel_id: ChannelId
    topic: str
    visibility_policy: int
    last_updated: datetime


_records = RecordReader(UserTopicRecord, UserTopic)
_rows = OwnedRows(UserTopic.user_id)
_KEY = (UserTopic.user_id, UserTopic.channel_id, UserTopic.topic_key)
_OF_USER = (
    _records.select()
    .where(UserTopic.user_id == bindparam("user_id"))
    .order_by(UserTopic.channel_id, UserTopic.topic_key)
)
_OF_TOPIC = select(UserTopic.user_id, UserTopic.visibility_policy).where(
    UserTopic.channel_id == bindparam("channel_id"),
    UserTopic.topic_key == bindparam("topic_key"),
)
_is_in_it = and_(
    Subscription.user_id == UserTopic.user_id,
    Subscription.channel_id == UserTopic.channel_id,
    Subscription.is_active,
)
_is_open = and_(not_(Channel.invite_only), User.role != Role.GUEST)
_MUTED = (
    select(UserTopic.user_id, Channel.name, UserTopic.topic, UserTopic.last_updated)
    .join(Channel, Channel.id == UserTopic.channel_id)
    .join(User, User.id == UserTopic.user_id)
    .outerjoin(Subscription, _is_in_it)
    .where(
        UserTopic.user_id.in_(bindparam("user_ids", expanding=True)),
        UserTopic.visibility_policy == VisibilityPolicy.MUTED,
        or_(Subscription.user_id.is_not(None), Channel.is_web_public, _is_open),
    )
    .order_by(UserTopic.channel_id, UserTopic.topic_key)
)
_FORGET = delete(UserTopic).where(
    UserTopic.user_id == bindparam("of_user"),
    UserTopic.channel_id == bindparam("in_channel"),
    UserTopic.topic_key == bindparam("of_topic"),
)


class UserTopicRepository:
    """Which topics users mute, unmute and follow."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def find_policies(
        self, keys: Iterable[UserTopicKey]
    ) -> dict[UserTopicKey, VisibilityPolicy]:
        """The policies of the given topics; topics without one are left out."""
        rows = await self._db.execute(
            select(*_KEY, UserTopic.visibility_policy).where(tuple_(*_KEY).in_(list(keys)))
        )
        return {
            UserTopicKey(UserId(user_id), ChannelId(channel_id), key): VisibilityPolicy(policy)
            for user_id, channel_id, key, policy in rows
        }

    async def list_of(self, user_id: UserId) -> list[UserTopicRecord]:
        if not await _rows.may_exist(self._db, user_id):
            return []
        return _records.read_all(await self._db.fetch(_OF_USER, {"user_id": user_id}))

    async def list_of_topic(
        self, channel_id: ChannelId, topic: str
    ) -> dict[UserId, VisibilityPolicy]:
        """The policies of all users for a topic, by user."""
        rows = await self._db.execute(
            _OF_TOPIC, {"channel_id": channel_id, "topic_key": name_key(topic)}
        )
        return {UserId(user_id): VisibilityPolicy(policy) for user_id, policy in rows}

    async def list_muted(
        self, user_ids: Sequence[UserId]
    ) -> dict[UserId, tuple[MutedTopicPayload, ...]]:
        """The muted topics of each user, with the names of their channels.

        Only topics of channels whose names the user may know: by a subscription, or because the
        channel is public and open to the user.
        """
        rows = await self._db.execute(_MUTED, {"user_ids": list(user_ids)})
        muted: defaultdict[UserId, list[MutedTopicPayload]] = defaultdict(list)
        for user_id, channel_name, topic, muted_at in rows:
            muted[UserId(user_id)].append((channel_name, topic, unix_seconds(muted_at)))
        return {user_id: tuple(muted[user_id]) for user_id in user_ids}

    async def choose(
        self, chosen: Iterable[tuple[UserTopicKey, str, VisibilityPolicy]], now: datetime
    ) -> None:
        """Store a policy for each topic, with its spelling."""
        rows: list[dict[str, object]] = [
            {
                **key._asdict(),
                "topic": topic,
                "visibility_policy": policy.value,
                "last_updated": now,
            }
            for key, topic, policy in chosen
        ]
        await upsert(self._db, UserTopic, rows)

    async def forget(self, key: UserTopicKey) -> None:
        """Delete the policy, so that the channel's setting applies again."""
        await self._db.execute(
            _FORGET,
            {
                "of_user": key.user_id,
                "in_channel": key.channel_id,
                "of_topic": key.topic_key,
            },
        )
