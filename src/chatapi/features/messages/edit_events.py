"""The event that a message was edited or moved."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, NotRequired

from typing_extensions import TypedDict, override

from chatapi.core.ids import ChannelId, EventNumber, MessageId, UserId
from chatapi.core.names import name_key
from chatapi.db.session import DatabaseSession
from chatapi.events.cache_tags import (
    NO_CACHE_TAGS,
    CacheTag,
    ChannelMessagesTag,
    MessageHistoriesTag,
    MessageTag,
    MovedTopicsTag,
    TopicTag,
)
from chatapi.events.client import ClientView
from chatapi.events.event import ServerOnly
from chatapi.features.messages.mention_event import MentionEvent
from chatapi.features.messages.payloads import TopicLinkPayload
from chatapi.read_state.repository import SpanRepository
from chatapi.read_state.spans import Span
from chatapi.wire.topics import show_topic
from chatapi.wire.types import UnixSeconds

_TOPICS = ("orig_subject", "subject")
_MAX_MESSAGE_TAGS = 1_000
"""Of more messages, dropping one by one what is cached would take longer than reading it again."""


class ChangedPayload(TypedDict):
    """The payload that a client receives; contains only what changed of text and place."""

    user_id: int | None
    """The user who made the change; null if the server did."""
    rendering_only: bool
    """Whether only the HTML changed, as when a thumbnail was drawn: the message does not count as
    edited."""
    message_id: int
    """The message that was edited, or the one that was moved first."""
    message_ids: list[int]
    """All messages that were moved, `message_id` included; of a topic that was renamed, at most the
    newest 50,000. A move of several hundred messages has several events, each with a part of
    them."""
    edit_timestamp: UnixSeconds
    """When the change was made, in Unix seconds."""
    flags: list[str]
    """The reader's flags that follow from the new text: mentions and alert words."""
    content: NotRequired[str]
    """The new text, in Markdown; present if the text changed."""
    rendered_content: NotRequired[str]
    """The new text as HTML; present if the text or its HTML changed."""
    orig_content: NotRequired[str]
    """The text before the change; present if the text changed."""
    orig_rendered_content: NotRequired[str]
    """The HTML before the change; present if the text changed."""
    is_me_message: NotRequired[bool]
    """Whether the new text begins with `/me`; present if the text changed."""
    stream_id: NotRequired[int]
    """The channel that the messages were in before; absent for direct messages."""
    stream_name: NotRequired[str]
    """The name of that channel; present if messages were moved."""
    new_stream_id: NotRequired[int]
    """The channel that the messages are in now; present if they were moved to another one."""
    propagate_mode: NotRequired[str]
    """Which messages were chosen: `change_one`, `change_later` or `change_all`. Present if messages
    were moved."""
    orig_subject: NotRequired[str]
    """The topic before the move; present if messages were moved."""
    subject: NotRequired[str]
    """The topic after the move; present if messages were moved."""
    topic_links: NotRequired[list[TopicLinkPayload]]
    """Links in the new topic; present if messages were moved."""


class MessageChanged(MentionEvent):
    """The text of a message was edited, or messages were moved."""

    type = "update_message"
    cache_tags: ClassVar = NO_CACHE_TAGS
    shape: ClassVar = ChangedPayload

    user_id: UserId | None
    rendering_only: bool = False
    message_id: MessageId
    message_ids: list[MessageId]
    """All messages that were moved; of a topic that was renamed, at most the newest 50,000."""
    edit_timestamp: UnixSeconds
    content: str | None = None
    rendered_content: str | None = None
    orig_content: str | None = None
    orig_rendered_content: str | None = None
    is_me_message: bool | None = None
    stream_id: ChannelId | None = None
    stream_name: str | None = None
    new_stream_id: ChannelId | None = None
    propagate_mode: str | None = None
    orig_subject: str | None = None
    subject: str | None = None
    topic_links: tuple[TopicLinkPayload, ...] | None = None
    span: Annotated[Span | None, ServerOnly()] = None
    """A whole topic, whose messages are looked up only when a client receives the event."""
    arrivals: Annotated[Mapping[MessageId, EventNumber | None] | None, ServerOnly()] = None
    """Where history is protected: the event that moved each message there, None if it was sent
    there.
    """

    changes_wildcards: Annotated[bool, ServerOnly()] = True
    """Whether a new text mentions other wildcards; events of earlier versions do not say it."""

    @property
    @override
    def is_complete(self) -> bool:
        return self.span is None

    @override
    async def complete(self, db: DatabaseSession) -> "MessageChanged":
        if self.span is None:
            return self
        listed = await SpanRepository(db).list_newest(self.span)
        return self.model_copy(update={"message_ids": sorted(listed), "span": None})

    @override
    def quoted_message(self) -> MessageId | None:
        """An edit of a text has an event of its own, which moves no message."""
        return None if self.rendered_content is None else self.message_id

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        if self.propagate_mode is not None:
            yield from self._tags_of_move()
        if self.rendered_content is not None:
            yield MessageTag(self.message_id)
            if self.changes_wildcards and self.stream_id is not None:
                yield ChannelMessagesTag(self.stream_id)

    def _tags_of_move(self) -> Iterable[CacheTag]:
        target_id = self.stream_id if self.new_stream_id is None else self.new_stream_id
        for channel_id, topic in ((self.stream_id, self.orig_subject), (target_id, self.subject)):
            if channel_id is not None and topic is not None:
                yield MovedTopicsTag(channel_id)
                yield ChannelMessagesTag(channel_id)
                yield TopicTag(channel_id, name_key(topic))
        if self.span is not None or len(self.message_ids) > _MAX_MESSAGE_TAGS:
            yield MessageHistoriesTag()
        else:
            yield from map(MessageTag, self.message_ids)

    @override
    def is_for(self, view: ClientView) -> bool:
        return super().is_for(view) and (self.arrivals is None or bool(self._visible_ids(view)))

    @override
    def variant(self, view: ClientView) -> Hashable:
        subscription_periods = None
        if self.arrivals is not None and self.stream_id is not None:
            subscription_periods = view.membership.subscription_periods.get(self.stream_id)
        return view.profile.knows_empty_topic, tuple(self.mention_flags(view)), subscription_periods

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        body = {key: value for key, value in super().body(view).items() if value is not None}
        body["user_id"] = self.user_id
        body["flags"] = self.mention_flags(view)
        for key in _TOPICS:
            if key in body:
                body[key] = show_topic(body[key], allow_empty=view.profile.knows_empty_topic)
        if self.arrivals is not None:
            body["message_ids"] = self._visible_ids(view)
            body["message_id"] = body["message_ids"][0]
        return body

    def _visible_ids(self, view: ClientView) -> list[MessageId]:
        """The messages that the reader could see; ids of earlier ones are not revealed."""
        if self.arrivals is None or self.stream_id is None:
            return self.message_ids
        return view.membership.received_among(self.stream_id, self.arrivals)
