"""Response payloads of flags, and the unread messages in the POST /register response."""

from typing_extensions import TypedDict

from chatapi.core.ids import ChannelId, MessageId


class ChangedFlagsPayload(TypedDict):
    """The messages whose flag changed."""

    messages: list[MessageId]
    ignored_because_not_subscribed_channels: list[ChannelId]
    """When messages are marked as unread, channels to which you are not subscribed are skipped."""


class NarrowFlagsPayload(TypedDict):
    """How many messages of a narrow were processed."""

    processed_count: int
    """Processed messages, including those that had the flag already."""
    updated_count: int
    first_processed_id: MessageId | None
    last_processed_id: MessageId | None
    found_oldest: bool
    found_newest: bool
    ignored_because_not_subscribed_channels: list[ChannelId]
    """When messages are marked as unread, channels to which you are not subscribed are skipped."""


class MarkedAllPayload(TypedDict):
    """Whether all messages are read now."""

    complete: bool


class UnreadPersonPayload(TypedDict):
    """Unread messages of a conversation with one other user, or with oneself."""

    other_user_id: int
    sender_id: int
    """The same, under its older name."""
    unread_message_ids: list[MessageId]


class UnreadTopicPayload(TypedDict):
    """Unread messages of a topic."""

    stream_id: int
    topic: str
    unread_message_ids: list[MessageId]


class UnreadGroupPayload(TypedDict):
    """Unread messages of a conversation of three or more."""

    user_ids_string: str
    """The ids of all participants, the reader included, in order and separated by commas."""
    unread_message_ids: list[MessageId]


class UnreadMessagesPayload(TypedDict):
    """The unread messages, at most the newest 50,000."""

    count: int
    pms: list[UnreadPersonPayload]
    streams: list[UnreadTopicPayload]
    huddles: list[UnreadGroupPayload]
    mentions: list[MessageId]
    old_unreads_missing: bool
