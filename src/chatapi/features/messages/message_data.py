"""A message's data, independent of the reader, and its payload for one reader."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from msgspec import Struct

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord
from chatapi.core.ids import ChannelId, ConversationId, MessageId, UserId
from chatapi.core.roles import EmailVisibility, Role
from chatapi.features.messages.payloads import (
    MessagePayload,
    MessagePlacePayload,
    MessageSenderPayload,
    RecipientPayload,
    SubmessagePayload,
    TopicLinkPayload,
)
from chatapi.features.users import UNKNOWN_USER, Avatar, DefaultAvatar, avatar_url
from chatapi.wire.topics import show_topic

_UNKNOWN_AVATAR_VERSION = 1


# These two are part of the event `MessageSent`, which Pydantic reads from the log; it knows no
# structs. They are not frozen, since one of each is built for every message of a page, and building
# a frozen dataclass takes several times as long. Treat them as immutable.


@dataclass(slots=True)
class SenderData:
    """A sender as shown in messages."""

    id: UserId
    full_name: str
    email: str
    """The API email."""
    delivery_email: str
    email_visibility: EmailVisibility
    is_bot: bool
    avatar_version: int
    made_up_email: str = ""
    """For readers who may not see the sender's user."""
    is_system_bot: bool = False
    avatar_path: str | None = None
    default_avatar: DefaultAvatar = "G"

    @classmethod
    def of(cls, user: UserRecord, realm: RealmRecord, root_domain: str) -> "SenderData":
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
            avatar_path=user.avatar_path,
            default_avatar=realm.options.default_avatar_source,
        )

    def with_email(self, email: str) -> "SenderData":
        return replace(self, email=email)

    def unknown(self) -> "SenderData":
        """The sender as shown to readers who may not see the user."""
        return replace(
            self,
            full_name=UNKNOWN_USER,
            email=self.made_up_email,
            delivery_email=self.made_up_email,
            email_visibility=EmailVisibility.NOBODY,
            is_bot=False,
            avatar_version=_UNKNOWN_AVATAR_VERSION,
            avatar_path=None,
        )

    @property
    def avatar(self) -> Avatar:
        return Avatar(
            self.id, self.full_name, self.avatar_version, self.avatar_path, self.default_avatar
        )

    def shows_email_to(self, reader_id: UserId | None, role: Role | None) -> bool:
        return self.is_bot or reader_id == self.id or self.email_visibility.shows_to(role)


@dataclass(slots=True)
class MessageData:
    """A message with its sender and conversation; the same for every reader."""

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    channel_name: str
    """Empty for direct messages."""
    topic: str
    people: tuple[RecipientPayload, ...]
    """All participants of a direct message, the sender included; empty in channels."""
    sender: SenderData
    realm_subdomain: str
    content: str
    rendered_content: str
    timestamp: int
    client: str
    is_me_message: bool
    topic_links: tuple[TopicLinkPayload, ...] = ()
    submessages: tuple[SubmessagePayload, ...] = ()

    def with_submessages(self, submessages: tuple[SubmessagePayload, ...]) -> "MessageData":
        return replace(self, submessages=submessages)


class MessagePlace(Struct, frozen=True):
    """Where messages of one conversation are."""

    conversation_id: ConversationId
    channel_id: ChannelId | None
    channel_name: str
    topic: str
    people: tuple[RecipientPayload, ...]
    topic_links: tuple[TopicLinkPayload, ...]


class RenderOptions(NamedTuple):
    """The options on which the payload depends; equal options give equal payloads.

    A tuple for speed, since it is built and compared for every reader of every message.
    """

    apply_markdown: bool
    allow_empty_topic: bool
    shows_email: bool
    client_gravatar: bool
    hides_sender: bool = False
    """Whether the reader may not see the sender's user."""


def message_payload(data: MessageData, options: RenderOptions) -> MessagePayload:
    """The payload of a message for these options."""
    return {
        "id": data.id,
        **sender_payload(data.sender, data.realm_subdomain, options),
        "client": data.client,
        "content": data.rendered_content if options.apply_markdown else data.content,
        "content_type": content_type(apply_markdown=options.apply_markdown),
        "is_me_message": data.is_me_message,
        "reactions": [],
        "submessages": list(data.submessages),
        "timestamp": data.timestamp,
        **place_payload(data, allow_empty_topic=options.allow_empty_topic),
    }


def content_type(*, apply_markdown: bool) -> str:
    """The form of a text that a client asked for."""
    return "text/html" if apply_markdown else "text/x-markdown"


def sender_payload(
    sender: SenderData, realm_subdomain: str, options: RenderOptions
) -> MessageSenderPayload:
    """The sender of messages as a reader sees them."""
    if options.hides_sender:
        sender = sender.unknown()
    return {
        "sender_id": sender.id,
        "sender_email": sender.email,
        "sender_full_name": sender.full_name,
        "sender_realm_str": realm_subdomain,
        "avatar_url": _avatar_url(sender, options),
    }


def place_payload(
    place: MessageData | MessagePlace, *, allow_empty_topic: bool
) -> MessagePlacePayload:
    """The place of messages: the same for all messages of a conversation."""
    if place.channel_id is None:
        return {
            "display_recipient": list(place.people),
            "recipient_id": 2 * place.conversation_id + 1,
            "subject": "",
            "topic_links": list(place.topic_links),
            "type": "private",
        }
    return {
        "display_recipient": place.channel_name,
        # One number for each channel and each direct conversation: the latter ones are odd.
        "recipient_id": 2 * place.channel_id,
        "stream_id": place.channel_id,
        "subject": show_topic(place.topic, allow_empty=allow_empty_topic),
        "topic_links": list(place.topic_links),
        "type": "stream",
    }


def _avatar_url(sender: SenderData, options: RenderOptions) -> str | None:
    computes = options.client_gravatar and options.shows_email
    if computes and sender.avatar_path is None and sender.default_avatar == "G":
        # Most messages for most clients: nothing has to be built.
        return None
    email = sender.delivery_email if options.shows_email else sender.email
    return avatar_url(sender.avatar, email, client_computes=computes)


def person_payload(user: UserRecord, realm: RealmRecord, root_domain: str) -> RecipientPayload:
    """A participant of a direct message; all participants can see each other."""
    return {
        "id": user.id,
        "email": user.api_email(realm, root_domain),
        "full_name": user.full_name,
        "is_mirror_dummy": False,
    }
