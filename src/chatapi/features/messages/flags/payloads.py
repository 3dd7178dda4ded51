"""Response payloads of flags, and the unread messages in the POST /register response."""

from typing import Annotated

from orjson import Fragment, dumps
from typing_extensions import TypedDict

from chatapi.channel_cache.topic_messages import UnreadConversation
from chatapi.core.ids import ChannelId, MessageId
from chatapi.wire.encoded import EncodedAs


class ChangedFlagsPayload(TypedDict):
    """The messages whose flag changed."""

    messages: list[MessageId]
    """Ids of the messages whose flag changed."""
    ignored_because_not_subscribed_channels: list[ChannelId]
    """Channels whose messages were skipped: you are not subscribed, so they cannot be marked as
    unread."""


class NarrowFlagsPayload(TypedDict):
    """How many messages of a narrow were processed."""

    processed_count: int
    """How many messages were processed, those included that had the flag already."""
    updated_count: int
    """How many messages changed."""
    first_processed_id: MessageId | None
    """The oldest processed message; null if there is none. To go on to older ones, pass it as
    `anchor`."""
    last_processed_id: MessageId | None
    """The newest processed message; null if there is none. To go on to newer ones, pass it as
    `anchor`."""
    found_oldest: bool
    """Whether there are no older messages to process."""
    found_newest: bool
    """Whether there are no newer messages to process."""
    ignored_because_not_subscribed_channels: list[ChannelId]
    """Channels whose messages were skipped: you are not subscribed, so they cannot be marked as
    unread."""


class MarkedAllPayload(TypedDict):
    """Whether all messages are read now."""

    complete: bool
    """Always true here: everything is marked by one request."""


class UnreadPersonPayload(TypedDict):
    """Unread messages of a conversation with one other user, or with oneself."""

    other_user_id: int
    """The other user; the reader for notes to oneself."""
    sender_id: int
    """The same as `other_user_id`, under its older name."""
    unread_message_ids: list[MessageId]
    """The unread messages of the conversation, the oldest first."""


class UnreadTopicPayload(TypedDict):
    """Unread messages of a topic."""

    stream_id: int
    """The channel of the topic."""
    topic: str
    """The topic with the unread messages."""
    unread_message_ids: list[MessageId]
    """The unread messages of the topic, the oldest first."""


EncodedUnreadTopic = Annotated[Fragment, EncodedAs(UnreadTopicPayload)]


def encoded_topic(unread: UnreadConversation, topic: str) -> Fragment:
    """The JSON of an UnreadTopicPayload."""
    payload = {
        "stream_id": unread.channel_id,
        "topic": topic,
        "unread_message_ids": unread.message_ids,
    }
    return Fragment(dumps(payload))


class UnreadGroupPayload(TypedDict):
    """Unread messages of a conversation of three or more."""

    user_ids_string: str
    """The ids of all participants, the reader included, in order and separated by commas."""
    unread_message_ids: list[MessageId]
    """The unread messages of the conversation, the oldest first."""


class UnreadMessagesPayload(TypedDict):
    """The unread messages, at most the newest 50,000."""

    count: int
    """How many messages are unread, muted ones included."""
    pms: list[UnreadPersonPayload]
    """Unread messages of conversations of two, and of notes to oneself."""
    streams: list[EncodedUnreadTopic]
    """Unread messages of channels, by topic."""
    huddles: list[UnreadGroupPayload]
    """Unread messages of conversations of three or more."""
    mentions: list[MessageId]
    """Ids of the unread messages that mention the reader."""
    old_unreads_missing: bool
    """Whether there are more unread messages than the 50,000 that are listed."""
