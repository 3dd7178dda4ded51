"""Payloads of messages (SPEC 2.1, wire facts)."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class RecipientPayload(TypedDict):
    """A participant of a direct message."""

    id: int
    """The id of the participant."""
    email: str
    """Their API email, as in `GET /users`."""
    full_name: str
    """Their name when the message was read."""
    is_mirror_dummy: bool
    """Whether the account exists only as a copy from elsewhere. Always false here."""


class ReactionPayload(TypedDict):
    """A user's emoji reaction to a message."""

    emoji_name: str
    """The name of the emoji, without colons."""
    emoji_code: str
    """What identifies the emoji: its code points in hexadecimal for a Unicode emoji, its id for a
    custom one."""
    reaction_type: str
    """What kind of emoji it is: `unicode_emoji`, `realm_emoji` (a custom one) or
    `zulip_extra_emoji`."""
    user_id: int
    """The user who reacted."""


class TopicLinkPayload(TypedDict):
    """A link in a topic."""

    text: str
    """The part of the topic that is a link."""
    url: str
    """Where it leads."""


class SubmessagePayload(TypedDict):
    """Data of a widget below a message."""

    id: int
    """Grows with each change of the widget."""
    message_id: int
    """The message that the widget belongs to."""
    sender_id: int
    """The user who did it; for the first one, the author of the message."""
    msg_type: str
    """Always `widget`."""
    content: str
    """What was done, as JSON; the first one says what the widget is."""


class MessageSenderPayload(TypedDict):
    """The sender of a message as shown to one reader."""

    sender_id: int
    """The user who sent it."""
    sender_email: str
    """The API email of the sender, as in `GET /users`."""
    sender_full_name: str
    """The name of the sender; `Unknown user` for guests who may not see them."""
    sender_realm_str: str
    """The subdomain of the sender's organization; empty at the root domain."""
    avatar_url: str | None
    """The picture of the sender; null if the client computes the address of a Gravatar picture
    itself."""


class MessagePlacePayload(TypedDict):
    """The channel and topic of a message, or the participants of a direct message."""

    display_recipient: str | list[RecipientPayload]
    """The name of the channel, or, for direct messages, all participants, the reader included."""
    recipient_id: int
    """Names the conversation or channel; equal for messages of the same one. Of little use to
    clients."""
    stream_id: NotRequired[int]
    """The channel; absent for direct messages."""
    subject: str
    """The topic; empty for direct messages, and for the empty topic if the client understands it.
    """
    topic_links: list[TopicLinkPayload]
    """Links that linkifiers and addresses make in the topic."""
    type: Literal["stream", "private"]
    """Whether it is in a channel (`stream`) or a direct message (`private`)."""


class MessageContentPayload(TypedDict):
    """What a message says; the same for all readers whose clients ask for the same form."""

    id: int
    """Grows with every message of the server; messages are ordered by it."""
    client: str
    """The program that sent it, by its `User-Agent`."""
    content: str
    """The text, as HTML or Markdown, as the client asked for."""
    content_type: str
    """The form of `content`: `text/html` or `text/x-markdown`."""
    is_me_message: bool
    """Whether the text begins with `/me` and is shown as an action of the sender."""
    reactions: list[ReactionPayload]
    """Emoji reactions, in the order in which they were added."""
    submessages: list[SubmessagePayload]
    """Data of a poll, todo list or form below the message, in order."""
    timestamp: UnixSeconds
    """When it was sent, in Unix seconds."""


class MessagePayload(MessageSenderPayload, MessagePlacePayload, MessageContentPayload):
    """One message as shown to one reader."""


class SentPayload(TypedDict):
    """The id of a new message, and where clients show it."""

    id: int
    """The id of the new message."""
    message_url: str
    """Where clients show the message: an address on this server."""
    message_link: str
    """The same as a Markdown link with a description."""
    automatic_new_visibility_policy: NotRequired[int]
    """Your new policy for the topic, if sending changed it: 2 for unmuted, 3 for followed."""
