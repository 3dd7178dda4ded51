"""Parameters of user statuses."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from chatapi.features.emoji import ReactionType
from chatapi.wire.params import Params
from chatapi.wire.types import DEPRECATED

_MAX_TEXT_LENGTH = 60
_MAX_EMOJI_LENGTH = 100

StatusText = Annotated[
    str,
    StringConstraints(strip_whitespace=True),
    Field(max_length=_MAX_TEXT_LENGTH),
]
EmojiText = Annotated[str, Field(max_length=_MAX_EMOJI_LENGTH)]


class ChangeUserStatusParams(Params):
    """POST /users/{user_id}/status: what is not passed stays unchanged."""

    status_text: StatusText | None = None
    """What to say, as plain text; empty removes it."""
    emoji_name: Annotated[EmojiText | None, Field(examples=["car"])] = None
    """The name of an emoji to show with it, without colons; empty removes it."""
    emoji_code: Annotated[EmojiText | None, Field(examples=["1f697"])] = None
    """What identifies the emoji; without it, the emoji is looked up by its name."""
    reaction_type: ReactionType | Literal[""] | None = None
    """What kind of emoji it is; without it, the server finds out by the name."""


class ChangeOwnStatusParams(ChangeUserStatusParams):
    """SPEC 4.16, POST /users/me/status."""

    away: Annotated[bool | None, DEPRECATED] = None
    """Deprecated: the opposite of the setting `presence_enabled`."""
