"""Response payloads about users (SPEC 2.3)."""

from typing import NotRequired

from typing_extensions import TypedDict


class ProfileValuePayload(TypedDict):
    """A user's value of one custom profile field."""

    value: str
    """The value as text: for a list of options the key of the option, for users a JSON list of ids.
    """
    rendered_value: NotRequired[str]
    """The value as HTML; only for fields that support Markdown."""


ProfileData = dict[str, ProfileValuePayload]
"""By the id of the custom profile field."""


class UserProperties(TypedDict):
    """What is shown of a user to themselves and to others."""

    user_id: int
    """Names the user in other requests; it never changes."""
    email: str
    """The API email, which identifies the user as well as the id does: the real address, or
    `user7@` and the host name if that is not for everyone."""
    full_name: str
    """The name that people see; need not be unique."""
    date_joined: str
    """When the account was created, in ISO 8601."""
    is_active: bool
    """Whether the account is not deactivated."""
    is_owner: bool
    """Whether they are an owner of the organization."""
    is_admin: bool
    """Whether they are an administrator or an owner."""
    is_guest: bool
    """Whether they are a guest, who sees only the channels they were added to."""
    is_bot: bool
    """Whether a program acts as this user."""
    role: int
    """100: owner, 200: administrator, 300: moderator, 400: member, 600: guest."""
    timezone: str
    """A name of the IANA time zone database, such as `Europe/Berlin`; empty if it is not known."""
    avatar_version: int
    """Increases when the picture changes; part of its address."""
    is_imported_stub: bool
    """Whether the account exists only as a copy from elsewhere. Always false here."""
    profile_data: NotRequired[ProfileData]
    """Values of custom profile fields, by the id of the field; absent for bots, and unless they
    were asked for."""


class UserPayload(UserProperties):
    """One user as shown to one reader."""

    delivery_email: str | None
    """The real address; null if the reader may not see it."""
    bot_type: int | None
    """Of a bot: 1 generic, 2 incoming webhook, 3 outgoing webhook. Null for people."""
    bot_owner_id: int | None
    """Of a bot: the user it belongs to. Null for people, and for bots of the service itself."""
    avatar_url: str | None
    """The picture; null if the client computes the address of a Gravatar picture itself."""
    is_deleted: NotRequired[bool]
    """Only present, and true, for users whose data was erased; there are none."""
    is_system_bot: NotRequired[bool]
    """Only present, and true, for bots of the service itself."""


class UsersPayload(TypedDict):
    """All users, or the requested ones."""

    members: list[UserPayload]
    """The users whom you may see, deactivated ones included; of `user_ids` if that was passed."""


class OneUserPayload(TypedDict):
    """One user."""

    user: UserPayload
    """The user who was asked for."""


class RememberedUserPayload(UserProperties):
    """The part that changes only when the caller's user does; cached."""

    delivery_email: str
    """Your real address."""
    avatar_url: str
    """Your picture."""


class OwnUserPayload(RememberedUserPayload):
    """The caller."""

    max_message_id: int
    """The newest message of the organization, -1 before the first."""


class CreatedUserPayload(TypedDict):
    """The id of a new user."""

    user_id: int
    """The id of the new user."""
