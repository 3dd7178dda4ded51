"""Rules for messages, and which clients mark the sender's own messages as read; pure."""

from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.wire.realm_settings import RealmSettings

MANY = 15
"""Mentioning more users than this at once needs a permission."""

_READING_CLIENTS = frozenset(
    {
        "zulipandroid",
        "zulipios",
        "zulipdesktop",
        "zulipmobile",
        "zulipelectron",
        "zulipflutter",
        "zulipterminal",
        "zulip-terminal",
        "snipe",
        "website",
        "ios",
        "android",
    }
)
"""Interactive clients: messages sent from them are read by their sender."""


def check_content(content: str) -> str:
    """The content without trailing whitespace; refused if it is empty."""
    content = content.rstrip()
    if not content.strip():
        raise BadRequestError("content: Message must not be empty")
    return content


def check_topic(topic: str | None, channel: ChannelRecord, options: RealmSettings) -> str:
    """The topic of a message, checked against the channel's topic policy."""
    policy = channel.topics_policy
    if policy == "empty_topic_only":
        if topic:
            raise BadRequestError("topic: Only the empty topic is allowed in this channel.")
        return ""
    if topic is None:
        raise BadRequestError("Missing 'topic' argument")
    if not topic and _needs_topic(policy, options):
        raise BadRequestError("topic: Topics are required in this channel.")
    return topic


def _needs_topic(policy: str, options: RealmSettings) -> bool:
    if policy == "inherit":
        return options.topics_policy == "disable_empty_topic"
    return policy == "disable_empty_topic"


def is_read_by_sender(client_name: str) -> bool:
    """Whether messages sent from a client count as read by their sender."""
    name = client_name.lower()
    return name in _READING_CLIENTS or "desktop app" in name
