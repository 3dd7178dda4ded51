"""What there is to know about a message, and what one reader is shown of it."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from chatapi.auth.people import UserRecord
from chatapi.auth.realms import RealmRecord
from chatapi.core.ids import ChannelId, ConversationId, MessageId, UserId
from chatapi.core.roles import EmailVisibility, Role
from chatapi.features.messages.payloads import (
    MessagePayload,
    RecipientPayload,
    TopicLinkPayload,
)
from chatapi.features.users.rules import avatar_url
from chatapi.wire.topics import show_topic

_UNKNOWN_NAME = "Unknown user"
_UNKNOWN_AVATAR_VERSION = 1


@dataclass(frozen=True)
class SenderFacts:
    """A sender as messages show them."""

    id: UserId
    full_name: str
    email: str
    """The API email."""
    delivery_email: str
    email_visibility: EmailVisibility
    is_bot: bool
    avatar_version: int
    made_up_email: str = ""
    """For readers who may not see the sender."""
    is_system_bot: bool = False

    @classmethod
    def of(cls, user: UserRecord, realm: RealmRecord, root_domain: str) -> "SenderFacts":
        return cls(
            id=user.id,
            full_name=user.full_name,
            email=user.api_email(realm, root_domain),
            delivery_email=user.delivery_email,
            email_visibility=user.email_visibility,
            is_bot=user.is_bot,
            avatar_version=user.avatar_version,
            made_up_email=user.made_up_email(realm, root_domain),
            is_system_bot=user.is_system_bot,
        )

    def unknown(self) -> "SenderFacts":
        """The sender as messages show them to readers for whom they do not exist."""
        return replace(
            self,
            full_name=_UNKNOWN_NAME,
            email=self.made_up_email,
            delivery_email=self.made_up_email,
            email_visibility=EmailVisibility.NOBODY,
            is_bot=False,
            avatar_version=_UNKNOWN_AVATAR_VERSION,
        )

    def shows_email_to(self, reader_id: UserId | None, role: Role | None) -> bool:
        return self.is_bot or reader_id == self.id or self.email_visibility.shows_to(role)


@dataclass(frozen=True)
class MessageFacts:
    """A message with its sender and its place; the same for every reader."""

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    channel_name: str
    """Empty for direct messages."""
    topic: str
    people: tuple[RecipientPayload, ...]
    """Everybody in a direct message, the sender included; empty in channels."""
    sender: SenderFacts
    realm_subdomain: str
    content: str
    rendered_content: str
    timestamp: int
    client: str
    is_me_message: bool
    topic_links: tuple[TopicLinkPayload, ...] = ()


class MessageForm(NamedTuple):
    """What the look of a message depends on; equal forms look the same.

    A tuple, since it is made and compared for every reader of every message.
    """

    apply_markdown: bool
    allow_empty_topic: bool
    shows_email: bool
    client_gravatar: bool
    hides_sender: bool = False
    """Whether the sender does not exist for the reader."""


def message_payload(facts: MessageFacts, form: MessageForm) -> MessagePayload:
    """A message as a reader of this form sees it."""
    sender = facts.sender.unknown() if form.hides_sender else facts.sender
    payload: MessagePayload = {
        "id": facts.id,
        "sender_id": sender.id,
        "sender_email": sender.email,
        "sender_full_name": sender.full_name,
        "sender_realm_str": facts.realm_subdomain,
        "avatar_url": avatar_url(
            sender.delivery_email if form.shows_email else sender.email,
            sender.avatar_version,
            client_computes=form.client_gravatar and form.shows_email,
        ),
        "client": facts.client,
        "content": facts.rendered_content if form.apply_markdown else facts.content,
        "content_type": "text/html" if form.apply_markdown else "text/x-markdown",
        "display_recipient": facts.channel_name,
        "is_me_message": facts.is_me_message,
        "reactions": [],
        "recipient_id": _recipient_id(facts),
        "subject": "",
        "submessages": [],
        "timestamp": facts.timestamp,
        "topic_links": list(facts.topic_links),
        "type": "stream",
    }
    if facts.channel_id is None:
        payload["type"] = "private"
        payload["display_recipient"] = list(facts.people)
    else:
        payload["stream_id"] = facts.channel_id
        payload["subject"] = show_topic(facts.topic, allow_empty=form.allow_empty_topic)
    return payload


def person_payload(user: UserRecord, realm: RealmRecord, root_domain: str) -> RecipientPayload:
    """A participant of a direct message; all participants exist for each other."""
    return {
        "id": user.id,
        "email": user.api_email(realm, root_domain),
        "full_name": user.full_name,
        "is_mirror_dummy": False,
    }


def _recipient_id(facts: MessageFacts) -> int:
    """One number for each channel and each set of people: even and odd ones never meet."""
    if facts.channel_id is not None:
        return 2 * facts.channel_id
    return 2 * facts.conversation_id + 1
