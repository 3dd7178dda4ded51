"""Parameters of the organization's endpoint."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from chatapi.features.realm.rules import MAX_NAME_LENGTH
from chatapi.permissions.changes import passed_permissions, permission_change_params
from chatapi.permissions.settings import RealmPermission
from chatapi.wire.group_values import GroupSettingChange
from chatapi.wire.params import without_defaults
from chatapi.wire.realm_settings import RealmSettings

_PermissionChanges = permission_change_params(RealmPermission)


class ChangeRealmParams(RealmSettings, _PermissionChanges):  # type: ignore[misc,valid-type]  # from a table
    """PATCH /realm: any of the realm's settings and permissions."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=without_defaults)

    name: Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Acme"])] = ""
    """Replaces the name of the organization."""

    def passed_settings(self) -> dict[str, Any]:
        """The plain settings that were passed, by name."""
        names = RealmSettings.model_fields.keys() & self.model_fields_set
        return {name: getattr(self, name) for name in sorted(names)}

    def permission_changes(self) -> dict[RealmPermission, GroupSettingChange]:
        """The permissions that are to change."""
        return passed_permissions(RealmPermission, self)
