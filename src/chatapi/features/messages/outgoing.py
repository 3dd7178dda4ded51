"""A message that is ready to be written: validated, rendered and addressed."""

from msgspec import Struct

from chatapi.auth.caller_cache import Caller
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.cache import CachedChannel, SubscriberCount
from chatapi.channel_cache.participants import people_key
from chatapi.db.idempotency_store import IdempotencyKey
from chatapi.features.messages.events import Echo
from chatapi.rendering import RenderedMessage


class TopicTarget(Struct, frozen=True):
    """A message for a topic of a channel."""

    channel: CachedChannel
    topic: str
    may_start_topic: bool = True
    is_channel_muted: bool = False
    """Whether the sender muted the channel; sending may unmute or follow the topic for them."""
    is_name_known: bool = True
    """Whether the sender may know the channel; a bot may write where only its owner reads."""


class DirectTarget(Struct, frozen=True):
    """A direct message; the sender is among the recipients."""

    people: tuple[UserRecord, ...]
    may_start_conversation: bool = True

    @property
    def key(self) -> str:
        """The key that identifies this set of participants."""
        return people_key(person.id for person in self.people)


class OutgoingMessage(Struct, frozen=True):
    """One message with everything that can be decided before the realm is locked."""

    sender: UserRecord
    to: TopicTarget | DirectTarget
    content: str
    rendered: RenderedMessage
    client_name: str
    read_by_sender: bool
    widget: str | None = None
    """The poll, todo list or form that it is, as JSON."""
    caller: Caller | None = None
    """The caller of the request; None for notices of the service itself."""
    subscribers: SubscriberCount | None = None
    """The number of subscribers, if its wildcard mention is permitted only because of that."""
    echo: Echo | None = None
    request: IdempotencyKey | None = None
    """The idempotency key of the request, if the client sent one."""
    public_url: str = ""
    """The address of the realm, with which links to the message begin."""
    traceparent: str | None = None
    """The trace of the request, which calls of services about the message continue."""

    @property
    def is_stale(self) -> bool:
        """Whether anything changed since the message was prepared that was checked for it.

        Most messages do not depend on who is subscribed to their channel.
        """
        if self.caller is not None and self.caller.is_stale:
            return True
        if self.subscribers is not None and self.subscribers.is_stale:
            return True
        return isinstance(self.to, TopicTarget) and self.to.channel.is_stale
