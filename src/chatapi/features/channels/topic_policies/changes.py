"""Writes changes of topic policies and emits them, for all callers."""

from collections.abc import Collection, Sequence
from datetime import datetime

from msgspec import Struct

from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import ChannelId, RealmId, UserId
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Users
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.channels.repository import UserTopicKey, UserTopicRepository
from chatapi.features.channels.topic_policies.events import MutedTopicsChanged, UserTopicChanged


class PolicyChange(Struct, frozen=True):
    """A change from one policy to another one."""

    user_id: UserId
    channel_id: ChannelId
    topic: str
    old: VisibilityPolicy
    new: VisibilityPolicy

    @property
    def key(self) -> UserTopicKey:
        return UserTopicKey.of(self.user_id, self.channel_id, self.topic)

    @property
    def is_about_muting(self) -> bool:
        return VisibilityPolicy.MUTED in {self.old, self.new}


async def list_policies_of_topic(
    db: DatabaseSession, channel_id: ChannelId, topic: str
) -> dict[UserId, VisibilityPolicy]:
    """The policies of all users for a topic; users without one are missing."""
    return await UserTopicRepository(db).list_of_topic(channel_id, topic)


async def find_policies(
    db: DatabaseSession, keys: Collection[UserTopicKey]
) -> dict[UserTopicKey, VisibilityPolicy]:
    """The policies of users for topics; topics without one are missing."""
    return await UserTopicRepository(db).find_policies(keys)


async def change_policies(
    work: UnitOfWork, realm_id: RealmId, now: datetime, changes: Sequence[PolicyChange]
) -> None:
    """Write all changes at once and emit them to each user; the realm is locked."""
    repository = UserTopicRepository(work.db)
    await write_policies(work.db, now, changes)
    for change in changes:
        work.emit(realm_id, _events_for(change, now), to=Users.only(change.user_id))
    muters = sorted({change.user_id for change in changes if change.is_about_muting})
    if muters:
        for user_id, muted in (await repository.list_muted(muters)).items():
            work.emit(realm_id, MutedTopicsChanged(muted_topics=muted), to=Users.only(user_id))


async def write_policies(
    db: DatabaseSession, now: datetime, changes: Sequence[PolicyChange]
) -> None:
    """Write changes whose events the caller emits, if any."""
    repository = UserTopicRepository(db)
    chosen = [change for change in changes if change.new is not VisibilityPolicy.INHERIT]
    await repository.choose([(change.key, change.topic, change.new) for change in chosen], now)
    for change in changes:
        if change.new is VisibilityPolicy.INHERIT:
            await repository.forget(change.key)


def _events_for(change: PolicyChange, now: datetime) -> UserTopicChanged:
    return UserTopicChanged(
        stream_id=change.channel_id,
        topic_name=change.topic,
        last_updated=unix_seconds(now),
        visibility_policy=change.new.value,
    )
