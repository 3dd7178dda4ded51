"""Every SQL statement on flags: states of messages, read positions, and unread messages."""

from chatapi.features.flags.repository._conversations import ConversationRepository
from chatapi.features.flags.repository._marks import MarkRepository
from chatapi.features.flags.repository._spans import MAX_UNREAD, SpanRepository, Unread
from chatapi.features.flags.repository._states import MessageState, StateRepository
from chatapi.features.flags.repository._unread import UnreadConversation, UnreadRepository

__all__ = [
    "MAX_UNREAD",
    "ConversationRepository",
    "MarkRepository",
    "MessageState",
    "SpanRepository",
    "StateRepository",
    "Unread",
    "UnreadConversation",
    "UnreadRepository",
]
