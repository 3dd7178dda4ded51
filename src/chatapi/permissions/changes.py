"""Changes of permission settings: request parameters and the resulting values."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, create_model

from chatapi.permissions.errors import ExpectationMismatchError
from chatapi.permissions.settings import Permission, PermissionT
from chatapi.permissions.values import ValueChecker
from chatapi.wire.group_values import (
    GroupSettingChange,
    GroupSettingParam,
    GroupSettingPayload,
    GroupValue,
)
from chatapi.wire.params import Params


def permission_params(permissions: type[Permission]) -> type[Params]:
    """Returns a base class for parameters with one value per permission."""
    return create_model(
        "PermissionParams", __base__=Params, **_fields(permissions, GroupSettingParam)
    )


def permission_change_params(permissions: type[Permission]) -> type[Params]:
    """Returns a base class for parameters with one `{new, old}` change per permission."""
    return create_model(
        "PermissionChangeParams", __base__=Params, **_fields(permissions, GroupSettingChange)
    )


def _fields(permissions: type[Permission], kind: Any) -> dict[str, Any]:  # noqa: ANN401 (a type)
    return {
        each.value: (kind | None, Field(default=None, description=each.setting.description))
        for each in permissions
    }


def passed_permissions(permissions: type[PermissionT], params: Params) -> dict[PermissionT, Any]:
    """Returns the values that were passed for permissions, or the changes of them."""
    passed = {each: getattr(params, each) for each in permissions}
    return {each: value for each, value in passed.items() if value is not None}


async def changed_value(
    checker: ValueChecker,
    permission: Permission,
    change: GroupSettingChange,
    current: GroupValue,
) -> GroupValue | None:
    """Returns the new value of a permission, None if it does not change."""
    if change.old is not None and GroupValue.from_param(change.old) != current:
        raise ExpectationMismatchError(permission)
    if GroupValue.from_param(change.new) == current:
        return None
    return await checker.check(permission, change.new)


def names_to_wire(
    values: Mapping[PermissionT, GroupSettingPayload],
) -> dict[str, GroupSettingPayload]:
    """Returns values by plain names, for rows, events and responses."""
    return {permission.value: value for permission, value in values.items()}
