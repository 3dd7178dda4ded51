"""Emits events about stars and topic policies that become visible or invisible to their owners.

Stars and topic policies are kept when their owner loses access to a channel; POST /register shows
only those about something the owner may read. Code that changes what users may read wraps the
change in a PersonalStateDiff: it reads the visible state before and after, and emits the
difference.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.clock import unix_seconds
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import ChannelId, MessageId, UserId
from chatapi.core.names import name_key
from chatapi.events.audience import Users
from chatapi.features.channels.personal_state.repository import (
    ChosenTopicPolicy,
    PersonalStateRepository,
    PersonalStateScope,
    Star,
)
from chatapi.features.channels.repository import ChannelRepository, UserTopicRepository
from chatapi.features.channels.topic_policies.events import MutedTopicsChanged, UserTopicChanged
from chatapi.features.channels.topic_policy_payloads import MutedTopicPayload
from chatapi.permissions.channels import channel_access_of_each
from chatapi.read_state.events import FlagAdded, FlagRemoved

_TopicKey = tuple[ChannelId, str]


@dataclass
class _Visible:
    """The part of one user's personal state that is visible to them."""

    stars: set[MessageId] = field(default_factory=set)
    topics: dict[_TopicKey, ChosenTopicPolicy] = field(default_factory=dict)
    muted: tuple[MutedTopicPayload, ...] = ()


class _Stored(Struct, frozen=True):
    """The stars and topic policies of a scope by user, visible or not."""

    stars: Mapping[UserId, Sequence[Star]]
    topics: Mapping[UserId, Sequence[ChosenTopicPolicy]]


class PersonalStateDiff:
    """Compares personal state before and after one change; the realm is locked.

    Executes two statements before the change, and after it as well if it writes personal state;
    a handful if there is any, however many users it belongs to.
    """

    def __init__(
        self, ctx: RealmContext, scope: PersonalStateScope, *, is_about_access: bool
    ) -> None:
        self._ctx = ctx
        self._scope = scope
        self._is_about_access = is_about_access
        self._stored: _Stored | None = None
        self._repository = PersonalStateRepository(ctx.db)
        self._before: dict[UserId, _Visible] = {}
        self._after: dict[UserId, _Visible] = {}

    @classmethod
    async def before(
        cls,
        ctx: RealmContext,
        *,
        channel_ids: Collection[ChannelId] = (),
        message_ids: Collection[MessageId] = (),
        user_ids: Collection[UserId] | None = None,
        is_about_access: bool = False,
    ) -> "PersonalStateDiff":
        """Read the state before the change is written.

        `is_about_access`: the change decides who may read what, but neither moves messages nor
        writes stars or topic policies. These are then read only once.
        """
        scope = PersonalStateScope(sorted(channel_ids), sorted(message_ids), user_ids)
        diff = cls(ctx, scope, is_about_access=is_about_access)
        diff._before = await diff._read_visible()
        return diff

    async def read_after(self) -> None:
        """Read the state after the change was written."""
        self._after = await self._read_visible()

    @property
    def owners(self) -> frozenset[UserId]:
        """Users with visible personal state before the change or after it."""
        return frozenset(self._before.keys() | self._after.keys())

    def emit_lost(self, *, but: Collection[UserId] = ()) -> None:
        """Emit what became invisible; call it before emitting that channels became invisible.

        `but` are users who get events about the messages themselves.
        """
        for user_id, before in self._before.items():
            after = self._after.get(user_id, _Visible())
            lost = sorted(before.stars - after.stars)
            if lost and user_id not in but:
                self._emit(user_id, FlagRemoved(flag="starred", messages=lost))
            for key, topic in before.topics.items():
                if key not in after.topics:
                    self._emit(user_id, self._topic_event(topic, VisibilityPolicy.INHERIT))

    def emit_gained(self) -> None:
        """Emit what became visible or changed; call it after emitting the events about channels."""
        for user_id in sorted(self.owners):
            before = self._before.get(user_id, _Visible())
            after = self._after.get(user_id, _Visible())
            gained = sorted(after.stars - before.stars)
            if gained:
                self._emit(user_id, FlagAdded(flag="starred", messages=gained))
            for key, topic in after.topics.items():
                if before.topics.get(key) != topic:
                    policy = VisibilityPolicy(topic.visibility_policy)
                    self._emit(user_id, self._topic_event(topic, policy))
            if before.muted != after.muted:
                self._emit(user_id, MutedTopicsChanged(muted_topics=after.muted))

    def _topic_event(self, topic: ChosenTopicPolicy, policy: VisibilityPolicy) -> UserTopicChanged:
        is_gone = policy is VisibilityPolicy.INHERIT
        return UserTopicChanged(
            stream_id=topic.channel_id,
            topic_name=topic.topic,
            last_updated=unix_seconds(self._ctx.now() if is_gone else topic.last_updated),
            visibility_policy=policy.value,
        )

    def _emit(
        self,
        user_id: UserId,
        event: FlagAdded | FlagRemoved | UserTopicChanged | MutedTopicsChanged,
    ) -> None:
        self._ctx.emit(event, to=Users.only(user_id))

    async def _read_visible(self) -> dict[UserId, _Visible]:
        if not self._scope.channel_ids and not self._scope.message_ids:
            return {}
        stored = await self._read_stored()
        stars, topics = stored.stars, stored.topics
        owners = sorted(stars.keys() | topics.keys() | self._before.keys())
        if not owners:
            return {}
        channels = await self._channels_of(stars)
        users = await UserRows(self._ctx.db, self._ctx.realm.id).list_some(owners)
        access_of = await channel_access_of_each(self._ctx, users, channels)
        muted: Mapping[UserId, tuple[MutedTopicPayload, ...]] = {}
        if self._scope.channel_ids:
            muted = await UserTopicRepository(self._ctx.db).list_muted(owners)

        def look(user: UserRecord) -> _Visible:
            access = access_of[user.id]
            return _Visible(
                stars={
                    star.message_id
                    for star in stars.get(user.id, ())
                    if access.can_see_message(
                        channels[star.channel_id], star.message_id, star.arrival
                    )
                },
                topics={
                    (topic.channel_id, name_key(topic.topic)): topic
                    for topic in topics.get(user.id, ())
                    if access.can_read(channels[topic.channel_id])
                },
                muted=muted.get(user.id, ()),
            )

        seen = await map_in_steps(look, users)
        return {user.id: visible for user, visible in zip(users, seen, strict=True)}

    async def _read_stored(self) -> _Stored:
        if self._stored is not None and self._is_about_access:
            return self._stored
        stars = await self._repository.list_stars(self._scope)
        self._stored = _Stored(stars, await self._repository.list_topics(self._scope))
        return self._stored

    async def _channels_of(
        self, stars: Mapping[UserId, Sequence[Star]]
    ) -> Mapping[ChannelId, ChannelRecord]:
        """The channels of the scope, and those of the starred messages, by id."""
        starred = {star.channel_id for of_owner in stars.values() for star in of_owner}
        channels = ChannelRepository(self._ctx.db, self._ctx.realm.id)
        found = await channels.list_some(starred.union(self._scope.channel_ids))
        return {channel.id: channel for channel in found}
