"""The event that a message was sent."""

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Annotated, Any, ClassVar, NotRequired

from pydantic import AliasChoices, Field
from typing_extensions import TypedDict, override

from chatapi.core.ids import ChannelId, MessageId, QueueId, UserId
from chatapi.events.cache_tags import (
    NO_CACHE_TAGS,
    CacheTag,
    NewChannelMessageTag,
    NewMessageTag,
    SentMessageTag,
)
from chatapi.events.client import ClientView
from chatapi.events.event import ServerOnly
from chatapi.features.messages.mention_event import MentionEvent
from chatapi.features.messages.message_data import MessageData, RenderOptions, message_payload
from chatapi.features.messages.payloads import MessagePayload
from chatapi.narrow import is_in_narrow


class Echo(TypedDict):
    """The event queue of the client that sent the message, and the client's local id for it."""

    queue_id: QueueId
    local_id: str


class MessageEventPayload(TypedDict):
    """The payload that a client receives."""

    message: MessagePayload
    """The message in the form that the queue asked for, without flags."""
    flags: list[str]
    """The reader's flags of the message: `read`, `mentioned`, `has_alert_word` and the like."""
    local_message_id: NotRequired[str]
    """Only in the queue that was passed when sending: the sender's `local_id`, so that the client
    recognizes its own message."""
    local_id: NotRequired[str]
    """The same as `local_message_id`."""


class MessageSent(MentionEvent):
    """A message was sent."""

    type = "message"
    cache_tags: ClassVar = NO_CACHE_TAGS
    shape: ClassVar = MessageEventPayload

    data: Annotated[MessageData, ServerOnly()] = Field(
        validation_alias=AliasChoices("data", "facts")
    )
    read_by_sender: Annotated[bool, ServerOnly()]
    muted_sender_users: Annotated[frozenset[UserId], ServerOnly()] = Field(
        default=frozenset(), validation_alias=AliasChoices("muted_sender_users", "unheeding_users")
    )
    """Users for whom it is read already, since they muted its sender."""
    echo: Annotated[Echo | None, ServerOnly()] = None

    @property
    def message_id(self) -> MessageId:
        return self.data.id

    @property
    def channel_id(self) -> ChannelId | None:
        return self.data.channel_id

    @property
    def topic(self) -> str:
        return self.data.topic

    @property
    def sender_id(self) -> UserId:
        return self.data.sender.id

    @property
    def people_ids(self) -> frozenset[UserId]:
        return frozenset(UserId(person["id"]) for person in self.data.people)

    def flags_for(self, view: ClientView) -> tuple[str, ...]:
        return self._flags(view)

    @override
    def is_for(self, view: ClientView) -> bool:
        return super().is_for(view) and is_in_narrow(view.profile.narrow, self, view)

    @override
    def quoted_message(self) -> MessageId:
        return self.data.id

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield SentMessageTag(self.data.id)
        if self.data.channel_id is not None:
            yield NewMessageTag(self.data.conversation_id)
            yield NewChannelMessageTag(self.data.channel_id)

    @override
    def variant(self, view: ClientView) -> Hashable:
        if (
            view.sees_all_users
            and not self.mentioned_groups
            and view.user_id not in self._involved_users
        ):
            # Most readers.
            return view.profile.message_form, view.role
        return self._render_options(view), self._flags(view), self._local_id(view)

    @cached_property
    def _involved_users(self) -> frozenset[UserId]:
        """Users who may have flags of their own, or an echo."""
        return self.mentioned_users.union(
            (self.data.sender.id,),
            self.muted_sender_users,
            self.alerted_users,
            self.topic_participants or (),
        )

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        body: dict[str, Any] = {
            "message": message_payload(self.data, self._render_options(view)),
            "flags": list(self._flags(view)),
        }
        local_id = self._local_id(view)
        if local_id is not None:
            body["local_message_id"] = body["local_id"] = local_id
        return body

    def _render_options(self, view: ClientView) -> RenderOptions:
        profile = view.profile
        hides_sender = not view.sees_all_users and self._hides_sender(view)
        return RenderOptions(
            apply_markdown=profile.apply_markdown,
            allow_empty_topic="empty_topic_name" in profile.capabilities,
            shows_email=not hides_sender
            and self.data.sender.shows_email_to(view.user_id, view.role),
            client_gravatar=profile.client_gravatar,
            hides_sender=hides_sender,
        )

    def _hides_sender(self, view: ClientView) -> bool:
        """The sender of a direct message becomes visible to its recipients."""
        is_known = self.data.channel_id is None or self.data.sender.is_system_bot
        return not (is_known or view.sees_user(self.data.sender.id))

    def _flags(self, view: ClientView) -> tuple[str, ...]:
        flags = []
        if view.user_id in self.muted_sender_users or (
            self.read_by_sender and view.user_id == self.data.sender.id
        ):
            flags.append("read")
        return (*flags, *self.mention_flags(view))

    def _local_id(self, view: ClientView) -> str | None:
        if self.echo is None or self.echo["queue_id"] != view.queue_id:
            return None
        if view.user_id != self.data.sender.id:
            # A client can set the local id only in queues of its own user.
            return None
        return self.echo["local_id"]
