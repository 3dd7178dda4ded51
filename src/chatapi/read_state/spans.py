"""A span of messages, described by its bounds: as small for 100,000 messages as for ten."""

from typing_extensions import TypedDict

from chatapi.core.ids import ChannelId, ConversationId, MessageId


class Span(TypedDict):
    """The messages above one message, up to another, of a conversation or of a whole channel."""

    conversation_id: ConversationId | None
    channel_id: ChannelId | None
    above: MessageId
    up_to: MessageId
    as_of: int
    """The newest message edit at that time: the span refers to where messages were before later
    ones.
    """
