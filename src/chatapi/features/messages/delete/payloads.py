"""Payloads about deleted messages."""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

MessageType: TypeAlias = Literal["private", "stream"]


class DeletedTopicPayload(TypedDict):
    """Whether deleting a topic is complete."""

    complete: bool
    """False: there are more messages than one request can delete; call again."""


class DeletedMessagesPayload(TypedDict):
    """Messages of one topic, or of one direct conversation, that are gone."""

    message_ids: NotRequired[list[int]]
    """For clients with the capability `bulk_message_deletion`."""
    message_id: NotRequired[int]
    """For other clients, which receive an event for each message."""
    message_type: MessageType
    stream_id: NotRequired[int]
    topic: NotRequired[str]
