"""Payloads about deleted messages."""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

MessageType: TypeAlias = Literal["private", "stream"]


class DeletedTopicPayload(TypedDict):
    """Whether deleting a topic is complete."""

    complete: bool
    """False if there are more messages than one request can delete: call again until it is true."""


class DeletedMessagesPayload(TypedDict):
    """Messages of one topic, or of one direct conversation, that are gone."""

    message_ids: NotRequired[list[int]]
    """The messages that are gone; for clients with the capability `bulk_message_deletion`."""
    message_id: NotRequired[int]
    """The message that is gone; for other clients, which receive one event for each message."""
    message_type: MessageType
    """Whether they were in a channel (`stream`) or a direct conversation (`private`)."""
    stream_id: NotRequired[int]
    """The channel they were in; absent for direct messages."""
    topic: NotRequired[str]
    """The topic they were in; absent for direct messages."""
