"""A move, as requested and as planned."""

from msgspec import Struct

from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import ChannelId, MessageId, UserId
from chatapi.core.names import name_key
from chatapi.features.messages.move.propagation import PropagateMode
from chatapi.features.messages.move.selection import MessageSelection, TopicRecord
from chatapi.features.messages.move.topics import is_only_resolving


class MoveRequest(Struct, frozen=True):
    """The target and the extent of a move; None for what stays unchanged."""

    topic: str | None
    channel_id: ChannelId | None
    mode: PropagateMode
    notifies_old_topic: bool
    notifies_new_topic: bool


class Move(Struct, frozen=True):
    """Which messages are moved from where to where."""

    message_id: MessageId | None
    """The message that the request named; None after the request."""
    mover_id: UserId
    mode: str
    source: ChannelRecord
    target: ChannelRecord
    topic: str
    selection: MessageSelection
    source_topic: TopicRecord
    target_topic: TopicRecord | None
    """The target topic, None if it has no messages yet."""
    is_whole: bool
    """Whether no message is left in the source topic."""

    @property
    def crosses_channels(self) -> bool:
        return self.source.id != self.target.id

    @property
    def is_renaming(self) -> bool:
        """Whether the topic row itself can be renamed, and its messages with it."""
        is_free = self.target_topic is None or self.target_topic.id == self.source_topic.id
        return self.is_whole and not self.crosses_channels and is_free

    @property
    def is_respelling(self) -> bool:
        """Whether the topic stays the same except for the case of its letters."""
        return not self.crosses_channels and name_key(self.topic) == name_key(
            self.source_topic.topic
        )

    @property
    def is_resolving(self) -> bool:
        """Whether the topic is only marked as resolved, or as unresolved again."""
        return not self.crosses_channels and is_only_resolving(self.source_topic.topic, self.topic)
