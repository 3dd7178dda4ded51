"""Events about custom emoji."""

from typing import ClassVar

from typing_extensions import TypedDict, override

from chatapi.events.client import ClientView
from chatapi.events.event import Event
from chatapi.features.emoji.payloads import EmojiPayload


def _knows_single_changes(view: ClientView) -> bool:
    return "individual_emoji_changes" in view.profile.capabilities


class EmojiChangePayload(TypedDict):
    """The properties of a custom emoji that changed."""

    deactivated: bool
    """Whether it can no longer be used in new messages and reactions."""


class RealmEmojiAdded(Event):
    """A custom emoji was added; for clients with the capability `individual_emoji_changes`."""

    type = "realm_emoji"
    op: ClassVar = "add"

    emoji: EmojiPayload
    """The new emoji."""

    @override
    def is_for(self, view: ClientView) -> bool:
        return super().is_for(view) and _knows_single_changes(view)


class RealmEmojiUpdated(Event):
    """A custom emoji was removed; for clients with the capability `individual_emoji_changes`."""

    type = "realm_emoji"
    op: ClassVar = "update_one"

    emoji_id: str
    """The custom emoji that changed; a number as text, as in reactions."""
    data: EmojiChangePayload
    """Only what changed."""

    @override
    def is_for(self, view: ClientView) -> bool:
        return super().is_for(view) and _knows_single_changes(view)


class RealmEmojiChanged(Event):
    """A custom emoji was added or removed; for clients without that capability."""

    type = "realm_emoji"
    op: ClassVar = "update"

    realm_emoji: dict[str, EmojiPayload]
    """All custom emoji, by id."""

    @override
    def is_for(self, view: ClientView) -> bool:
        return super().is_for(view) and not _knows_single_changes(view)
