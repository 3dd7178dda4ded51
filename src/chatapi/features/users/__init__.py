"""Users: reading, creating and changing accounts."""

from chatapi.features.users.activation import deactivate_user, reactivate_user
from chatapi.features.users.api_key_records import ApiKeyRecord
from chatapi.features.users.api_keys import (
    MAX_KEY_NAME_LENGTH,
    add_api_key,
    list_api_keys,
    revoke_access,
    revoke_api_key,
    store_api_key_use,
)
from chatapi.features.users.avatar_addresses import (
    Avatar,
    DefaultAvatar,
    avatar_url,
    drawn_picture_url,
)
from chatapi.features.users.avatar_changes import (
    MAX_AVATAR_MIB,
    avatar_keys,
    list_avatar_keys,
)
from chatapi.features.users.bot_records import BotServiceRecord
from chatapi.features.users.changes import change_password, change_role
from chatapi.features.users.creation import CreatedUser, NewUser, add_user
from chatapi.features.users.events import UNKNOWN_USER
from chatapi.features.users.failed_logins import record_failed_logins
from chatapi.features.users.full_members import list_realms_to_recount, recount_full_members
from chatapi.features.users.presence.rules import OFFLINE_AFTER_SECONDS, PING_EVERY_SECONDS
from chatapi.features.users.profile_fields.field_types import KNOWN_SITES
from chatapi.features.users.profile_fields.params import CreateFieldParams, ProfileValueParam
from chatapi.features.users.profile_fields.profiles import ProfileService, has_profile_values
from chatapi.features.users.profile_fields.service import ProfileFieldService, list_profile_fields
from chatapi.features.users.repository import BotServiceRepository
from chatapi.features.users.role_history import past_roles
from chatapi.features.users.rules import check_email, check_password
from chatapi.features.users.system_bots import add_notification_bot, notification_bot
from chatapi.features.users.visibility.emitter import emit_user_visibility

__all__ = [
    "KNOWN_SITES",
    "MAX_AVATAR_MIB",
    "MAX_KEY_NAME_LENGTH",
    "OFFLINE_AFTER_SECONDS",
    "PING_EVERY_SECONDS",
    "UNKNOWN_USER",
    "ApiKeyRecord",
    "Avatar",
    "BotServiceRecord",
    "BotServiceRepository",
    "CreateFieldParams",
    "CreatedUser",
    "DefaultAvatar",
    "NewUser",
    "ProfileFieldService",
    "ProfileService",
    "ProfileValueParam",
    "add_api_key",
    "add_notification_bot",
    "add_user",
    "avatar_keys",
    "avatar_url",
    "change_password",
    "change_role",
    "check_email",
    "check_password",
    "deactivate_user",
    "drawn_picture_url",
    "emit_user_visibility",
    "has_profile_values",
    "list_api_keys",
    "list_avatar_keys",
    "list_profile_fields",
    "list_realms_to_recount",
    "notification_bot",
    "past_roles",
    "reactivate_user",
    "record_failed_logins",
    "recount_full_members",
    "revoke_access",
    "revoke_api_key",
    "store_api_key_use",
]
