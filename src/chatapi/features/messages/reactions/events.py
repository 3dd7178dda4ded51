"""Events about reactions."""

from collections.abc import Hashable, Iterable
from typing import Annotated, Any, ClassVar

from typing_extensions import TypedDict, override

from chatapi.core.ids import MessageId, UserId
from chatapi.events.cache_tags import NO_CACHE_TAGS, CacheTag, MessageTag
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly


class ReactingUserPayload(TypedDict):
    """The user who reacted, for clients that do not know `user_id`."""

    user_id: int
    """The user who reacted."""
    email: str
    """Their API email."""
    full_name: str
    """Their name; `Unknown user` for readers who may not see them."""


class ReactionChanged(Event):
    """Common fields of both events."""

    cache_tags: ClassVar = NO_CACHE_TAGS

    message_id: MessageId
    """The message that has one reaction more, or less."""
    emoji_name: str
    """The name of the emoji, without colons."""
    emoji_code: str
    """What identifies the emoji: its code points in hexadecimal for a Unicode emoji, its id for a
    custom one."""
    reaction_type: str
    """What kind of emoji it is: `unicode_emoji`, `realm_emoji` (a custom one) or
    `zulip_extra_emoji`."""
    user_id: UserId
    """The user who reacted, or took the reaction back."""
    user: ReactingUserPayload
    """The same user, for older clients."""
    unknown_user: Annotated[ReactingUserPayload | None, ServerOnly()] = None
    """The same for readers who may not see the user."""

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield MessageTag(self.message_id)

    @override
    def variant(self, view: ClientView) -> Hashable:
        return view.sees_user(self.user_id)

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        body = super().body(view)
        if not view.sees_user(self.user_id):
            body["user"] = self.unknown_user
        return body


class ReactionAdded(ReactionChanged):
    """A user added a reaction to a message."""

    type = "reaction"
    op: ClassVar = "add"


class ReactionRemoved(ReactionChanged):
    """A user removed a reaction from a message."""

    type = "reaction"
    op: ClassVar = "remove"
