"""Keys of payloads that derive from permissions."""

from typing import Annotated, Any

from pydantic import Field, ValidatorFunctionWrapHandler, WrapValidator
from typing_extensions import TypedDict

from chatapi.permissions.settings import Permission
from chatapi.wire.group_values import GroupSettingPayload


def permission_values(permissions: type[Permission]) -> type:
    """Returns a base class for payloads with the value of every permission.

    The other keys are a TypedDict of their own, which is the first base, so that mypy knows them.
    """
    keys = permission_hints(permissions)
    return TypedDict("PermissionValues", keys)  # type: ignore[operator,no-any-return]  # dynamic


def permission_hints(permissions: type[Permission]) -> dict[str, Any]:
    """Returns the type and description of the value of each permission, by its name."""
    return {
        each.value: Annotated[GroupSettingPayload, Field(description=each.setting.description)]
        for each in permissions
    }


def changed_permission_values(permissions: type[Permission]) -> type:
    """Returns a base class for payloads with the values of some permissions."""
    keys = permission_hints(permissions)
    return TypedDict("ChangedPermissionValues", keys, total=False)  # type: ignore[operator,no-any-return]  # dynamic


def lacks_newer_permissions(permissions: type[Permission]) -> WrapValidator:
    """Returns an annotation for payloads in events, which the log keeps.

    An event that was logged before a permission existed has no value of it. Clients receive the
    event as it was logged.
    """
    any_value = dict.fromkeys((each.value for each in permissions), 0)

    def validate(payload: Any, validate_payload: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 (validated here)
        if not isinstance(payload, dict) or any_value.keys() <= payload.keys():
            return validate_payload(payload)
        validated = validate_payload({**any_value, **payload})
        return {key: value for key, value in validated.items() if key in payload}

    return WrapValidator(validate)
