"""Events about channels.

Clients that did not declare at POST /register that they know archived channels receive a deletion
when a channel is archived, and a creation when it is unarchived; in between they receive no events
about it.
"""

from collections.abc import Hashable, Iterable
from typing import Annotated, Any, ClassVar, NotRequired

from typing_extensions import TypedDict, override

from chatapi.core.ids import ChannelId
from chatapi.events.cache_tags import (
    NO_CACHE_TAGS,
    CacheTag,
    ChannelListTag,
    ChannelTag,
    shared_sections,
)
from chatapi.events.client import ClientProfile, ClientView
from chatapi.events.event import Event, ServerOnly
from chatapi.features.channels.payloads import ChannelInEvent, ChannelPayload
from chatapi.wire.group_values import GroupSettingPayload

_SHARED_LISTS = shared_sections("default_streams", "default_stream_groups")


def knows_archived_channels(profile: ClientProfile) -> bool:
    """Whether a client keeps archived channels in its state."""
    return "archived_channels" in profile.capabilities


class ChannelsCreated(Event):
    """Channels were created, or became visible to the reader.

    It invalidates no cached channel: what changes an existing one is a `ChannelUpdated`.
    """

    type = "stream"
    op: ClassVar = "create"
    cache_tags: ClassVar = NO_CACHE_TAGS

    streams: list[ChannelInEvent]
    """The channels, complete, as in `POST /register`."""
    is_new: Annotated[bool, ServerOnly()] = True
    """Whether they were created; events of earlier versions do not say it."""
    is_unarchived: Annotated[bool, ServerOnly()] = False
    """Whether this is delivered only to clients that were told that the channels were deleted."""

    @override
    def is_for(self, view: ClientView) -> bool:
        if self.is_unarchived and knows_archived_channels(view.profile):
            return False
        return super().is_for(view) and bool(self._shown(view))

    @override
    def variant(self, view: ClientView) -> Hashable:
        return knows_archived_channels(view.profile)

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        if self.is_new:
            yield ChannelListTag()

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        return {"streams": self._shown(view)}

    def _shown(self, view: ClientView) -> list[ChannelPayload]:
        knows_archived = knows_archived_channels(view.profile)
        return [each for each in self.streams if knows_archived or not each["is_archived"]]


class DeletedChannelPayload(TypedDict):
    """A channel that no longer exists for the reader."""

    stream_id: int
    """A channel that clients should forget."""


class ChannelsDeleted(Event):
    """Channels were archived, or are no longer visible to the reader.

    It invalidates no cached channel: archiving one is a `ChannelUpdated` as well.
    """

    type = "stream"
    op: ClassVar = "delete"
    cache_tags: ClassVar = _SHARED_LISTS

    streams: list[DeletedChannelPayload]
    """The same channels as objects, for older clients."""
    stream_ids: list[int]
    """Ids of the channels that clients should forget."""
    is_archived: Annotated[bool, ServerOnly()] = False
    """Delivered only to clients that do not know archived channels."""
    is_about_archived: Annotated[bool, ServerOnly()] = False
    """Delivered only to clients that do: the others have received the deletion before."""

    @classmethod
    def of(cls, *channel_ids: ChannelId, **kind: bool) -> "ChannelsDeleted":
        return cls(
            streams=[{"stream_id": channel_id} for channel_id in channel_ids],
            stream_ids=[*channel_ids],
            **kind,
        )

    @override
    def is_for(self, view: ClientView) -> bool:
        is_old_news = (
            self.is_archived if knows_archived_channels(view.profile) else self.is_about_archived
        )
        return not is_old_news and super().is_for(view)


ChannelValue = bool | GroupSettingPayload | str | None
"""The value of any property of a channel."""


class ChannelUpdatePayload(TypedDict):
    """One changed property of a channel."""

    stream_id: int
    """The channel that changed."""
    name: str
    """The name of the channel before the change."""
    property: str
    """Which property changed, such as `name`, `description`, `invite_only`, `is_archived` or a
    permission."""
    value: ChannelValue
    """The new value of the property; its type depends on the property."""
    rendered_description: NotRequired[str]
    """With the property `description`: the new description as HTML."""
    history_public_to_subscribers: NotRequired[bool]
    """With the property `invite_only`: whether newcomers now see earlier messages."""
    is_web_public: NotRequired[bool]
    """With the property `invite_only`: whether visitors without an account can read the channel
    now."""


class ChannelUpdated(Event):
    """One property of a channel changed; `name` is the channel's name before the change."""

    type = "stream"
    op: ClassVar = "update"
    shape: ClassVar = ChannelUpdatePayload
    cache_tags: ClassVar = _SHARED_LISTS

    stream_id: int
    property: str
    value: ChannelValue
    rendered_description: str | None = None
    history_public_to_subscribers: bool | None = None
    is_web_public: bool | None = None
    old_name: Annotated[str, ServerOnly()]
    is_about_archived: Annotated[bool, ServerOnly()] = False

    @override
    def is_for(self, view: ClientView) -> bool:
        is_known = not self.is_about_archived or knows_archived_channels(view.profile)
        return is_known and super().is_for(view)

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        """Some keys are present for some properties only."""
        body = {**super().body(view), "name": self.old_name}
        for name in _WITH_SOME_PROPERTIES:
            if body[name] is None:
                del body[name]
        return body

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield ChannelTag(ChannelId(self.stream_id))


_WITH_SOME_PROPERTIES = ("rendered_description", "history_public_to_subscribers", "is_web_public")


class DefaultChannelsChanged(Event):
    """The list of channels that new users join changed."""

    type = "default_streams"
    cache_tags: ClassVar = _SHARED_LISTS

    default_streams: list[int]
    """Ids of all channels that new users join from now on; empty for guests."""
