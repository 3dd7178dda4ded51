"""Channels as frozen records."""

from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from chatapi.core.ids import ChannelFolderId, ChannelId, MessageId, RealmId, UserId
from chatapi.db.models import Channel
from chatapi.db.records import RecordReader
from chatapi.wire.group_values import GroupSettingPayload


class ChannelRecord(Struct, frozen=True):
    """A row of the channel table, without the number of subscribers, which changes too often."""

    id: ChannelId
    realm_id: RealmId
    name: str
    description: str
    rendered_description: str
    date_created: datetime
    creator_id: UserId | None
    invite_only: bool
    is_web_public: bool
    history_public_to_subscribers: bool
    message_retention_days: int | None
    topics_policy: str
    default_push_notifications: bool
    is_default: bool
    is_archived: bool
    settings: dict[str, GroupSettingPayload]
    folder_id: ChannelFolderId | None

    @property
    def is_public(self) -> bool:
        """Whether all members of the realm may read it."""
        return not self.invite_only

    @property
    def has_protected_history(self) -> bool:
        """Whether subscribers see only what was sent while they were subscribed."""
        return not self.history_public_to_subscribers


class ChannelSummary(NamedTuple):
    """A channel with its number of subscribers and data derived from its messages."""

    channel: ChannelRecord
    subscriber_count: int
    first_message_id: MessageId | None
    last_sent_at: datetime | None


channel_records = RecordReader(ChannelRecord, Channel)
