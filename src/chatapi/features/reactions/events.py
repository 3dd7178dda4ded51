"""Events about reactions."""

from typing import ClassVar

from typing_extensions import TypedDict

from chatapi.core.ids import MessageId, UserId
from chatapi.events.event import Event


class ReactingUserPayload(TypedDict):
    """Who reacted, for clients that do not know `user_id`."""

    user_id: int
    email: str
    full_name: str


class ReactionChanged(Event):
    """What both events have in common."""

    changes_shared_state: ClassVar = False

    message_id: MessageId
    emoji_name: str
    emoji_code: str
    reaction_type: str
    user_id: UserId
    user: ReactingUserPayload


class ReactionAdded(ReactionChanged):
    """Somebody put an emoji under a message."""

    type = "reaction"
    op: ClassVar = "add"


class ReactionRemoved(ReactionChanged):
    """Somebody took an emoji back."""

    type = "reaction"
    op: ClassVar = "remove"
