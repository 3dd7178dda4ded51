"""Response payloads of the channel endpoints."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, NotRequired, cast

import orjson
from typing_extensions import TypedDict

from chatapi.auth.realm_cache import RealmRecord
from chatapi.channel_cache.records import ChannelSummary
from chatapi.channel_cache.snapshots import ShownChannel
from chatapi.core.clock import unix_seconds
from chatapi.features.channels.rules import PostPolicy, post_policy
from chatapi.permissions.payloads import lacks_newer_permissions, permission_values
from chatapi.permissions.settings import ChannelPermission
from chatapi.permissions.stored import channel_permissions
from chatapi.wire.encoded import EncodedAs, EncodedObject
from chatapi.wire.types import UnixSeconds

TopicsPolicy = Literal["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"]

_RECENTLY = timedelta(days=180)


class ChannelProperties(TypedDict):
    """What all users who can see a channel are shown of it, beside its permissions."""

    stream_id: int
    """Names the channel in other requests; it never changes."""
    name: str
    """The name of the channel; unique in the organization regardless of case."""
    description: str
    """What the channel is for, in Markdown; may be empty."""
    rendered_description: str
    """The description as HTML."""
    date_created: UnixSeconds
    """When the channel was created, in Unix seconds."""
    creator_id: int | None
    """The user who created it; null if that is not known."""
    invite_only: bool
    """Whether it is private: only its subscribers, administrators and users whom its permissions
    name know of it."""
    is_web_public: bool
    """Whether visitors without an account can read it."""
    history_public_to_subscribers: bool
    """Whether newcomers see messages from before they subscribed."""
    message_retention_days: int | None
    """Days until messages are deleted; -1 for never, null for the number of the organization."""
    topics_policy: TopicsPolicy
    """Whether messages may have an empty topic. `inherit`: as the organization decides,
    `empty_topic_only`: there is no other topic."""
    default_push_notifications: bool
    """Whether new subscribers get mobile notifications of all messages."""
    is_archived: bool
    """Whether nothing can be sent or changed any more. Only clients that declared
    `archived_channels` receive such channels."""
    is_announcement_only: bool
    """Whether only administrators may send; older form of `stream_post_policy`."""
    stream_post_policy: int
    """Who may send, for clients that do not know `can_send_message_group`. 1: everyone, 2:
    administrators, 3: full members, 4: moderators."""
    first_message_id: int | None
    """The oldest message in the channel; null if it is empty."""
    is_recently_active: bool
    """Whether something was sent in the last 180 days, or the channel is younger."""
    folder_id: int | None
    """The folder that the channel is in; null for none."""
    stream_weekly_traffic: int | None
    """Messages per week. Always null here: it is not counted."""
    subscriber_count: int
    """How many active users are subscribed, also those you cannot see."""


_PermissionValues = permission_values(ChannelPermission)


class ChannelPayload(ChannelProperties, _PermissionValues):  # type: ignore[misc,valid-type]  # from an enum
    """A channel as all users who can see it are shown it."""


EncodedChannel = Annotated[orjson.Fragment, EncodedAs(ChannelPayload)]
ChannelInEvent = Annotated[ChannelPayload, lacks_newer_permissions(ChannelPermission)]


class ListedChannelPayload(ChannelPayload):
    """A channel in a list of them."""

    is_default: NotRequired[bool]
    """Whether new users join it; present if `include_default` was passed."""


class ChannelsPayload(TypedDict):
    """Channels by id."""

    streams: list[Annotated[orjson.Fragment, EncodedAs(ListedChannelPayload)]]
    """The channels, in the order of their ids."""


class OneChannelPayload(TypedDict):
    """One channel."""

    stream: ChannelPayload
    """The channel that was asked for."""


class ChannelIdPayload(TypedDict):
    """The id of the channel with a name."""

    stream_id: int
    """The id of the channel with that name."""


class ChannelEmailPayload(TypedDict):
    """The address that posts mail to a channel."""

    email: str
    """Mail to this address is posted in the channel."""


class CreatedChannelPayload(TypedDict):
    """The id of a new channel."""

    id: int
    """The `stream_id` of the new channel."""


class SubscribersPayload(TypedDict):
    """Ids of the users in a channel."""

    subscribers: list[int]
    """Ids of the active users who are subscribed; guests who see only some users get only those."""


class TopicPayload(TypedDict):
    """A topic and the last message in it."""

    name: str
    """The topic, in the case in which it was last written; empty only if you allowed that."""
    max_id: int
    """The newest message in it."""


class TopicsPayload(TypedDict):
    """Topics, those with the newest messages first."""

    topics: list[TopicPayload]
    """The topics, those with the newest messages first."""


def channel_payload(summary: ChannelSummary, realm: RealmRecord, now: datetime) -> ChannelPayload:
    channel = summary.channel
    policy = post_policy(channel, realm)
    payload: dict[str, Any] = {
        "stream_id": channel.id,
        "name": channel.name,
        "description": channel.description,
        "rendered_description": channel.rendered_description,
        "date_created": unix_seconds(channel.date_created),
        "creator_id": channel.creator_id,
        "invite_only": channel.invite_only,
        "is_web_public": channel.is_web_public,
        "history_public_to_subscribers": channel.history_public_to_subscribers,
        "message_retention_days": channel.message_retention_days,
        "topics_policy": channel.topics_policy,
        "default_push_notifications": channel.default_push_notifications,
        "is_archived": channel.is_archived,
        "is_announcement_only": policy is PostPolicy.ADMINISTRATORS,
        "stream_post_policy": policy,
        "folder_id": channel.folder_id,
        "stream_weekly_traffic": None,
        **channel_permissions(realm, channel).to_wire(),
        "first_message_id": summary.first_message_id,
        "is_recently_active": now < _active_until(summary),
        "subscriber_count": summary.subscriber_count,
    }
    return cast(ChannelPayload, payload)


def show_channel(summary: ChannelSummary, realm: RealmRecord, now: datetime) -> ShownChannel:
    """Encode a `channel_payload`, and find out what changes it."""
    active_until = _active_until(summary)
    is_active = now < active_until
    return ShownChannel(
        summary,
        EncodedObject.of(channel_payload(summary, realm, now)),
        valid_until=active_until if is_active else None,
        # Newer messages only prolong the activity of a channel that is active.
        changes_with_new_messages=summary.first_message_id is None or not is_active,
    )


def _active_until(summary: ChannelSummary) -> datetime:
    """Until when a channel counts as recently active, unless something is sent there."""
    return (summary.last_sent_at or summary.channel.date_created) + _RECENTLY
