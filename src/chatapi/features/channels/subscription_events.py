"""Events about subscriptions to channels and about users' settings for them."""

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Annotated, Any, ClassVar

from typing_extensions import TypedDict, override

from chatapi.core.ids import ChannelId, UserId
from chatapi.events.cache_tags import NO_CACHE_TAGS, CacheTag, SubscribersTag, UserTag
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly
from chatapi.features.channels.events import knows_archived_channels
from chatapi.features.channels.payloads import ChannelInEvent
from chatapi.features.channels.subscription_payloads import (
    ChoicesPayload,
    SubscriptionPayload,
    SubscriptionsPayload,
    subscription_payload,
)


class SubscriptionsAdded(Event):
    """The reader was subscribed to channels.

    One event for all users who were subscribed: each receives only their own channels and settings.
    """

    type = "subscription"
    op: ClassVar = "add"
    shape: ClassVar = SubscriptionsPayload
    cache_tags: ClassVar = NO_CACHE_TAGS

    channels: Annotated[list[ChannelInEvent], ServerOnly()]
    subscribers: Annotated[dict[int, list[int]], ServerOnly()]
    """All current subscribers of each of the channels."""
    choices: Annotated[dict[int, dict[int, ChoicesPayload]], ServerOnly()]
    """The settings of each user for each channel: by user id, then by channel id."""
    is_unarchived: Annotated[bool, ServerOnly()] = False
    """Whether the channels were unarchived. Then no user was subscribed anew, and the event is
    delivered only to clients that were told at archiving that the channels were deleted.
    """

    @property
    def user_ids(self) -> frozenset[UserId]:
        """The users who were subscribed."""
        return frozenset(map(UserId, self.choices))

    @override
    def is_for(self, view: ClientView) -> bool:
        is_news = not (self.is_unarchived and knows_archived_channels(view.profile))
        return is_news and super().is_for(view)

    @override
    def variant(self, view: ClientView) -> Hashable:
        visible = None if view.sees_all_users else view.visible_user_ids
        return view.user_id, view.profile.include_subscribers == "false", visible

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        return {"subscriptions": self._shown(view)}

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        if not self.is_unarchived:
            yield from map(UserTag, self.user_ids)
        for channel in self.channels:
            yield SubscribersTag(ChannelId(channel["stream_id"]))

    def _shown(self, view: ClientView) -> list[SubscriptionPayload]:
        own = self.choices[view.user_id]
        shown = []
        for channel in self.channels:
            channel_id = channel["stream_id"]
            if channel_id in own:
                subscription = subscription_payload(channel, own[channel_id])
                if view.profile.include_subscribers != "false":
                    subscribers = self.subscribers[channel_id]
                    if not view.sees_all_users:
                        subscribers = view.visible_among(subscribers)
                    subscription["subscribers"] = subscribers
                shown.append(subscription)
        return shown


class LeftChannelPayload(TypedDict):
    """A channel to which the reader is no longer subscribed."""

    stream_id: int
    """The channel that the reader is no longer subscribed to."""
    name: str
    """The name of that channel."""


class SubscriptionsRemoved(Event):
    """The reader is no longer subscribed to some channels."""

    type = "subscription"
    op: ClassVar = "remove"
    cache_tags: ClassVar = NO_CACHE_TAGS

    subscriptions: list[LeftChannelPayload]
    """The channels to which the reader is no longer subscribed."""
    user_ids: Annotated[list[int], ServerOnly()]

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        for user_id in self.user_ids:
            yield UserTag(UserId(user_id))
        for channel in self.subscriptions:
            yield SubscribersTag(ChannelId(channel["stream_id"]))


class SubscriptionUpdated(Event):
    """The reader changed a setting of one of their subscriptions."""

    type = "subscription"
    op: ClassVar = "update"
    cache_tags: ClassVar = NO_CACHE_TAGS

    stream_id: int
    """The channel whose settings the reader changed."""
    property: str
    """Which of the settings, such as `color`, `is_muted` or `pin_to_top`."""
    value: bool | str
    """Its new value: a colour for `color`, else a boolean."""
    user_id: Annotated[int, ServerOnly()]

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(UserId(self.user_id))


class _PeersChanged(Event):
    """For all users who can see the channels; the subscribers themselves get other events."""

    cache_tags: ClassVar = NO_CACHE_TAGS

    stream_ids: list[int]
    """The channels; all users of `user_ids` are meant for each of them."""
    user_ids: list[int]
    """The users, never the reader; only those whom the reader can see."""
    is_about_archived: Annotated[bool, ServerOnly()] = False
    is_unarchived: Annotated[bool, ServerOnly()] = False
    """Whether this is delivered only to clients that were told that the channels were deleted."""
    hides_peers: Annotated[bool, ServerOnly()] = False
    """Whether the users are not visible any more to those who receive it."""

    @cached_property
    def _peers(self) -> frozenset[int]:
        return frozenset(self.user_ids)

    def _is_known_to(self, view: ClientView) -> bool:
        """Whether the client's state contains the channels, before or after this event."""
        knows_archived = knows_archived_channels(view.profile)
        is_news = not (self.is_unarchived if knows_archived else self.is_about_archived)
        return is_news and super().is_for(view) and bool(self._named_to(view))

    def _named_to(self, view: ClientView) -> list[int]:
        """The users without those who are not visible to the reader."""
        if view.sees_all_users or self.hides_peers:
            return self.user_ids
        return view.visible_among(self.user_ids)

    @override
    def variant(self, view: ClientView) -> Hashable:
        return None if view.sees_all_users else tuple(self._named_to(view))

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        return {**super().body(view), "user_ids": self._named_to(view)}

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        for channel_id in self.stream_ids:
            yield SubscribersTag(ChannelId(channel_id))


class PeersAdded(_PeersChanged):
    """Other users were subscribed to channels.

    Guests who see only some users receive it, too, when subscribers become visible to them.
    """

    type = "subscription"
    op: ClassVar = "peer_add"

    @override
    def is_for(self, view: ClientView) -> bool:
        return view.user_id not in self._peers and self._is_known_to(view)


class PeersRemoved(_PeersChanged):
    """Other users were unsubscribed from channels; users who left together get it, too.

    Guests who see only some users receive it, too, when subscribers become invisible to them.
    """

    type = "subscription"
    op: ClassVar = "peer_remove"

    @override
    def is_for(self, view: ClientView) -> bool:
        return self._peers != {view.user_id} and self._is_known_to(view)

    @override
    def variant(self, view: ClientView) -> Hashable:
        return view.user_id if view.user_id in self._peers else None, super().variant(view)

    @override
    def _named_to(self, view: ClientView) -> list[int]:
        named = super()._named_to(view)
        if view.user_id not in self._peers:
            return named
        return [user_id for user_id in named if user_id != view.user_id]
