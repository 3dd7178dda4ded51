"""Payloads of custom emoji."""

from typing_extensions import TypedDict

from chatapi.features.emoji.repository import EmojiRecord

PREFIX = "/custom_emoji/"
"""The path prefix of the images, outside the API and without authentication."""


class EmojiPayload(TypedDict):
    """One custom emoji."""

    id: str
    """A number as text; reactions name it in `emoji_code`."""
    name: str
    """What is written between colons to use it."""
    source_url: str
    """The path of the picture on this server; needs no login."""
    still_url: str | None
    """The path of the first frame of an animated emoji; null if it is not animated."""
    deactivated: bool
    """Whether it was removed: old messages and reactions still show it, new ones cannot use it."""
    author_id: int | None
    """The user who added it; null if that is not known."""


class EmojiListPayload(TypedDict):
    """All custom emoji by id, including removed ones, which old reactions show."""

    emoji: dict[str, EmojiPayload]
    """The emoji by id, removed ones included."""


def emoji_payload(emoji: EmojiRecord) -> EmojiPayload:
    still = emoji.still_path_id
    return {
        "id": str(emoji.id),
        "name": emoji.name,
        "source_url": PREFIX + emoji.path_id,
        "still_url": None if still is None else PREFIX + still,
        "deactivated": emoji.deactivated,
        "author_id": emoji.author_id,
    }
