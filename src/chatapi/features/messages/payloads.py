"""Payloads of messages (SPEC 2.1, wire facts)."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class RecipientPayload(TypedDict):
    """A participant of a direct message."""

    id: int
    email: str
    full_name: str
    is_mirror_dummy: bool


class ReactionPayload(TypedDict):
    """A user's emoji reaction to a message."""

    emoji_name: str
    emoji_code: str
    reaction_type: str
    user_id: int


class TopicLinkPayload(TypedDict):
    """A link in a topic."""

    text: str
    url: str


class SubmessagePayload(TypedDict):
    """Data of a widget below a message."""

    id: int
    message_id: int
    sender_id: int
    msg_type: str
    content: str


class MessagePayload(TypedDict):
    """One message as shown to one reader."""

    id: int
    sender_id: int
    sender_email: str
    sender_full_name: str
    sender_realm_str: str
    avatar_url: str | None
    client: str
    content: str
    content_type: str
    display_recipient: str | list[RecipientPayload]
    is_me_message: bool
    reactions: list[ReactionPayload]
    recipient_id: int
    stream_id: NotRequired[int]
    subject: str
    submessages: list[SubmessagePayload]
    timestamp: UnixSeconds
    topic_links: list[TopicLinkPayload]
    type: Literal["stream", "private"]


class SentPayload(TypedDict):
    """The id of a new message, and where clients show it."""

    id: int
    message_url: str
    message_link: str
    """The same as a Markdown link with a description."""
    automatic_new_visibility_policy: NotRequired[int]
    """Only present when sending changed the sender's visibility policy for the topic."""
