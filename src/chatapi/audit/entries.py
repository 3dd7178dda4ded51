"""What an entry of the audit log says: the kind of change, what it concerns, and who made it."""

from collections.abc import Collection
from enum import StrEnum
from typing import Any

from msgspec import Struct

MAX_LISTED_IDS = 1000


class AuditKind(StrEnum):
    """The kinds of entries; the names are part of the API."""

    REALM_CREATED = "realm_created"
    REALM_SETTING_CHANGED = "realm_setting_changed"
    DEFAULT_USER_SETTING_CHANGED = "default_user_setting_changed"
    MAIL_DOMAIN_ADDED = "mail_domain_added"
    MAIL_DOMAIN_CHANGED = "mail_domain_changed"
    MAIL_DOMAIN_REMOVED = "mail_domain_removed"
    LINKIFIER_ADDED = "linkifier_added"
    LINKIFIER_CHANGED = "linkifier_changed"
    LINKIFIER_REMOVED = "linkifier_removed"
    PLAYGROUND_ADDED = "playground_added"
    PLAYGROUND_REMOVED = "playground_removed"
    USER_CREATED = "user_created"
    BOT_CREATED = "bot_created"
    USER_ROLE_CHANGED = "user_role_changed"
    USER_DEACTIVATED = "user_deactivated"
    USER_REACTIVATED = "user_reactivated"
    USER_EMAIL_CHANGED = "user_email_changed"
    USER_PASSWORD_CHANGED = "user_password_changed"  # noqa: S105 (not a password)
    USER_SETTING_CHANGED = "user_setting_changed"
    BOT_OWNER_CHANGED = "bot_owner_changed"
    BOT_SERVICE_CHANGED = "bot_service_changed"
    API_KEY_ADDED = "api_key_added"
    API_KEY_REVOKED = "api_key_revoked"
    API_KEYS_REVOKED = "api_keys_revoked"
    LOGIN_SUCCEEDED = "login_succeeded"
    LOGIN_FAILED = "login_failed"
    CHANNEL_CREATED = "channel_created"
    CHANNEL_SETTING_CHANGED = "channel_setting_changed"
    CHANNEL_ARCHIVED = "channel_archived"
    CHANNEL_UNARCHIVED = "channel_unarchived"
    GROUP_CREATED = "group_created"
    GROUP_SETTING_CHANGED = "group_setting_changed"
    GROUP_DEACTIVATED = "group_deactivated"
    GROUP_REACTIVATED = "group_reactivated"
    GROUP_MEMBERS_ADDED = "group_members_added"
    GROUP_MEMBERS_REMOVED = "group_members_removed"
    GROUP_SUBGROUPS_ADDED = "group_subgroups_added"
    GROUP_SUBGROUPS_REMOVED = "group_subgroups_removed"


class AuditSource(StrEnum):
    """Where a change came from."""

    API = "api"
    COMMAND_LINE = "command_line"
    SERVER = "server"


class AuditChange(Struct, frozen=True):
    """A change as a service describes it.

    `old` and `new` are JSON values. They never hold passwords, keys, addresses of people or
    texts of messages.
    """

    kind: AuditKind
    user_id: int | None = None
    """The user it concerns, not the one who made it."""
    channel_id: int | None = None
    group_id: int | None = None
    property: str | None = None
    """The name of a setting or a permission, or another part that changed."""
    old: Any = None
    new: Any = None


class AuditOrigin(Struct, frozen=True):
    """Who made a change, and from where."""

    source: AuditSource
    acting_user_id: int | None = None
    address: str = ""
    client: str = ""


def listed_ids(ids: Collection[int]) -> dict[str, Any]:
    """A value that names users or groups: how many, and the first thousand of them."""
    return {"count": len(ids), "ids": sorted(ids)[:MAX_LISTED_IDS]}
