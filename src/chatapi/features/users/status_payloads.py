"""Payloads of user statuses."""

from typing import Annotated

from typing_extensions import TypedDict

from chatapi.wire.types import DEPRECATED


class UserStatusPayload(TypedDict, total=False):
    """A user's status; absent keys are not set."""

    away: Annotated[bool, DEPRECATED]
    """Whether the user hides their presence."""
    status_text: str
    emoji_name: str
    emoji_code: str
    reaction_type: str


class OneUserStatusPayload(TypedDict):
    """The status of a user."""

    status: UserStatusPayload


class UserStatusesPayload(TypedDict):
    """The statuses of all users who have one, by user id."""

    user_status: dict[str, UserStatusPayload]
