"""All tables, grouped in modules; importing this package fills the metadata."""

from chatapi.db.base import Base
from chatapi.db.models.audit import AuditLogEntry
from chatapi.db.models.bot import BotService, BotStorageEntry, OutgoingWebhookCall
from chatapi.db.models.channel import Channel, Subscription, SubscriptionPeriodRow, UserTopic
from chatapi.db.models.default_channel_group import DefaultChannelGroup, DefaultChannelGroupEntry
from chatapi.db.models.deployment import Deployment
from chatapi.db.models.device import Device, PushToken
from chatapi.db.models.edit import MessageEdit
from chatapi.db.models.event import Epoch, EpochStart, EventQueueRow, EventRow, RealmClock
from chatapi.db.models.folder import ChannelFolder
from chatapi.db.models.group import GroupMember, GroupSubgroup, UserGroup
from chatapi.db.models.idempotency import StoredResponseRow
from chatapi.db.models.linkifier import Linkifier
from chatapi.db.models.message import (
    Conversation,
    ConversationMember,
    ConversationReadPosition,
    GlobalReadPosition,
    GroupMention,
    Mention,
    Message,
    MessageFlag,
    ReadException,
)
from chatapi.db.models.organization import Playground, RealmDomain
from chatapi.db.models.pending_move import PendingMove
from chatapi.db.models.personal import Draft, NavigationView, SavedSnippet
from chatapi.db.models.presence import Presence, PresenceClock, UserStatus
from chatapi.db.models.profile import ProfileField, ProfileValue
from chatapi.db.models.reaction import Reaction, RealmEmoji
from chatapi.db.models.realm import Realm
from chatapi.db.models.recipient_preferences import AlertWord, MutedUser
from chatapi.db.models.schedule import ScheduledMessage
from chatapi.db.models.upload import Attachment, AttachmentImage, AttachmentMessage
from chatapi.db.models.user import ApiKey, User
from chatapi.db.models.widget import Submessage

__all__ = [
    "AlertWord",
    "ApiKey",
    "Attachment",
    "AttachmentImage",
    "AttachmentMessage",
    "AuditLogEntry",
    "BotService",
    "BotStorageEntry",
    "Channel",
    "ChannelFolder",
    "Conversation",
    "ConversationMember",
    "ConversationReadPosition",
    "DefaultChannelGroup",
    "DefaultChannelGroupEntry",
    "Deployment",
    "Device",
    "Draft",
    "Epoch",
    "EpochStart",
    "EventQueueRow",
    "EventRow",
    "GlobalReadPosition",
    "GroupMember",
    "GroupMention",
    "GroupSubgroup",
    "Linkifier",
    "Mention",
    "Message",
    "MessageEdit",
    "MessageFlag",
    "MutedUser",
    "NavigationView",
    "OutgoingWebhookCall",
    "PendingMove",
    "Playground",
    "Presence",
    "PresenceClock",
    "ProfileField",
    "ProfileValue",
    "PushToken",
    "Reaction",
    "ReadException",
    "Realm",
    "RealmClock",
    "RealmDomain",
    "RealmEmoji",
    "SavedSnippet",
    "ScheduledMessage",
    "StoredResponseRow",
    "Submessage",
    "Subscription",
    "SubscriptionPeriodRow",
    "User",
    "UserGroup",
    "UserStatus",
    "UserTopic",
    "metadata",
]

metadata = Base.metadata
