"""User statuses as clients see them."""

from typing_extensions import TypedDict


class UserStatusPayload(TypedDict, total=False):
    """What somebody says about themselves; what they do not say is left out."""

    away: bool
    """Whether they hide their presence."""
    status_text: str
    emoji_name: str
    emoji_code: str
    reaction_type: str


class OneUserStatusPayload(TypedDict):
    """The status of a user."""

    status: UserStatusPayload


class UserStatusesPayload(TypedDict):
    """The statuses of all who have one, by user id."""

    user_status: dict[str, UserStatusPayload]
