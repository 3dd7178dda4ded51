"""Emoji: the standard ones, and the custom ones of a realm."""

from chatapi.features.emoji.resolver import Emoji, EmojiKind, EmojiResolver, ReactionType
from chatapi.features.emoji.service import list_emoji_named, list_emoji_paths

__all__ = [
    "Emoji",
    "EmojiKind",
    "EmojiResolver",
    "ReactionType",
    "list_emoji_named",
    "list_emoji_paths",
]
