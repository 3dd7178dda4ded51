"""Rules for a realm's settings, and values derived from them; pure."""

from collections.abc import Mapping
from typing import Any

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.system_groups import SystemGroup
from chatapi.features.realm.payloads import PermissionSettingPayload
from chatapi.permissions.settings import Permission, RealmPermission
from chatapi.wire.realm_settings import OwnersOnly, RealmSettings, SentInUpdateDict

MAX_NAME_LENGTH = 40
MAX_PICTURE_MIB = 5
OWNER_ONLY = RealmSettings.marked(OwnersOnly) | {
    permission.value for permission in RealmPermission if permission.setting.owner_only
}
"""Settings that only owners may change."""
SENT_IN_UPDATE_DICT = RealmSettings.marked(SentInUpdateDict) | {
    permission.value for permission in RealmPermission
}
"""Settings whose changes are emitted together in one event."""

_DEFAULTS = RealmSettings().model_dump()


def check_name(name: str) -> str:
    name = name.strip()
    if not 0 < len(name) <= MAX_NAME_LENGTH:
        raise BadRequestError(f"name must have 1 to {MAX_NAME_LENGTH} characters")
    return name


def stored_settings(realm: RealmRecord, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The stored differences from the defaults after some changes; default values are left out."""
    groups = realm.system_groups
    defaults = {each.value: groups[each.setting.default] for each in RealmPermission}
    defaults |= _DEFAULTS
    merged = {**realm.settings, **changes}
    return {
        name: value
        for name, value in merged.items()
        if name not in defaults or value != defaults[name]
    }


def supported_permissions(
    permissions: type[Permission],
) -> dict[str, PermissionSettingPayload]:
    """What each permission accepts, in the form that clients receive."""
    return {
        permission.value: {
            "require_system_group": setting.require_system_group,
            "allow_internet_group": setting.allows(SystemGroup.INTERNET),
            "allow_nobody_group": setting.allows(SystemGroup.NOBODY),
            "allow_everyone_group": setting.allows(SystemGroup.EVERYONE),
            "default_group_name": setting.default,
            "default_for_system_groups": setting.default_for_system_groups,
            "allowed_system_groups": list(setting.allowed_system_groups),
        }
        for permission in permissions
        for setting in [permission.setting]
    }
