"""For whom an event is: a description, resolved against those who are connected."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, TypeAdapter
from typing_extensions import override

from chatapi.core.ids import ChannelId, EventNumber, MessageId, UserId
from chatapi.core.roles import Role
from chatapi.events.client import ClientView
from chatapi.wire.group_values import GroupSettingPayload, GroupValue


class AudienceBase(BaseModel):
    """A description costs the sender the same for five readers and for fifty thousand."""

    model_config = ConfigDict(frozen=True)

    @abstractmethod
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        """Whether this reader belonged to the audience when the event had this number."""

    def candidates(self) -> Iterable[UserId] | None:
        """The only people worth asking; None: ask everybody who listens."""
        return None


class Everyone(AudienceBase):
    """All people of the realm."""

    kind: Literal["everyone"] = "everyone"

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return True


class Users(AudienceBase):
    """The people with these ids."""

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
    """People of this role or a more powerful one."""

    kind: Literal["at_least"] = "at_least"
    role: Role

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.role.at_least(self.role)


class UserVisibleTo(AudienceBase):
    """Those for whom a user exists: almost everybody, but for guests in some organizations."""

    kind: Literal["who_sees"] = "who_sees"
    user_id: UserId
    bot_owner_id: UserId | None = None

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.sees_user(self.user_id) or view.user_id == self.bot_owner_id


class Subscribers(AudienceBase):
    """Those who were in a channel at the time, and whoever asked for all public channels."""

    kind: Literal["subscribers"] = "subscribers"
    channel_id: ChannelId
    is_public: bool
    """Whether members may listen without being in it."""
    received: MessageId | None = None
    """Where history is protected: only those who were there when this message came."""
    arrival: EventNumber | None = None
    """The event that brought it, None if it was sent there."""

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
    """Those for whom a channel exists: the people in it, and others as its settings say."""

    kind: Literal["who_knows_channel"] = "who_knows_channel"
    channel_id: ChannelId
    invite_only: bool
    is_web_public: bool
    knowing: GroupSettingPayload
    """Who knows of it although it is private; administrators do in any case."""

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.membership.was_subscribed(self.channel_id, number) or self.is_open_to(view)

    def is_open_to(self, view: ClientView) -> bool:
        """Whether the channel exists for a reader also when they are not in it."""
        if self.is_web_public:
            return True
        if not view.role.is_member:
            return False
        if not self.invite_only or view.role.at_least(Role.ADMIN):
            return True
        knowing = GroupValue.from_wire(self.knowing)
        return knowing.includes(view.user_id, view.membership.groups)


class ChannelReaders(AudienceBase):
    """Those who may read what comes into a channel: the people in it, and others if it is open."""

    kind: Literal["who_reads_channel"] = "who_reads_channel"
    channel_id: ChannelId
    is_public: bool
    is_web_public: bool
    is_history_protected: bool
    """Whether only people who are in it read anything."""
    opening: GroupSettingPayload
    """Who could let themselves in, and may look in therefore."""

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.membership.was_subscribed(self.channel_id, number) or self._is_open_to(view)

    def reaches(self, view: ClientView, number: EventNumber) -> bool:
        """Whether a reader heard what was said in the channel, and did not only look it up."""
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
        opening = GroupValue.from_wire(self.opening)
        return self.is_public or opening.includes(view.user_id, view.membership.groups)


class CanFollowMove(AudienceBase):
    """People in either of two channels who may read both."""

    kind: Literal["who_follows_move"] = "who_follows_move"
    source: ChannelReaders
    target: ChannelReaders

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        heard = self.source.reaches(view, number) or self.target.reaches(view, number)
        return heard and self.source.includes(view, number) and self.target.includes(view, number)


class CannotFollowMove(AudienceBase):
    """People in a channel who may not follow to another one."""

    kind: Literal["who_loses_sight"] = "who_loses_sight"
    source: ChannelReaders
    target: ChannelReaders

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return self.source.reaches(view, number) and not self.target.includes(view, number)


class SubscribedToSourceOnly(AudienceBase):
    """People in a channel who are not in another one, whether they may read there or not."""

    kind: Literal["who_is_left_behind"] = "who_is_left_behind"
    source_id: ChannelId
    target_id: ChannelId

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        membership = view.membership
        is_inside = membership.was_subscribed(self.source_id, number)
        return is_inside and not membership.was_subscribed(self.target_id, number)


class VisibleOnlyToSubscribers(AudienceBase):
    """Those of some people for whom a channel exists only while they are in it."""

    kind: Literal["who_knows_only_from_inside"] = "who_knows_only_from_inside"
    ids: frozenset[UserId]
    channel: ChannelVisibleTo

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return view.user_id in self.ids and not self.channel.is_open_to(view)

    @override
    def candidates(self) -> Iterable[UserId]:
        return self.ids


class LostOrGainedVisibility(AudienceBase):
    """Those for whom a channel exists with some settings and would not exist with others."""

    kind: Literal["who_knows_channel_unlike"] = "who_knows_channel_unlike"
    channel: ChannelVisibleTo
    unlike: ChannelVisibleTo

    @override
    def includes(self, view: ClientView, number: EventNumber) -> bool:
        return self.channel.includes(view, number) and not self.unlike.includes(view, number)


class Nobody(AudienceBase):
    """No client: a note from process to process."""

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
    | LostOrGainedVisibility
    | Nobody
)

Audience = Annotated[Kinds, Discriminator("kind")]

_adapter: TypeAdapter[Kinds] = TypeAdapter(Audience)


def load_audience(text: str) -> Audience:
    """The audience a log row holds."""
    return _adapter.validate_json(text)
