"""Endpoints of custom profile fields."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import Admin, LoggedIn
from chatapi.core.ids import ProfileFieldId
from chatapi.features.users.profile_fields.params import (
    ChangeFieldParams,
    CreateFieldParams,
    RemoveProfileDataParams,
    ReorderFieldsParams,
    SetProfileDataParams,
)
from chatapi.features.users.profile_fields.payloads import CreatedFieldPayload, ProfileFieldsPayload
from chatapi.features.users.profile_fields.profiles import ProfileService
from chatapi.features.users.profile_fields.service import ProfileFieldService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

FieldInPath = Annotated[Id, Field(description="The `id` of the custom profile field.")]

router = FeatureRouter("Profile fields", "What an organization asks people about themselves.")


@router.get("/realm/profile_fields")
async def get_profile_fields(ctx: LoggedIn) -> ProfileFieldsPayload:
    """Get all custom profile fields.

    The fields that administrators added to all profiles, in their order. `GET /users` with
    `include_custom_profile_fields` returns the values.
    """
    return await ProfileFieldService(ctx).list_fields()


@router.post("/realm/profile_fields")
async def create_profile_field(ctx: Admin, params: CreateFieldParams) -> CreatedFieldPayload:
    """Create a custom profile field.

    `field_data` is needed for two types: a list of options (3) takes
    `{"key": {"text": "Shown to people", "order": "1"}}`, an external account (7) takes
    `{"subtype": "github"}` or `{"subtype": "custom", "url_pattern": "https://x.org/%(username)s"}`.
    """
    return await ProfileFieldService(ctx).create(params)


@router.patch("/realm/profile_fields")
async def reorder_profile_fields(ctx: Admin, params: ReorderFieldsParams) -> None:
    """Reorder custom profile fields.

    For administrators. Pass the ids of all fields. Clients receive a `custom_profile_fields` event.
    """
    await ProfileFieldService(ctx).reorder(params)


@router.patch("/realm/profile_fields/{field_id:int}")
async def change_profile_field(
    ctx: Admin, field_id: FieldInPath, params: ChangeFieldParams
) -> None:
    """Change a custom profile field.

    Users who chose an option that the new `field_data` no longer has lose that value.
    """
    await ProfileFieldService(ctx).change(ProfileFieldId(field_id), params)


@router.delete("/realm/profile_fields/{field_id:int}")
async def delete_profile_field(ctx: Admin, field_id: FieldInPath) -> None:
    """Delete a custom profile field.

    For administrators. The values that users had in it are deleted as well, and cannot be restored.
    Clients receive a `custom_profile_fields` event.
    """
    await ProfileFieldService(ctx).delete(ProfileFieldId(field_id))


@router.patch("/users/me/profile_data")
async def set_profile_data(ctx: LoggedIn, params: SetProfileDataParams) -> None:
    """Update your own custom profile fields.

    The form of a value depends on the type of its field: a list of user ids for users (6), a string
    for all others. Either all values are written or, if one is refused, none.
    """
    await ProfileService(ctx).set_values(params.data)


@router.delete("/users/me/profile_data")
async def remove_profile_data(ctx: LoggedIn, params: RemoveProfileDataParams) -> None:
    """Clear some of your own custom profile fields.

    Fields that only administrators may edit are refused, and then none is cleared. Clients receive
    a `realm_user/update` event for each field.
    """
    await ProfileService(ctx).remove_values(params)
