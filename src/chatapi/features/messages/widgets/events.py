"""Events about widgets."""

from collections.abc import Iterable
from typing import ClassVar

from typing_extensions import override

from chatapi.core.ids import MessageId, UserId
from chatapi.events.cache_tags import NO_CACHE_TAGS, CacheTag, MessageTag
from chatapi.events.event import Event


class SubmessageAdded(Event):
    """A user did something with the widget of a message, such as voting."""

    type = "submessage"
    cache_tags: ClassVar = NO_CACHE_TAGS

    message_id: MessageId
    """The message that the widget belongs to."""
    submessage_id: int
    """Grows with each change of the widget."""
    sender_id: UserId
    """The user who did it."""
    msg_type: str
    """Always `widget`."""
    content: str
    """What was done, as JSON: a vote, a further option, a struck task and so on."""

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield MessageTag(self.message_id)

    @override
    def quoted_message(self) -> MessageId:
        return self.message_id
