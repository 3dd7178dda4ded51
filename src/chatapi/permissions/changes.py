"""Changes of permission settings: request parameters and the resulting values."""

from collections.abc import Mapping
from typing import Any

from pydantic import create_model

from chatapi.permissions.errors import ExpectationMismatchError
from chatapi.permissions.settings import PermissionSetting
from chatapi.permissions.values import ValueChecker
from chatapi.wire.group_values import GroupSettingChange, GroupSettingParam, GroupValue
from chatapi.wire.params import Params


def permission_params(table: Mapping[str, PermissionSetting]) -> type[Params]:
    """Returns a base class for parameters with one value per setting of a table."""
    fields: dict[str, Any] = dict.fromkeys(table, (GroupSettingParam | None, None))
    return create_model("PermissionParams", __base__=Params, **fields)


def permission_change_params(table: Mapping[str, PermissionSetting]) -> type[Params]:
    """Returns a base class for parameters with one `{new, old}` change per setting of a table."""
    fields: dict[str, Any] = dict.fromkeys(table, (GroupSettingChange | None, None))
    return create_model("PermissionChangeParams", __base__=Params, **fields)


async def changed_value(
    checker: ValueChecker,
    setting: PermissionSetting,
    change: GroupSettingChange,
    current: GroupValue,
) -> GroupValue | None:
    """Returns the new value of a setting, None if it does not change."""
    if change.old is not None and GroupValue.from_param(change.old) != current:
        raise ExpectationMismatchError(setting.name)
    if GroupValue.from_param(change.new) == current:
        return None
    return await checker.check(setting, change.new)
