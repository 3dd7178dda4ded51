"""What clients are told of deleted messages."""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

MessageType: TypeAlias = Literal["private", "stream"]


class DeletedTopicPayload(TypedDict):
    """How far deleting a topic has come."""

    complete: bool
    """False: there is more to delete than goes into one request; call again."""


class DeletedMessagesPayload(TypedDict):
    """Messages of one topic, or direct messages of the same people, that are gone."""

    message_ids: NotRequired[list[int]]
    """For clients with the capability `bulk_message_deletion`."""
    message_id: NotRequired[int]
    """For the others, who receive an event for each message."""
    message_type: MessageType
    stream_id: NotRequired[int]
    topic: NotRequired[str]
