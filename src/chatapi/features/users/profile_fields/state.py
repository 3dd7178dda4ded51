"""The custom profile fields part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context, RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.state import public_section, shared_by_all, state_section
from chatapi.features.users.profile_fields.field_types import FieldType
from chatapi.features.users.profile_fields.payloads import ProfileFieldPayload, field_payload
from chatapi.features.users.profile_fields.repository import ProfileFieldRepository


class FieldTypePayload(TypedDict):
    """A type of field that administrators can choose."""

    id: int
    """The number of the type, for `field_type`."""
    name: str
    """What clients call it."""


class ProfileFieldsState(TypedDict):
    """The fields, and the available field types."""

    custom_profile_fields: list[ProfileFieldPayload]
    """The fields that administrators added to all profiles, in their order; empty for visitors."""
    custom_profile_field_types: dict[str, FieldTypePayload]
    """The types of fields that administrators can choose, by name."""


_FIELD_TYPES: dict[str, FieldTypePayload] = {
    kind.name: {"id": kind.value, "name": kind.label} for kind in FieldType
}


@public_section("custom_profile_fields", for_users=False)
async def load_field_types(_ctx: RealmContext, _profile: ClientProfile) -> ProfileFieldsState:
    """Profiles are for users only, and so are their fields."""
    return {"custom_profile_fields": [], "custom_profile_field_types": _FIELD_TYPES}


@state_section("custom_profile_fields", cache_key=shared_by_all)
async def load_profile_fields(ctx: Context, profile: ClientProfile) -> ProfileFieldsState:
    """All fields in their order."""
    del profile
    fields = await ProfileFieldRepository(ctx.db, ctx.realm.id).list_fields()
    return {
        "custom_profile_fields": [field_payload(field) for field in fields],
        "custom_profile_field_types": _FIELD_TYPES,
    }
