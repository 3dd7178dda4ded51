"""A stretch of messages, described by its bounds: as small for 100,000 messages as for ten."""

from typing_extensions import TypedDict

from chatapi.core.ids import ChannelId, ConversationId, MessageId


class Span(TypedDict):
    """What lies above one message, up to another, in a conversation or in a whole channel."""

    conversation_id: ConversationId | None
    channel_id: ChannelId | None
    above: MessageId
    up_to: MessageId
    as_of: int
    """The newest change of any message then: the stretch is about where messages were before it."""
