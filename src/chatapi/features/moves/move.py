"""A move, as it is asked for and as it is planned."""

from dataclasses import dataclass

from chatapi.channels.records import ChannelRecord
from chatapi.core.ids import ChannelId
from chatapi.core.names import name_key
from chatapi.features.edits.params import PropagateMode
from chatapi.features.moves.scope import Scope, Thread
from chatapi.features.moves.topics import is_only_resolving
from chatapi.permissions.message_lookup import FoundMessage


@dataclass(frozen=True)
class MoveRequest:
    """Where to, and how much; None for what stays."""

    topic: str | None
    channel_id: ChannelId | None
    mode: PropagateMode
    tells_old_thread: bool
    tells_new_thread: bool


@dataclass(frozen=True)
class Move:
    """Which messages go from where to where."""

    message: FoundMessage
    source: ChannelRecord
    target: ChannelRecord
    topic: str
    scope: Scope
    thread: Thread
    there: Thread | None
    """The topic they come to, None if it has no messages yet."""
    is_whole: bool
    """Whether nothing is left where they come from."""

    @property
    def crosses_channels(self) -> bool:
        return self.source.id != self.target.id

    @property
    def is_renaming(self) -> bool:
        """Whether the topic itself can take the new name, and its messages with it."""
        is_free = self.there is None or self.there.id == self.thread.id
        return self.is_whole and not self.crosses_channels and is_free

    @property
    def is_respelling(self) -> bool:
        """Whether the topic stays the same, but for its letters."""
        return not self.crosses_channels and name_key(self.topic) == name_key(self.thread.topic)

    @property
    def is_resolving(self) -> bool:
        """Whether the topic is only marked as done, or as open again."""
        return not self.crosses_channels and is_only_resolving(self.thread.topic, self.topic)
