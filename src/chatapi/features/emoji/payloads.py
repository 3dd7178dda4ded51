"""Custom emoji as clients see them."""

from typing_extensions import TypedDict

from chatapi.features.emoji.repository import EmojiRecord

PREFIX = "/custom_emoji/"
"""Where the pictures are, outside the API and open to everybody who knows the address."""


class EmojiPayload(TypedDict):
    """One custom emoji."""

    id: str
    name: str
    source_url: str
    still_url: str | None
    """The first picture of an emoji that moves."""
    deactivated: bool
    author_id: int | None


class EmojiListPayload(TypedDict):
    """All custom emoji by id, also removed ones, which old reactions show."""

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
