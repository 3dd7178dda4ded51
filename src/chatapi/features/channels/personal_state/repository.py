"""Every SQL statement on personal state (stars, topic policies) in channels."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Select, select

from chatapi.core.ids import ChannelId, EventNumber, MessageId, UserId
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Message, MessageFlag, UserTopic
from chatapi.db.session import DatabaseSession


class Star(Struct, frozen=True):
    """A channel message that a user starred."""

    message_id: MessageId
    channel_id: ChannelId
    arrival: EventNumber | None


class ChosenTopicPolicy(Struct, frozen=True):
    """A user's visibility policy for a topic."""

    channel_id: ChannelId
    topic: str
    visibility_policy: int
    last_updated: datetime


class PersonalStateScope(Struct, frozen=True):
    """Which personal state: that in some channels, or about some messages, and of which users."""

    channel_ids: Sequence[ChannelId] = ()
    message_ids: Sequence[MessageId] = ()
    user_ids: Collection[UserId] | None = None
    """None: all users."""


_STARS: Select[*tuple[Any, ...]] = (
    select(MessageFlag.user_id, Message.id, Message.channel_id, Message.arrival)
    .join(Message, Message.id == MessageFlag.message_id)
    .where(MessageFlag.starred, Message.channel_id.is_not(None))
)
_STARS_IN_CHANNELS = _STARS.where(is_one_of(Message.channel_id, "channel_ids"))
_STARS_OF_USERS = _STARS_IN_CHANNELS.where(is_one_of(MessageFlag.user_id, "user_ids"))
_STARS_OF_MESSAGES = _STARS.where(is_one_of(MessageFlag.message_id, "message_ids"))
_TOPICS: Select[*tuple[Any, ...]] = select(
    UserTopic.user_id,
    UserTopic.channel_id,
    UserTopic.topic,
    UserTopic.visibility_policy,
    UserTopic.last_updated,
).where(is_one_of(UserTopic.channel_id, "channel_ids"))
_TOPICS_OF_USERS = _TOPICS.where(is_one_of(UserTopic.user_id, "user_ids"))


class PersonalStateRepository:
    """Reads personal state by user, whether or not the user may see the message or topic."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def list_stars(self, scope: PersonalStateScope) -> dict[UserId, list[Star]]:
        if scope.message_ids:
            values: dict[str, list[int]] = {"message_ids": list(scope.message_ids)}
            rows = await self._db.execute(_STARS_OF_MESSAGES, values)
        elif scope.user_ids is None:
            rows = await self._db.execute(_STARS_IN_CHANNELS, _values(scope))
        else:
            rows = await self._db.execute(_STARS_OF_USERS, _values(scope))
        found: defaultdict[UserId, list[Star]] = defaultdict(list)
        for user_id, *star in rows:
            found[UserId(user_id)].append(Star(*star))
        return found

    async def list_topics(self, scope: PersonalStateScope) -> dict[UserId, list[ChosenTopicPolicy]]:
        if not scope.channel_ids:
            return {}
        statement = _TOPICS if scope.user_ids is None else _TOPICS_OF_USERS
        found: defaultdict[UserId, list[ChosenTopicPolicy]] = defaultdict(list)
        for user_id, *topic in await self._db.execute(statement, _values(scope)):
            found[UserId(user_id)].append(ChosenTopicPolicy(*topic))
        return found


def _values(scope: PersonalStateScope) -> dict[str, list[int]]:
    values: dict[str, list[int]] = {"channel_ids": list(scope.channel_ids)}
    if scope.user_ids is not None:
        values["user_ids"] = sorted(scope.user_ids)
    return values
