"""Parameters of reactions."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from chatapi.features.emoji import ReactionType
from chatapi.wire.params import Params

_MAX_LENGTH = 100

EmojiName = Annotated[str, Field(min_length=1, max_length=_MAX_LENGTH)]
EmojiCode = Annotated[str, Field(min_length=1, max_length=_MAX_LENGTH, examples=["1f419"])]


class AddReactionParams(Params):
    """POST /messages/{message_id}/reactions."""

    emoji_name: EmojiName
    """The name of the emoji, without colons; alternative names are accepted."""
    emoji_code: EmojiCode | None = None
    """What identifies the emoji: code points in hexadecimal, or the id of a custom one. Without it,
    the emoji is looked up by its name."""
    reaction_type: ReactionType | None = None
    """What kind of emoji it is; without it, the server finds out by the name."""


class RemoveReactionParams(Params):
    """SPEC 4.19: the emoji by its name, its code or both."""

    emoji_name: EmojiName | None = None
    """The name of the emoji, without colons; pass this, `emoji_code` or both."""
    emoji_code: EmojiCode | None = None
    """What identifies the emoji: code points in hexadecimal, or the id of a custom one."""
    reaction_type: ReactionType | None = None
    """What kind of emoji it is; without it, the server finds out by the name."""

    @model_validator(mode="after")
    def _names_an_emoji(self) -> Self:
        if self.emoji_name is None and self.emoji_code is None:
            raise ValueError("Pass at least one of 'emoji_name' and 'emoji_code'")
        return self
