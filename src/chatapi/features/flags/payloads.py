"""Answers about flags, and what POST /register tells about unread messages."""

from typing import NotRequired

from typing_extensions import TypedDict

from chatapi.core.ids import ChannelId, MessageId, UserId


class ChangedFlagsPayload(TypedDict):
    """For which messages the flag is another one now."""

    messages: list[MessageId]
    ignored_because_not_subscribed_channels: NotRequired[list[ChannelId]]
    """Only when messages were marked as unread: channels you are not in stay as they are."""


class NarrowFlagsPayload(TypedDict):
    """How far a change went through a narrow."""

    processed_count: int
    """Messages that were looked at, also those that had the flag already."""
    updated_count: int
    first_processed_id: MessageId | None
    last_processed_id: MessageId | None
    found_oldest: bool
    found_newest: bool
    ignored_because_not_subscribed_channels: NotRequired[list[ChannelId]]
    """Only when messages were marked as unread: channels you are not in stay as they are."""


class MarkedAllPayload(TypedDict):
    """Whether everything is read now."""

    complete: bool


class UnreadPersonPayload(TypedDict):
    """Unread messages of a conversation with one other person, or with oneself."""

    other_user_id: int
    sender_id: int
    """The same, by its old name."""
    unread_message_ids: list[MessageId]


class UnreadTopicPayload(TypedDict):
    """Unread messages of a topic."""

    stream_id: int
    topic: str
    unread_message_ids: list[MessageId]


class UnreadGroupPayload(TypedDict):
    """Unread messages of a conversation of three or more."""

    user_ids_string: str
    """Everybody's ids, one's own included, in order and separated by commas."""
    unread_message_ids: list[MessageId]


class UnreadMessagesPayload(TypedDict):
    """What is not read yet, at most the newest 50,000 messages of it."""

    count: int
    pms: list[UnreadPersonPayload]
    streams: list[UnreadTopicPayload]
    huddles: list[UnreadGroupPayload]
    mentions: list[MessageId]
    old_unreads_missing: bool


class MessageDetailsPayload(TypedDict):
    """Where a message is that became unread, for clients that do not have it."""

    type: str
    mentioned: NotRequired[bool]
    """Only there, and true, where the message mentions the reader."""
    user_ids: NotRequired[list[UserId]]
    stream_id: NotRequired[int]
    topic: NotRequired[str]
