"""Audiences: data that says who receives an event, evaluated for each connected client.

They are stored in the event log. The second name of a kind or a field is the one that earlier
versions wrote; rows with it are readable as long as the log keeps them.
"""

from abc import abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, ConfigDict, Discriminator, Field, TypeAdapter
from typing_extensions import override

from chatapi.core.ids import ChannelId, EventNumber, MessageId, UserId
from chatapi.core.roles import Role
from chatapi.events.client import ClientView
from chatapi.wire.group_values import GroupSettingPayload, GroupValue


class CandidateChannel(NamedTuple):
    """A channel to whose subscribers an audience is limited."""

    id: ChannelId
    is_public: bool
    """Whether users with clients that asked for all public channels may belong to it as well."""


class AudienceBase(BaseModel):
    """A description of the recipients; it costs the same for five readers and fifty thousand."""

    model_config = ConfigDict(frozen=True)

    @abstractmethod
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        """Whether this reader belonged to the audience as of the event with this number."""

    def candidates(self) -> Iterable[UserId] | None:
        """Return the only users to check; None: the channel tells which, or it may be anybody."""
        return None

    def candidate_channel(self) -> "CandidateChannel | None":
        """Return the channel whose subscribers, past ones included, are the only users to check."""
        return None

    @cached_property
    def json_text(self) -> str:
        """What the bus and the log store; encoded once for all messages of a channel."""
        return self.model_dump_json()


class Everyone(AudienceBase):
    """All users of the realm."""

    kind: Literal["everyone"] = "everyone"

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return True


class Users(AudienceBase):
    """The users with these ids."""

    kind: Literal["users"] = "users"
    ids: frozenset[UserId]

    @classmethod
    def only(cls, *ids: UserId) -> "Users":
        return cls(ids=frozenset(ids))

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.user_id in self.ids

    @override
    def candidates(self) -> Iterable[UserId]:
        return self.ids


class RoleAtLeast(AudienceBase):
    """Users of this role or a more powerful one."""

    kind: Literal["role_at_least", "at_least"] = "role_at_least"
    role: Role

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.role.at_least(self.role)


class UserVisibleTo(AudienceBase):
    """Users to whom a user is visible: almost all, except guests in some realms."""

    kind: Literal["user_visible_to", "who_sees"] = "user_visible_to"
    user_id: UserId
    bot_owner_id: UserId | None = None

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.sees_user(self.user_id) or view.user_id == self.bot_owner_id


class Subscribers(AudienceBase):
    """Users subscribed to a channel at the event, and clients that asked for all public ones."""

    kind: Literal["subscribers"] = "subscribers"
    channel_id: ChannelId
    is_public: bool
    """Whether members may receive its events without being subscribed."""
    received: MessageId | None = None
    """Where history is protected: only users who were subscribed when this message arrived."""
    arrival: EventNumber | None = None
    """The event that moved the message to the channel, None if it was sent there."""

    @override
    def candidate_channel(self) -> CandidateChannel:
        return CandidateChannel(self.channel_id, self.is_public)

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        if self.received is not None and not view.membership.received(
            self.channel_id, self.received, self.arrival
        ):
            return False
        if view.membership.was_subscribed(self.channel_id, number):
            return True
        return self.is_public and view.profile.all_public_streams and view.role.is_member


class ChannelVisibleTo(AudienceBase):
    """Users to whom a channel is visible: its subscribers, and others as its settings say."""

    kind: Literal["channel_visible_to", "who_knows_channel"] = "channel_visible_to"
    channel_id: ChannelId
    invite_only: bool
    is_web_public: bool
    visible_to: GroupSettingPayload = Field(validation_alias=AliasChoices("visible_to", "knowing"))
    """Users to whom it is visible although it is private; to administrators it always is."""

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.membership.was_subscribed(self.channel_id, number) or self.is_open_to(view)

    def is_open_to(self, view: ClientView) -> bool:
        """Whether the channel is visible to a reader even if they are not subscribed."""
        if self.is_web_public:
            return True
        if not view.role.is_member:
            return False
        if not self.invite_only or view.role.at_least(Role.ADMIN):
            return True
        visible_to = GroupValue.from_wire(self.visible_to)
        return visible_to.includes(view.user_id, view.membership.groups)


class ChannelReaders(AudienceBase):
    """Users who may read new messages of a channel: its subscribers, and others if it is open."""

    kind: Literal["channel_readers", "who_reads_channel"] = "channel_readers"
    channel_id: ChannelId
    is_public: bool
    is_web_public: bool
    is_history_protected: bool
    """Whether only subscribers may read it."""
    open_to: GroupSettingPayload = Field(validation_alias=AliasChoices("open_to", "opening"))
    """Users who could subscribe themselves, and may read it for that reason."""

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.membership.was_subscribed(self.channel_id, number) or self._is_open_to(view)

    @override
    def candidate_channel(self) -> CandidateChannel | None:
        return (
            CandidateChannel(self.channel_id, is_public=False)
            if self.is_history_protected
            else None
        )

    def reaches(self, view: ClientView, number: EventNumber) -> bool:
        """Whether a reader received the channel's events, and not only had access to it."""
        if view.membership.was_subscribed(self.channel_id, number):
            return True
        return self.is_public and view.profile.all_public_streams and view.role.is_member

    def _is_open_to(self, view: ClientView) -> bool:
        if self.is_history_protected:
            return False
        if self.is_web_public:
            return True
        if not view.role.is_member:
            return False
        open_to = GroupValue.from_wire(self.open_to)
        return self.is_public or open_to.includes(view.user_id, view.membership.groups)


class CanFollowMove(AudienceBase):
    """Users who receive the events of either of two channels and may read both."""

    kind: Literal["can_follow_move", "who_follows_move"] = "can_follow_move"
    source: ChannelReaders
    target: ChannelReaders

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        heard = self.source.reaches(view, number) or self.target.reaches(view, number)
        return heard and self.source.includes(view, number) and self.target.includes(view, number)


class CannotFollowMove(AudienceBase):
    """Users who receive the events of the source channel but may not read the target."""

    kind: Literal["cannot_follow_move", "who_loses_sight"] = "cannot_follow_move"
    source: ChannelReaders
    target: ChannelReaders

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return self.source.reaches(view, number) and not self.target.includes(view, number)


class SubscribedToSourceOnly(AudienceBase):
    """Subscribers of the source channel who are not subscribed to the target.

    Whether they may read the target does not matter.
    """

    kind: Literal["subscribed_to_source_only", "who_is_left_behind"] = "subscribed_to_source_only"
    source_id: ChannelId
    target_id: ChannelId

    @override
    def candidate_channel(self) -> CandidateChannel:
        return CandidateChannel(self.source_id, is_public=False)

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        membership = view.membership
        is_inside = membership.was_subscribed(self.source_id, number)
        return is_inside and not membership.was_subscribed(self.target_id, number)


class VisibleOnlyToSubscribers(AudienceBase):
    """Those of some users to whom a channel is visible only while they are subscribed."""

    kind: Literal["visible_only_to_subscribers", "who_knows_only_from_inside"] = (
        "visible_only_to_subscribers"
    )
    ids: frozenset[UserId]
    channel: ChannelVisibleTo

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.user_id in self.ids and not self.channel.is_open_to(view)

    @override
    def candidates(self) -> Iterable[UserId]:
        return self.ids


class SomeOf(AudienceBase):
    """Those of some users to whom a user or a channel is visible."""

    kind: Literal["some_of"] = "some_of"
    ids: frozenset[UserId]
    of: Annotated[UserVisibleTo | ChannelVisibleTo, Discriminator("kind")]

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.user_id in self.ids and self.of.includes(view, number)

    @override
    def candidates(self) -> Iterable[UserId]:
        return self.ids


class LostOrGainedVisibility(AudienceBase):
    """Users to whom a channel is visible with some settings and not with others."""

    kind: Literal["lost_or_gained_visibility", "who_knows_channel_unlike"] = (
        "lost_or_gained_visibility"
    )
    channel: ChannelVisibleTo
    excluding: ChannelVisibleTo = Field(validation_alias=AliasChoices("excluding", "unlike"))

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return self.channel.includes(view, number) and not self.excluding.includes(view, number)


class Nobody(AudienceBase):
    """No client: a notification between processes."""

    kind: Literal["nobody"] = "nobody"

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return False

    @override
    def candidates(self) -> Iterable[UserId]:
        return ()


Kinds = (
    Everyone
    | Users
    | RoleAtLeast
    | UserVisibleTo
    | Subscribers
    | ChannelVisibleTo
    | ChannelReaders
    | CanFollowMove
    | CannotFollowMove
    | SubscribedToSourceOnly
    | VisibleOnlyToSubscribers
    | SomeOf
    | LostOrGainedVisibility
    | Nobody
)

Audience = Annotated[Kinds, Discriminator("kind")]

_adapter: TypeAdapter[Kinds] = TypeAdapter(Audience)


def load_audience(text: str) -> Audience:
    """Return the audience that a log row holds."""
    return _adapter.validate_json(text)
