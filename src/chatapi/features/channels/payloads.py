"""Response payloads of the channel endpoints."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal, NotRequired, cast

from typing_extensions import TypedDict

from chatapi.auth.realm_cache import RealmRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import MessageId
from chatapi.features.channels.rules import PostPolicy, post_policy
from chatapi.permissions.payloads import lacks_newer_permissions, permission_values
from chatapi.permissions.settings import ChannelPermission
from chatapi.permissions.stored import channel_permissions
from chatapi.wire.types import UnixSeconds

TopicsPolicy = Literal["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"]

_RECENTLY = timedelta(days=180)


class ChannelProperties(TypedDict):
    """What all users who can see a channel are shown of it, beside its permissions."""

    stream_id: int
    name: str
    description: str
    rendered_description: str
    date_created: UnixSeconds
    creator_id: int | None
    invite_only: bool
    is_web_public: bool
    history_public_to_subscribers: bool
    message_retention_days: int | None
    topics_policy: TopicsPolicy
    default_push_notifications: bool
    is_archived: bool
    is_announcement_only: bool
    stream_post_policy: int
    first_message_id: int | None
    is_recently_active: bool
    folder_id: int | None
    stream_weekly_traffic: int | None
    subscriber_count: int


_PermissionValues = permission_values(ChannelPermission)


class ChannelPayload(ChannelProperties, _PermissionValues):  # type: ignore[misc,valid-type]  # from an enum
    """A channel as all users who can see it are shown it."""


ChannelInEvent = Annotated[ChannelPayload, lacks_newer_permissions(ChannelPermission)]


class ListedChannelPayload(ChannelPayload):
    """A channel in a list of them."""

    is_default: NotRequired[bool]
    """Whether new users join it, if the caller requested this."""


class ChannelsPayload(TypedDict):
    """Channels by id."""

    streams: list[ListedChannelPayload]


class OneChannelPayload(TypedDict):
    """One channel."""

    stream: ChannelPayload


class ChannelIdPayload(TypedDict):
    """The id of the channel with a name."""

    stream_id: int


class ChannelEmailPayload(TypedDict):
    """The address that posts mail to a channel."""

    email: str


class CreatedChannelPayload(TypedDict):
    """The id of a new channel."""

    id: int


class SubscribersPayload(TypedDict):
    """Ids of the users in a channel."""

    subscribers: list[int]


class TopicPayload(TypedDict):
    """A topic and the last message in it."""

    name: str
    max_id: int


class TopicsPayload(TypedDict):
    """Topics, those with the newest messages first."""

    topics: list[TopicPayload]


@dataclass(frozen=True)
class ChannelSummary:
    """A channel with its number of subscribers and data derived from its messages."""

    channel: ChannelRecord
    subscriber_count: int
    first_message_id: MessageId | None
    last_sent_at: datetime | None


def channel_payload(summary: ChannelSummary, realm: RealmRecord, now: datetime) -> ChannelPayload:
    channel = summary.channel
    policy = post_policy(channel, realm)
    last_sign_of_life = summary.last_sent_at or channel.date_created
    payload = {
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
        "first_message_id": summary.first_message_id,
        "is_recently_active": now - last_sign_of_life < _RECENTLY,
        "folder_id": channel.folder_id,
        "stream_weekly_traffic": None,
        "subscriber_count": summary.subscriber_count,
        **channel_permissions(realm, channel).to_wire(),
    }
    return cast(ChannelPayload, payload)
