"""Every SQL statement on messages that more than one of their features uses."""

from chatapi.features.messages.repository._alerts import AlertFlagRepository
from chatapi.features.messages.repository._deletion import (
    DeletionRepository,
    Extent,
    MessageToDelete,
    Origin,
)
from chatapi.features.messages.repository._edits import (
    MAX_EARLIER_TEXT,
    EditRecord,
    EditRepository,
    MessageText,
)
from chatapi.features.messages.repository._history import (
    HistoryRepository,
    HistoryRow,
    is_in_unmuted_topic,
    is_unmuted,
)
from chatapi.features.messages.repository._messages import (
    FoundTopic,
    MentionsOfMessage,
    MessageRepository,
    NewDirectConversation,
    NewTopic,
    RecipientRepository,
    TopicKey,
)
from chatapi.features.messages.repository._pages import (
    MAX_PLACE_ROWS,
    PageRepository,
    PageRow,
    TextRow,
)
from chatapi.features.messages.repository._pending_moves import (
    NewPendingMove,
    PendingMoveRecord,
    PendingMoveRepository,
    TopicLocation,
)
from chatapi.features.messages.repository._reactions import EmojiCount, ReactionRepository
from chatapi.features.messages.repository._recent_sends import RecentSend, RecentSendRepository
from chatapi.features.messages.repository._schedules import DueRepository, ScheduleRepository
from chatapi.features.messages.repository._submessages import (
    WIDGET,
    NewSubmessage,
    SubmessageRepository,
    SubmessageUsage,
)
from chatapi.features.messages.repository._webhook_calls import (
    NewWebhookCall,
    WebhookCallRecord,
    WebhookCallRepository,
)

__all__ = [
    "MAX_EARLIER_TEXT",
    "MAX_PLACE_ROWS",
    "WIDGET",
    "AlertFlagRepository",
    "DeletionRepository",
    "DueRepository",
    "EditRecord",
    "EditRepository",
    "EmojiCount",
    "Extent",
    "FoundTopic",
    "HistoryRepository",
    "HistoryRow",
    "MentionsOfMessage",
    "MessageRepository",
    "MessageText",
    "MessageToDelete",
    "NewDirectConversation",
    "NewPendingMove",
    "NewSubmessage",
    "NewTopic",
    "NewWebhookCall",
    "Origin",
    "PageRepository",
    "PageRow",
    "PendingMoveRecord",
    "PendingMoveRepository",
    "ReactionRepository",
    "RecentSend",
    "RecentSendRepository",
    "RecipientRepository",
    "ScheduleRepository",
    "SubmessageRepository",
    "SubmessageUsage",
    "TextRow",
    "TopicKey",
    "TopicLocation",
    "WebhookCallRecord",
    "WebhookCallRepository",
    "is_in_unmuted_topic",
    "is_unmuted",
]
