"""Every SQL statement on flags: states of messages, read positions, and unread messages."""

from chatapi.read_state.repository._conversations import ConversationRepository
from chatapi.read_state.repository._exceptions import ReadExceptionRepository, ReadMessage
from chatapi.read_state.repository._marks import MarkRepository
from chatapi.read_state.repository._spans import MAX_UNREAD, SpanRepository, Unread
from chatapi.read_state.repository._state_columns import join_states, reader_values, state_number
from chatapi.read_state.repository._states import MessageState, PageState, StateRepository
from chatapi.read_state.repository._topic_messages import TopicMessagesRepository
from chatapi.read_state.repository._topic_states import (
    TopicStateRepository,
    TopicStates,
    mentions_participants,
    shared_state,
)
from chatapi.read_state.repository._unread import UnreadRepository

__all__ = [
    "MAX_UNREAD",
    "ConversationRepository",
    "MarkRepository",
    "MessageState",
    "PageState",
    "ReadExceptionRepository",
    "ReadMessage",
    "SpanRepository",
    "StateRepository",
    "TopicMessagesRepository",
    "TopicStateRepository",
    "TopicStates",
    "Unread",
    "UnreadRepository",
    "join_states",
    "mentions_participants",
    "reader_values",
    "shared_state",
    "state_number",
]
