"""Response payloads about users (SPEC 2.3)."""

from typing import NotRequired

from typing_extensions import TypedDict


class ProfileValuePayload(TypedDict):
    """A user's value of one custom profile field."""

    value: str
    rendered_value: NotRequired[str]
    """HTML; only for fields that support Markdown."""


ProfileData = dict[str, ProfileValuePayload]
"""By the id of the custom profile field."""


class UserPayload(TypedDict):
    """One user as shown to one reader."""

    user_id: int
    delivery_email: str | None
    email: str
    full_name: str
    date_joined: str
    is_active: bool
    is_owner: bool
    is_admin: bool
    is_guest: bool
    is_bot: bool
    bot_type: int | None
    bot_owner_id: int | None
    role: int
    timezone: str
    avatar_url: str | None
    avatar_version: int
    is_imported_stub: bool
    is_deleted: NotRequired[bool]
    """Only present, and true, for users whose data was erased; there are none."""
    is_system_bot: NotRequired[bool]
    """Only present, and true, for bots of the service itself."""
    profile_data: NotRequired[ProfileData]


class UsersPayload(TypedDict):
    """All users, or the requested ones."""

    members: list[UserPayload]


class OneUserPayload(TypedDict):
    """One user."""

    user: UserPayload


class RememberedUserPayload(TypedDict):
    """The part that changes only when the caller's user does; cached."""

    user_id: int
    delivery_email: str
    email: str
    full_name: str
    date_joined: str
    is_active: bool
    is_owner: bool
    is_admin: bool
    is_guest: bool
    is_bot: bool
    role: int
    timezone: str
    avatar_url: str
    avatar_version: int
    is_imported_stub: bool
    profile_data: NotRequired[ProfileData]


class OwnUserPayload(RememberedUserPayload):
    """The caller."""

    max_message_id: int
    """The newest message of the organization, -1 before the first."""


class CreatedUserPayload(TypedDict):
    """The id of a new user."""

    user_id: int
