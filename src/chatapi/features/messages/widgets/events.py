"""Events about widgets."""

from typing import ClassVar

from typing_extensions import override

from chatapi.core.ids import MessageId, UserId
from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.event import Event


class SubmessageAdded(Event):
    """A user did something with the widget of a message, such as voting."""

    type = "submessage"
    cache_tags: ClassVar = NO_CACHE_TAGS

    message_id: MessageId
    submessage_id: int
    sender_id: UserId
    msg_type: str
    content: str

    @override
    def quoted_message(self) -> MessageId:
        return self.message_id
