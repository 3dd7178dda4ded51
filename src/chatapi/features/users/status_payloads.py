"""Payloads of user statuses."""

from typing import Annotated

from typing_extensions import TypedDict

from chatapi.wire.types import DEPRECATED


class UserStatusPayload(TypedDict, total=False):
    """A user's status; absent keys are not set."""

    away: Annotated[bool, DEPRECATED]
    """Whether the user hides their presence; older form of the setting `presence_enabled`."""
    status_text: str
    """What the user says about themselves, as plain text."""
    emoji_name: str
    """The emoji that is shown with it, by name and without colons."""
    emoji_code: str
    """What identifies the emoji: its code points in hexadecimal for a Unicode emoji, its id for a
    custom one."""
    reaction_type: str
    """What kind of emoji it is: `unicode_emoji`, `realm_emoji` (a custom one) or
    `zulip_extra_emoji`."""


class OneUserStatusPayload(TypedDict):
    """The status of a user."""

    status: UserStatusPayload
    """The status of the user; empty if they have none."""


class UserStatusesPayload(TypedDict):
    """The statuses of all users who have one, by user id."""

    user_status: dict[str, UserStatusPayload]
    """The statuses of the users who have one, by user id."""
