"""Payloads of custom emoji."""

from typing_extensions import TypedDict

from chatapi.features.emoji.repository import EmojiRecord

PREFIX = "/custom_emoji/"
"""The path prefix of the images, outside the API and without authentication."""


class EmojiPayload(TypedDict):
    """One custom emoji."""

    id: str
    name: str
    source_url: str
    still_url: str | None
    """The first frame of an animated emoji."""
    deactivated: bool
    author_id: int | None


class EmojiListPayload(TypedDict):
    """All custom emoji by id, including removed ones, which old reactions show."""

    emoji: dict[str, EmojiPayload]


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
