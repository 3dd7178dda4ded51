"""Events about custom emoji."""

from typing import ClassVar

from chatapi.events.event import Event
from chatapi.features.emoji.payloads import EmojiPayload


class RealmEmojiChanged(Event):
    """A custom emoji was added or removed."""

    type = "realm_emoji"
    op: ClassVar = "update"

    realm_emoji: dict[str, EmojiPayload]
    """All custom emoji, by id."""
