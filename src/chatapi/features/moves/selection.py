"""Which messages of a conversation are moved."""

from dataclasses import dataclass

from chatapi.core.ids import ConversationId, MessageId
from chatapi.events.membership import SubscriptionPeriod


@dataclass(frozen=True)
class MessageSelection:
    """Some messages, described: as small for all of a long topic as for one."""

    conversation_id: ConversationId
    only: MessageId | None = None
    """None: more than one."""
    since: MessageId | None = None
    """None: from the beginning."""
    subscription_periods: tuple[SubscriptionPeriod, ...] | None = None
    """Where history is protected, when the mover was there: nobody moves what they do not see."""


@dataclass(frozen=True)
class TopicRecord:
    """A topic that has messages."""

    id: ConversationId
    topic: str
    first_message_id: MessageId
    last_message_id: MessageId
    renamed_up_to: MessageId | None
