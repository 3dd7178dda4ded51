"""Selects which messages of a conversation are moved."""

from msgspec import Struct

from chatapi.core.ids import ConversationId, MessageId
from chatapi.events.membership import SubscriptionPeriod


class MessageSelection(Struct, frozen=True):
    """A description of some messages: as small for a long topic as for one message."""

    conversation_id: ConversationId
    only: MessageId | None = None
    """None: not limited to one message."""
    since: MessageId | None = None
    """None: from the beginning."""
    up_to: MessageId | None = None
    """None: to the end."""
    subscription_periods: tuple[SubscriptionPeriod, ...] | None = None
    """Where history is protected, the mover's subscription periods: users move only messages that
    they can see.
    """


class TopicRecord(Struct, frozen=True):
    """A topic that has messages."""

    id: ConversationId
    topic: str
    first_message_id: MessageId
    last_message_id: MessageId
    renamed_up_to: MessageId | None
